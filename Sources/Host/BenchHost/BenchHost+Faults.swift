import PaymentTerminal

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
        guard fault != .badAnswer else { throw HostError(.answerNotGenuine, "the bench host damages its answer to this amount") }
        throw HostError(.noAnswer, "the bench host does not answer this amount")
    }
}
