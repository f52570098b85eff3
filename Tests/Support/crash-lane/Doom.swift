import Glibc
import Synchronization

/// Counts the moments at which a process could die, and dies at one of them, as by a power cut:
/// nothing is flushed, nothing cleaned up.
final class Doom: Sendable {
    private let count = Mutex(0)
    private let fatal: Int

    /// - Parameter fatal: 0 for never.
    init(at fatal: Int) { self.fatal = fatal }

    var passed: Int { count.withLock { $0 } }

    func point() {
        let isFatal = count.withLock { count in
            count += 1
            return count == fatal
        }
        if isFatal { kill(getpid(), SIGKILL) }
    }
}
