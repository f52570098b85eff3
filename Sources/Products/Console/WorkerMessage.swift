/// A worker's answer as bytes: its length, the task's number and the number of strings, then each
/// string with its length. Numbers have four bytes, the least significant first.
enum WorkerMessage {
    enum Taken {
        case whole(task: Int, words: [String])
        case partial
        case broken
    }

    /// The maximum length of one answer.
    static let largest = 16 << 20

    static func append(task: Int, _ words: [String], to bytes: inout [UInt8]) {
        let length = 8 + words.reduce(0) { $0 + 4 + $1.utf8.count }
        bytes.reserveCapacity(bytes.count + 4 + length)
        for number in [length, task, words.count] { append(number, to: &bytes) }
        for word in words {
            append(word.utf8.count, to: &bytes)
            bytes += word.utf8
        }
    }

    /// Reads the message at `start`, and moves `start` behind it if it is whole.
    static func take(from bytes: [UInt8], at start: inout Int) -> Taken {
        guard bytes.count - start >= 4 else { return .partial }
        let length = number(bytes, start)
        guard (8...largest).contains(length) else { return .broken }
        let end = start + 4 + length
        guard bytes.count >= end else { return .partial }
        let (task, count) = (number(bytes, start + 4), number(bytes, start + 8))
        var at = start + 12
        var words: [String] = []
        for _ in 0..<count {
            guard end - at >= 4, case let length = number(bytes, at), end - at - 4 >= length else { return .broken }
            words.append(String(decoding: bytes[(at + 4)..<(at + 4 + length)], as: UTF8.self))
            at += 4 + length
        }
        guard at == end else { return .broken }
        start = end
        return .whole(task: task, words: words)
    }

    private static func append(_ number: Int, to bytes: inout [UInt8]) {
        let number = UInt32(clamping: number)
        for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    private static func number(_ bytes: [UInt8], _ at: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[at + $1]) << (8 * $1) }
    }
}
