import Bytes
import SmartCard

/// Logs in which each line is marked as a command or an answer, in the form of one tool. Other
/// lines are messages of the tool.
///
/// A message may go on over several lines: scriptor breaks an answer after sixteen bytes, and what
/// is pasted from a terminal is broken at its width.
enum ToolLog {
    enum Line {
        case command([UInt8])
        case answer([UInt8])
        /// Both on one line.
        case exchange([UInt8], [UInt8])
        case reset([UInt8])
        /// It begins like a command or an answer, but cannot be read as one.
        case broken(LogProblem.Reason)
    }

    /// A line with what it says of the lines after it.
    struct Message {
        let line: Line
        var rest = Rest.possible

        enum Rest: Equatable {
            /// The message is complete.
            case none
            /// Lines of digits alone belong to it.
            case possible
            /// They must follow.
            case missing
        }
    }

    static func read(
        _ text: LogText, _ conversation: inout Conversation, _ reading: (Substring) -> Message?
    ) throws(LogProblem) {
        var open: Open?
        for line in text.lines {
            if open?.takes(line.content) == true { continue }
            if let open { try hand(open.message(reading), at: .line(open.number), &conversation) }
            let message = reading(line.content)
            open = message.map { Open(number: line.number, text: String(line.content), first: $0) }
            if message == nil, conversation.isWaiting, let event = failure(line.content) {
                try conversation.unanswered(event, String(line.content.drop { $0 == " " }), at: .line(line.number))
            }
        }
        if let open { try hand(open.message(reading), at: .line(open.number), &conversation) }
    }

    /// A message that may go on.
    private struct Open {
        let number: Int
        var text: String
        /// As its first line has it.
        let first: Message
        private var isJoined = false
        private var isEnded: Bool

        init(number: Int, text: String, first: Message) {
            (self.number, self.text, self.first) = (number, text, first)
            isEnded = first.rest == .none
        }

        /// More than the longest answer has in pairs of digits.
        private static let maximumText = 3 * 65_600

        /// Whether the line belongs to the message, which then has it.
        mutating func takes(_ line: Substring) -> Bool {
            guard !isEnded, text.utf8.count < Self.maximumText else { return false }
            if isBlank(line) { return first.rest == .missing }
            guard isDigits(line) else { return false }
            text += " "
            text += line
            isJoined = true
            isEnded = line.contains(":")
            return true
        }

        func message(_ reading: (Substring) -> Message?) -> Message { isJoined ? reading(text[...]) ?? first : first }
    }

    private static func hand(
        _ message: Message, at place: LogProblem.Place, _ conversation: inout Conversation
    ) throws(LogProblem) {
        switch message.line {
        case .command(let bytes): try conversation.command(bytes, at: place)
        case .answer(let bytes): try conversation.answer(bytes, at: place)
        case .exchange(let command, let answer):
            try conversation.command(command, at: place)
            try conversation.answer(answer, at: place)
        case .reset(let bytes): try conversation.reader(.reset(bytes), at: place)
        case .broken(let problem):
            // A cut answer is none, and not that to the next command.
            if message.rest == .missing { try conversation.unanswered(.noAnswer, at: place) }
            try conversation.report(place, problem)
        }
    }

    /// Bytes in digits and nothing else, but for the words of a status after a colon.
    private static func isDigits(_ line: Substring) -> Bool {
        let words = line.split(separator: " ").prefix { $0 != ":" }
        guard !words.isEmpty else { return false }
        return words.allSatisfy { word in
            word.utf8.count.isMultiple(of: 2) && word.utf8.allSatisfy { HexDigits.isDigit($0) }
        }
    }

    private static func isBlank(_ line: Substring) -> Bool { line.allSatisfy { $0 == " " || $0 == "\t" } }

    /// What a line that is neither command nor answer says of a command that waits: the words of
    /// PC/SC's errors, and those of the tools for them.
    static func failure(_ line: Substring) -> APDUTrace.ReaderEvent? {
        // The lines of code in a stack trace are indented.
        guard line.first != " ", line.first != "\t" else { return nil }
        let words = line.lowercased()
        if words.contains("scard_w_removed_card") || words.contains("card was removed")
            || words.contains("scard_e_no_smartcard")
        {
            return .cardRemoved
        }
        let signs = [
            "scard_", "scardtransmit", "fail", "exception", "error", "can't ", "cannot ", "timed out", "timeout",
            "not transacted", "no response", "no answer",
        ]
        return signs.contains { words.contains($0) } ? .noAnswer : nil
    }

    private static func bytes(_ digits: some StringProtocol, _ line: ([UInt8]) -> Line) -> Line {
        switch HexDigits.bytes(digits) {
        case .success(let bytes): line(bytes)
        case .failure(let error): .broken(.notHexadecimal(error))
        }
    }

    // MARK: Tools

    /// pcsc-tools' scriptor: `> 00 A4 …`, `< 6F … 90 00 : Normal processing.`, and `> RESET` with
    /// `< OK: 3B …`. An answer goes on over the lines up to the colon and the words of its status;
    /// the lines between the messages are the typed commands.
    static func scriptor(_ line: Substring) -> Message? {
        let content = line.drop { $0 == " " }
        guard let mark = content.first, mark == ">" || mark == "<" else { return nil }
        let words = content.dropFirst().drop { $0 == " " }
        if words.hasPrefix("RESET") || words.hasPrefix("KO:") { return nil }
        if words.hasPrefix("OK:") { return Message(line: bytes(words.dropFirst(3)) { .reset($0) }, rest: .none) }
        let parts = words.split(separator: " ")
        let digits = parts.prefix { $0 != ":" }
        if mark == ">" { return Message(line: bytes(digits.joined()) { .command($0) }, rest: .none) }
        if digits.count < parts.count { return Message(line: bytes(digits.joined()) { .answer($0) }, rest: .none) }
        return Message(line: .broken(.cutAnswer), rest: .missing)
    }

    static func isScriptor(_ line: Substring) -> Bool {
        if line.hasPrefix("> RESET") || line.hasPrefix("< OK: 3") { return true }
        return line.hasPrefix("< ") && line.contains(" : ") && scriptor(line)?.isBytes == true
    }

    /// pcsc-tools' gscriptor: `Sending: 00 A4 …` and `Received: 6F … 90 00`, broken after sixteen
    /// bytes, and `ATR: 3B …` after `[Reset]`. The words of the status word have a line of their
    /// own.
    static func gscriptor(_ line: Substring) -> Message? {
        for (mark, make) in [("Sending: ", Line.command), ("Received: ", Line.answer), ("ATR: ", Line.reset)] {
            guard line.hasPrefix(mark) else { continue }
            let digits = line.dropFirst(mark.count)
            // A card that is gone has no answer to reset.
            return isBlank(digits) ? nil : Message(line: bytes(digits, make))
        }
        return nil
    }

    static func isGscriptor(_ line: Substring) -> Bool {
        line.hasPrefix("Beginning script execution") || line.hasPrefix("Received: ") && gscriptor(line)?.isBytes == true
    }

    /// pyscard's console observer: `> 00 A4 …`, `< 6F … 90 00`, `< [] 90 0`; older ones omit a zero
    /// of the status word.
    static func pyscard(_ line: Substring) -> Message? {
        let content = line.drop { $0 == " " }
        guard let mark = content.first, mark == ">" || mark == "<" else { return nil }
        var words = content.dropFirst().split(separator: " ").filter { $0 != "[]" }
        if mark == "<" {
            for index in words.indices.suffix(2) where words[index].count == 1 { words[index] = "0" + words[index] }
        }
        return Message(line: bytes(words.joined()) { mark == ">" ? .command($0) : .answer($0) })
    }

    static func isPyscard(_ line: Substring) -> Bool {
        line.hasPrefix("connecting to ") || line.hasPrefix("<  []")
            || line.hasPrefix("<  ") && pyscard(line)?.isBytes == true
    }

    /// python-emv's debug log: `Tx: [00 A4 …]` and `Rx: [6F …], SW1: 90, SW2: 00`.
    static func pythonEMV(_ line: Substring) -> Message? {
        if let sent = line.firstRange(of: "Tx: [") {
            let rest = line[sent.upperBound...]
            guard let end = rest.firstIndex(of: "]") else { return Message(line: .broken(.cutAnswer), rest: .missing) }
            return Message(line: bytes(rest[..<end]) { .command($0) }, rest: .none)
        }
        guard let received = line.firstRange(of: "Rx: [") else { return nil }
        guard let end = line[received.upperBound...].firstIndex(of: "]") else {
            return Message(line: .broken(.cutAnswer), rest: .missing)
        }
        let status = line[end...].split(separator: " ").map { $0.filter { $0 != "," } }.filter { HexDigits.isByte($0) }
        guard status.count == 2 else { return Message(line: .broken(.unreadableStatusWord), rest: .none) }
        return Message(line: bytes(line[received.upperBound..<end] + status.joined()) { .answer($0) }, rest: .none)
    }

    /// gp.jar and apdu4j with `-d`: `A>> T=1 (4+0007) 00A40400 07 A0… 00` and
    /// `A<< (0018+2) (15ms) 6F10… 9000`, which announce the bytes of data; newer ones `>> 00A4…`
    /// and `<< (12ms) …`.
    static func globalPlatformPro(_ line: Substring) -> Message? {
        let content = line.drop { $0 == " " }
        let isCommand = content.hasPrefix("A>> ") || content.hasPrefix(">> ")
        guard isCommand || content.hasPrefix("A<< ") || content.hasPrefix("<< ") else { return nil }
        let words = content.split(separator: " ").dropFirst()
        let marks = words.prefix { $0.hasPrefix("T=") || $0.hasPrefix("(") }
        let digits = words.dropFirst(marks.count).prefix { $0.allSatisfy(\.isHexDigit) }.joined()
        var message = Message(line: bytes(digits) { isCommand ? .command($0) : .answer($0) })
        guard let announced = marks.lazy.compactMap({ Self.announced($0) }).first else { return message }
        // Of a command the length byte and the expected length are not counted.
        let expected =
            isCommand
            ? announced.first + (announced.second > 0 ? announced.second + 1 : 0) : announced.first + announced.second
        let shown = digits.utf8.count / 2
        if shown < expected || !isCommand && shown > expected {
            message = Message(
                line: .broken(.wrongCount(.announced, expected, shown: shown)),
                rest: shown < expected ? .missing : .none)
        } else if !isCommand {
            message.rest = .none
        }
        return message
    }

    /// `(0018+2)`, `(4+0007)`
    private static func announced(_ word: Substring) -> (first: Int, second: Int)? {
        guard word.hasPrefix("("), word.hasSuffix(")") else { return nil }
        let numbers = word.dropFirst().dropLast().split(separator: "+", omittingEmptySubsequences: false)
        guard numbers.count == 2, let first = Int(numbers[0]), let second = Int(numbers[1]) else { return nil }
        guard (0...65_544).contains(first), (0...65_544).contains(second) else { return nil }
        return (first, second)
    }

    static func isGlobalPlatformPro(_ line: Substring) -> Bool { line.hasPrefix("A>> T=") || line.hasPrefix("A<< (") }

    /// cardpeek's recordings: `R:3B…` for a reset, `C:00A4…:9000:6F…` for a command, its status
    /// word and its data.
    static func cardpeek(_ line: Substring) -> Message? {
        let parts = line.split(separator: ":", omittingEmptySubsequences: false)
        switch (parts.first, parts.count) {
        case ("R"?, 2): return Message(line: bytes(parts[1]) { .reset($0) }, rest: .none)
        case ("C"?, 4):
            guard case .success(let command) = HexDigits.bytes(parts[1]),
                case .success(let status) = HexDigits.bytes(parts[2]),
                case .success(let data) = HexDigits.bytes(parts[3])
            else { return Message(line: .broken(.unreadableDigits), rest: .none) }
            return Message(line: .exchange(command, data + status), rest: .none)
        case ("C"?, _), ("R"?, _): return Message(line: .broken(.notAnExchange), rest: .none)
        default: return nil
        }
    }

    static func isCardpeek(_ line: Substring) -> Bool {
        line.hasPrefix("# cardpeek emulator")
            || line.hasPrefix("C:") && line.split(separator: ":", omittingEmptySubsequences: false).count == 4
    }

    /// EMV-NFC-Paycard-Enrollment's PcscProvider: `… - send: 00 A4 …` and `… - resp: 6F … 90 00`;
    /// it says the status word once more, and in words.
    static func paycard(_ line: Substring) -> Message? {
        guard line.contains("PcscProvider.java") else { return nil }
        for (mark, isCommand) in [("- send: ", true), ("- resp: ", false)] {
            guard let range = line.firstRange(of: mark) else { continue }
            let words = line[range.upperBound...].split(separator: " ")
            guard words.count >= 2, words.allSatisfy({ HexDigits.isByte($0) }) else { return nil }
            return Message(line: bytes(words.joined()) { isCommand ? .command($0) : .answer($0) }, rest: .none)
        }
        return nil
    }

    static func isPaycard(_ line: Substring) -> Bool { line.contains("(PcscProvider.java:") }
}

extension ToolLog.Message {
    fileprivate var isBytes: Bool { if case .broken = line { false } else { true } }
}
