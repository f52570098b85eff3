import SmartCard

/// A card behind a channel that changes its answers, counts its commands, and looks at the memory
/// in use with each.
actor MutatedCard: CardChannel {
    private let card: any CardChannel
    private var mutator: Mutator?
    private let limit: Int
    private let memory: @Sendable () -> Int
    private(set) var count = 0
    /// Honest answers, kept of an undisturbed conversation only.
    private(set) var answers: [ResponseAPDU] = []
    /// The most that `memory` said.
    private(set) var peak = 0

    /// - Parameters:
    ///   - mutator: Nil leaves the answers as they are.
    ///   - limit: The most commands that are answered; with more the card falls silent.
    init(_ card: any CardChannel, _ mutator: Mutator?, limit: Int, memory: @escaping @Sendable () -> Int) {
        self.card = card
        self.mutator = mutator
        self.limit = limit
        self.memory = memory
    }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        let step = count
        count += 1
        peak = max(peak, memory())
        guard step < limit else { throw .timedOut }
        let answer = try await card.transmit(command)
        guard mutator != nil else {
            answers.append(answer)
            return answer
        }
        guard let changed = try mutator?.change(answer, to: command, step: step) else { return answer }
        return changed
    }
}
