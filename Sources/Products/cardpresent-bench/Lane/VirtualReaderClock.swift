import CardCapture
import Synchronization

/// The clock of a virtual reader. It moves by what the card's faults last, and by nothing else:
/// what other programs do on this computer's processors is not taken for a relay.
final class VirtualReaderClock: Sendable {
    private let elapsed = Mutex(Duration.zero)

    /// Lasts as long as a fault of the card says, in milliseconds.
    func wait(_ milliseconds: Int) async {
        let time = Duration.milliseconds(milliseconds)
        try? await Task.sleep(for: time)
        elapsed.withLock { $0 += time }
    }

    var timing: ContactlessReader.Timing {
        .init(uptime: { self.elapsed.withLock { $0 } }, pause: ContactlessReader.Timing.system.pause)
    }
}
