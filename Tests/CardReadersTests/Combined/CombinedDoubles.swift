import CardCapture
import CardReaders
import MagneticStripe
import Synchronization

/// A stripe reader through which the test draws cards. It cancels on request, or not at all.
final class TestMagstripe: MagstripeSlot {
    let name = "Test stripe"
    let capabilities: ReaderCapabilities = .magneticStripe
    let events = ReaderEvents()
    private let standsDown: Bool
    private struct State {
        var drawn: [Result<CapturedSwipe, CaptureError>] = []
        var waits = 0
        var isWaiting = false
    }
    private let state = Mutex(State())

    init(standsDown: Bool = true) { self.standsDown = standsDown }

    /// How often somebody has waited for a swipe.
    var waits: Int { state.withLock { $0.waits } }
    var isWaiting: Bool { state.withLock { $0.isWaiting } }

    func draw(_ text: String) { draw(.success(CapturedSwipe(tracks: Swipe(text: text)))) }
    func draw(_ result: Result<CapturedSwipe, CaptureError>) { state.withLock { $0.drawn.append(result) } }

    func swipe() async throws(CaptureError) -> CapturedSwipe {
        state.withLock { state in
            state.waits += 1
            state.isWaiting = true
        }
        defer { state.withLock { $0.isWaiting = false } }
        while true {
            let next = state.withLock { state in state.drawn.isEmpty ? nil : state.drawn.removeFirst() }
            if let next { return try next.get() }
            if Task.isCancelled, standsDown { throw .cancelled }
            await pause()
        }
    }
}

/// A chip reader that does what the test says.
final class TestChip: CardReader {
    typealias Script =
        @Sendable (
            _ chip: TestChip, _ authorize: @Sendable (CapturedCard) async -> IssuerAnswer
        ) async throws(CaptureError) -> CaptureOutcome

    let name = "Test chip"
    let capabilities: ReaderCapabilities = [.contactChip, .cardEvents]
    let events = ReaderEvents()
    private let script: Script
    private let waiting = Mutex(false)

    init(_ script: @escaping Script) { self.script = script }

    var isWaiting: Bool { waiting.withLock { $0 } }

    func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        waiting.withLock { $0 = true }
        defer { waiting.withLock { $0 = false } }
        return try await script(self, authorize)
    }

    /// A chip reader into which nobody puts a card.
    static var empty: TestChip { TestChip { (_, _) async throws(CaptureError) in try await untilCancelled() } }

    /// A chip reader that gives up so many times before it approves.
    static func givingUp(times: Int) -> TestChip {
        let tries = Mutex(0)
        return TestChip { (_, _) async throws(CaptureError) in
            let attempt = tries.withLock { count in
                count += 1
                return count
            }
            guard attempt > times else { throw .noCardPresented }
            return CaptureOutcome(decision: .approvedOffline, card: nil)
        }
    }
}

func untilCancelled() async throws(CaptureError) -> Never {
    while !Task.isCancelled { await pause() }
    throw .cancelled
}

/// A moment, in a cancelled task too.
func pause() async {
    await Task.detached { try? await Task.sleep(for: .milliseconds(2)) }.value
}
