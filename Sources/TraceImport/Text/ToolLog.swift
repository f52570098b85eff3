import Bytes
import SmartCard

/// Logs in which each line is marked as a command or an answer, in the form of one tool. Other
/// lines are messages of the tool.
enum ToolLog {
    enum Line {
        case command([UInt8])
        case answer([UInt8])
        /// Both on one line.
        case exchange([UInt8], [UInt8])
        case reset([UInt8])
        /// It begins like a command or an answer, but its digits are not hexadecimal.
        case broken(LogProblem.Reason)
    }

    static func read(
        _ text: LogText, _ conversation: inout Conversation, _ reading: (Substring) -> Line?
    ) throws(LogProblem) {
        for line in text.lines {
            let place = LogProblem.Place.line(line.number)
            switch reading(line.content) {
            case .command(let bytes): try conversation.command(bytes, at: place)
            case .answer(let bytes): try conversation.answer(bytes, at: place)
            case .exchange(let command, let answer):
                try conversation.command(command, at: place)
                try conversation.answer(answer, at: place)
            case .reset(let bytes): try conversation.reader(.reset(bytes), at: place)
            case .broken(let problem): try conversation.report(place, problem)
            case nil: break
            }
        }
    }

    private static func bytes(_ digits: some StringProtocol, _ line: ([UInt8]) -> Line) -> Line {
        switch HexDigits.bytes(digits) {
        case .success(let bytes): line(bytes)
        case .failure(let error): .broken(.notHexadecimal(error))
        }
    }

    // MARK: Tools

    /// pcsc-tools' scriptor: `> 00 A4 …`, `< 6F … 90 00 : Normal processing.`, and `> RESET` with
    /// `< OK: 3B …`.
    static func scriptor(_ line: Substring) -> Line? {
        let content = line.drop { $0 == " " }
        guard let mark = content.first, mark == ">" || mark == "<" else { return nil }
        let words = content.dropFirst().drop { $0 == " " }
        if words.hasPrefix("RESET") { return nil }
        if words.hasPrefix("OK:") { return bytes(words.dropFirst(3)) { .reset($0) } }
        let digits = words.split(separator: " ").prefix { $0 != ":" }.joined()
        return bytes(digits) { mark == ">" ? .command($0) : .answer($0) }
    }

    static func isScriptor(_ line: Substring) -> Bool {
        line.hasPrefix("> RESET") || line.hasPrefix("< OK: 3")
            || line.hasPrefix("< ") && line.contains(" : ") && scriptor(line)?.isBytes == true
    }

    /// pyscard's console observer: `> 00 A4 …`, `< 6F … 90 00`, `< [] 90 0`; older ones omit a zero
    /// of the status word.
    static func pyscard(_ line: Substring) -> Line? {
        let content = line.drop { $0 == " " }
        guard let mark = content.first, mark == ">" || mark == "<" else { return nil }
        var words = content.dropFirst().split(separator: " ").filter { $0 != "[]" }
        if mark == "<" {
            for index in words.indices.suffix(2) where words[index].count == 1 { words[index] = "0" + words[index] }
        }
        return bytes(words.joined()) { mark == ">" ? .command($0) : .answer($0) }
    }

    static func isPyscard(_ line: Substring) -> Bool {
        line.hasPrefix("connecting to ") || line.hasPrefix("<  []") || line.hasPrefix("<  ") && pyscard(line)?.isBytes == true
    }

    /// python-emv's debug log: `Tx: [00 A4 …]` and `Rx: [6F …], SW1: 90, SW2: 00`.
    static func pythonEMV(_ line: Substring) -> Line? {
        if let sent = line.firstRange(of: "Tx: [") {
            return bytes(line[sent.upperBound...].prefix { $0 != "]" }) { .command($0) }
        }
        guard let received = line.firstRange(of: "Rx: ["), let end = line[received.upperBound...].firstIndex(of: "]") else { return nil }
        let status = line[end...].split(separator: " ").map { $0.filter { $0 != "," } }.filter { HexDigits.isByte($0) }
        guard status.count == 2 else { return .broken(.unreadableStatusWord) }
        return bytes(line[received.upperBound..<end] + status.joined()) { .answer($0) }
    }

    /// gp.jar and apdu4j with `-d`: `A>> T=1 (4+0007) 00A40400 07 A0… 00` and
    /// `A<< (0018+2) (15ms) 6F10… 9000`; newer ones `>> 00A4…` and `<< (12ms) …`.
    static func globalPlatformPro(_ line: Substring) -> Line? {
        let content = line.drop { $0 == " " }
        let isCommand = content.hasPrefix("A>> ") || content.hasPrefix(">> ")
        guard isCommand || content.hasPrefix("A<< ") || content.hasPrefix("<< ") else { return nil }
        let digits = content.split(separator: " ").dropFirst().drop { $0.hasPrefix("T=") || $0.hasPrefix("(") }
            .prefix { $0.allSatisfy(\.isHexDigit) }.joined()
        return bytes(digits) { isCommand ? .command($0) : .answer($0) }
    }

    static func isGlobalPlatformPro(_ line: Substring) -> Bool { line.hasPrefix("A>> T=") || line.hasPrefix("A<< (") }

    /// cardpeek's recordings: `R:3B…` for a reset, `C:00A4…:9000:6F…` for a command, its status
    /// word and its data.
    static func cardpeek(_ line: Substring) -> Line? {
        let parts = line.split(separator: ":", omittingEmptySubsequences: false)
        switch (parts.first, parts.count) {
        case ("R"?, 2): return bytes(parts[1]) { .reset($0) }
        case ("C"?, 4):
            guard case .success(let command) = HexDigits.bytes(parts[1]), case .success(let status) = HexDigits.bytes(parts[2]),
                case .success(let data) = HexDigits.bytes(parts[3])
            else { return .broken(.unreadableDigits) }
            return .exchange(command, data + status)
        case ("C"?, _), ("R"?, _): return .broken(.notAnExchange)
        default: return nil
        }
    }

    static func isCardpeek(_ line: Substring) -> Bool {
        line.hasPrefix("# cardpeek emulator")
            || line.hasPrefix("C:") && line.split(separator: ":", omittingEmptySubsequences: false).count == 4
    }
}

extension ToolLog.Line {
    fileprivate var isBytes: Bool { if case .broken = self { false } else { true } }
}
