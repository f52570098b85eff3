import SmartCard

/// The output of pcsc-spy for SCardTransmit: the buffers as hexadecimal dumps after
/// ` i bSendBuffer` and ` o bRecvBuffer`, their lengths before them, and ` => ` with the result
/// (pcsc-lite, src/spy/pcsc-spy). The lines of each further thread are indented by four more
/// spaces, and the calls of several threads are interleaved.
enum PCSCSpyLog {
    static func read(_ text: LogText, _ conversation: inout Conversation) throws(LogProblem) {
        var calls: [Int: Call] = [:]
        for line in text.lines {
            // Four spaces for each thread, and one before the lines of a call.
            let margin = line.content.prefix { $0 == " " || $0 == "\t" }
            var indent = margin.reduce(0) { $0 + ($1 == "\t" ? 4 : 1) } / 4
            var words = line.content.split(whereSeparator: { $0 == " " || $0 == "\t" })
            if let thread = words.first.flatMap(thread) {
                indent = thread
                words.removeFirst()
            }
            guard let first = words.first, indent <= maximumThreads else { continue }
            var call = calls[indent] ?? Call()
            defer { calls[indent] = call }
            if first.hasPrefix("SCar"), words.count == 1 {
                call = Call(isTransmit: first == "SCardTransmit", line: line.number)
            } else if call.isTransmit {
                switch (first, words.dropFirst().first) {
                case ("i", "bSendLength"?): call.sent = Buffer(length: length(words))
                case ("o", "bRecvLength"?): call.received = Buffer(length: length(words))
                case ("i", "bSendBuffer"?), ("o", "bRecvBuffer"?): continue
                case ("i", _?): call.sent.append(words, line.content)
                case ("o", _?): call.received.append(words, line.content)
                case ("=>", _?):
                    try hand(call, line, &conversation)
                    call = Call()
                default: continue
                }
            }
        }
        for call in calls.values.filter(\.isTransmit).sorted(by: { $0.line < $1.line }) {
            try conversation.report(.line(call.line), .unfinishedCall)
        }
    }

    private static let maximumThreads = 256

    /// With `-t` each line names its thread: `(t1)`.
    private static func thread(_ word: Substring) -> Int? {
        guard word.hasPrefix("(t"), word.hasSuffix(")") else { return nil }
        return Int(word.dropFirst(2).dropLast()).flatMap { $0 >= 0 ? $0 : nil }
    }

    private struct Buffer {
        var length = 0
        var bytes: [UInt8] = []

        /// A line `i 0010 41 42 … AB`: after the offset, up to the number of missing bytes.
        mutating func append(_ words: [Substring], _ line: Substring) {
            guard words.count > 2, words[1].utf8.count == 4, UInt16(words[1], radix: 16) != nil else { return }
            let missing = min(16, max(0, length - bytes.count))
            for word in words.dropFirst(2).prefix(missing) {
                guard HexDigits.isByte(word), let byte = UInt8(word, radix: 16) else { return }
                bytes.append(byte)
            }
        }
    }

    private struct Call {
        var isTransmit = false
        var line = 0
        var sent = Buffer()
        var received = Buffer()
    }

    /// `bSendLength 0x0000000D (13)` or without the second number.
    private static func length(_ words: [Substring]) -> Int {
        guard words.count > 2 else { return 0 }
        let text = words[2]
        let number = text.hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
        return min(max(0, number ?? 0), 1 << 17)
    }

    private static func hand(_ call: Call, _ end: LogText.Line, _ conversation: inout Conversation) throws(LogProblem) {
        let place = LogProblem.Place.line(call.line)
        guard call.sent.bytes.count == call.sent.length else {
            return try conversation.report(place, .wrongCount(.sent, call.sent.length, shown: call.sent.bytes.count))
        }
        try conversation.command(call.sent.bytes, at: place)
        guard end.content.contains("0x00000000") else {
            return try conversation.reader(event(end.content), at: .line(end.number))
        }
        guard call.received.bytes.count == call.received.length else {
            try conversation.unanswered(.noAnswer, at: place)
            return try conversation.report(
                place, .wrongCount(.received, call.received.length, shown: call.received.bytes.count))
        }
        try conversation.answer(call.received.bytes, at: .line(end.number))
    }

    private static func event(_ result: Substring) -> APDUTrace.ReaderEvent {
        if result.contains("SCARD_W_REMOVED_CARD") || result.contains("SCARD_E_NO_SMARTCARD") { return .cardRemoved }
        if result.contains("SCARD_E_CANCELLED") { return .cancelled }
        if result.contains("SCARD_E_TIMEOUT") || result.contains("SCARD_E_NOT_TRANSACTED")
            || result.contains("SCARD_W_UNRESPONSIVE_CARD")
        {
            return .noAnswer
        }
        let name = result.drop { $0 != "(" }.dropFirst().prefix { $0 != " " && $0 != ")" }
        return .readerFailed(String(name))
    }
}
