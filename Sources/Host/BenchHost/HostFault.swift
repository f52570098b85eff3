public import PaymentTerminal

/// Deliberate failures of the host, selected by the amount of a payment, a refund or a capture.
/// Amounts in minor units, of any currency.
public enum HostFault: Int64, Sendable, CaseIterable {
    /// 45.67, as on the gateway's sandbox: the order is executed but never answered.
    case silentAfterCommit = 4567
    /// 45.68: the order is neither executed nor answered; the connection is closed.
    case closedBeforeCommit = 4568
    /// 45.69: the order is executed; the connection is closed instead of an answer.
    case closedAfterCommit = 4569
    /// 45.70: the order is executed; the answer's hash, or its form, is wrong.
    case badAnswer = 4570
    /// 45.71: the order is executed; the answer is two seconds late.
    case late = 4571

    public init?(_ amount: Money) { self.init(rawValue: amount.minorUnits) }

    var isBeforeCommit: Bool { self == .closedBeforeCommit }
}

extension BenchHost {
    /// Runs `operation` and then fails as the fault says. Within the process, every fault except a
    /// bad answer is "no answer".
    func playing(
        _ fault: HostFault?, _ operation: () async throws(HostError) -> BenchTransaction
    ) async throws(HostError) -> BenchTransaction {
        guard let fault, rules.playsFaults else { return try await operation() }
        if !fault.isBeforeCommit {
            let transaction = try await operation()
            guard fault != .late else {
                try? await Task.sleep(for: .seconds(2))
                return transaction
            }
        }
        guard fault != .badAnswer else {
            throw HostError(.answerNotGenuine, "the bench host damages its answer to this amount")
        }
        throw HostError(.noAnswer, "the bench host does not answer this amount")
    }
}
