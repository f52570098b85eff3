import PaymentTerminal

extension OrderID {
    /// An order id that no other order has.
    static func generated(_ prefix: String) throws(ReferenceError) -> OrderID {
        try OrderID("\(prefix)-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))")
    }
}
