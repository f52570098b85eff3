import Contactless
import EMVKernel
import SmartCard
import TLV
import VirtualCard

extension TapCase {
    static var all: [TapCase] {
        visaDecisions + visaVerification + visaSignatures + visaFailures + mastercardDecisions + mastercardVerification
            + mastercardSignatures + mastercardMagstripe + mastercardFailures + amex + unionPay + presentedAgain
            + kernel8
    }

    // MARK: Kernel 3

    /// Limits, cryptograms, restrictions (EMV Contactless Books B, 3.1.1, and C-3, 5.4 and 5.5).
    private static var visaDecisions: [TapCase] {
        [
            .visa("offline", "10.00 below every limit: the card approves and signs.", expect: "approved offline"),
            .visa(
                "at-the-floor-limit", "25.00, the floor limit itself, does not exceed it.", expect: "approved offline",
                amount: 25_00),
            .visa(
                "above-the-floor-limit", "25.01 exceeds the floor limit: TTQ asks for an ARQC.",
                expect: "online request", amount: 25_01),
            .visa(
                "card-goes-online", "The terminal would approve, the card answers with an ARQC.",
                expect: "online request"
            ) {
                $0.approvesOfflineUpTo = nil
            },
            .visa("card-declines", "The card answers with an AAC.", expect: "declined offline") { _ in
            } change: {
                $0.profile.riskRule.declinesAbove = 1_00
            },
            .visa(
                "offline-abroad", "US dollars, which the card signs as it signs any currency.",
                expect: "approved offline"
            ) { _ in
            } change: {
                $0.request.currencyCode = 840
            },
            .visa("expired", "The card approves offline, but it has expired.", expect: "declined offline") { _ in
            } change: {
                $0.profile.account.expiry = [0x26, 0x10, 0x31]
            },
            .visa("expired-online", "An expired card whose CTQ sends it to its issuer.", expect: "online request") {
                $0.qualifiers = [.onlineIfExpired]
            } change: {
                $0.profile.account.expiry = [0x26, 0x10, 0x31]
            },
            .visa("refund", "The issuer decides about a refund.", expect: "online request", amount: 30_00) { _ in
            } change: {
                $0.request.kind = .refund
            },
            .visa("cash", "Cash that the card allows everywhere.", expect: "approved offline") { _ in
            } change: {
                $0.request.kind = .cash
            },
            .visa(
                "cash-not-allowed", "Cash from a foreign card that allows it at home alone.", expect: "declined offline"
            ) { _ in
            } change: {
                $0.request.kind = .cash
                $0.profile.usageControl = [.domesticCash, .domesticGoods, .internationalGoods, .terminalsOtherThanATMs]
            },
            .visa(
                "cashback", "5.00 of 15.00 are cash to the cardholder, a purchase for the card.",
                expect: "approved offline", amount: 15_00
            ) {
                _ in
            } change: {
                $0.request.kind = .purchaseWithCashback
                $0.request.amountOther = 5_00
            },
            .visa("form-factor", "The card says what it is, in tag 9F6E.", expect: "online request", amount: 30_00) {
                $0.formFactorIndicator = [0x23, 0x88, 0x00, 0x00]
            },
            .visa(
                "program", "The card names its program, for which the reader has no limits of its own.",
                expect: "approved offline"
            ) {
                $0.programIdentifier = [0x31, 0x02, 0x08, 0x26]
            },
            .visa(
                "magstripe", "A card without qVSDC gives its track with dCVV, to a reader that takes it.",
                expect: "online request"
            ) {
                $0.mode = .magstripe
            } change: {
                $0.takesVisaTracks = true
            },
            .visa(
                "magstripe-not-taken", "The same card at a reader that offers no mag-stripe mode: 6985.",
                expect: "ended"
            ) {
                $0.mode = .magstripe
            },
            .visa(
                "issuer-update", "The issuer's answer goes to the card at a second tap.", expect: "online request",
                amount: 30_00
            ) {
                $0.qualifiers = [.issuerUpdateProcessing]
            } change: {
                $0.issuerUpdate = IssuerResponse(
                    responseCode: Array("00".utf8), authenticationData: [1, 2, 3, 4, 5, 6, 7, 8])
            },
        ]
    }

    /// CTQ and TTQ (Book C-3, 5.7).
    private static var visaVerification: [TapCase] {
        [
            .visa("below-the-cvm-limit", "49.99 needs no verification.", expect: "online request", amount: 49_99),
            .visa(
                "pin-at-the-cvm-limit", "50.00 reaches the limit: the card wants the PIN for its issuer.",
                expect: "online request",
                amount: 50_00),
            .visa(
                "signature", "A reader without a PIN pad: the card wants a signature.", expect: "online request",
                amount: 60_00
            ) { _ in
            } change: {
                $0.hasPINPad = false
            },
            .visa("signature-first", "The card prefers a signature.", expect: "online request", amount: 60_00) {
                $0.verifications = [.signature, .onlinePIN]
            },
            .visa("phone", "A phone whose owner is verified pays 200.00.", expect: "online request", amount: 200_00) {
                $0.verifications = [.consumerDevice]
                $0.device = .verified
            },
            .visa(
                "phone-below-the-limit", "A phone pays 10.00 and is asked for no verification.",
                expect: "approved offline"
            ) {
                $0.verifications = [.consumerDevice]
                $0.device = .verified
            },
            .visa(
                "phone-gone", "A locked phone that is not presented again.", expect: "to be presented again",
                amount: 200_00
            ) {
                $0.verifications = [.consumerDevice]
                $0.device = .locked
            },
            .visa(
                "other-interface", "The card has no method for 50.00 in a field: 6984.", expect: "another interface",
                amount: 50_00
            ) {
                $0.verifications = []
            },
        ]
    }

    /// Fast DDA (Book C-3, 5.6).
    private static var visaSignatures: [TapCase] {
        [
            .visa("no-signature", "A TC without the signature that would cover it.", expect: "declined offline") {
                $0.interchangeProfile = []
            },
            .visa("no-signature-online", "The same, and CTQ sends the card to its issuer.", expect: "online request") {
                $0.interchangeProfile = []
                $0.qualifiers = [.onlineIfDataAuthenticationFails]
            },
            .visa(
                "no-signature-contacts", "The same, and CTQ sends the card to its contacts.",
                expect: "another interface"
            ) {
                $0.interchangeProfile = []
                $0.qualifiers = [.otherInterfaceIfDataAuthenticationFails]
            },
            .visa(
                "signed-online", "TTQ asks for a signature before the issuer is asked.", expect: "online request",
                amount: 30_00
            ) { _ in
            } change: {
                $0.authenticatesOnline = true
            },
            .visa(
                "unsigned-online", "TTQ asks for a signature from a card that has none.", expect: "online request",
                amount: 30_00
            ) {
                $0.interchangeProfile = []
            } change: {
                $0.authenticatesOnline = true
            },
            .visa("damaged-record", "One bit of a certificate is wrong.", expect: "declined offline") { _ in
            } change: {
                $0.faults = [CardFault(.corruption(index: 30, mask: 0x01), at: .command(.readRecord, occurrence: 2))]
            },
        ]
    }

    /// Cards that leave, or answer what they must not.
    private static var visaFailures: [TapCase] {
        [
            .visa(
                "torn-in-a-record", "The card leaves in its second record and stays away.",
                expect: "to be presented again"
            ) { _ in
            } change: {
                $0.faults = [CardFault(.removal, at: .command(.readRecord, occurrence: 2))]
            },
            .visa(
                "torn-at-selection", "No answer to the final SELECT; the card is presented again.",
                expect: "approved offline"
            ) { _ in
            } change: {
                $0.faults = [CardFault(.silence, at: .step(2))]
                $0.presentations = 2
            },
            .visa("record-refused", "READ RECORD is answered with 6A83.", expect: "ended") { _ in
            } change: {
                $0.faults = [CardFault(.status(.recordNotFound), at: .command(.readRecord, occurrence: 1))]
            },
            .visa("record-truncated", "A record ends in the middle.", expect: "ended") { _ in
            } change: {
                $0.faults = [CardFault(.truncation(to: 20), at: .command(.readRecord, occurrence: 2))]
            },
            .visa(
                "options-refused", "6985 to GET PROCESSING OPTIONS: the next application, of which there is none.",
                expect: "ended"
            ) {
                _ in
            } change: {
                $0.faults = [
                    CardFault(.status(.conditionsNotSatisfied), at: .command(.getProcessingOptions, occurrence: 1))
                ]
            },
            .visa("options-truncated", "The processing options end in the middle.", expect: "ended") { _ in
            } change: {
                $0.faults = [CardFault(.truncation(to: 12), at: .command(.getProcessingOptions, occurrence: 1))]
            },
        ]
    }

    // MARK: Kernel 2

    /// Limits, restrictions and action codes (Book C-2, 7.6 to 7.8).
    private static var mastercardDecisions: [TapCase] {
        [
            .mastercard("offline", "10.00 below every limit: a TC with CDA.", expect: "approved offline"),
            .mastercard(
                "at-the-floor-limit", "25.00, the floor limit itself, with CDA over a TC.", expect: "approved offline",
                amount: 25_00),
            .mastercard(
                "above-the-floor-limit", "25.01 sets its bit of the TVR: an ARQC is asked for.",
                expect: "online request", amount: 25_01),
            .mastercard(
                "card-goes-online", "A TC is asked for; the card answers with an ARQC.", expect: "online request"
            ) {
                $0.approvesOfflineUpTo = nil
            },
            .mastercard(
                "not-yet-effective", "Not effective before 2027, which the terminal's codes send online.",
                expect: "online request"
            ) { _ in
            } change: {
                $0.profile.account.effectiveDate = [0x27, 0x01, 0x01]
                $0.actionCodes = ActionCodes(denial: [], online: .applicationNotYetEffective, default: [])
            },
            .mastercard(
                "service-not-allowed", "Goods abroad, which the card does not allow and its issuer wants to hear of.",
                expect: "online request"
            ) {
                _ in
            } change: {
                $0.profile.usageControl = [.domesticGoods, .terminalsOtherThanATMs]
                $0.profile.actionCodes.online = .serviceNotAllowed
            },
            .mastercard(
                "another-version", "The card's version is not the reader's: a bit of the TVR, no more.",
                expect: "approved offline"
            ) { _ in
            } change: {
                $0.profile.versionNumber = 0x0003
            },
            .mastercard("cash", "Cash, which the card allows in every country.", expect: "approved offline") { _ in
            } change: {
                $0.request.kind = .cash
            },
            .mastercard(
                "cashback", "5.00 of 15.00 are cash: amount, other is sent.", expect: "approved offline", amount: 15_00
            ) { _ in
            } change: {
                $0.request.kind = .purchaseWithCashback
                $0.request.amountOther = 5_00
            },
            .mastercard("online-only", "A terminal that never approves asks for an ARQC.", expect: "online request") {
                _ in
            } change: {
                $0.terminal = { $0.type = .attendedOnlineOnly }
            },
            .mastercard("offline-only", "A terminal without a line gets its TC.", expect: "approved offline") { _ in
            } change: {
                $0.terminal = { $0.type = .attendedOfflineOnly }
            },
        ]
    }

    /// The card's CVM list above and below DF8126 (Book C-2, 7.5).
    private static var mastercardVerification: [TapCase] {
        [
            .mastercard(
                "below-the-cvm-limit", "49.99: no verification, by the reader's capability.", expect: "online request",
                amount: 49_99),
            .mastercard(
                "pin-at-the-cvm-limit", "50.00: the first rule of the list is the PIN for the issuer.",
                expect: "online request",
                amount: 50_00),
            .mastercard(
                "signature", "Without a PIN pad the list comes to the signature.", expect: "online request",
                amount: 60_00
            ) { _ in
            } change: {
                $0.hasPINPad = false
            },
            .mastercard(
                "no-method", "The list has the PIN for the issuer alone, and there is no PIN pad.",
                expect: "online request", amount: 60_00
            ) {
                $0.cvmList = CVMList(rules: [
                    CVMRule(code: .onlinePIN, continuesIfUnsuccessful: false, condition: .always)
                ])
            } change: {
                $0.hasPINPad = false
            },
            .mastercard("not-verifying", "A card whose AIP says that it does not verify.", expect: "approved offline") {
                $0.interchangeProfile = [.cdaSupported, .terminalRiskManagement]
            },
            .mastercard(
                "phone", "A phone that verified its owner pays 200.00.", expect: "online request", amount: 200_00
            ) {
                $0.device = .verified
            },
            .mastercard(
                "phone-below-the-limit", "A phone below the limit: CVM results 3F0002.", expect: "approved offline"
            ) {
                $0.device = .verified
            },
        ]
    }

    /// CDA (Book C-2, 7.6 and S910).
    private static var mastercardSignatures: [TapCase] {
        [
            .mastercard(
                "without-cda-online", "A card without CDA whose denial the acquirer has switched off.",
                expect: "online request",
                amount: 30_00
            ) {
                $0.interchangeProfile = [.cardholderVerificationSupported, .terminalRiskManagement]
            } change: {
                $0.actionCodes = ActionCodes(denial: [], online: .floorLimitExceeded, default: [])
            },
            .mastercard(
                "relay-resistance", "The card answers in its time: its data are signed with the cryptogram.",
                expect: "approved offline"
            ) {
                $0.relayResistance = CardRelayResistance()
            } change: {
                $0.resistsRelays = true
                // The signature has 14 bytes more.
                $0.profile.keySizes = RSAKeySizes()
            },
        ]
    }

    /// Tracks with CVC3 (Book C-2, S7, S13 and S14).
    private static var mastercardMagstripe: [TapCase] {
        [
            .mastercard("magstripe", "A card of mag-stripe mode pays 10.00.", expect: "online request") {
                $0.mode = .magstripe
            },
            .mastercard(
                "magstripe-above-the-limit", "60.00 with the PIN for the issuer, in mag-stripe mode.",
                expect: "online request",
                amount: 60_00
            ) {
                $0.mode = .magstripe
            },
            .mastercard(
                "magstripe-phone", "A phone of mag-stripe mode says in its answer that it verified.",
                expect: "online request",
                amount: 200_00
            ) {
                $0.mode = .magstripe
                $0.device = .verified
            },
            .mastercard(
                "magstripe-positions", "The digits of code and number are at other places of the track.",
                expect: "online request"
            ) {
                $0.mode = .magstripe
                $0.positions = ChecksumPositions(code: 0x0070, number: 0x0F80, counterDigits: 2)
            },
            .mastercard(
                "magstripe-torn", "The card leaves while it computes its code.", expect: "to be presented again"
            ) {
                $0.mode = .magstripe
            } change: {
                $0.faults = [CardFault(.removal, at: .command(.computeCryptographicChecksum, occurrence: 1))]
            },
        ]
    }

    /// Cards that leave, or answer what they must not.
    private static var mastercardFailures: [TapCase] {
        [
            .mastercard(
                "torn-in-a-record", "The card leaves in its first record and stays away.",
                expect: "to be presented again"
            ) { _ in
            } change: {
                $0.faults = [CardFault(.removal, at: .command(.readRecord, occurrence: 1))]
            },
            .mastercard(
                "torn-in-the-options", "No answer to the processing options of kernel 2; presented again.",
                expect: "approved offline"
            ) { _ in
            } change: {
                $0.faults = [CardFault(.silence, at: .command(.getProcessingOptions, occurrence: 1))]
                $0.presentations = 2
            },
            .mastercard("record-refused", "READ RECORD is answered with 6A83: the kernel ends.", expect: "ended") { _ in
            } change: {
                $0.faults = [CardFault(.status(.recordNotFound), at: .command(.readRecord, occurrence: 2))]
            },
            .mastercard("record-truncated", "A record of kernel 2 ends in the middle.", expect: "ended") { _ in
            } change: {
                $0.faults = [CardFault(.truncation(to: 20), at: .command(.readRecord, occurrence: 2))]
            },
            .mastercard(
                "options-refused", "6985 to the processing options: no other application is left.", expect: "ended"
            ) { _ in
            } change: {
                $0.faults = [
                    CardFault(.status(.conditionsNotSatisfied), at: .command(.getProcessingOptions, occurrence: 1))
                ]
            },
        ]
    }
}
