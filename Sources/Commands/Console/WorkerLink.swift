#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// The worker's side of a ``WorkerPool``: tasks come in, answers go out.
///
/// Answers go out several at a time: to wake the other process for each costs more than many a task.
public struct WorkerLink: ~Copyable {
    /// The descriptors that a worker inherits from its pool. Tasks end with a zero byte.
    static let tasks: Int32 = 3
    static let answers: Int32 = 4
    /// Takes one byte for each task that is begun, by which the pool knows what a lost worker was at.
    static let beginnings: Int32 = 5

    /// The most answers that go out together.
    private static let answersTogether = 8
    /// So long after the last ones went out, the next answer goes at once.
    private static let flushInterval = Duration.milliseconds(50)

    private let limit: UInt32
    private var received: [UInt8] = []
    private var unsent: [UInt8] = []
    private var unsentCount = 0
    private var lastSent = ContinuousClock.now

    /// - Parameter limit: The time limit for one task in seconds, after which the process ends.
    public init(limit: UInt32) { self.limit = limit }

    /// The next task; nil if there are no more, or the parent process has ended.
    public mutating func next() -> String? {
        while true {
            if let end = received.firstIndex(of: 0) {
                defer { received.removeSubrange(...end) }
                guard FileDescriptor.writeAll(Self.beginnings, [1]) else { return nil }
                alarm(limit)
                return String(decoding: received[..<end], as: UTF8.self)
            }
            alarm(0)
            guard send() else { return nil }
            var piece = [UInt8](repeating: 0, count: 1 << 12)
            let count = unsafe read(Self.tasks, &piece, piece.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return nil }
            received += piece.prefix(count)
        }
    }

    /// Answers the last task; false if the parent process has ended.
    public mutating func answer(_ words: [String]) -> Bool {
        unsent += WorkerMessage.bytes(words)
        unsentCount += 1
        guard unsentCount >= Self.answersTogether || lastSent.duration(to: .now) >= Self.flushInterval else { return true }
        return send()
    }

    private mutating func send() -> Bool {
        defer {
            unsent.removeAll(keepingCapacity: true)
            unsentCount = 0
            lastSent = .now
        }
        return FileDescriptor.writeAll(Self.answers, unsent)
    }
}

enum FileDescriptor {
    static func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }
}

/// Strings as bytes: their number, then each with its length first; numbers are decimal digits
/// followed by a colon.
enum WorkerMessage {
    enum Taken: Equatable {
        case whole([String])
        case partial
        case broken
    }

    /// The maximum length of one answer.
    static let largest = 16 << 20

    static func bytes(_ words: [String]) -> [UInt8] {
        var bytes = Array("\(words.count):".utf8)
        for word in words {
            bytes += "\(word.utf8.count):".utf8
            bytes += word.utf8
        }
        return bytes
    }

    /// Removes the message at the beginning of `bytes` and returns it.
    static func take(from bytes: inout [UInt8]) -> Taken {
        var at = 0
        func length() -> (value: Int?, isBroken: Bool) {
            guard let colon = bytes[at...].firstIndex(of: UInt8(ascii: ":")) else { return (nil, bytes.count - at > 8) }
            let value = Int(String(decoding: bytes[at..<colon], as: UTF8.self))
            guard let value, (0...largest).contains(value) else { return (nil, true) }
            at = colon + 1
            return (value, false)
        }
        let (count, isBroken) = length()
        guard let count else { return isBroken ? .broken : .partial }
        var words: [String] = []
        for _ in 0..<count {
            let (size, isBroken) = length()
            guard let size else { return isBroken ? .broken : .partial }
            guard bytes.count - at >= size else { return .partial }
            words.append(String(decoding: bytes[at..<(at + size)], as: UTF8.self))
            at += size
        }
        bytes.removeFirst(at)
        return .whole(words)
    }
}
