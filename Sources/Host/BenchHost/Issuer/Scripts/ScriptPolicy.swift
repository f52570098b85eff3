public import Bytes
public import PaymentTerminal
private import Synchronization

/// Which scripts the test issuer sends with an answer to a correct ARQC.
public struct ScriptPolicy: Sendable {
    /// The transaction that the issuer answers.
    public struct Occasion: Sendable {
        public let pan: SecretBytes
        public let amount: Money
        /// Tag `9F36`.
        public let transactionCounter: UInt16
        /// Whether the transaction is approved.
        public let approves: Bool
    }

    let scripts: @Sendable (Occasion) -> [IssuerScript]

    public init(_ scripts: @escaping @Sendable (Occasion) -> [IssuerScript]) {
        self.scripts = scripts
    }

    public static let none = ScriptPolicy { _ in [] }
}

/// Scripts that wait for a card: the next online transaction with a correct ARQC receives all of
/// them.
public final class ScriptQueue: Sendable {
    private let waiting = Mutex<[(pan: SecretBytes, script: IssuerScript)]>([])

    public init() {}

    public func add(_ script: IssuerScript, for pan: SecretBytes) {
        waiting.withLock { $0.append((pan, script)) }
    }

    /// The policy that sends the waiting scripts.
    public var policy: ScriptPolicy { ScriptPolicy { self.take(for: $0.pan) } }

    private func take(for pan: SecretBytes) -> [IssuerScript] {
        waiting.withLock { waiting in
            let taken = waiting.filter { $0.pan == pan }.map(\.script)
            waiting.removeAll { $0.pan == pan }
            return taken
        }
    }
}
