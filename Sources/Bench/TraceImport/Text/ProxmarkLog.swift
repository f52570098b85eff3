import Bytes
import SmartCard

/// The output of the Proxmark3 client: the table of `trace list -t 14a` or `14b`, whose frames are
/// parsed as ISO/IEC 14443-4 blocks, and the `>>>` and `<<<` lines of `hf 14a apdu` and `emv`
/// (RfidResearchGroup/proxmark3, pull request 3299; Proxmark/proxmark3, issue 495).
enum ProxmarkLog {
    static func read(_ text: LogText, _ conversation: inout Conversation) throws(LogProblem) {
        var blocks = ContactlessBlocks()
        var frame: Frame?
        for line in text.lines {
            if let row = Row(line) {
                if row.isContinuation {
                    frame?.append(row)
                    continue
                }
                try frame?.hand(to: &blocks, &conversation)
                frame = Frame(row)
            } else if let arrow = arrow(line.content) {
                try frame?.hand(to: &blocks, &conversation)
                frame = nil
                switch HexDigits.bytes(arrow.digits) {
                case .success(let bytes) where arrow.isCommand: try conversation.command(bytes, at: .line(line.number))
                case .success(let bytes): try conversation.answer(bytes, at: .line(line.number))
                case .failure(let error): try conversation.report(.line(line.number), .notHexadecimal(error))
                }
            }
        }
        try frame?.hand(to: &blocks, &conversation)
    }

    /// `[+] >>> 00 A4 …`, `>>>>[sel ] 00 A4 …`, `<<< 6A 82 | j.`.
    static func arrow(_ line: Substring) -> (isCommand: Bool, digits: Substring, isFramed: Bool)? {
        var rest = line.drop { $0 == " " }
        let isFramed = ["[+]", "[=]", "[#]"].contains { rest.hasPrefix($0) }
        if isFramed { rest = rest.dropFirst(3).drop { $0 == " " } }
        guard let first = rest.first, first == ">" || first == "<" else { return nil }
        let arrow = rest.prefix { $0 == first }
        guard (3...4).contains(arrow.count) else { return nil }
        rest = rest.dropFirst(arrow.count).drop { $0 == " " }
        var hasBrackets = false
        if rest.first == "[" {
            hasBrackets = true
            rest = rest.drop { $0 != "]" }.dropFirst()
        }
        return (first == ">", rest.prefix { $0 != "|" }, isFramed || hasBrackets)
    }

    /// A row of the table: `Start | End | Src | Data | CRC | Annotation`.
    private struct Row {
        let number: Int
        let start: Int64?
        let source: Substring
        let data: Substring

        init?(_ line: LogText.Line) {
            let columns = line.content.split(separator: "|", omittingEmptySubsequences: false)
            guard columns.count >= 4 else { return nil }
            func trimmed(_ text: Substring) -> Substring {
                var text = text.drop { $0 == " " }
                while text.last == " " { text.removeLast() }
                return text
            }
            number = line.number
            start = Int64(trimmed(columns[0]))
            source = trimmed(columns[2])
            data = trimmed(columns[3])
            guard source == "Rdr" || source == "Tag" || source.isEmpty && start == nil && !data.isEmpty else {
                return nil
            }
        }

        var isContinuation: Bool { source.isEmpty }
    }

    private struct Frame {
        let line: Int
        let isReaders: Bool
        /// In periods of 13.56 MHz.
        let start: Int64?
        var text: String

        init(_ row: Row) {
            line = row.number
            isReaders = row.source == "Rdr"
            start = row.start
            text = String(row.data)
        }

        mutating func append(_ row: Row) { text += " " + row.data }

        func hand(to blocks: inout ContactlessBlocks, _ conversation: inout Conversation) throws(LogProblem) {
            // "!" marks a parity error, "(7)" a frame with that number of bits: neither is a frame
            // of ISO/IEC 14443-4. Older clients write check bytes in brackets.
            if text.contains("(") { return blocks.takeShortFrame() }
            switch HexDigits.bytes(text.filter { !"![]".contains($0) }) {
            case .failure(let error): try conversation.report(.line(line), .notHexadecimal(error))
            case .success(let bytes):
                let time = start.map { Duration.nanoseconds(min(max($0, 0), 1 << 50) * 1000 / 1356 * 100) }
                try blocks.take(bytes, isReaders: isReaders, at: .line(line), time: time, &conversation)
            }
        }
    }
}
