import CardPresent

enum Outcomes {
    static func sellOnce(_ terminal: Terminal) async throws -> PaymentResponse {
        let sale = Sale(
            orderID: OrderID("order-4"), idempotencyKey: try IdempotencyKey("basket-4711"),
            amount: try Money(parsing: "12.34 EUR"))
        do throws(TerminalError) {
            return try await terminal.processSale(sale)
        } catch {
            // What a process before this one has asked is not answered yet.
            guard error.code == .hostFailed(.noAnswer) else { throw error }
            try await Task.sleep(for: .seconds(10))
            // The same key with the same request gets the same answer, and never a second charge.
            return try await terminal.processSale(sale)
        }
    }

    static func afterAStart(_ terminal: Terminal) async throws {
        for changed in try await terminal.recoverPending() {
            print(changed.orderID, changed.outcome, changed.description)
        }
        for waiting in await terminal.pendingPayments {
            print("not yet received by the host:", waiting.orderID)
        }
    }

    static func offline(_ host: any PaymentHost) async throws -> Terminal {
        var configuration = Terminal.Configuration(
            merchantName: "Corner Shop", terminalID: "LANE0001", currency: .euro)
        configuration.offline = OfflinePolicy(
            maximumCount: 20, maximumAmount: 50_00, maximumTotal: 500_00, deferredAuthorization: [.magneticStripe])
        let journal = try await SQLiteJournal.open(
            folder: "/var/lib/shop/journal", key: JournalKey.file(path: "/etc/shop/journal.key"))
        return Terminal(configuration: configuration, host: host, journal: journal)
    }
}
