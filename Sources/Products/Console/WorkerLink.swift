/// The worker's side of a ``WorkerPool``: sends the answers.
///
/// They go out several at a time: to wake the other process for each costs more than many a task.
struct WorkerLink {
    private static let flushSize = 1 << 13
    /// So long after the last ones went out, the next answer goes at once.
    private static let flushInterval = Duration.milliseconds(50)

    private let descriptor: Int32
    private var unsent: [UInt8] = []
    private var lastSent = ContinuousClock.now

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// False if the parent process has ended.
    mutating func send(_ words: [String], of task: Int) -> Bool {
        WorkerMessage.append(task: task, words, to: &unsent)
        guard unsent.count >= Self.flushSize || lastSent.duration(to: .now) >= Self.flushInterval else { return true }
        return flush()
    }

    /// False if the parent process has ended.
    mutating func flush() -> Bool {
        defer {
            unsent.removeAll(keepingCapacity: true)
            lastSent = .now
        }
        return FileDescriptor.writeAll(descriptor, unsent)
    }
}
