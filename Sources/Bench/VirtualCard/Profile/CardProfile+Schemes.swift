private import Bytes
public import CardCryptography
public import TLV

extension CardProfile {
    /// A card like Visa's test cards: ARPC method 2, a published test number, PIN 1234.
    public static func visaStyle() -> CardProfile {
        var profile = CardProfile(
            applications: [CardApplication(aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], label: "VISA CREDIT")],
            account: CardAccount(pan: "4761739001010119"), versionNumber: 0x0096, cryptograms: .visa18)
        profile.pin = PIN(ascii: "1234".utf8)
        return profile
    }

    /// A card like Mastercard's test cards: ARPC method 1, a published test number, PIN 1234.
    public static func mastercardStyle() -> CardProfile {
        var profile = CardProfile(
            applications: [CardApplication(aid: [0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10], label: "MASTERCARD")],
            account: CardAccount(pan: "5413330089600119"), versionNumber: 0x0002, cryptograms: .mastercard14)
        profile.pin = PIN(ascii: "1234".utf8)
        return profile
    }
}

extension CardProfile {
    /// A card of the Common Core Definitions (EMV 4.4, part V of Book 3), with an AID of no payment
    /// system, a published test number and PIN 1234: it authenticates the issuer in the second
    /// GENERATE AC.
    public static func commonCoreStyle(_ cipher: CardKey.Cipher) -> CardProfile {
        var profile = CardProfile(
            applications: [CardApplication(aid: [0xF0, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01], label: "COMMON CORE")],
            account: CardAccount(pan: "4761739001010119"), versionNumber: 0x0001,
            cryptograms: cipher == .aes ? .commonCoreAES : .commonCoreTDES)
        profile.interchangeProfile.remove(.issuerAuthenticationSupported)
        profile.cdol2 = DOL(entries: profile.cdol2.entries + [DOL.Entry(.issuerAuthenticationData, 8)])
        profile.issuerMasterKeys = cipher == .aes ? .testIssuerAESKeys : .testIssuerKeys
        profile.pin = PIN(ascii: "1234".utf8)
        return profile
    }
}

extension CardProfile {
    /// A card with elliptic curve keys: XDA, and PINs enciphered by ECC (EMV 4.4 Book 2, 12 and
    /// 13).
    public static func ellipticCurveStyle(_ suite: SignatureSuite = .p256) -> CardProfile {
        var profile = mastercardStyle()
        profile.ellipticCurve = suite
        profile.interchangeProfile = [
            .xdaSupported, .cardholderVerificationSupported, .terminalRiskManagement, .issuerAuthenticationSupported,
        ]
        return profile
    }
}

extension CardProfile {
    /// A contactless card of kernel 8, with an AID of no payment system, a published test number
    /// and AES keys.
    public static func kernel8Style(_ contactless: Kernel8ContactlessProfile = Kernel8ContactlessProfile())
        -> CardProfile
    {
        var profile = commonCoreStyle(.aes)
        profile.applications = [CardApplication(aid: [0xF0, 0x00, 0x00, 0x00, 0x01, 0x00, 0x08], label: "KERNEL 8")]
        profile.contactless = .kernel8(contactless)
        return profile
    }
}

extension DOL {
    /// The terminal's part of the data that a cryptogram authenticates, in order (EMV 4.4 Book 2,
    /// table 28).
    public static let cryptogramInput = DOL(entries: [
        Entry(.amountAuthorised, 6), Entry(.amountOther, 6), Entry(.terminalCountryCode, 2),
        Entry(.terminalVerificationResults, 5),
        Entry(.transactionCurrencyCode, 2), Entry(.transactionDate, 3), Entry(.transactionType, 1),
        Entry(.unpredictableNumber, 4),
    ])
}

extension ApplicationUsageControl {
    /// Every use, at home and abroad.
    public static let everywhere: ApplicationUsageControl = [
        .domesticCash, .internationalCash, .domesticGoods, .internationalGoods, .domesticServices,
        .internationalServices, .atms,
        .terminalsOtherThanATMs, .domesticCashback, .internationalCashback,
    ]
}

extension CVMList {
    /// Offline PIN, online PIN, signature, none: the first that the terminal supports.
    public static let everyMethod = CVMList(
        rules: [CVMCode.encipheredPIN, .plaintextPIN, .onlinePIN, .signature, .noCVM].map {
            CVMRule(code: $0, continuesIfUnsuccessful: $0 != .noCVM, condition: .terminalSupportsCVM)
        })
}

extension MasterKeySet {
    /// Triple DES keys of published examples: 0123456789ABCDEF FEDCBA9876543210 and, for scripts,
    /// those of pyemv's tests.
    public static let testIssuerKeys = MasterKeySet(
        applicationCryptogram: testKey(0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, .tdes),
        integrity: testKey(0xFEDC_BA98_7654_3210, 0x0123_4567_89AB_CDEF, .tdes),
        confidentiality: testKey(0x89AB_CDEF_0123_4567, 0x7654_3210_FEDC_BA98, .tdes))

    /// AES keys of 16 bytes with the same values.
    public static let testIssuerAESKeys = MasterKeySet(
        applicationCryptogram: testKey(0x0123_4567_89AB_CDEF, 0xFEDC_BA98_7654_3210, .aes),
        integrity: testKey(0xFEDC_BA98_7654_3210, 0x0123_4567_89AB_CDEF, .aes),
        confidentiality: testKey(0x89AB_CDEF_0123_4567, 0x7654_3210_FEDC_BA98, .aes))

    private static func testKey(_ left: UInt64, _ right: UInt64, _ cipher: CardKey.Cipher) -> CardKey {
        let bytes = [left, right].flatMap { half in
            (0..<8).reversed().map { UInt8(truncatingIfNeeded: half >> ($0 * 8)) }
        }
        guard let key = try? CardKey(SecretBytes(bytes), cipher) else {
            preconditionFailure("16 bytes are a key of either cipher")
        }
        return key
    }
}
