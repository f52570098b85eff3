public import Bytes

/// Why a text, or a line of it, is not a trace.
public struct APDUTraceError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Reason: Equatable, Sendable {
        case hexadecimal(HexError)
        case notACommand
        case notAnAnswer
        case answerWithoutCommand
        case commandWithoutAnswer
        case redacted
        case notADecision
        case noDirection
        case notATime
        case version(String)
        case unknownLine
        case empty
    }

    /// From 1.
    public let line: Int
    public let reason: Reason

    public init(line: Int, reason: Reason) {
        self.line = line
        self.reason = reason
    }

    public var description: String { "line \(line): \(reason)" }
}

extension APDUTraceError.Reason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .hexadecimal(let error): "\(error)"
        case .notACommand: "the bytes after \">\" are not a command: the lengths do not match"
        case .notAnAnswer: "the bytes after \"<\" contain no status word"
        case .answerWithoutCommand: "an answer without a command before it"
        case .commandWithoutAnswer:
            "the command has no answer, and no reader event such as \"! card removed\" or \"! no answer\" says why: is the trace cut short?"
        case .redacted: "the digits are hidden; a redacted trace can be read by people but not replayed"
        case .notADecision: "a decision needs a phase, a colon and a result"
        case .noDirection: "after \"$\" and \"~\" comes > or <"
        case .notATime: "a time is seconds since the first event, such as 0.012345"
        case .version(let version): "the trace has version \(version); the supported versions are 1 and 2"
        case .unknownLine: "the line does not begin with >, <, !, =, $, ~ or #"
        case .empty: "the trace contains no exchange"
        }
    }
}
