import Bytes
import SmartCard

/// What cardpeek's window shows of a conversation: `RSET 3B …`, `SEND 00 A4 …`, and `RECV 9000`
/// with a dump of the data below it.
enum CardpeekView {
    static func read(_ text: LogText, _ conversation: inout Conversation) throws(LogProblem) {
        var answer: (line: Int, status: [UInt8], data: [UInt8])?
        for line in text.lines {
            let content = line.content.drop { $0 == " " || $0 == "\t" }
            let isIndented = content.startIndex > line.content.startIndex
            if isIndented, let bytes = answer == nil ? nil : HexDump.bytes(content) {
                answer?.data += bytes
                continue
            }
            if let whole = answer {
                try conversation.answer(whole.data + whole.status, at: .line(whole.line))
                answer = nil
            }
            guard let mark = mark(content) else {
                if !content.isEmpty { try conversation.note(.line(line.number), .neitherCommandNorAnswer) }
                continue
            }
            let digits = content.dropFirst(4).prefix { $0 != "#" }
            let bytes: [UInt8]
            switch HexDigits.bytes(digits) {
            case .success(let read): bytes = read
            case .failure(let error):
                try conversation.report(.line(line.number), .notHexadecimal(error))
                continue
            }
            switch mark {
            case .reset: try conversation.reader(.reset(bytes), at: .line(line.number))
            case .command: try conversation.command(bytes, at: .line(line.number))
            case .answer where bytes.count == 2: answer = (line.number, bytes, [])
            case .answer: try conversation.report(.line(line.number), .unreadableStatusWord)
            }
        }
        if let whole = answer { try conversation.answer(whole.data + whole.status, at: .line(whole.line)) }
    }

    private enum Mark: String, CaseIterable {
        case reset = "RSET", command = "SEND", answer = "RECV"
    }

    private static func mark(_ line: Substring) -> Mark? { Mark.allCases.first { line.hasPrefix($0.rawValue + " ") } }

    /// Whether a line can only be of this view.
    static func isOne(_ line: Substring) -> Bool {
        guard let mark = mark(line), mark != .command || !line.contains(":") else { return false }
        let words = line.dropFirst(4).split(separator: " ")
        guard let first = words.first else { return false }
        return mark == .answer ? first.utf8.count == 4 && first.allSatisfy(\.isHexDigit) : HexDigits.isByte(first)
    }
}
