/// The integrator's id of a transaction: unique on every call, 1 to 24 characters.
///
/// The host refuses a known one, so that a repeated request never charges twice.
public struct OrderID: Reference {
    public let text: String

    public init(_ text: String) throws(ReferenceError) {
        try ReferenceError.check(text, limit: 24)
        self.text = text
    }

    /// An order id that was accepted earlier, also by the rules of earlier versions: what was kept
    /// under it must stay readable.
    package init(kept text: String) throws(ReferenceError) {
        try ReferenceError.check(text, limit: 24, isKept: true)
        self.text = text
    }

    /// From a plain text of a journal or a vault; an invalid one does not decode.
    public init(from decoder: any Decoder) throws {
        try self.init(kept: decoder.singleValueContainer().decode(String.self))
    }

    /// The order id of an account verification, which the terminal creates itself. It is random,
    /// and therefore unique among terminals that share a host, also after a start.
    static func verification() -> OrderID {
        OrderID(unchecked: "verify-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
    }

    /// The order id of a secure card change in the journal, which is not sent to a host.
    static func secureCardChange() -> OrderID {
        OrderID(unchecked: "secure-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
    }

    private init(unchecked text: String) { self.text = text }
}

extension OrderID: ExpressibleByStringLiteral {
    /// An invalid literal is a programming error, and traps.
    public init(stringLiteral text: String) {
        do { try self.init(text) } catch { preconditionFailure("the order id \"\(text)\" is invalid: \(error)") }
    }
}
