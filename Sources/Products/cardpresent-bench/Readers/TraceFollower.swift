import Console
import Reports

/// Follows a trace that another command is writing: reads new data five times a second, and begins
/// again if the file is overwritten.
struct TraceFollower: Sendable {
    private let path: String
    private let show: @Sendable ([String]) -> Void

    private static let interval = Duration.milliseconds(200)
    /// The maximum length of one read; the rest is read the next time.
    private static let portion = 1 << 20

    init(_ path: String, show: @escaping @Sendable ([String]) -> Void) {
        self.path = path
        self.show = show
    }

    /// Follows until the task is cancelled. Waits for a missing file.
    func follow() async throws {
        var steps = TraceSteps()
        var (offset, file): (UInt64, UInt64) = (0, 0)
        while true {
            let (size, identity) = InputFile.identity(path) ?? (0, 0)
            if size < offset || identity != file {
                (steps, offset, file) = (TraceSteps(), 0, identity)
                show([])
            }
            if size > offset, let bytes = InputFile.portion(path, from: offset, atMost: Self.portion), !bytes.isEmpty {
                offset += UInt64(clamping: bytes.count)
                steps.take(bytes)
                show(steps.steps)
            }
            try await Task.sleep(for: Self.interval)
        }
    }
}
