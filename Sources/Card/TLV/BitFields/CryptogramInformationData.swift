/// The types of application cryptogram (EMV 4.4 Book 3, 6.5.5).
public enum CryptogramType: UInt8, Sendable, Comparable {
    /// Application authentication cryptogram: the transaction is declined.
    case aac = 0x00
    /// Transaction certificate: the transaction is approved.
    case tc = 0x40
    /// Authorisation request cryptogram: the card requests online authorization.
    case arqc = 0x80

    /// AAC below ARQC below TC, the order in which a card may answer with a lower type than
    /// requested (EMV 4.4 Book 3, 9.3).
    private var rank: Int {
        switch self {
        case .aac: 0
        case .arqc: 1
        case .tc: 2
        }
    }

    public static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    public var name: String {
        switch self {
        case .aac: "AAC"
        case .tc: "TC"
        case .arqc: "ARQC"
        }
    }

    public var summary: String {
        switch self {
        case .aac: "AAC (decline)"
        case .tc: "TC (approve)"
        case .arqc: "ARQC (go online)"
        }
    }
}

/// CID, tag `9F27` (EMV 4.4 Book 3, 6.5.5.4, table 15).
public struct CryptogramInformationData: Hashable, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Nil for bits 8–7 = 11, which is reserved.
    public var type: CryptogramType? { CryptogramType(rawValue: rawValue & 0xC0) }
    public var adviceRequired: Bool { rawValue & 0x08 != 0 }
    public var reason: Reason { Reason(rawValue: rawValue & 0x07) ?? .reserved }

    public enum Reason: UInt8, Sendable {
        case none = 0
        case serviceNotAllowed = 1
        case pinTryLimitExceeded = 2
        case issuerAuthenticationFailed = 3
        case reserved = 4

        public var summary: String {
            switch self {
            case .none: "no information given"
            case .serviceNotAllowed: "service not allowed"
            case .pinTryLimitExceeded: "PIN try limit exceeded"
            case .issuerAuthenticationFailed: "issuer authentication failed"
            case .reserved: "reserved reason"
            }
        }
    }

    public var meanings: [String] {
        [type?.summary ?? "reserved cryptogram type"] + (adviceRequired ? ["Advice required"] : [])
            + (reason == .none ? [] : [reason.summary])
    }
}
