internal import BenchHost
internal import Bytes
internal import PaymentTerminal

/// The shipped bench host in the process of the terminal, as a shop without a gateway tries it: it
/// dies with the process, and reads its vault in the next life.
final class EmbeddedBench: @unchecked Sendable {
    typealias Question<Answer> = (BenchHost) async throws(HostError) -> Answer

    private let world: World
    /// Nil while there is no process.
    private var host: BenchHost?

    init(_ world: World) { self.world = world }

    private static let folder = "/bench"
    private static let key = [UInt8](repeating: 0xB7, count: 32)

    func open() async throws {
        // The line has the faults; amounts have none.
        var rules = HostRules()
        rules.playsFaults = false
        var key = Self.key
        let host = try BenchHost(
            folder: Self.folder, vaultKey: SecretBytes(wiping: &key), issuer: TestCards.issuer(), rules: rules,
            files: SimulatedFiles())
        self.host = host
        await learn(from: host)
    }

    func die() { host = nil }

    /// Asks the host in a task of its own, which dies with the process; then nobody is answered.
    func ask<Answer: Sendable>(
        _ question: @escaping Question<Answer>, _ answered: @escaping (Result<Answer, HostError>) -> Void
    ) {
        guard let host else { return }
        let exchange = Exchange(question: question, answered: answered)
        Task.detached { [self] in
            let result = await Self.result(of: exchange.question, host)
            await learn(from: host)
            exchange.answered(result)
        }
    }

    /// On the one thread of the simulator.
    private struct Exchange<Answer>: @unchecked Sendable {
        let question: Question<Answer>
        let answered: (Result<Answer, HostError>) -> Void
    }

    private static func result<Answer>(of question: Question<Answer>, _ host: BenchHost) async -> Result<
        Answer, HostError
    > {
        do throws(HostError) {
            return .success(try await question(host))
        } catch {
            return .failure(error)
        }
    }

    /// The run is judged by the host's records.
    private func learn(from host: BenchHost) async {
        guard let records = try? await host.transactions(TransactionQuery(pageSize: 100)) else { return }
        world.host.record(records.records, at: world.now)
    }
}
