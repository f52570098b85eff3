private import Bytes
private import TLV

extension APDUTrace {
    /// What becomes of a line in which digits are hidden by `*`.
    public enum HiddenDigits: Sendable {
        /// It is refused: the conversation cannot be had again.
        case refused
        /// The digits are zeros, and ``hasHiddenDigits`` is set: the trace is to be read by people.
        case zeros
    }

    /// The trace that `text` is, of version 1 or 2.
    public init(parsing text: String, hiddenDigits: HiddenDigits = .refused) throws(APDUTraceError) {
        var parser = APDUTraceParser(hiddenDigits)
        for line in APDUTraceParser.lines(text) { try parser.take(line) }
        if let problem = parser.unansweredCommand() { throw problem }
        guard parser.hasCommands else { throw APDUTraceError(line: max(parser.number, 1), reason: .empty) }
        self = parser.trace
    }

    /// The trace that `text` is without its broken lines, which are returned in `problems`.
    public init(parsing text: String, hiddenDigits: HiddenDigits = .refused, skipping problems: inout [APDUTraceError]) {
        var parser = APDUTraceParser(hiddenDigits)
        for line in APDUTraceParser.lines(text) {
            do throws(APDUTraceError) { try parser.take(line) } catch { problems.append(error) }
        }
        if let problem = parser.unansweredCommand() { problems.append(problem) }
        if !parser.hasCommands { problems.append(APDUTraceError(line: max(parser.number, 1), reason: .empty)) }
        self = parser.trace
    }
}

/// Reads a trace line by line, on bytes: a folder of a thousand logs is read in a moment.
private struct APDUTraceParser {
    private(set) var trace = APDUTrace()
    /// Of the last line that was taken.
    private(set) var number = 0
    private(set) var hasCommands = false
    private let hiddenDigits: APDUTrace.HiddenDigits
    /// The command that waits for its answer, and where its entry will stand.
    private var pending: (line: Int, time: Duration?, command: CommandAPDU, index: Int)?

    init(_ hiddenDigits: APDUTrace.HiddenDigits) { self.hiddenDigits = hiddenDigits }

    static func lines(_ text: String) -> [ArraySlice<UInt8>] {
        var lines: [ArraySlice<UInt8>] = []
        let bytes = Array(text.utf8)
        var start = 0
        for index in bytes.indices where bytes[index] == UInt8(ascii: "\n") || bytes[index] == UInt8(ascii: "\r") {
            let isSecondOfTwo = bytes[index] == UInt8(ascii: "\n") && index > 0 && bytes[index - 1] == UInt8(ascii: "\r")
            if !isSecondOfTwo { lines.append(bytes[start..<index]) }
            start = index + 1
        }
        lines.append(bytes[start...])
        return lines
    }

    mutating func take(_ line: ArraySlice<UInt8>) throws(APDUTraceError) {
        number += 1
        var rest = trimmed(line)
        guard var mark = rest.first else { return }
        if mark == UInt8(ascii: "#") { return try readComment(rest.dropFirst()) }
        var time: Duration?
        if (0x30...0x39).contains(mark) {
            let digits = rest.prefix { !isSpace($0) }
            guard let read = Duration(secondsText: digits) else { throw problem(.notATime) }
            time = read
            rest = trimmed(rest.dropFirst(digits.count))
            guard let next = rest.first else { throw problem(.unknownLine) }
            mark = next
        }
        let content = rest.dropFirst()
        switch mark {
        case UInt8(ascii: ">"): try readCommand(content, time)
        case UInt8(ascii: "<"): try readAnswer(content, time)
        case UInt8(ascii: "!"): append(time, .reader(APDUTrace.ReaderEvent(text: words(content))))
        case UInt8(ascii: "="): append(time, .decision(try decision(words(content))))
        case UInt8(ascii: "$"):
            let (direction, text) = try directed(content)
            append(time, .host(APDUTrace.HostMessage(direction, text)))
        case UInt8(ascii: "~"):
            let (direction, text) = try directed(content)
            append(time, .wire(APDUTrace.Wire(direction, text)))
        default: throw problem(.unknownLine)
        }
    }

    /// The complaint about a command at the end that waits for its answer; it is forgotten.
    mutating func unansweredCommand() -> APDUTraceError? {
        defer { pending = nil }
        return pending.map { APDUTraceError(line: $0.line, reason: .commandWithoutAnswer) }
    }

    // MARK: Lines

    private mutating func readCommand(_ content: ArraySlice<UInt8>, _ time: Duration?) throws(APDUTraceError) {
        let unanswered = unansweredCommand()
        let (bytes, hides) = try digits(content)
        guard let command = CommandAPDU(bytes) else { throw unanswered ?? problem(hides ? .redacted : .notACommand) }
        // What a PIN was, no replay needs to know.
        if hides && !command.carriesPIN { try takeHidden() }
        pending = (number, time, command, trace.entries.count)
        if let unanswered { throw unanswered }
    }

    private mutating func readAnswer(_ content: ArraySlice<UInt8>, _ time: Duration?) throws(APDUTraceError) {
        guard let command = pending else { throw problem(.answerWithoutCommand) }
        let (bytes, hides) = try digits(content)
        if hides { try takeHidden() }
        guard let response = ResponseAPDU(bytes: bytes) else { throw problem(.notAnAnswer) }
        let exchange = APDUTrace.Exchange(
            line: command.line, command: command.command, response: response, sent: command.time, received: time)
        trace.entries.insert(APDUTrace.Entry(line: command.line, time: command.time, .exchange(exchange)), at: command.index)
        hasCommands = true
        pending = nil
    }

    private mutating func append(_ time: Duration?, _ event: APDUTrace.Event) {
        if case .reader(let what) = event, what.channelError != nil, let command = pending {
            trace.entries.insert(APDUTrace.Entry(line: command.line, time: command.time, .unanswered(command.command)), at: command.index)
            hasCommands = true
            pending = nil
        }
        trace.entries.append(APDUTrace.Entry(line: number, time: time, event))
    }

    private func decision(_ text: String) throws(APDUTraceError) -> APDUTrace.Decision {
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { throw problem(.notADecision) }
        let summary = text[text.index(after: colon)...].drop { $0 == " " }
        guard !summary.isEmpty else { throw problem(.notADecision) }
        return APDUTrace.Decision(phase: String(text[..<colon]), summary: String(summary))
    }

    private func directed(_ content: ArraySlice<UInt8>) throws(APDUTraceError) -> (APDUTrace.Direction, String) {
        let rest = trimmed(content)
        guard let first = rest.first, let direction = APDUTrace.Direction(rawValue: Character(Unicode.Scalar(first))) else {
            throw problem(.noDirection)
        }
        return (direction, words(rest.dropFirst()))
    }

    private mutating func readComment(_ comment: ArraySlice<UInt8>) throws(APDUTraceError) {
        guard !hasCommands, pending == nil else { return }
        let text = words(comment)
        if text.hasPrefix("cardpresent trace ") {
            let version = text.dropFirst(18).prefix { $0.isASCII && $0.isNumber }
            guard version == "1" || version == "2" else { throw problem(.version(String(version))) }
            return
        }
        guard let colon = text.firstIndex(of: ":"), colon != text.startIndex else { return }
        let name = text[..<colon]
        guard name.utf8.allSatisfy({ (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x2D }) else { return }
        trace.metadata.append((String(name), String(text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" })))
    }

    // MARK: Pieces

    private func problem(_ reason: APDUTraceError.Reason) -> APDUTraceError { APDUTraceError(line: number, reason: reason) }

    private mutating func takeHidden() throws(APDUTraceError) {
        guard hiddenDigits == .zeros else { throw problem(.redacted) }
        trace.hasHiddenDigits = true
    }

    /// The bytes that are written in `text`, hidden digits as zeros, and whether there are any.
    private func digits(_ text: ArraySlice<UInt8>) throws(APDUTraceError) -> (bytes: [UInt8], hides: Bool) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 2)
        var high: UInt8?
        var isPlain = true
        var hides = false
        for letter in text where isPlain {
            let digit: UInt8
            switch letter {
            case 0x30...0x39: digit = letter - 0x30
            case 0x41...0x46: digit = letter - 0x37
            case 0x61...0x66: digit = letter - 0x57
            case UInt8(ascii: "*"):
                digit = 0
                hides = true
            case _ where isSpace(letter): continue
            default:
                isPlain = false
                continue
            }
            if let first = high {
                bytes.append(first << 4 | digit)
                high = nil
            } else {
                high = digit
            }
        }
        if isPlain && high == nil { return (bytes, hides) }
        let shown = String(decoding: text, as: UTF8.self).replacing(String(Redaction.mask), with: "0")
        do {
            return (try [UInt8](hex: shown), hides)
        } catch {
            throw problem(.hexadecimal(error.description))
        }
    }

    private func words(_ text: ArraySlice<UInt8>) -> String { String(decoding: trimmed(text), as: UTF8.self) }

    private func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }

    private func isSpace(_ letter: UInt8) -> Bool { letter == 0x20 || (0x09...0x0D).contains(letter) }
}

extension Duration {
    /// Seconds in decimal digits, up to nine of them after the point; nil if `text` is something else, or more than 31 years.
    fileprivate init?(secondsText text: ArraySlice<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let whole = parts.first, !whole.isEmpty, whole.count <= 9, parts.count <= 2,
            parts.allSatisfy({ $0.allSatisfy { (0x30...0x39).contains($0) } })
        else { return nil }
        let fraction = parts.count == 2 ? parts[1] : []
        guard parts.count == 1 || (1...9).contains(fraction.count) else { return nil }
        func number(_ digits: ArraySlice<UInt8>) -> Int64 { digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) } }
        var nanoseconds = number(fraction)
        for _ in fraction.count..<9 { nanoseconds *= 10 }
        self = .seconds(number(whole)) + .nanoseconds(nanoseconds)
    }

    /// Seconds with six decimals, as a trace has them; the nearest that it can have.
    var secondsText: String {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(999_999_999)).components
        let fraction = String(attoseconds / 1_000_000_000_000)
        return "\(seconds)." + String(repeating: "0", count: max(0, 6 - fraction.count)) + fraction
    }
}
