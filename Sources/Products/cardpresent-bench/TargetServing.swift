import CardReaders
import Console
import DeviceIO
import SmartCard

/// Serves a card at a PN532 until the process ends: the hand on standard input, signals, a line
/// that is lost and comes back.
struct TargetServing {
    private enum Happening: Sendable {
        case moved(CardHand.Move)
        case signal(TerminalSignals.Signal)
        case event(PN53xCardPort.Event)
        /// The card has removed itself.
        case removed
        case failed(DeviceError)
    }

    /// Between two attempts to open the line.
    private static let pause = Duration.milliseconds(250)

    private let path: String
    private let hand: CardHand
    private let port: PN53xCardPort
    private let happenings: AsyncStream<Happening>
    private let queue: AsyncStream<Happening>.Continuation

    init(
        _ place: TargetPlace, hand: CardHand, historicalBytes: [UInt8],
        onTap: @escaping @Sendable () async -> any CardChannel
    ) throws {
        (path, self.hand) = (place.path, hand)
        let (happenings, queue) = AsyncStream<Happening>.makeStream()
        (self.happenings, self.queue) = (happenings, queue)
        let identifier = (0..<3).map { _ in UInt8.random(in: .min ... .max) }
        guard let identity = PN53xCardIdentity(identifier: identifier, historicalBytes: historicalBytes) else {
            throw InputError("the historical bytes of the card are too long")
        }
        port = try PN53xCardPort(path: place.path, identity: identity, onTap: onTap) { queue.yield(.event($0)) }
    }

    /// - Parameter timeout: How long the chip may be missing at the start. Later it has no limit.
    /// - Returns: The number of the signal that ends the process. The chip is not a card by then.
    func serve(timeout: Duration, tell: (String) -> Void) async throws -> Int32? {
        let signals = try TerminalSignals()
        let sources = [
            Task { [hand, queue] in for await move in hand.moves { queue.yield(.moved(move)) } },
            Task { [queue] in for await signal in signals.signals { queue.yield(.signal(signal)) } },
        ]
        defer { for source in sources { source.cancel() } }
        let end = Deadline.after(timeout)
        var serving: Task<Void, Never>? = serving(after: .zero)
        var (wasThere, isSought) = (false, false)
        for await happening in happenings {
            switch happening {
            case .moved(.insert): if serving == nil { serving = self.serving(after: .zero) }
            case .moved(.remove):
                guard let task = serving else { continue }
                task.cancel()
                await task.value
                serving = nil
                tell("the card is removed")
            case .signal(.end(let number)):
                serving?.cancel()
                await serving?.value
                return number
            case .signal(.stop): TerminalSignals.stop()
            case .signal(.resumed), .signal(.resized): break
            case .event(let event):
                if event == .waiting { (wasThere, isSought) = (true, false) }
                tell("\(event)")
            case .removed:
                serving = nil
                tell("the card is removed, as its profile says; \"insert\" inserts it again")
            case .failed(let error):
                guard serving != nil else { continue }
                guard Self.isTransient(error, wasThere), wasThere || !end.hasPassed else {
                    throw InputError(text(error))
                }
                if !isSought { tell("\(text(error)); reconnecting") }
                isSought = true
                serving = self.serving(after: Self.pause)
            }
        }
        return nil
    }

    private func serving(after pause: Duration) -> Task<Void, Never> {
        Task { [port, queue] in
            try? await Task.sleep(for: pause)
            do throws(DeviceError) {
                try await port.serve()
                queue.yield(.removed)
            } catch .cancelled {
                return
            } catch {
                queue.yield(.failed(error))
            }
        }
    }

    /// Whether another attempt may succeed without the user.
    private static func isTransient(_ error: DeviceError, _ wasThere: Bool) -> Bool {
        switch error {
        case .notFound, .timedOut, .disconnected: true
        case .accessDenied, .busy, .rejected: false
        default: wasThere
        }
    }

    private func text(_ error: DeviceError) -> String {
        switch error {
        case .timedOut: "\(path): no PN532 answers: check its wiring, and that its switches select HSU"
        case .rejected(.commandNotSupported): "\(path): the chip cannot be a card: connect a PN532, not a PN533"
        case .notFound, .accessDenied, .busy: "\(error)"
        default: "\(path): \(error)"
        }
    }
}
