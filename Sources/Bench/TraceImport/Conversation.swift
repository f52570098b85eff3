import Bytes
import SmartCard

/// Combines the commands and answers of a log.
struct Conversation {
    private let brokenParts: BrokenParts
    private var problems: [LogProblem] = []
    private var entries: [APDUTrace.Entry] = []
    /// The commands that wait for their answers, by the client of the reader service that sent
    /// each; a log that names no clients has one, 0.
    private var pending: [Int: Waiting] = [:]
    private var start: Duration?
    /// The commands whose answers the log does not have, and of which it says nothing.
    private var givenUp = 0
    /// The time of the last event, from the start.
    private var last = Duration.zero
    /// When the last answer in the trace came.
    private var lastAppended = Duration.zero

    /// More than any transaction has.
    static let maximumEvents = 200_000

    private struct Waiting {
        let place: LogProblem.Place
        let time: Duration?
        let command: CommandAPDU
    }

    init(_ brokenParts: BrokenParts) { self.brokenParts = brokenParts }

    /// Whether a command waits for its answer.
    var isWaiting: Bool { !pending.isEmpty }

    /// The clients whose commands wait.
    var waitingClients: [Int] { pending.keys.sorted() }

    /// Whether `bytes`, at the position of an answer, can be the answer and not the next command in
    /// a log that lost one.
    func canAnswer(_ bytes: [UInt8]) -> Bool {
        guard let command = CommandAPDU(Self.withoutSpareLength(bytes)), Self.isPlausible(command) else { return true }
        guard let response = ResponseAPDU(bytes: bytes), [0x60, 0x90].contains(response.status.sw1 & 0xF0) else {
            return false
        }
        switch response.data.first {
        case nil: return true
        // Format 1: the length that follows the tag is that of what follows it (EMV 4.4 Book 3,
        // 6.5.5.4).
        case 0x80: return response.data.count >= 2 && Int(response.data[1]) == response.data.count - 2
        // No data object has a tag of zero; a challenge may have any bytes.
        default: return pending[0].map { $0.command.instruction == .getChallenge } ?? true
        }
    }

    /// Whether `bytes`, at the position of a command, are not the answer to a lost one: bytes that
    /// are neither count as a command, and are reported.
    func canCommand(_ bytes: [UInt8]) -> Bool {
        if CommandAPDU(Self.withoutSpareLength(bytes)) != nil { return true }
        guard let response = ResponseAPDU(bytes: bytes) else { return true }
        return ![0x60, 0x90].contains(response.status.sw1 & 0xF0)
    }

    /// A class of EMV and a valid instruction byte (ISO/IEC 7816-3, 10.3.2): no 6x, no 9x.
    private static func isPlausible(_ command: CommandAPDU) -> Bool {
        [0x00, 0x04, 0x0C, 0x80, 0x84, 0x8C].contains(command.cla) && ![0x60, 0x90].contains(command.ins & 0xF0)
    }

    /// Refuses the log, or records the skipped part.
    mutating func report(_ place: LogProblem.Place, _ reason: LogProblem.Reason) throws(LogProblem) {
        guard brokenParts == .skipped else { throw LogProblem(place, reason) }
        try note(place, reason)
    }

    /// Records what the log itself lacks or what the reader of the log leaves out: no reason to
    /// refuse the rest.
    mutating func note(_ place: LogProblem.Place, _ reason: LogProblem.Reason) throws(LogProblem) {
        guard problems.count < Self.maximumEvents else { throw LogProblem(place, reason) }
        problems.append(LogProblem(place, reason))
    }

    mutating func command(
        _ bytes: [UInt8], at place: LogProblem.Place, time: Duration? = nil, from client: Int = 0
    ) throws(LogProblem) {
        try giveUp(client)
        guard let command = CommandAPDU(Self.withoutSpareLength(bytes)) else {
            return try report(place, .notACommand(count: bytes.count))
        }
        pending[client] = Waiting(place: place, time: sinceStart(time), command: command)
    }

    mutating func answer(
        _ bytes: [UInt8], at place: LogProblem.Place, time: Duration? = nil, to client: Int = 0
    ) throws(LogProblem) {
        guard let waiting = pending[client] else { return try report(place, .answerWithoutCommand) }
        guard let response = ResponseAPDU(bytes: bytes) else { return try report(place, .noStatusWord) }
        pending[client] = nil
        // An exchange of another client may have come between, and times do not go back.
        let sent = waiting.time.map { max($0, lastAppended) }
        let exchange = APDUTrace.Exchange(
            line: waiting.place.number, command: waiting.command, response: response, sent: sent,
            received: sinceStart(time))
        try append(.init(line: waiting.place.number, time: sent, .exchange(exchange)), place)
        if let received = exchange.received { lastAppended = received }
    }

    /// The tool says that the command has no answer.
    ///
    /// - Parameter words: What it says beside the event; nil for nothing. At most 200 characters
    ///   of it are kept, on one line.
    mutating func unanswered(
        _ event: APDUTrace.ReaderEvent, _ words: String? = nil, at place: LogProblem.Place, time: Duration? = nil,
        to client: Int = 0
    ) throws(LogProblem) {
        guard let waiting = pending.removeValue(forKey: client) else { return }
        try append(.init(line: waiting.place.number, time: waiting.time, .unanswered(waiting.command)), place)
        let time = sinceStart(time)
        try append(.init(line: place.number, time: time, .reader(event)), place)
        if let words {
            try append(.init(line: place.number, time: time, .reader(.other(words.onOneLine(atMost: 200)))), place)
        }
    }

    mutating func reader(_ event: APDUTrace.ReaderEvent, at place: LogProblem.Place, time: Duration? = nil)
        throws(LogProblem)
    {
        if event.channelError != nil {
            for client in waitingClients {
                guard let waiting = pending.removeValue(forKey: client) else { continue }
                try append(.init(line: waiting.place.number, time: waiting.time, .unanswered(waiting.command)), place)
            }
        }
        try append(.init(line: place.number, time: sinceStart(time), .reader(event)), place)
    }

    /// Removes the pending command of a log without clients, which cannot be told from another's.
    mutating func forgetCommand() { pending[0] = nil }

    /// The answer to the client's command is not in the log: the command stays in the trace.
    private mutating func giveUp(_ client: Int) throws(LogProblem) {
        guard let waiting = pending[client] else { return }
        givenUp += 1
        try note(waiting.place, .commandWithoutAnswer)
        try unanswered(.noAnswer, at: waiting.place, to: client)
    }

    mutating func finished() throws(LogProblem) -> (APDUTrace, [LogProblem]) {
        for client in waitingClients { try giveUp(client) }
        // A command alone may be any digits.
        let commands = entries.count { entry in
            if case .reader = entry.event { false } else { true }
        }
        guard commands > givenUp else { throw problems.first ?? LogProblem(.whole, .noCommands) }
        return (APDUTrace(entries: entries), problems)
    }

    private mutating func append(_ entry: APDUTrace.Entry, _ place: LogProblem.Place) throws(LogProblem) {
        guard entries.count < Self.maximumEvents else { throw LogProblem(place, .tooManyEvents(Self.maximumEvents)) }
        entries.append(entry)
    }

    /// Clocks may be set during a capture: a time that goes back, or jumps by decades, is replaced
    /// by the previous one.
    private mutating func sinceStart(_ time: Duration?) -> Duration? {
        guard let time else { return nil }
        let start = start ?? time
        self.start = start
        let elapsed = time - start
        if elapsed > last && elapsed < .seconds(1_000_000_000) { last = elapsed }
        return last
    }

    /// Some tools write a command without data as one with an Lc of zero and an Le
    /// (RfidResearchGroup/proxmark3, issue 171); the first of the two is redundant.
    private static func withoutSpareLength(_ bytes: [UInt8]) -> [UInt8] {
        bytes.count == 6 && bytes[4] == 0 ? Array(bytes[..<4] + bytes[5...]) : bytes
    }
}

extension LogProblem.Place {
    fileprivate var number: Int {
        switch self {
        case .whole: 0
        case .line(let number), .packet(let number): number
        }
    }
}
