public import Bytes
internal import CardCryptography

/// The signature of a callback. Accept's texts know none: it is ours, and optional.
///
/// The header ``name`` has `t=SECONDS,v1=DIGITS`: when it was signed, in seconds since 1970, and
/// HMAC-SHA-256 in 64 lower-case hexadecimal digits, over the seconds in decimal digits, a point and
/// the body as it was sent, byte by byte.
public struct CallbackSignature: Sendable {
    /// The header's name.
    public static let name = "CardPresent-Signature"
    /// In seconds, how far the clocks of both sides may be apart, with the time on the way.
    public static let tolerance: Int64 = 300
    /// In bytes: keys of fewer are refused.
    public static let minimumKeySize = 16

    private let key: SecretBytes

    /// - Parameter key: What both sides know; nil if it has fewer than ``minimumKeySize`` bytes.
    public init?(key: SecretBytes) {
        guard key.count >= Self.minimumKeySize else { return nil }
        self.key = key
    }

    /// The header's value. Each try to send is signed anew, at its own time.
    ///
    /// - Parameter now: Seconds since 1970.
    public func header(for body: [UInt8], now: Int64) -> String {
        "t=\(now),v1=" + HMACSHA256.authenticate(Self.signed(body, at: now), key: key).hex.lowercased()
    }

    /// Whether the back office has signed the body, lately.
    ///
    /// - Parameters:
    ///   - header: The header's value; nil if there is none.
    ///   - now: Seconds since 1970.
    /// - Throws: ``CallbackError/unsigned``, ``CallbackError/signature``, ``CallbackError/stale``.
    public func verify(_ header: String?, for body: [UInt8], now: Int64) throws(CallbackError) {
        guard let header else { throw .unsigned }
        let parts = header.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].hasPrefix("t="), parts[1].hasPrefix("v1="),
            let moment = Int64(parts[0].dropFirst(2)), String(moment) == parts[0].dropFirst(2),
            let code = [UInt8](hexDigits: Array(parts[1].dropFirst(3).utf8).span),
            HMACSHA256.isValid(code, for: Self.signed(body, at: moment), key: key)
        else { throw .signature }
        let age = now.saturatingSubtracting(moment)
        guard age.magnitude <= Self.tolerance.magnitude else { throw .stale }
    }

    private static func signed(_ body: [UInt8], at moment: Int64) -> [UInt8] { Array("\(moment).".utf8) + body }
}

/// The merchant's side of callbacks.
public struct CallbackReceiver: Sendable {
    private let signature: CallbackSignature?

    /// - Parameter signature: Nil believes whoever knows the address.
    public init(_ signature: CallbackSignature?) { self.signature = signature }

    /// The callback, if it is to be believed. The back office repeats one whose answer it has not
    /// got: ``CallbackFields/row``'s id and state tell whether it is known.
    ///
    /// - Parameters:
    ///   - header: The value of the header ``CallbackSignature/name``.
    ///   - now: Seconds since 1970.
    public func receive(_ body: [UInt8], header: String?, now: Int64) throws(CallbackError) -> CallbackFields {
        // Nothing of a body that nobody signed is read.
        if let signature { try signature.verify(header, for: body, now: now) }
        return try CallbackFields(parsing: body)
    }
}
