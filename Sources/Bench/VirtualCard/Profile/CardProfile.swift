public import CardCryptography
public import SmartCard
public import TLV

/// The issuer's specification of a card: its applications, its account and its behaviour.
///
/// ``visaStyle()`` and ``mastercardStyle()`` are complete; tests change individual properties.
public struct CardProfile: Sendable, Equatable {
    /// The applications, in the order of selection by a partial name. All share the account and its
    /// records.
    public var applications: [CardApplication]
    /// Whether the card has the directory `1PAY.SYS.DDF01` (EMV 4.4 Book 1, 12.2).
    public var hasPaymentSystemEnvironment = true
    /// Two letters each (ISO 639-1), the most preferred first, at most four: tag `5F2D` of every
    /// FCI. Empty leaves the object out.
    public var languages: [String] = []
    public var account: CardAccount

    /// ISO 3166-1 numeric, tag `5F28`.
    public var issuerCountryCode: UInt16 = 840
    /// ISO 4217 numeric, tag `9F42`.
    public var applicationCurrencyCode: UInt16 = 840
    /// ISO 4217 exponent, tag `9F44`.
    public var applicationCurrencyExponent: UInt8 = 2
    /// Tag `9F08`.
    public var versionNumber: UInt16
    /// Tag `9F07`; nil leaves the object out.
    public var usageControl: ApplicationUsageControl? = .everywhere
    /// Tag `8E`; nil leaves the object out.
    public var cvmList: CVMList? = .everyMethod
    public var actionCodes = IssuerActionCodes()
    /// Tag `82`. It says which of SDA, DDA and CDA the card supports, and whether it supports
    /// EXTERNAL AUTHENTICATE.
    public var interchangeProfile: ApplicationInterchangeProfile = [
        .sdaSupported, .ddaSupported, .cdaSupported, .cardholderVerificationSupported, .terminalRiskManagement,
        .issuerAuthenticationSupported,
    ]
    /// Tags `9F14` and `9F23`, lower and upper consecutive offline limit; nil leaves both out.
    public var consecutiveOfflineLimits: ClosedRange<UInt8>?

    /// The layout of the records, tag `94`; nil for ``CardFileLayout/standard(for:)``.
    public var fileLayout: CardFileLayout?

    /// Tag `9F38`; nil for a card without PDOL.
    public var pdol: DOL?
    /// Tag `8C`.
    public var cdol1 = DOL.cryptogramInput
    /// Tag `8D`. With tag `91` in it the card authenticates the issuer in the second GENERATE AC.
    public var cdol2 = DOL(entries: [DOL.Entry(.authorisationResponseCode, 2)] + DOL.cryptogramInput.entries)
    /// Tag `9F49`; nil for the terminal's default.
    public var ddol: DOL? = DOL(entries: [DOL.Entry(.unpredictableNumber, 4)])
    /// Tag `9F4F`: the data objects of a transaction log entry; nil for a card without log (EMV 4.4
    /// Book 3, annex D).
    public var logFormat: DOL?
    /// The coding of the answers to GET PROCESSING OPTIONS, INTERNAL AUTHENTICATE and GENERATE AC.
    public var responseFormat = ResponseFormat.format2

    /// The reference PIN; nil for a card that verifies no PIN.
    public var pin: PIN?
    /// How many wrong PINs block the method, 1 to 15.
    public var pinTryLimit: UInt8 = 3

    public var keySizes = RSAKeySizes()
    /// Whether enciphered PINs have an RSA key of their own, tags `9F2D` to `9F2F` (EMV 4.4 Book 2,
    /// 7.1).
    public var hasPINEnciphermentKey = false
    /// Elliptic curve keys in place of RSA keys, for XDA and for PINs enciphered by ECC (EMV 4.4
    /// Book 2, 12 and 13). Such a card has one application: its certificates contain the AID.
    public var ellipticCurve: SignatureSuite?
    /// The index of the CA key, tag `8F`. No payment system has assigned the default.
    public var caPublicKeyIndex: UInt8 = 0xE0
    /// The card's keys are derived from them; test keys for the cipher of the cryptogram version.
    public var issuerMasterKeys = MasterKeySet.testIssuerKeys
    public var cryptograms: CryptogramScheme
    /// The card's contactless behaviour; nil for a contact-only card.
    public var contactless: ContactlessProfile?
    /// The application transaction counter before the first transaction, tag `9F36`.
    public var initialATC: UInt16 = 0
    public var riskRule = CardRiskRule()
    /// The issuer has blocked the card: it answers SELECT with SW `6A81` (EMV 4.4 Book 3, 6.5.3).
    public var isBlocked = false
    /// A blocked application still answers GET PROCESSING OPTIONS and returns an AAC, so that the
    /// issuer can unblock it; otherwise SW `6985`.
    public var beginsTransactionsWhenBlocked = false
    /// The issuer's commands that the card supports; others are answered with SW `6D00`.
    public var issuerCommands = CardProfile.allIssuerCommands

    public init(
        applications: [CardApplication], account: CardAccount, versionNumber: UInt16, cryptograms: CryptogramScheme
    ) {
        self.applications = applications
        self.account = account
        self.versionNumber = versionNumber
        self.cryptograms = cryptograms
    }
}

extension CardProfile {
    /// The commands that only an issuer gives (EMV 4.4 Book 3, 6.5; ISO/IEC 7816-4).
    public static let allIssuerCommands: Set<Instruction> = [
        .applicationBlock, .applicationUnblock, .cardBlock, .pinChangeUnblock, .putData, .updateRecord,
    ]
}

/// The codings of an answer (EMV 4.4 Book 3, 6.5.5.4, 6.5.8.4, 6.5.9.4).
public enum ResponseFormat: Sendable, Equatable {
    /// Template `80`: values one after the other. An answer with CDA still has format 2 (EMV 4.4
    /// Book 2, 6.6.1).
    case format1
    /// Template `77`: data objects.
    case format2
}

/// Lengths of the RSA moduli in bits, 512 to 1984. Whole bytes, each signer's modulus must be long
/// enough for the certificates that it signs.
public struct RSAKeySizes: Sendable, Equatable {
    public var certificationAuthority: Int
    public var issuer: Int
    public var icc: Int
    /// The public exponent of all keys, 3 or 65537 (EMV 4.4 Book 2, annex B2.1).
    public var exponent: Int

    /// The default fits into every record and is generated in a fraction of a second.
    public init(certificationAuthority: Int = 1408, issuer: Int = 1152, icc: Int = 1024, exponent: Int = 3) {
        self.certificationAuthority = certificationAuthority
        self.issuer = issuer
        self.icc = icc
        self.exponent = exponent
    }
}
