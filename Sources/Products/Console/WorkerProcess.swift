internal import CProcessSecrecy
internal import CWorkerProcess

#if canImport(Glibc)
    @unsafe @preconcurrency private import Glibc
#elseif canImport(Musl)
    @unsafe @preconcurrency private import Musl
#endif

private func send(_ signal: Int32, to process: pid_t) { kill(process, signal) }

/// A copy of this process, and the received part of its answers.
final class WorkerProcess {
    /// Its number on the ``TaskBoard``.
    let number: Int
    private let process: pid_t
    private let answers: Int32
    private var received: [UInt8] = []
    private var isTooLate = false
    /// The task that it was at when its time was checked last, and since when.
    private var task: Int
    private var since = ContinuousClock.now

    /// How often the time of tasks is checked.
    private static let interval: Int32 = 250

    /// - Parameter serve: What the copy does; it is given the descriptor for its answers.
    init(_ number: Int, at task: Int, serve: (Int32) -> Never) throws(InputError) {
        var answers: Int32 = -1
        let process = unsafe worker_process_start(&answers)
        if process == 0 {
            // A report of the Swift runtime would only delay the end, and nobody could read it.
            if process_secrecy_without_reports() < 0 { _exit(ExitStatus.failure) }
            serve(answers)
        }
        guard process > 0 else {
            errno = -process
            throw InputError("a process for the work cannot be started: \(SystemError.last)")
        }
        self.number = number
        self.process = process
        self.answers = answers
        self.task = task
    }

    deinit { close(answers) }

    /// Waits until some of `workers` have sent something or have ended, or the time of tasks must
    /// be checked.
    static func ready(_ workers: [WorkerProcess]) -> [WorkerProcess] {
        var entries = workers.map { pollfd(fd: $0.answers, events: Int16(truncatingIfNeeded: POLLIN), revents: 0) }
        while unsafe poll(&entries, nfds_t(truncatingIfNeeded: entries.count), interval) < 0 {
            guard errno == EINTR else { return [] }
        }
        return zip(workers, entries).filter { $0.1.revents != 0 }.map(\.0)
    }

    /// The answers that have arrived; nil if it has ended, or if one is invalid.
    func receive() -> [(task: Int, words: [String])]? {
        var count = 0
        received += unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, initialized in
            repeat { count = unsafe read(answers, buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
            initialized = max(0, count)
        }
        guard count > 0 else { return nil }
        var start = 0
        defer { received.removeFirst(start) }
        var messages: [(task: Int, words: [String])] = []
        while true {
            switch WorkerMessage.take(from: received, at: &start) {
            case .whole(let task, let words): messages.append((task, words))
            case .partial: return messages
            case .broken: return nil
            }
        }
    }

    /// Kills it if it has been at `task` for longer than `limit`.
    func checkTime(of task: Int, limit: Duration) {
        let now = ContinuousClock.now
        if task != self.task { (self.task, since) = (task, now) }
        guard since.duration(to: now) > limit else { return }
        isTooLate = true
        kill()
    }

    func kill() { send(SIGKILL, to: process) }

    /// Ends it, unless it has ended, and says how that went.
    func end() -> WorkerPool.Answer {
        // One with an invalid answer may never end by itself.
        kill()
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        if isTooLate { return .timedOut }
        let signal = status & 0x7F
        return signal != 0 ? .crashed(signal: signal) : .ended(status: status >> 8 & 0xFF)
    }
}
