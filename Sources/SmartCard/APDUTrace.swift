private import Bytes
private import TLV

/// A conversation with a card, as text that people read and compare (`docs/trace-format.md`).
///
///     # title: Visa test card, contact, online
///     > 00A4040007A000000003101000
///     < 6F168407A0000000031010A50B50095649534120544553549000
///
/// `>` is a command, `<` the answer with its status word, `#` a comment; a comment `# name: value` before the first command is metadata.
/// `*` stands for a digit that was hidden; white space between digits does not count.
public struct APDUTrace: Sendable {
    public struct Exchange: Sendable {
        /// The line of the command, from 1; 0 for one that comes from no text.
        public let line: Int
        public let command: CommandAPDU
        public let response: ResponseAPDU

        public init(line: Int = 0, command: CommandAPDU, response: ResponseAPDU) {
            self.line = line
            self.command = command
            self.response = response
        }
    }

    /// What the head of the text says, in its order.
    public var metadata: [(name: String, value: String)]
    public var exchanges: [Exchange]

    public init(metadata: [(name: String, value: String)] = [], exchanges: [Exchange] = []) {
        self.metadata = metadata
        self.exchanges = exchanges
    }

    /// The value of the first metadata called `name`.
    public subscript(name: String) -> String? { metadata.first { $0.name == name }?.value }
}

/// Why a text is no trace.
public struct APDUTraceError: Error, Equatable, Sendable, CustomStringConvertible {
    public enum Reason: Equatable, Sendable {
        case hexadecimal(String)
        case notACommand
        case notAnAnswer
        case answerWithoutCommand
        case commandWithoutAnswer
        case redacted
        case unknownLine
        case empty
    }

    /// From 1.
    public let line: Int
    public let reason: Reason

    public var description: String {
        let what =
            switch reason {
            case .hexadecimal(let problem): problem
            case .notACommand: "the bytes after \">\" are no command: their lengths do not fit"
            case .notAnAnswer: "the bytes after \"<\" hold no status word"
            case .answerWithoutCommand: "an answer without a command before it"
            case .commandWithoutAnswer: "the command has no answer: is the trace cut short?"
            case .redacted: "the digits are hidden; a redacted trace can be read by people but not replayed"
            case .unknownLine: "the line begins with none of >, < and #"
            case .empty: "the trace holds no exchange"
            }
        return "line \(line): \(what)"
    }
}

// MARK: - Reading

extension APDUTrace {
    public init(parsing text: String) throws(APDUTraceError) {
        self.init()
        var pending: (line: Int, command: CommandAPDU)?
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            let content = line.drop(while: \.isWhitespace)
            switch content.first {
            case nil: continue
            case "#": readComment(content.dropFirst())
            case ">":
                if let pending { throw APDUTraceError(line: pending.line, reason: .commandWithoutAnswer) }
                guard let command = CommandAPDU(try Self.bytes(content.dropFirst(), line: number)) else {
                    throw APDUTraceError(line: number, reason: .notACommand)
                }
                pending = (number, command)
            case "<":
                guard let (line, command) = pending else { throw APDUTraceError(line: number, reason: .answerWithoutCommand) }
                guard let response = ResponseAPDU(bytes: try Self.bytes(content.dropFirst(), line: number)) else {
                    throw APDUTraceError(line: number, reason: .notAnAnswer)
                }
                exchanges.append(Exchange(line: line, command: command, response: response))
                pending = nil
            default: throw APDUTraceError(line: number, reason: .unknownLine)
            }
        }
        if let pending { throw APDUTraceError(line: pending.line, reason: .commandWithoutAnswer) }
        if exchanges.isEmpty { throw APDUTraceError(line: max(number, 1), reason: .empty) }
    }

    private mutating func readComment(_ comment: Substring) {
        guard exchanges.isEmpty, let colon = comment.firstIndex(of: ":") else { return }
        let name = comment[..<colon].drop(while: \.isWhitespace)
        guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLowercase || $0.isNumber || $0 == "-") }) else { return }
        metadata.append((String(name), String(comment[comment.index(after: colon)...].drop(while: \.isWhitespace))))
    }

    private static func bytes(_ text: Substring, line: Int) throws(APDUTraceError) -> [UInt8] {
        guard !text.contains(Redaction.mask) else { throw APDUTraceError(line: line, reason: .redacted) }
        do {
            return try [UInt8](hex: text)
        } catch {
            throw APDUTraceError(line: line, reason: .hexadecimal(error.description))
        }
    }
}
