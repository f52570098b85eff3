private import Synchronization

/// Hands each event of a reader to everyone who listens, in order. Nobody who listens slowly holds up the reader: of what he has not taken, the last 64 are kept.
public final class ReaderEvents: Sendable {
    private struct Listeners {
        var next = 0
        var continuations: [Int: AsyncStream<ReaderEvent>.Continuation] = [:]
    }

    private static let kept = 64
    private let listeners = Mutex(Listeners())

    public init() {}

    deinit { finish() }

    /// What happens from now on. The stream ends with the reader.
    public func stream() -> AsyncStream<ReaderEvent> {
        let (stream, continuation) = AsyncStream.makeStream(of: ReaderEvent.self, bufferingPolicy: .bufferingNewest(Self.kept))
        let number = listeners.withLock { listeners in
            listeners.next += 1
            listeners.continuations[listeners.next] = continuation
            return listeners.next
        }
        continuation.onTermination = { [weak self] _ in
            self?.listeners.withLock { listeners in _ = listeners.continuations.removeValue(forKey: number) }
        }
        return stream
    }

    public func send(_ event: ReaderEvent) {
        let continuations = listeners.withLock { Array($0.continuations.values) }
        for continuation in continuations { continuation.yield(event) }
    }

    /// Ends every stream.
    public func finish() {
        let continuations = listeners.withLock { listeners in
            defer { listeners.continuations = [:] }
            return Array(listeners.continuations.values)
        }
        for continuation in continuations { continuation.finish() }
    }
}
