extension OrderID {
    /// What a caller has as text.
    init(requested text: String) throws(TerminalError) {
        do throws(ReferenceError) {
            try self.init(text)
        } catch {
            throw TerminalError(.invalidRequest, "order id: \(error)")
        }
    }
}

extension Money {
    /// What a caller has as text.
    init(requested text: String) throws(TerminalError) {
        do throws(MoneyError) {
            try self.init(parsing: text)
        } catch {
            throw TerminalError(.invalidAmount, "\(error)")
        }
    }
}
