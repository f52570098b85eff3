import Bytes
import SmartCard

/// The log of pcscd with `--debug --apdu`, alone or in the journal:
/// `00000038 [140017007589056] APDU: 00 A4 04 0C …` and `00171781 SW: 90 00`, where the first
/// number is the time since the line before in microseconds (as in web-eid/libelectronic-id, issue
/// 119).
enum PCSCDaemonLog {
    static func read(_ text: LogText, _ conversation: inout Conversation) throws(LogProblem) {
        var time = Duration.zero
        for line in text.lines {
            let words = line.content.split(separator: " ")
            guard let clock = clock(words) else { continue }
            time += .microseconds(clock.microseconds)
            let place = LogProblem.Place.line(line.number)
            let message = words[clock.index...].dropFirst()
            let content = message.first?.hasPrefix("[") == true ? message.dropFirst() : message
            switch content.first {
            case "APDU:":
                if let bytes = try bytes(content.dropFirst(), place, &conversation) {
                    // pcscd writes no status word if the transmission failed.
                    if conversation.isWaiting { try conversation.reader(.noAnswer, at: place, time: time) }
                    try conversation.command(bytes, at: place, time: time)
                }
            case "SW:":
                if let bytes = try bytes(content.dropFirst(), place, &conversation) {
                    try conversation.answer(bytes, at: place, time: time)
                }
            default: try readEvent(content, place: place, time: time, conversation: &conversation)
            }
        }
    }

    /// The word of eight digits at the beginning of pcscd's part of a line.
    static func clock(_ words: [Substring]) -> (index: Int, microseconds: Int64)? {
        guard let index = words.firstIndex(where: { $0.utf8.count == 8 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
            let number = Int64(words[index]), words.count > index + 1,
            words[(index + 1)...].contains(where: {
                $0 == "APDU:" || $0 == "SW:" || $0 == "ATR:" || $0.contains("()") || $0.contains(".c:")
            })
        else { return nil }
        return (index, number)
    }

    private static func bytes(
        _ words: ArraySlice<Substring>, _ place: LogProblem.Place, _ conversation: inout Conversation
    ) throws(LogProblem) -> [UInt8]? {
        switch HexDigits.bytes(words.joined()) {
        case .success(let bytes): return bytes
        case .failure(let error):
            try conversation.report(place, .notHexadecimal(error))
            return nil
        }
    }

    private static func readEvent(
        _ words: ArraySlice<Substring>, place: LogProblem.Place, time: Duration, conversation: inout Conversation
    ) throws(LogProblem) {
        let message = words.joined(separator: " ")
        if message.contains("Card inserted into") {
            try conversation.reader(.cardPresented, at: place, time: time)
        } else if message.contains("Card Removed From") {
            try conversation.reader(.cardRemoved, at: place, time: time)
        } else if message.contains("Card ATR:") {
            let digits = words.drop { $0 != "ATR:" }.dropFirst().joined()
            if case .success(let bytes) = HexDigits.bytes(digits) { try conversation.reader(.reset(bytes), at: place, time: time) }
        } else if message.contains("Card not transacted"), conversation.isWaiting {
            try conversation.reader(.noAnswer, at: place, time: time)
        }
    }
}
