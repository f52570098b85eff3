import SeededNumbers

/// What happens to one HTTP message on its way.
public enum MessageFault: Sendable, Equatable, CaseIterable {
    case none
    /// The message does not arrive, and the connection is closed on both sides.
    case dropped
    /// The message does not arrive; the connection stays as it is, silent.
    case swallowed
    case delayed
    /// The message arrives twice, one right behind the other.
    case duplicated
    /// A part of the message arrives, then the connection is closed.
    case truncated
    /// One bit of the message is another.
    case corrupted
    /// The message before it, in the same direction on the same connection, arrives again in its
    /// place; the first of a connection passes unharmed.
    case stale
}

/// Which faults the messages of a connection meet.
public struct ConnectionScript: Sendable {
    /// In the order of the messages; those behind the last pass unharmed.
    public var requests: [MessageFault]
    public var answers: [MessageFault]
    /// How the first request begins that counts, and after which answers count; nil for every one.
    /// A client may have fetched a token before, over this connection or another one.
    public var first: String?
    /// Of delayed messages.
    public var delayMilliseconds = 50
    /// Chooses the place of a truncation and of a corruption.
    public var seed: UInt64 = 1

    public init(requests: [MessageFault] = [], answers: [MessageFault] = [], from first: String? = nil) {
        self.requests = requests
        self.answers = answers
        self.first = first
    }

    /// A script by chance: each message meets one of `faults` with the probability `rate`, in
    /// percent, and always the same one for a seed.
    public init(
        seed: UInt64, rate: Int, messages: Int = 8,
        faults: [MessageFault] = MessageFault.allCases.filter { $0 != .none }
    ) {
        var random = SplitMix(seed: seed)
        func draw() -> MessageFault {
            guard Int(random.next() % 100) < rate else { return .none }
            return faults[Int(random.next() % UInt64(faults.count))]
        }
        requests = (0..<messages).map { _ in draw() }
        answers = (0..<messages).map { _ in draw() }
        self.seed = random.next()
    }
}
