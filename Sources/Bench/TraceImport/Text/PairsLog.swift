import Bytes

/// Commands and answers in hexadecimal digits, one a line, from any program.
///
/// An arrow or a word comes before the digits (`>`, `<<`, `=>`, `C-APDU:`, `SW:`, …), and a time or
/// a text in brackets may come before that. Lines with only digits are alternately command and
/// answer; in a log with arrows or words they continue the previous line. `#`, `//` and `;` begin
/// comments. At the position of an answer, a line that can only be a command is the next command: a
/// lost answer affects only its own command.
enum PairsLog {
    enum Kind {
        case command, answer, bare
    }

    static func read(_ text: LogText, _ conversation: inout Conversation) throws(LogProblem) {
        var (hasMarks, isOfProgram) = (false, false)
        for line in text.lines {
            guard let (kind, _, hasPrefix) = kind(line.content) else { continue }
            if kind != .bare { hasMarks = true }
            if hasPrefix { isOfProgram = true }
        }
        var current: (kind: Kind, number: Int, digits: String)?
        for line in text.lines {
            let content = line.content.drop { $0 == " " || $0 == "\t" }
            guard !content.isEmpty, !["#", "//", ";"].contains(where: { content.hasPrefix($0) }) else { continue }
            guard let (kind, digits, _) = kind(content) else {
                if !isOfProgram {
                    try conversation.report(.line(line.number), .neitherCommandNorAnswer)
                } else if hasDigits(content) {
                    try conversation.note(.line(line.number), .neitherCommandNorAnswer)
                }
                continue
            }
            if kind == .bare, hasMarks {
                if current == nil {
                    try conversation.report(.line(line.number), .strayDigits)
                } else if let before = current {
                    current = (before.kind, before.number, before.digits + digits)
                }
                continue
            }
            if let before = current { try hand(before, to: &conversation) }
            current = (kind, line.number, digits)
        }
        if let before = current { try hand(before, to: &conversation) }
    }

    private static func hand(
        _ line: (kind: Kind, number: Int, digits: String), to conversation: inout Conversation
    ) throws(LogProblem) {
        switch HexDigits.bytes(line.digits) {
        case .failure(let error): try conversation.report(.line(line.number), .notHexadecimal(error))
        case .success(let bytes):
            let isCommand =
                switch line.kind {
                case .command: true
                case .answer: false
                case .bare: conversation.isWaiting ? !conversation.canAnswer(bytes) : conversation.canCommand(bytes)
                }
            if isCommand {
                try conversation.command(bytes, at: .line(line.number))
            } else {
                try conversation.answer(bytes, at: .line(line.number))
            }
        }
    }

    /// Whether a line of a program's log has bytes that may be a part of a command or an answer:
    /// three in a row, or four in a word that is no number.
    private static func hasDigits(_ line: Substring) -> Bool {
        var run = 0
        for word in line.split(whereSeparator: { " \t,:[]()<>".contains($0) }) {
            let isHexadecimal = word.utf8.count.isMultiple(of: 2) && word.utf8.allSatisfy { HexDigits.isDigit($0) }
            if isHexadecimal, word.utf8.count >= 8, word.contains(where: { $0.isLetter }) { return true }
            run = isHexadecimal && word.utf8.count == 2 ? run + 1 : 0
            if run == 3 { return true }
        }
        return false
    }

    /// The kind of `line`, its digits, and whether a program's words come before the mark, as in
    /// `11-10 10:11:12.123  4321  4350 D CardReader: >> 00A4…`; nil if it is neither.
    static func kind(_ line: Substring) -> (kind: Kind, digits: String, hasPrefix: Bool)? {
        if let found = markedFirst(line) { return (found.kind, found.digits, false) }
        let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })
        for (index, word) in words.enumerated().dropFirst().prefix(maximumPrefix) {
            let mark = word.lowercased()
            let isCommand = commands.contains(mark)
            guard isCommand || answers.contains(mark) else { continue }
            let digits = withoutRemarks(words[(index + 1)...].map(String.init))
            guard case .success(let bytes) = HexDigits.bytes(digits), bytes.count >= (isCommand ? 4 : 2) else {
                continue
            }
            return (isCommand ? .command : .answer, digits, true)
        }
        return nil
    }

    /// In words.
    private static let maximumPrefix = 12

    private static func markedFirst(_ line: Substring) -> (kind: Kind, digits: String)? {
        var words = line.split(whereSeparator: { $0 == " " || $0 == "\t" })[...]
        while let first = words.first, isTime(first) { words.removeFirst() }
        guard let first = words.first else { return nil }
        let (mark, rest) = split(first)
        let lowered = mark.lowercased()
        var digits = words.dropFirst().map(String.init)
        if !rest.isEmpty { digits.insert(String(rest), at: 0) }
        // "C-APDU : 00…", "Command APDU: 00…"
        while let next = digits.first,
            next == ":" || next == "=" || ["apdu:", "apdu", "data:"].contains(next.lowercased())
        {
            digits.removeFirst()
        }
        if commands.contains(lowered) { return (.command, withoutRemarks(digits)) }
        if answers.contains(lowered) { return (.answer, withoutRemarks(digits)) }
        let bare = words.joined()
        guard case .success(let bytes) = HexDigits.bytes(bare), !bytes.isEmpty else { return nil }
        return (.bare, bare)
    }

    private static let commands: Set<String> = [
        ">", ">>", ">>>", ">>>>", "->", "-->", "=>", "==>", "c-apdu:", "c-apdu", "capdu:", "capdu", "apdu:", "command:",
        "command", "cmd:", "send:", "sent:", "sending:", "tx:", "request:", "out:", "c:",
    ]
    private static let answers: Set<String> = [
        "<", "<<", "<<<", "<<<<", "<-", "<--", "<=", "<==", "r-apdu:", "r-apdu", "rapdu:", "rapdu", "sw:", "response:",
        "response", "resp:", "rsp:", "receive:", "received:", "recv:", "rx:", "answer:", "in:", "r:",
    ]

    /// The arrow at the beginning of a word, or all of it up to a colon, and the rest.
    private static func split(_ word: Substring) -> (mark: Substring, rest: Substring) {
        let arrow = word.prefix { "<>=-".contains($0) }
        if !arrow.isEmpty { return (arrow, word.dropFirst(arrow.count)) }
        guard let colon = word.firstIndex(of: ":"), !HexDigits.isByte(word[..<colon]) else { return (word, "") }
        return (word[...colon], word[word.index(after: colon)...])
    }

    /// `12:34:56.789`, `2026-11-21T12:34:56`, `[12]`, `0.000123:`, `(3)`.
    private static func isTime(_ word: Substring) -> Bool {
        if let first = word.first, let last = word.last, first == "[" && last == "]" || first == "(" && last == ")" {
            return true
        }
        guard let first = word.first, first.isNumber, word.contains(where: { $0 == ":" || $0 == "." }) else {
            return false
        }
        let isTriplet =
            word.split(separator: ":").allSatisfy { HexDigits.isByte($0) } && word.split(separator: ":").count > 3
        return !isTriplet && word.allSatisfy { $0.isNumber || ":.,-TZ+".contains($0) }
    }

    /// Removes the text that tools write between the digits: `SW:`, `SW1=90`, brackets and their
    /// contents.
    private static func withoutRemarks(_ words: [String]) -> String {
        var kept = ""
        var isInBrackets = false
        for word in words {
            if word.hasPrefix("[") { isInBrackets = true }
            defer { if word.hasSuffix("]") { isInBrackets = false } }
            if isInBrackets { continue }
            var word = Substring(word)
            for name in ["SW1SW2=", "SW1SW2:", "SW12:", "SW1=", "SW2=", "SW=", "SW:", "SW", "("]
            where word.uppercased().hasPrefix(name) {
                word = word.dropFirst(name.count)
                break
            }
            while let last = word.last, last == ")" || last == "," { word.removeLast() }
            kept += word
        }
        return kept
    }
}
