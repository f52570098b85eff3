public import CardCryptography
public import TLV

/// Type and permissions of a terminal: the data that an acquirer sets (EMV 4.4 Book 4, annex A and
/// 10).
public struct TerminalConfiguration: Sendable {
    /// Tag `9F35`.
    public var type: TerminalType
    /// Tag `9F33`, for applications without a value of their own.
    public var capabilities: TerminalCapabilities
    /// Whether a PIN may go to a card unenciphered. EMVCo withdraws the method in phases
    /// (Specification Bulletin 308): without this switch the terminal does not offer it, even if
    /// ``capabilities`` has it.
    public var allowsPlaintextOfflinePIN = false
    /// The maximum total length of the scripts in one answer, in bytes; at least 128 (EMV 4.4 Book
    /// 4, 6.3.9).
    public var maximumScriptLength = 128
    /// Which response codes of the issuer approve, and which request a voice call.
    public var responseCodes = ResponseCodes()
    /// Tag `9F40`.
    public var additionalCapabilities: AdditionalTerminalCapabilities
    /// ISO 3166-1 numeric, tag `9F1A`.
    public var countryCode: UInt16
    /// The applications that the terminal accepts, in its order of preference.
    public var applications: [ApplicationConfiguration]
    /// The payment systems' keys for offline data
    /// authentication, found by RID and index (tag `8F`).
    public var caKeys: [CAPublicKey]
    /// Issuer certificates that are not to be trusted; empty if the payment systems revoke none.
    public var revokedCertificates: Set<CertificateRevocation>
    /// Merchant, terminal and acquirer, as sent to card and issuer.
    public var merchant: Merchant
    /// Whether the directory PSE is tried before the list of AIDs (EMV 4.4 Book 1, 12.3.2).
    public var usesPaymentSystemEnvironment: Bool
    /// Whether the cardholder chooses among applications and confirms those that require it (EMV
    /// 4.4 Book 1, 12.4).
    public var cardholderSelectsApplication: Bool
    /// The languages for the cardholder, the local one first. With fewer than two there is no
    /// language selection (EMV 4.4 Book 4, 11.1).
    public var languages: [Language]
    /// The entry mode of a swipe after a chip without an application in common. Payment systems
    /// differ: some treat it as a fallback, some as an ordinary swipe. A caller that knows the
    /// brand from the stripe may override it.
    public var emptyCandidateListEntryMode: Fallback.EntryMode
    /// Additional data objects for DOLs. They replace those above.
    public var additionalData: DataElements
    /// Issuer certificates that other transactions have recovered; nil recovers them for each.
    package var issuerCertificates: IssuerCertificates?

    /// By default an attended terminal that can approve offline,
    /// with the directory PSE and the cardholder's choice.
    public init(
        type: TerminalType = .attendedOnlineWithOfflineCapability, capabilities: TerminalCapabilities,
        additionalCapabilities: AdditionalTerminalCapabilities, countryCode: UInt16,
        applications: [ApplicationConfiguration],
        caKeys: [CAPublicKey], revokedCertificates: Set<CertificateRevocation> = [], merchant: Merchant = Merchant(),
        usesPaymentSystemEnvironment: Bool = true, cardholderSelectsApplication: Bool = true,
        languages: [Language] = [],
        emptyCandidateListEntryMode: Fallback.EntryMode = .stripeAfterChip,
        additionalData: DataElements = DataElements()
    ) {
        self.type = type
        self.capabilities = capabilities
        self.additionalCapabilities = additionalCapabilities
        self.countryCode = countryCode
        self.applications = applications
        self.caKeys = caKeys
        self.revokedCertificates = revokedCertificates
        self.merchant = merchant
        self.usesPaymentSystemEnvironment = usesPaymentSystemEnvironment
        self.cardholderSelectsApplication = cardholderSelectsApplication
        self.languages = languages
        self.emptyCandidateListEntryMode = emptyCandidateListEntryMode
        self.additionalData = additionalData
    }

    /// The owner of the terminal.
    public struct Merchant: Sendable {
        /// Tag `9F16`, up to 15 characters.
        public var identifier = ""
        /// Tag `9F1C`, 8 characters.
        public var terminalIdentification = ""
        /// Tag `9F4E`.
        public var nameAndLocation = ""
        /// ISO 18245, tag `9F15`.
        public var categoryCode: UInt16 = 0
        /// Tag `9F1E`, 8 characters.
        public var interfaceDeviceSerialNumber = ""
        /// Tag `9F01`, up to 11 digits.
        public var acquirerIdentifier: UInt64 = 0

        /// Empty strings and zeros: set the values that the acquirer has assigned.
        public init() {}
    }
}

extension TerminalConfiguration {
    /// The capabilities for an application that the kernel supports and the terminal allows, sent
    /// to the card as tag `9F33`.
    ///
    /// Biometric methods are never offered: this kernel does not implement them.
    public func effectiveCapabilities(_ application: ApplicationConfiguration?) -> TerminalCapabilities {
        var capabilities = application?.capabilities ?? capabilities
        capabilities.subtract([.onlineBiometric, .offlineBiometric])
        if !allowsPlaintextOfflinePIN { capabilities.remove(.plaintextOfflinePIN) }
        return capabilities
    }
}

/// Terminal type, tag `9F35` (EMV 4.4 Book 4, annex A1).
public struct TerminalType: Hashable, Sendable {
    /// Two digits, coded as BCD: who operates it, and how it reaches the host.
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Merchant, attended, online only.
    public static let attendedOnlineOnly = TerminalType(rawValue: 0x21)
    /// Merchant, attended, offline with online capability.
    public static let attendedOnlineWithOfflineCapability = TerminalType(rawValue: 0x22)
    /// Merchant, attended, offline only.
    public static let attendedOfflineOnly = TerminalType(rawValue: 0x23)
    /// Merchant, unattended, online only.
    public static let unattendedOnlineOnly = TerminalType(rawValue: 0x24)
    /// Merchant, unattended, offline with online capability.
    public static let unattendedOnlineWithOfflineCapability = TerminalType(rawValue: 0x25)
    /// Merchant, unattended, offline only.
    public static let unattendedOfflineOnly = TerminalType(rawValue: 0x26)

    /// Tag `9F35` ends in 3 or 6.
    public var isOfflineOnly: Bool { (rawValue & 0x0F) == 3 || (rawValue & 0x0F) == 6 }
    /// Tag `9F35` ends in 1 or 4.
    public var isOnlineOnly: Bool { (rawValue & 0x0F) == 1 || (rawValue & 0x0F) == 4 }
    /// Tag `9F35` ends in 1, 2 or 3.
    public var isAttended: Bool { (1...3).contains(rawValue & 0x0F) }
    /// Operated by a financial institution, `1x`, or the cardholder, `3x`, or the merchant, `2x`.
    public var isFinancialInstitution: Bool { rawValue >> 4 == 1 }
    /// The cardholder's own device.
    public var isCardholderControlled: Bool { rawValue >> 4 == 3 }

    /// An ATM is an unattended terminal of a financial institution that dispenses cash (EMV 4.4
    /// Book 4, annex A1).
    public func isATM(_ capabilities: AdditionalTerminalCapabilities) -> Bool {
        isFinancialInstitution && !isAttended && capabilities.contains(.cash)
    }
}

/// The terminal's parameters for one application identifier.
public struct ApplicationConfiguration: Sendable {
    /// 5 to 16 bytes, tag `9F06`.
    public var aid: [UInt8]
    /// Application selection indicator: whether an application whose name only begins with `aid`
    /// matches (EMV 4.4 Book 1, 12.3.1).
    public var matchesPartially: Bool
    /// Tag `9F09`; a card's version is compared with each.
    public var versions: [UInt16]
    /// The payment system's terminal action codes for this application.
    public var actionCodes: ActionCodes
    /// In minor units of the transaction currency, tag `9F1B`.
    public var floorLimit: UInt32
    /// By default no transaction is selected at random.
    public var randomSelection: RandomSelection
    /// Used if the card has no DDOL; it must contain tag `9F37`.
    public var defaultDDOL: [UInt8]
    /// Used if the card has no TDOL; nil if the payment system has not defined one.
    public var defaultTDOL: [UInt8]?
    /// Tag `9F33` if it differs from the terminal's.
    public var capabilities: TerminalCapabilities?
    /// Tag `9F1D`.
    public var riskManagementData: [UInt8]?

    /// An application, by default without action codes and random selection.
    ///
    /// - Parameters:
    ///   - aid: 5 to 16 bytes.
    ///   - versions: Each as in tag `9F09`.
    ///   - floorLimit: In minor units; with 0 every amount exceeds it.
    public init(
        aid: [UInt8], matchesPartially: Bool = true, versions: [UInt16], actionCodes: ActionCodes = ActionCodes(),
        floorLimit: UInt32 = 0,
        randomSelection: RandomSelection = RandomSelection(), defaultDDOL: [UInt8] = [0x9F, 0x37, 0x04],
        defaultTDOL: [UInt8]? = nil,
        riskManagementData: [UInt8]? = nil
    ) {
        self.aid = aid
        self.matchesPartially = matchesPartially
        self.versions = versions
        self.actionCodes = actionCodes
        self.floorLimit = floorLimit
        self.randomSelection = randomSelection
        self.defaultDDOL = defaultDDOL
        self.defaultTDOL = defaultTDOL
        self.riskManagementData = riskManagementData
    }

    /// The registered application provider identifier.
    public var rid: [UInt8] { Array(aid.prefix(5)) }
}

/// The bits of the TVR that decline or go online: the terminal's or the issuer's codes (EMV 4.4
/// Book 3, 10.7).
public struct ActionCodes: Hashable, Sendable {
    /// A transaction with one of these bits is declined offline; tag `9F0E` of the issuer.
    public var denial: TerminalVerificationResults
    /// A transaction with one of these bits goes online; tag `9F0F` of the issuer.
    public var online: TerminalVerificationResults
    /// A transaction with one of these bits is declined if the
    /// issuer cannot be reached; tag `9F0D` of the issuer.
    public var `default`: TerminalVerificationResults

    /// No bit is set by default.
    public init(
        denial: TerminalVerificationResults = [], online: TerminalVerificationResults = [],
        default: TerminalVerificationResults = []
    ) {
        self.denial = denial
        self.online = online
        self.default = `default`
    }
}

/// The random selection of transactions for online authorisation (EMV 4.4 Book 3, 10.6.2).
public struct RandomSelection: Hashable, Sendable {
    /// Percentage of transactions below `threshold` that go online, 0 to 99.
    public var targetPercentage: Int
    /// Percentage that is reached at the floor limit; not lower than the target.
    public var maximumPercentage: Int
    /// Threshold value for biased random selection, below the floor limit, in minor units.
    public var threshold: UInt32

    /// Percentages from 0 to 99, and a threshold in minor units; by default nothing is selected.
    public init(targetPercentage: Int = 0, maximumPercentage: Int = 0, threshold: UInt32 = 0) {
        self.targetPercentage = targetPercentage
        self.maximumPercentage = maximumPercentage
        self.threshold = threshold
    }
}
