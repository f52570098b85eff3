import CardCryptography
import EMVKernel
import SmartCard
import TLV
import VirtualCard

extension TraceCase {
    /// Damages one byte of the answer with a record. The records in reading order: track 2;
    /// authority's index; issuer's certificate; signed static data; card's exponent; card's
    /// certificate; signed data; lists.
    private static func damagedRecord(_ number: Int, byte: Int) -> [CardFault] {
        [CardFault(.corruption(index: byte, mask: 0x01), at: .command(.readRecord, occurrence: number))]
    }

    private mutating func offers(_ methods: ApplicationInterchangeProfile) {
        profile.interchangeProfile.subtract([.sdaSupported, .ddaSupported, .cdaSupported])
        profile.interchangeProfile.formUnion(methods)
    }

    /// Every method of offline data authentication, and how each fails (EMV 4.4 Book 2, 5, 6 and
    /// 12).
    static var authentication: [TraceCase] {
        [
            TraceCase(
                "oda-none", "The card offers no method: not performed, and the issuer wants to be asked.",
                expect: "approved online"
            ) {
                $0.offers([])
            },
            TraceCase(
                "oda-nothing-in-common", "The card does SDA alone, the terminal all but SDA.", expect: "approved online"
            ) {
                $0.offers(.sdaSupported)
                $0.terminal = { $0.capabilities.remove(.sda) }
            },
            TraceCase("oda-sda", "SDA: the issuer's signature on the records is right.", expect: "approved offline") {
                $0.offers(.sdaSupported)
            },
            TraceCase("oda-sda-damaged-signature", "SDA: a byte of the signature is wrong.", expect: "approved online")
            {
                $0.offers(.sdaSupported)
                $0.faults = damagedRecord(4, byte: 20)
            },
            TraceCase(
                "oda-sda-changed-record", "SDA: a byte of the issuer's country is not the one that was signed.",
                expect: "approved online"
            ) {
                $0.offers(.sdaSupported)
                $0.faults = damagedRecord(7, byte: 32)
            },
            TraceCase("oda-dda", "DDA: the card signs the terminal's challenge.", expect: "approved offline") {
                $0.offers([.sdaSupported, .ddaSupported])
            },
            TraceCase(
                "oda-dda-damaged-signature", "DDA: a byte of the card's signature is wrong.", expect: "approved online"
            ) {
                $0.offers(.ddaSupported)
                $0.faults = [CardFault(.corruption(index: 20, mask: 0x01), at: .every(.internalAuthenticate))]
            },
            TraceCase(
                "oda-dda-refused", "The card refuses INTERNAL AUTHENTICATE: the transaction ends.", expect: "terminated"
            ) {
                $0.offers(.ddaSupported)
                $0.faults = [CardFault(.status(.conditionsNotSatisfied), at: .every(.internalAuthenticate))]
            },
            TraceCase(
                "oda-dda-default-ddol", "DDA with the terminal's default DDOL, for the card has none.",
                expect: "approved offline"
            ) {
                $0.offers(.ddaSupported)
                $0.profile.ddol = nil
            },
            TraceCase(
                "oda-dda-ddol-without-number", "The card's DDOL does not ask for the unpredictable number: DDA fails.",
                expect: "approved online"
            ) {
                $0.offers(.ddaSupported)
                $0.profile.ddol = DOL(entries: [DOL.Entry(.transactionDate, 3)])
            },
            TraceCase(
                "oda-damaged-issuer-certificate", "A byte of the issuer's certificate is wrong: no key is recovered.",
                expect: "approved online"
            ) {
                $0.offers(.ddaSupported)
                $0.faults = damagedRecord(3, byte: 40)
            },
            TraceCase(
                "oda-damaged-card-certificate", "A byte of the card's certificate is wrong.", expect: "approved online"
            ) {
                $0.offers(.ddaSupported)
                $0.faults = damagedRecord(6, byte: 40)
            },
            TraceCase(
                "oda-unknown-authority", "The terminal has no key of the card's authority.", expect: "approved online"
            ) {
                $0.offers(.ddaSupported)
                $0.terminal = { $0.caKeys = [] }
            },
            TraceCase(
                "oda-data-missing", "The AIP promises SDA, and no record has the signature: ICC data missing.",
                expect: "approved online"
            ) {
                $0.offers(.sdaSupported)
                $0.profile.fileLayout = CardFileLayout([
                    CardFileLayout.File(
                        sfi: 1,
                        [
                            [
                                .applicationPAN, .panSequenceNumber, .applicationExpirationDate,
                                .applicationEffectiveDate,
                                .issuerCountryCode, .applicationUsageControl,
                            ]
                        ], authenticated: 1),
                    CardFileLayout.File(
                        sfi: 2,
                        [
                            [
                                .applicationVersionNumberCard, .cvmList, .issuerActionCodeDenial,
                                .issuerActionCodeOnline,
                                .issuerActionCodeDefault, .cdol1, .cdol2,
                            ]
                        ]),
                    CardFileLayout.File(
                        sfi: 3,
                        [
                            [.caPublicKeyIndexCard, .issuerPublicKeyExponent, .issuerPublicKeyRemainder],
                            [.issuerPublicKeyCertificate],
                        ]),
                ])
            },
            TraceCase(
                "oda-cda-offline", "CDA: the card signs the cryptogram of an offline approval.",
                expect: "approved offline"),
            TraceCase(
                "oda-cda-online", "CDA: both cryptograms of an online approval are signed.", expect: "approved online"
            ) {
                $0.request.amount = 150_00
            },
            TraceCase(
                "oda-cda-damaged-signature",
                "CDA: a byte of the signature on an offline approval is wrong, which declines.",
                expect: "declined offline"
            ) {
                $0.faults = [CardFault(.corruption(index: 30, mask: 0x01), at: .command(.generateAC, occurrence: 1))]
            },
            TraceCase(
                "oda-cda-damaged-last-signature",
                "CDA: the signature on the second cryptogram is wrong: declined after the issuer approved.",
                expect: "declined online"
            ) {
                $0.request.amount = 150_00
                $0.faults = [CardFault(.corruption(index: 30, mask: 0x01), at: .command(.generateAC, occurrence: 2))]
            },
            TraceCase(
                "oda-cda-failed-before",
                "CDA: the card's certificate is wrong, so the cryptogram is asked for without signature.",
                expect: "approved online"
            ) {
                $0.faults = damagedRecord(6, byte: 40)
            },
            TraceCase(
                "oda-xda-offline", "XDA, P-256: the card signs the cryptogram of an offline approval.",
                expect: "approved offline"
            ) {
                $0.profile = .ellipticCurveStyle()
                $0.profile.cvmList = CVMList(rules: [
                    CVMRule(code: .noCVM, continuesIfUnsuccessful: false, condition: .always)
                ])
            },
            TraceCase("oda-xda-online", "XDA, P-256: signatures on both cryptograms.", expect: "approved online") {
                $0.profile = .ellipticCurveStyle()
                $0.profile.cvmList = CVMList(rules: [
                    CVMRule(code: .noCVM, continuesIfUnsuccessful: false, condition: .always)
                ])
                $0.request.amount = 150_00
            },
            TraceCase("oda-xda-p521", "XDA, P-521 and SHA-512.", expect: "approved offline") {
                $0.profile = .ellipticCurveStyle(.p521)
                $0.profile.cvmList = CVMList(rules: [
                    CVMRule(code: .noCVM, continuesIfUnsuccessful: false, condition: .always)
                ])
            },
            TraceCase(
                "oda-xda-damaged-signature",
                "XDA: the signature on an offline approval is wrong: the issuer is asked, for whom a TC is no request.",
                expect: "declined online"
            ) {
                $0.profile = .ellipticCurveStyle()
                $0.profile.cvmList = CVMList(rules: [
                    CVMRule(code: .noCVM, continuesIfUnsuccessful: false, condition: .always)
                ])
                $0.faults = [CardFault(.corruption(index: 60, mask: 0x01), at: .command(.generateAC, occurrence: 1))]
            },
            TraceCase(
                "oda-xda-unknown-authority", "XDA: the terminal has no key of the card's authority.",
                expect: "declined offline"
            ) {
                $0.profile = .ellipticCurveStyle()
                $0.profile.cvmList = CVMList(rules: [
                    CVMRule(code: .noCVM, continuesIfUnsuccessful: false, condition: .always)
                ])
                $0.profile.actionCodes.denial = .caECCKeyMissing
                $0.terminal = { $0.caKeys = [] }
            },
        ]
    }
}
