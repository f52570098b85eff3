import Bytes
import CardCapture
import PaymentTerminal
import TerminalJournal

/// A journal whose key is changed while the disk fails, or the process dies.
struct Rotation {
    let folder: String

    private static let (old, new) = (key(7), key(9))

    private static func key(_ byte: UInt8) -> JournalKey { .bytes(SecretBytes([UInt8](repeating: byte, count: 32))) }
    private static let orders = 5

    func perform() async throws -> String {
        let journal = try await SQLiteJournal.open(folder: folder, key: Self.old)
        defer { try? journal.close() }
        for number in 0..<Self.orders { try await sell(number, journal) }
        DiskFaults.arm(folder)
        do throws(JournalError) {
            try await journal.rotate(to: Self.new)
        } catch {
            // A failed rotation leaves the journal working.
            try? await sell(Self.orders, journal)
            return "failed"
        }
        try? await sell(Self.orders, journal)
        return "rotated"
    }

    private func sell(_ number: Int, _ journal: SQLiteJournal) async throws {
        let terminal = Terminal(
            configuration: Terminal.Configuration(merchantName: "Corner Shop", terminalID: "CRASH001", currency: .euro),
            host: ClosedHost(), journal: journal, clock: { Timestamp(secondsSince1970: 1_773_057_909) })
        guard let expiry = ExpiryDate(mmyy: "1231") else { return }
        let card = try CardDetails(pan: SecretBytes("5555555555554444".utf8), expiry: expiry)
        _ = try? await terminal.processSale(
            Sale(
                orderID: OrderID("o\(number)"), amount: Money(minorUnits: 100, currency: .euro),
                source: .keyed(card, cvv: nil)))
    }

    func check() async throws -> [String] {
        var opened = 0
        var complaints: [String] = []
        for key in [Self.old, Self.new] {
            guard let journal = try? await SQLiteJournal.open(folder: folder, key: key) else { continue }
            opened += 1
            let entries = try await journal.latest(100)
            if entries.count < Self.orders {
                complaints.append("\(entries.count) of \(Self.orders) entries can be read")
            }
            try await journal.verify()
            let condition = try await journal.condition()
            if condition != JournalCondition() { complaints.append("\(condition)") }
            try journal.close()
        }
        if opened != 1 { complaints.append("\(opened) of two keys open the journal") }
        return complaints
    }
}

/// Declines every payment.
private struct ClosedHost: PaymentHost {
    private static let closed = HostError(.notSupported, "closed")
    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        AuthorizationResponse(
            uniqueReference: "U1", issuer: .init(responseCode: "05"), authorizedAmount: request.amount,
            message: "DECLINED")
    }
    func settings() async throws(HostError) -> HostSettings { throw Self.closed }
    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { throw Self.closed }
    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { throw Self.closed }
    func advise(_ advice: Advice) async throws(HostError) { throw Self.closed }
    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus { throw Self.closed }
    func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page { throw Self.closed }
    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        throw Self.closed
    }
    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard { throw Self.closed }
    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        throw Self.closed
    }
    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        throw Self.closed
    }
}
