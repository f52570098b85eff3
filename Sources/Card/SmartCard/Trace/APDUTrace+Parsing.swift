private import Bytes
private import TLV

extension APDUTrace {
    /// How to treat a line in which `*` hides digits.
    public enum HiddenDigits: Sendable {
        /// It is refused: the conversation cannot be replayed.
        case refused
        /// The digits are zeros, and ``hasHiddenDigits`` is set: the trace is for people to read.
        case zeros
    }

    /// Parses `text`, a trace of version 1 or 2 in UTF-8.
    public init(parsing text: [UInt8], hiddenDigits: HiddenDigits = .refused) throws(APDUTraceError) {
        var parser = APDUTraceParser(text, hiddenDigits)
        while let line = parser.nextLine() { try parser.take(line) }
        if let problem = parser.unansweredCommand() { throw problem }
        guard parser.hasCommands else { throw APDUTraceError(line: parser.number, reason: .empty) }
        self = parser.trace
    }

    /// Parses `text`, a trace of version 1 or 2.
    public init(parsing text: String, hiddenDigits: HiddenDigits = .refused) throws(APDUTraceError) {
        try self.init(parsing: Array(text.utf8), hiddenDigits: hiddenDigits)
    }

    /// Parses `text`, in UTF-8, without its broken lines, which it returns in `problems`.
    public init(parsing text: [UInt8], hiddenDigits: HiddenDigits = .refused, skipping problems: inout [APDUTraceError])
    {
        var parser = APDUTraceParser(text, hiddenDigits)
        while let line = parser.nextLine() {
            do throws(APDUTraceError) { try parser.take(line) } catch { problems.append(error) }
        }
        if let problem = parser.unansweredCommand() { problems.append(problem) }
        if !parser.hasCommands { problems.append(APDUTraceError(line: parser.number, reason: .empty)) }
        self = parser.trace
    }

    /// Parses `text` without its broken lines, which it returns in `problems`.
    public init(parsing text: String, hiddenDigits: HiddenDigits = .refused, skipping problems: inout [APDUTraceError])
    {
        self.init(parsing: Array(text.utf8), hiddenDigits: hiddenDigits, skipping: &problems)
    }
}

/// Reads a trace line by line, on bytes, for speed with folders of a thousand logs. Parts of the
/// text are represented as ranges.
private struct APDUTraceParser {
    private(set) var trace = APDUTrace()
    /// The number of the last line read.
    private(set) var number = 0
    private(set) var hasCommands = false
    private let text: [UInt8]
    private let hiddenDigits: APDUTrace.HiddenDigits
    /// Where the next line begins; past the end of the text after the last line.
    private var next = 0
    /// The command that waits for its answer, and the index of its entry.
    private var pending: PendingCommand?

    private typealias PendingCommand = (line: Int, time: Duration?, command: CommandAPDU, index: Int)

    init(_ text: [UInt8], _ hiddenDigits: APDUTrace.HiddenDigits) {
        self.text = text
        self.hiddenDigits = hiddenDigits
        // A transaction has some fifty events.
        trace.entries.reserveCapacity(64)
    }

    /// The next line without its end, which is LF, CR, or CR LF; nil after the last one. The text
    /// after the last line end is a line, too, even if it is empty.
    mutating func nextLine() -> Range<Int>? {
        guard next <= text.count else { return nil }
        let line = next..<Self.end(of: next, in: text.span)
        next = line.upperBound + 1
        if next < text.count, text[line.upperBound] == UInt8(ascii: "\r"), text[next] == UInt8(ascii: "\n") {
            next += 1
        }
        number += 1
        return line
    }

    private static func end(of start: Int, in text: Span<UInt8>) -> Int {
        var at = start
        // Few characters have codes as low as a line end's: of eight at a time, one subtraction
        // tells whether a code is below 0x0E.
        while at + 8 <= text.count {
            let letters = unsafe text.bytes.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self)
            guard (letters &- 0x0E0E_0E0E_0E0E_0E0E) & ~letters & 0x8080_8080_8080_8080 == 0 else { break }
            at += 8
        }
        while at < text.count, text[at] > 0x0D || (text[at] != UInt8(ascii: "\n") && text[at] != UInt8(ascii: "\r")) {
            at += 1
        }
        return at
    }

    mutating func take(_ line: Range<Int>) throws(APDUTraceError) {
        var rest = trimmed(line)
        guard !rest.isEmpty else { return }
        if text[rest.lowerBound] == UInt8(ascii: "#") { return try readComment(rest.dropFirst()) }
        var time: Duration?
        if isDigit(text[rest.lowerBound]) {
            let digits = rest.prefix { !isSpace(text[$0]) }
            guard let read = Duration(secondsText: text[digits]) else { throw problem(.notATime) }
            time = read
            rest = trimmed(rest.dropFirst(digits.count))
            guard !rest.isEmpty else { throw problem(.unknownLine) }
        }
        let content = rest.dropFirst()
        switch text[rest.lowerBound] {
        case UInt8(ascii: ">"): try readCommand(content, time)
        case UInt8(ascii: "<"): try readAnswer(content, time)
        case UInt8(ascii: "!"): append(time, .reader(APDUTrace.ReaderEvent(text: string(trimmed(content)))))
        case UInt8(ascii: "="): append(time, .decision(try decision(content)))
        case UInt8(ascii: "$"):
            let (direction, text) = try directed(content)
            append(time, .host(APDUTrace.HostMessage(direction, text)))
        case UInt8(ascii: "~"):
            let (direction, text) = try directed(content)
            append(time, .wire(APDUTrace.Wire(direction, text)))
        default: throw problem(.unknownLine)
        }
    }

    /// The error for a command at the end that still waits for its answer; drops the command.
    mutating func unansweredCommand() -> APDUTraceError? {
        defer { pending = nil }
        return pending.map { APDUTraceError(line: $0.line, reason: .commandWithoutAnswer) }
    }

    // MARK: Lines

    private mutating func readCommand(_ content: Range<Int>, _ time: Duration?) throws(APDUTraceError) {
        let unanswered = unansweredCommand()
        let (bytes, hides) = try bytes(content)
        guard let command = CommandAPDU(bytes) else { throw unanswered ?? problem(hides ? .redacted : .notACommand) }
        // No replay needs the PIN.
        if hides && !command.carriesPIN { try takeHidden() }
        pending = (number, time, command, trace.entries.count)
        if let unanswered { throw unanswered }
    }

    private mutating func readAnswer(_ content: Range<Int>, _ time: Duration?) throws(APDUTraceError) {
        guard let command = pending else { throw problem(.answerWithoutCommand) }
        let (bytes, hides) = try bytes(content)
        if hides { try takeHidden() }
        guard let response = ResponseAPDU(bytes: bytes) else { throw problem(.notAnAnswer) }
        let exchange = APDUTrace.Exchange(
            line: command.line, command: command.command, response: response, sent: command.time, received: time)
        finish(command, .exchange(exchange))
    }

    /// Inserts the result of a command at the position of the command.
    private mutating func finish(_ command: PendingCommand, _ event: APDUTrace.Event) {
        let entry = APDUTrace.Entry(line: command.line, time: command.time, event)
        if command.index == trace.entries.count {
            trace.entries.append(entry)
        } else {
            trace.entries.insert(entry, at: command.index)
        }
        hasCommands = true
        pending = nil
    }

    private mutating func append(_ time: Duration?, _ event: APDUTrace.Event) {
        if case .reader(let what) = event, what.channelError != nil, let command = pending {
            finish(command, .unanswered(command.command))
        }
        trace.entries.append(APDUTrace.Entry(line: number, time: time, event))
    }

    private func decision(_ content: Range<Int>) throws(APDUTraceError) -> APDUTrace.Decision {
        guard let (phase, summary) = named(trimmed(content)) else { throw problem(.notADecision) }
        let decision = APDUTrace.Decision(phase: string(phase), summary: string(summary))
        // Invisible characters are spaces when the trace is written.
        guard !Masking.isBlank(decision.phase), !Masking.isBlank(decision.summary) else { throw problem(.notADecision) }
        return decision
    }

    private func directed(_ content: Range<Int>) throws(APDUTraceError) -> (APDUTrace.Direction, String) {
        let content = trimmed(content)
        guard let first = content.first,
            let direction = APDUTrace.Direction(rawValue: Character(Unicode.Scalar(text[first])))
        else {
            throw problem(.noDirection)
        }
        return (direction, string(trimmed(content.dropFirst())))
    }

    private static let versionWords = Array("cardpresent trace ".utf8)

    private mutating func readComment(_ comment: Range<Int>) throws(APDUTraceError) {
        guard !hasCommands, pending == nil else { return }
        let comment = trimmed(comment)
        if text[comment].starts(with: Self.versionWords) {
            let version = comment.dropFirst(Self.versionWords.count).prefix { isDigit(text[$0]) }
            guard ["1", "2"].contains(string(version)) else { throw problem(.version(string(version))) }
            return
        }
        guard let (name, value) = named(comment),
            text[name].allSatisfy({ (0x61...0x7A).contains($0) || isDigit($0) || $0 == UInt8(ascii: "-") })
        else { return }
        trace.metadata.append((string(name), string(value)))
    }

    // MARK: Pieces

    private func problem(_ reason: APDUTraceError.Reason) -> APDUTraceError {
        APDUTraceError(line: number, reason: reason)
    }

    private mutating func takeHidden() throws(APDUTraceError) {
        guard hiddenDigits == .zeros else { throw problem(.redacted) }
        trace.hasHiddenDigits = true
    }

    /// The bytes in `content`, with hidden digits as zeros, and whether there are hidden digits.
    private func bytes(_ content: Range<Int>) throws(APDUTraceError) -> (bytes: [UInt8], hides: Bool) {
        if let bytes = [UInt8](hexDigits: text.span.extracting(trimmed(content))) { return (bytes, false) }
        let hides = text[content].contains(UInt8(ascii: "*"))
        do {
            return (try [UInt8](hex: string(content).replacing(String(Redaction.mask), with: "0")), hides)
        } catch {
            throw problem(.hexadecimal(error))
        }
    }

    /// The text before the first colon of `words` and the text after it; nil without a colon or
    /// without text before it.
    private func named(_ words: Range<Int>) -> (name: Range<Int>, value: Range<Int>)? {
        guard let colon = words.first(where: { text[$0] == UInt8(ascii: ":") }), colon > words.lowerBound else {
            return nil
        }
        return (words.lowerBound..<colon, trimmed(colon + 1..<words.upperBound))
    }

    private func string(_ words: Range<Int>) -> String { String(decoding: text[words], as: UTF8.self) }

    private func trimmed(_ words: Range<Int>) -> Range<Int> {
        var words = words
        while let first = words.first, isSpace(text[first]) { words = words.dropFirst() }
        while let last = words.last, isSpace(text[last]) { words = words.dropLast() }
        return words
    }

    private func isDigit(_ letter: UInt8) -> Bool { (0x30...0x39).contains(letter) }
    private func isSpace(_ letter: UInt8) -> Bool { letter == 0x20 || (0x09...0x0D).contains(letter) }
}

extension Duration {
    /// Seconds in decimal digits, up to nine of them after the point; nil for any other text, and
    /// for more than 31 years.
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

    /// Seconds with six decimals, rounded to the nearest, as in a trace.
    var secondsText: String {
        let (seconds, attoseconds) = min(max(self, .zero), .seconds(999_999_999)).components
        let fraction = String(attoseconds / 1_000_000_000_000)
        return "\(seconds)." + String(repeating: "0", count: max(0, 6 - fraction.count)) + fraction
    }
}
