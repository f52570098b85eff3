/// What the integrator calls a transaction: unique on every call, 1 to 24 characters.
///
/// The host refuses one it has seen, so that a repeated request never charges twice.
public struct OrderID: Reference {
    public let text: String

    public init(_ text: String) throws(ReferenceError) {
        try ReferenceError.check(text, limit: 24)
        self.text = text
    }

    /// The order of an account verification, which the terminal makes itself. Chance makes it unique, also among terminals that share a host and
    /// have just been started.
    static func verification() -> OrderID {
        OrderID(unchecked: "verify-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
    }

    /// The entry of a change of a secure card in the journal, which no host sees.
    static func secureCardChange() -> OrderID {
        OrderID(unchecked: "secure-" + String(UInt64.random(in: 0...UInt64.max), radix: 36))
    }

    private init(unchecked text: String) { self.text = text }
}

extension OrderID: ExpressibleByStringLiteral {
    /// A literal that breaks the rules is a mistake of the program, and traps.
    public init(stringLiteral text: String) {
        do { try self.init(text) } catch { preconditionFailure("the order id \"\(text)\" is invalid: \(error)") }
    }
}
