import CardCryptography
import Foundation
import Testing

/// A process that exits while threads compute.
@Suite("A process that exits while threads compute") struct ExitTests {
    /// With libcrypto's exit handler a thread reads what the handler has freed, and the process
    /// ends by a signal.
    @Test func exitWhileThreadsCompute() async {
        for _ in 0..<5 {
            await #expect(processExitsWith: .exitCode(7)) {
                // Runs after libcrypto's handler, if there is one, and leaves the threads time to
                // use what that has freed.
                atexit { usleep(50_000) }
                for _ in 0..<4 {
                    Thread.detachNewThread {
                        while true { _ = (SHA256.hash(Array("abc".utf8)), SecureRandom.bytes(16)) }
                    }
                }
                usleep(50_000)
                exit(7)
            }
        }
    }
}
