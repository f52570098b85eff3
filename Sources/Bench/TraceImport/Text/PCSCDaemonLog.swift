import Bytes
import SmartCard

/// The log of pcscd with `--debug --apdu`, alone or in the journal:
/// `00000038 [140017007589056] APDU: 00 A4 04 0C …` and `00171781 SW: 90 00`, where the first
/// number is the time since the line before in microseconds, and the second, which only colored
/// logs have, is the thread that serves a client (as in web-eid/libelectronic-id, issue 119).
///
/// A log without threads names the clients in the lines around their commands:
/// `Received command: TRANSMIT from client 13` and `TRANSMIT for client 13, rv=SCARD_S_SUCCESS`.
struct PCSCDaemonLog {
    private var time = Duration.zero
    /// The client whose command comes next; 0 if no line has named it.
    private var client = 0
    /// The client of the last command.
    private var lastClient = 0
    /// An answer whose client the next line may name.
    private var held: (bytes: [UInt8], place: LogProblem.Place, time: Duration)?
    /// Whether the last answer was empty, and pcscd is about to say why.
    private var wasEmpty = false
    /// What pcscd and the driver said of the command that waits.
    private var trouble: String?
    /// The answers that are left out because several commands wait for them.
    private var tangled = 0

    static func read(_ text: LogText, _ conversation: inout Conversation) throws(LogProblem) {
        var log = PCSCDaemonLog()
        for line in text.lines { try log.read(line, &conversation) }
        try log.deliver(to: nil, &conversation)
    }

    private mutating func read(_ line: LogText.Line, _ conversation: inout Conversation) throws(LogProblem) {
        let words = line.content.split(separator: " ")
        guard let clock = Self.clock(words) else { return }
        time += .microseconds(clock.microseconds)
        let place = LogProblem.Place.line(line.number)
        let message = words[clock.index...].dropFirst()
        let thread = message.first.flatMap(Self.thread)
        let content = message.first?.hasPrefix("[") == true ? message.dropFirst() : message
        switch content.first {
        case "APDU:":
            try deliver(to: nil, &conversation)
            wasEmpty = false
            guard let bytes = try Self.bytes(content.dropFirst(), place, &conversation) else { return }
            lastClient = thread ?? client
            client = 0
            try command(bytes, from: lastClient, at: place, &conversation)
        case "SW:":
            try deliver(to: nil, &conversation)
            guard let bytes = try Self.bytes(content.dropFirst(), place, &conversation) else { return }
            if let thread {
                try answer(bytes, at: place, time: time, to: thread, &conversation)
            } else {
                held = (bytes, place, time)
            }
        default: try readEvent(content, thread: thread, place: place, conversation: &conversation)
        }
    }

    // MARK: Commands and answers

    /// Within one client pcscd answers each command before the next one, or says why it does not:
    /// without such words, and without names, a second command is another client's.
    private mutating func command(
        _ bytes: [UInt8], from client: Int, at place: LogProblem.Place, _ conversation: inout Conversation
    ) throws(LogProblem) {
        defer { trouble = nil }
        if let trouble, client == 0, conversation.waitingClients == [0] {
            try conversation.unanswered(.noAnswer, trouble, at: place, time: time)
        }
        guard client != 0 || !conversation.isWaiting && tangled == 0 else {
            try conversation.report(place, .severalClients)
            if conversation.isWaiting { tangled += 1 }
            conversation.forgetCommand()
            tangled += 1
            return
        }
        try conversation.command(bytes, at: place, time: time, from: client)
    }

    private mutating func answer(
        _ bytes: [UInt8], at place: LogProblem.Place, time: Duration, to client: Int, _ conversation: inout Conversation
    ) throws(LogProblem) {
        if tangled > 0 {
            tangled -= 1
            return try conversation.note(place, .severalClients)
        }
        guard !bytes.isEmpty else {
            wasEmpty = true
            return try conversation.unanswered(.noAnswer, at: place, time: time, to: client)
        }
        try conversation.answer(bytes, at: place, time: time, to: client)
    }

    /// Delivers the held answer to the named client, or to the one that waits.
    private mutating func deliver(to client: Int?, _ conversation: inout Conversation) throws(LogProblem) {
        guard let answer = held else { return }
        held = nil
        let waiting = conversation.waitingClients
        if let client = client ?? (waiting.count < 2 ? waiting.first ?? 0 : nil) {
            let client = waiting.contains(client) ? client : waiting.first ?? 0
            try self.answer(answer.bytes, at: answer.place, time: answer.time, to: client, &conversation)
        } else {
            try conversation.report(answer.place, .severalClients)
        }
    }

    // MARK: Lines

    /// The word of eight digits at the beginning of pcscd's part of a line.
    static func clock(_ words: [Substring]) -> (index: Int, microseconds: Int64)? {
        guard
            let index = words.firstIndex(where: {
                $0.utf8.count == 8 && $0.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }),
            let number = Int64(words[index]), words.count > index + 1,
            words[(index + 1)...].contains(where: {
                $0 == "APDU:" || $0 == "SW:" || $0 == "ATR:" || $0.contains("()") || $0.contains(".c:")
            })
        else { return nil }
        return (index, number)
    }

    /// `[140017007589056]`
    private static func thread(_ word: Substring) -> Int? {
        guard word.hasPrefix("["), word.hasSuffix("]") else { return nil }
        return Int(word.dropFirst().dropLast())
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

    private mutating func readEvent(
        _ words: ArraySlice<Substring>, thread: Int?, place: LogProblem.Place, conversation: inout Conversation
    ) throws(LogProblem) {
        let message = words.joined(separator: " ")
        if let named = Self.client(in: message, after: "TRANSMIT from client ") {
            try deliver(to: nil, &conversation)
            client = named
        } else if let named = Self.client(in: message, after: "TRANSMIT for client ") {
            try deliver(to: named, &conversation)
        } else if message.contains("Card inserted into") {
            try conversation.reader(.cardPresented, at: place, time: time)
        } else if message.contains("Card Removed From") {
            try conversation.reader(.cardRemoved, at: place, time: time)
        } else if message.contains("Card ATR:") {
            let digits = words.drop { $0 != "ATR:" }.dropFirst().joined()
            if case .success(let bytes) = HexDigits.bytes(digits) {
                try conversation.reader(.reset(bytes), at: place, time: time)
            }
        } else if message.contains("Card not transacted") {
            try deliver(to: nil, &conversation)
            let said =
                message.firstRange(of: "Card not transacted").map { String(message[$0.lowerBound...]) } ?? message
            if wasEmpty {
                wasEmpty = false
                return try conversation.reader(.other(said), at: place, time: time)
            }
            let waiting = conversation.waitingClients
            guard let client = thread ?? (waiting.contains(lastClient) ? lastClient : waiting.first) else { return }
            try conversation.unanswered(.noAnswer, said, at: place, time: time, to: client)
        } else if conversation.isWaiting, Self.troubles.contains(where: { message.contains($0) }) {
            trouble = message
        }
    }

    /// Words of pcscd's and the driver's errors.
    private static let troubles = ["failed", "ERROR", "error", "Can't", "TIMEOUT"]

    /// The number in `from client 13` or `for client 13, rv=…`.
    private static func client(in message: String, after words: String) -> Int? {
        message.firstRange(of: words).flatMap { Int(message[$0.upperBound...].prefix { $0.isNumber }) }
    }
}
