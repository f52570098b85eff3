private import FoundationEssentials

#if canImport(Glibc)
    @unsafe @preconcurrency private import Glibc
#elseif canImport(Musl)
    @unsafe @preconcurrency private import Musl
#endif

/// Executes tasks in separate processes, so that a crash or a hang affects only its own result.
///
/// A worker is a process with a ``WorkerLink``. It has the environment of this process, without
/// backtraces, and no standard error, because a runtime's crash report contains register contents.
public struct WorkerPool: Sendable {
    /// The result of a task.
    public enum Answer: Sendable, Equatable {
        case done([String])
        /// The worker exceeded the time limit for one task.
        case timedOut
        /// The worker was ended by this signal.
        case crashed(signal: Int32)
        /// The worker ended with this status, or sent an invalid answer.
        case ended(status: Int32)
    }

    private let executable: String
    private let arguments: [String]
    private let count: Int

    /// How many tasks a worker is given before it has answered the first of them. With fewer it would wait for us.
    ///
    /// All of them fit into its pipe: neither of us waits for the other to read.
    private static let tasksAhead = 16

    /// - Parameters:
    ///   - arguments: The arguments after the name of the executable.
    ///   - count: The maximum number of concurrent workers, at least one.
    public init(executable: String, arguments: [String], count: Int) {
        self.executable = executable
        self.arguments = arguments
        self.count = max(1, count)
    }

    /// Executes all tasks, and passes each answer to `receive` when it arrives, with the task's
    /// index in `tasks`. It blocks its thread.
    ///
    /// - Throws: An error if no worker can be started.
    public func run(_ tasks: [String], receive: (Int, Answer) -> Void) throws(InputError) {
        // An ended worker is detected by its missing answer, and must not end this process.
        signal(SIGPIPE, SIG_IGN)
        var waiting = Array(tasks.indices.reversed())
        var workers: [Worker] = []
        defer { for worker in workers { worker.end() } }
        while true {
            while workers.count < count, !waiting.isEmpty {
                let worker = try Worker(executable, arguments)
                workers.append(worker)
                worker.give(&waiting, of: tasks, upTo: share(waiting.count))
            }
            guard !workers.isEmpty else { return }
            let ready = Self.wait(for: workers)
            for worker in ready {
                let isAlive = worker.receive(receive)
                if isAlive {
                    worker.give(&waiting, of: tasks, upTo: share(waiting.count))
                    guard worker.isIdle else { continue }
                }
                workers.removeAll { $0 === worker }
                guard let lost = worker.end() else { continue }
                var left = worker.given
                receive(left.remove(at: worker.current), lost)
                // Those that it had not begun, and those whose answers were lost with it.
                waiting += left.reversed()
            }
        }
    }

    /// Near the end the workers get fewer tasks, so that none has many while others have nothing left to do.
    private func share(_ left: Int) -> Int { min(Self.tasksAhead, max(1, left / (2 * count))) }

    private static func wait(for workers: [Worker]) -> [Worker] {
        var entries = workers.map { pollfd(fd: $0.answers, events: Int16(truncatingIfNeeded: POLLIN), revents: 0) }
        while unsafe poll(&entries, nfds_t(truncatingIfNeeded: entries.count), -1) < 0, errno == EINTR {}
        return zip(workers, entries).filter { $0.1.revents != 0 }.map(\.0)
    }
}

/// A process, its tasks, and the received part of its answers.
private final class Worker {
    private let process: pid_t
    private let tasks: Int32
    let answers: Int32
    private let beginnings: Int32
    private var received: [UInt8] = []
    private var hasEnded = false
    /// The unanswered tasks.
    private(set) var given: [Int] = []
    /// How many of those it has begun.
    private var begun = 0

    var isIdle: Bool { given.isEmpty }

    /// Where in ``given`` the task is that it was at last: the first, if it never said what it had begun.
    var current: Int { min(max(begun, 1), given.count) - 1 }

    init(_ executable: String, _ arguments: [String]) throws(InputError) {
        let (theirTasks, tasks) = try Self.makePipe()
        let (answers, theirAnswers) = try Self.makePipe()
        let (beginnings, theirBeginnings) = try Self.makePipe()
        let theirs = [theirTasks, theirAnswers, theirBeginnings]
        defer { for end in theirs { close(end) } }
        _ = fcntl(beginnings, F_SETFL, O_NONBLOCK)
        (self.tasks, self.answers, self.beginnings) = (tasks, answers, beginnings)
        guard let process = Self.start(executable, arguments, theirs) else {
            let why = SystemError.last
            for end in [tasks, answers, beginnings] { close(end) }
            throw InputError("a process for the work cannot be started: \(why)")
        }
        self.process = process
    }

    /// Above the numbers that a worker knows its ends by, so that no end is taken for another.
    private static func makePipe() throws(InputError) -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw InputError("no pipe to a process: \(SystemError.last)") }
        let moved = ends.map { fcntl($0, F_DUPFD_CLOEXEC, WorkerLink.beginnings + 1) }
        for end in ends { close(end) }
        guard moved.allSatisfy({ $0 >= 0 }) else {
            let why = SystemError.last
            for end in moved where end >= 0 { close(end) }
            throw InputError("no pipe to a process: \(why)")
        }
        return (moved[0], moved[1])
    }

    /// - Parameter ends: The worker's, of tasks, answers and beginnings.
    private static func start(_ executable: String, _ arguments: [String], _ ends: [Int32]) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawnattr_init(&attributes)
        defer {
            unsafe posix_spawn_file_actions_destroy(&actions)
            unsafe posix_spawnattr_destroy(&attributes)
        }
        for (end, number) in zip(ends, [WorkerLink.tasks, WorkerLink.answers, WorkerLink.beginnings]) {
            unsafe posix_spawn_file_actions_adddup2(&actions, end, number)
        }
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        // The alarm that bounds a task must end it, even if this process blocks or ignores the
        // signal.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe sigaddset(&signals, SIGALRM)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe posix_spawnattr_setflags(
            &attributes, Int16(truncatingIfNeeded: POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var words = unsafe ([executable] + arguments).map { unsafe strdup($0) }
        unsafe words.append(nil)
        var variables = unsafe environmentWithoutBacktrace().map { unsafe strdup($0) }
        unsafe variables.append(nil)
        defer { unsafe (words + variables).forEach { unsafe free($0) } }
        var process: pid_t = 0
        let status = unsafe posix_spawn(&process, executable, &actions, &attributes, &words, &variables)
        guard status == 0 else {
            errno = status
            return nil
        }
        return process
    }

    private static func environmentWithoutBacktrace() -> [String] {
        var variables = ProcessInfo.processInfo.environment
        variables["SWIFT_BACKTRACE"] = "enable=no"
        return variables.map { "\($0)=\($1)" }
    }

    /// Sends it the next tasks, up to `most`.
    func give(_ waiting: inout [Int], of all: [String], upTo most: Int) {
        while given.count < most, let next = waiting.popLast() {
            given.append(next)
            let bytes = Array(all[next].utf8) + [0]
            // An ended worker is detected when its answer is read.
            _ = FileDescriptor.writeAll(tasks, bytes)
        }
    }

    /// Reads the available answers; false if there will be no more.
    func receive(_ receive: (Int, WorkerPool.Answer) -> Void) -> Bool {
        guard append(to: &received, from: answers) > 0 else { return false }
        countBeginnings()
        while let task = given.first {
            switch WorkerMessage.take(from: &received) {
            case .whole(let words):
                given.removeFirst()
                begun -= 1
                receive(task, .done(words))
            case .partial: return true
            case .broken: return false
            }
        }
        return received.isEmpty
    }

    private func countBeginnings() {
        var bytes: [UInt8] = []
        begun += max(0, append(to: &bytes, from: beginnings))
    }

    /// - Returns: What `read` did.
    private func append(to bytes: inout [UInt8], from descriptor: Int32) -> Int {
        var count = 0
        bytes += unsafe [UInt8](unsafeUninitializedCapacity: 1 << 14) { buffer, initialized in
            repeat { count = unsafe read(descriptor, buffer.baseAddress, buffer.count) } while count < 0 && errno == EINTR
            initialized = max(0, count)
        }
        return count
    }

    /// Ends it, and says how it went if it left tasks behind: ``current`` is what it was at.
    @discardableResult
    func end() -> WorkerPool.Answer? {
        guard !hasEnded else { return nil }
        hasEnded = true
        close(tasks)
        close(answers)
        // A worker with an invalid answer may never end by itself.
        if !given.isEmpty, !received.isEmpty { kill(process, SIGKILL) }
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0, errno == EINTR {}
        countBeginnings()
        close(beginnings)
        guard !given.isEmpty else { return nil }
        let signal = status & 0x7F
        if signal == SIGALRM { return .timedOut }
        return signal != 0 ? .crashed(signal: signal) : .ended(status: status >> 8 & 0xFF)
    }
}
