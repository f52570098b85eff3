internal import Bytes

/// The values of an authentication, as a message or a token has them.
public struct AuthenticationValues: Sendable, Equatable, Codable {
    public var enrolled: Enrollment?
    /// EMV 3-D Secure's `transStatus`, Cardinal's `PAResStatus`.
    public var status: TransactionStatus?
    /// Whether the issuer's signature was right; nil if it is not said.
    public var isSignatureRight: Bool?
    public var eci: ECommerceIndicator?
    /// As received.
    public var authenticationValue: AuthenticationValue?
    /// As received.
    public var xid: String?
    /// The directory server's id of the transaction.
    public var directoryTransactionID: String?
    /// `2.1.0`.
    public var version: String?
    public var reason: StatusReason?
    /// What must be shown to the customer when the status is ``TransactionStatus/denied``; on one
    /// line.
    public var cardholderInfo: String?

    public init() {}

    /// - Parameter field: The text of a field by Cardinal's name in tokens; messages write some in
    ///   another case.
    init(_ field: (String) -> String?) {
        func value(_ name: String) -> String? { field(name).flatMap { $0.isEmpty ? nil : $0 } }
        enrolled = value("Enrolled").flatMap { Enrollment(rawValue: $0) }
        status = value("PAResStatus").flatMap { TransactionStatus(rawValue: $0) }
        isSignatureRight = value("SignatureVerification").map { $0 == "Y" }
        eci = value("ECIFlag").flatMap { ECommerceIndicator(rawValue: $0) }
        authenticationValue = value("CAVV").flatMap { AuthenticationValue(rawValue: $0) }
        xid = value("XID").flatMap { $0.utf8.count <= 40 && !$0.hasSteeringCharacters ? $0 : nil }
        directoryTransactionID = value("DSTransactionId").flatMap {
            $0.utf8.count <= 36 && !$0.hasSteeringCharacters ? $0 : nil
        }
        version = value("ThreeDSVersion")
        reason = value("StatusReason").flatMap { StatusReason(rawValue: $0) }
        cardholderInfo = value("CardholderInfo")?.onOneLine(atMost: 128)
    }
}

/// Whether the card takes part in 3-D Secure (`Enrolled`).
public enum Enrollment: String, Sendable, Hashable, Codable, CaseIterable {
    case yes = "Y"
    case no = "N"
    /// It could not be found out.
    case unavailable = "U"
    /// A rule of the merchant's account has bypassed the authentication.
    case bypassed = "B"
}

/// The result of an authentication: EMV 3-D Secure 2.2.0, Annex A, `transStatus`.
public enum TransactionStatus: String, Sendable, Hashable, Codable, CaseIterable {
    case authenticated = "Y"
    case denied = "N"
    /// It could not be performed.
    case unavailable = "U"
    /// Not authenticated, but there is a proof of the attempt.
    case attempted = "A"
    /// A challenge is required: no result yet.
    case challenge = "C"
    /// A decoupled authentication is required: no result yet.
    case decoupled = "D"
    /// The issuer rejects it, and asks that it is not authorized.
    case rejected = "R"
    /// For information only.
    case informational = "I"
}

/// Why an authentication has the status denied, unavailable or rejected: EMV 3-D Secure 2.2.0,
/// Annex A, `transStatusReason`. `80` to `99` are the payment systems' own.
public struct StatusReason: RawRepresentable, Sendable, Hashable, Codable {
    /// Two digits.
    public let rawValue: String

    public init?(rawValue: String) {
        guard rawValue.utf8.count == 2, rawValue.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.rawValue = rawValue
    }
}

extension StatusReason: CustomStringConvertible {
    private static let words = [
        "card authentication failed", "unknown device", "unsupported device", "authentication frequency exceeded",
        "expired card", "invalid card number", "invalid transaction", "no card record", "security failure",
        "stolen card", "suspected fraud", "not permitted to the cardholder", "not enrolled", "timed out at the ACS",
        "low confidence", "medium confidence", "high confidence", "very high confidence", "too many challenges",
        "non-payment transaction not supported", "3RI transaction not supported", "technical issue of the ACS",
        "decoupled authentication required, not requested", "decoupled authentication expired",
        "too little time for a decoupled authentication", "attempted by the cardholder, not performed",
    ]

    public var description: String {
        guard let number = Int(rawValue), (1...Self.words.count).contains(number) else {
            return "\(rawValue), of the payment system"
        }
        return "\(rawValue), \(Self.words[number - 1])"
    }
}

/// The proof of an authentication (CAVV, AAV): 20 bytes in base64, forwarded as the text that was
/// received.
public struct AuthenticationValue: RawRepresentable, Sendable, Hashable, Codable {
    public let rawValue: String

    /// Nil unless the text is base64 of 20 bytes. Unused bits of the last digit may be set: a
    /// vendor's own sample has such a value.
    public init?(rawValue text: String) {
        guard text.utf8.count == 28, let bytes = [UInt8](.standard, text, isLenient: true), bytes.count == 20 else {
            return nil
        }
        rawValue = text
    }
}

extension AuthenticationValue: CustomStringConvertible, CustomReflectable {
    public var description: String { "an authentication value" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
