import JSONDocument
internal import TLV
public import VirtualCard

/// The differences of a case's terminal from the terminal of docs/card-profile.md. Nil if not
/// specified.
public struct TestTerminal: Sendable, Equatable {
    /// Tag `9F35`, two digits in BCD.
    public var type: UInt8?
    /// Tag `9F33`, 3 bytes.
    public var capabilities: [UInt8]?
    /// Tag `9F40`, 5 bytes.
    public var additionalCapabilities: [UInt8]?
    /// ISO 3166-1 numeric, tag `9F1A`.
    public var countryCode: UInt16?
    /// The AIDs that it accepts.
    public var applications: [[UInt8]]?
    /// Tag `9F09`; the card's version by default.
    public var versions: [UInt16]?
    /// In minor units, tag `9F1B`.
    public var floorLimit: UInt32?
    public var actionCodes: IssuerActionCodes?
    public var randomSelection: Random?
    /// Whether a name that only begins with an AID matches.
    public var matchesPartially: Bool?
    /// Whether the directory PSE is tried.
    public var usesDirectory: Bool?
    public var cardholderSelectsApplication: Bool?
    /// Whether PINs may be sent to the card in clear.
    public var allowsPlaintextPIN: Bool?
    /// Whether it has the keys of the card's authority.
    public var knowsAuthority: Bool?
    /// Whether the card's number is on its exception file.
    public var hasCardOnExceptionFile: Bool?
    /// The value of its random generator for the selection of transactions, 1 to 99.
    public var percentage: Int?
    /// The number of the offered application that is chosen, from 1.
    public var choice: Int?
    /// Of taps: the amount from which the cardholder is verified, minor units.
    public var verificationLimit: UInt64?
    /// Of taps: the amount from which a tap is not allowed, minor units.
    public var transactionLimit: UInt64?

    /// In percent, and minor units.
    public struct Random: Sendable, Equatable {
        public let target: Int
        public let maximum: Int
        public let threshold: UInt32
    }

    private static let keys = [
        "type", "capabilities", "additionalCapabilities", "countryCode", "applications", "versions", "floorLimit",
        "actionCodes", "randomSelection", "partialNames", "directory", "cardholderSelects", "plaintextPIN",
        "knowsAuthority", "exceptionFile", "percentage", "choice",
    ]
    private static let keysOfTaps = [
        "type", "countryCode", "floorLimit", "verificationLimit", "transactionLimit", "knowsAuthority", "exceptionFile",
    ]

    init(_ place: Place?, _ interface: CardInterface) throws(DocumentError) {
        guard let members = try place?.members(interface == .contact ? Self.keys : Self.keysOfTaps) else { return }
        verificationLimit = try members["verificationLimit"]?.number(0...999_999_999_999)
        transactionLimit = try members["transactionLimit"]?.number(0...999_999_999_999)
        type = try members["type"]?.bytes(1...1)[0]
        capabilities = try members["capabilities"]?.bytes(3...3)
        additionalCapabilities = try members["additionalCapabilities"]?.bytes(5...5)
        countryCode = try members["countryCode"]?.number(0...999)
        applications = try members["applications"]?.list { name throws(DocumentError) in try name.bytes(5...16) }
        versions = try members["versions"]?.list { version throws(DocumentError) in
            try version.bytes(2...2).reduce(0) { $0 << 8 | UInt16($1) }
        }
        floorLimit = try members["floorLimit"]?.number(0...UInt32.max)
        actionCodes = try members["actionCodes"].map { codes throws(DocumentError) in try IssuerActionCodes(codes) }
        randomSelection = try members["randomSelection"].map { random throws(DocumentError) in try Random(random) }
        matchesPartially = try members["partialNames"]?.flag()
        usesDirectory = try members["directory"]?.flag()
        cardholderSelectsApplication = try members["cardholderSelects"]?.flag()
        allowsPlaintextPIN = try members["plaintextPIN"]?.flag()
        knowsAuthority = try members["knowsAuthority"]?.flag()
        hasCardOnExceptionFile = try members["exceptionFile"]?.flag()
        percentage = try members["percentage"]?.number(1...99)
        choice = try members["choice"]?.number(1...32)
    }
}

extension TestTerminal.Random {
    init(_ place: Place) throws(DocumentError) {
        let members = try place.members(["target", "maximum", "threshold"])
        target = try members.required("target").number(0...99)
        maximum = try members.required("maximum").number(0...99)
        threshold = try members.required("threshold").number(0...UInt32.max)
    }
}

/// The differences of a case's transaction from a purchase in euro on 2026-11-21. Nil if not
/// specified.
public struct TestTransaction: Sendable, Equatable {
    /// Tag `9C`.
    public enum Kind: String, Sendable, CaseIterable { case purchase, cash, purchaseWithCashback, refund }

    public var kind: Kind?
    /// Cashback within the amount, minor units.
    public var amountOther: UInt64?
    /// ISO 4217 numeric, tag `5F2A`.
    public var currencyCode: UInt16?
    /// YYMMDD, 3 bytes in BCD.
    public var date: [UInt8]?
    public var isForcedOnline: Bool?

    private static let keysOfTaps = ["kind", "amountOther", "currencyCode"]

    init(_ place: Place?, _ interface: CardInterface) throws(DocumentError) {
        let keys = Self.keysOfTaps + (interface == .contact ? ["date", "forcedOnline"] : [])
        guard let members = try place?.members(keys) else { return }
        kind = try members["kind"]?.choice(Kind.allCases.map { ($0.rawValue, $0) })
        amountOther = try members["amountOther"]?.number(0...999_999_999_999)
        currencyCode = try members["currencyCode"]?.number(0...999)
        date = try members["date"]?.bytes(3...3)
        isForcedOnline = try members["forcedOnline"]?.flag()
    }
}
