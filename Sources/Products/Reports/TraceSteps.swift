private import Bytes
internal import SmartCard
private import TLV

/// The steps of a transaction from a trace that is still being written, as short texts. Hidden
/// digits are accepted.
public struct TraceSteps: Sendable {
    public private(set) var steps: [String] = []
    private var rest: [UInt8] = []

    private static let most = 200
    /// A longer line is not part of a trace.
    private static let longestLine = 1 << 20

    public init() {}

    /// Processes the next bytes of the text; only complete lines are used.
    public mutating func take(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            if byte == UInt8(ascii: "\n") {
                if let step = Self.step(String(decoding: rest, as: UTF8.self)) { add(step) }
                rest = []
            } else if rest.count < Self.longestLine {
                rest.append(byte)
            }
        }
    }

    private mutating func add(_ step: Step) {
        switch step {
        case .command(let words), .other(let words): steps.append(Masking.text(words))
        case .answer(let words):
            if let last = steps.indices.last { steps[last] += ": \(words)" }
        }
        if steps.count > Self.most { steps.removeFirst(steps.count - Self.most) }
    }

    private enum Step {
        case command(String)
        case answer(String)
        case other(String)
    }

    private static func step(_ line: String) -> Step? {
        var words = line.split(separator: " ", maxSplits: 2).map(String.init)
        // The time, which may come first.
        if let first = words.first, first.first?.isNumber ?? false {
            words = line.split(separator: " ").dropFirst().map(String.init)
        }
        guard let kind = words.first else { return nil }
        let text = words.dropFirst().joined(separator: " ")
        switch kind {
        case ">": return .command(command(text))
        case "<": return .answer(status(text))
        case "=", "!": return .other(text)
        case "$": return .other("host \(text)")
        default: return nil
        }
    }

    private static func command(_ digits: String) -> String {
        let digits = digits.filter { $0 != " " }
        guard let header = try? [UInt8](hex: digits.prefix(8)), header.count == 4 else { return "a command" }
        let data = try? [UInt8](hex: digits.dropFirst(8))
        if let data, let command = CommandAPDU(header + data) { return CommandDescription.summary(command) }
        return CommandDescription.summary(CommandAPDU(cla: header[0], ins: header[1], p1: header[2], p2: header[3]))
    }

    private static func status(_ digits: String) -> String {
        guard let bytes = try? [UInt8](hex: digits.filter { $0 != " " }.suffix(4)), bytes.count == 2 else {
            return "an answer"
        }
        let status = StatusWord(rawValue: UInt16(bytes[0]) << 8 | UInt16(bytes[1]))
        return "\(status) (\(status.summary))"
    }
}
