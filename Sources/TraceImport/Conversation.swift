import SmartCard

/// Combines the commands and answers of a log.
struct Conversation {
    private let brokenParts: BrokenParts
    private var problems: [LogProblem] = []
    private var entries: [APDUTrace.Entry] = []
    private var pending: (place: LogProblem.Place, time: Duration?, command: CommandAPDU)?
    private var start: Duration?
    /// The time of the last event, from the start.
    private var last = Duration.zero

    /// More than any transaction has.
    static let maximumEvents = 200_000

    init(_ brokenParts: BrokenParts) { self.brokenParts = brokenParts }

    /// Whether a command waits for its answer.
    var isWaiting: Bool { pending != nil }

    /// Whether `bytes`, at the position of an answer, can be the answer and not the next command in
    /// a log that lost one.
    func canAnswer(_ bytes: [UInt8]) -> Bool {
        guard let command = CommandAPDU(Self.withoutSpareLength(bytes)), Self.isPlausible(command) else { return true }
        guard let response = ResponseAPDU(bytes: bytes), [0x60, 0x90].contains(response.status.sw1 & 0xF0) else { return false }
        switch response.data.first {
        case nil: return true
        // Format 1: the length that follows the tag is that of what follows it (EMV 4.4 Book 3, 6.5.5.4).
        case 0x80: return response.data.count >= 2 && Int(response.data[1]) == response.data.count - 2
        // No data object has a tag of zero; a challenge may have any bytes.
        default: return pending.map { $0.command.instruction == .getChallenge } ?? true
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
        let problem = LogProblem(place, reason)
        guard brokenParts == .skipped, problems.count < Self.maximumEvents else { throw problem }
        problems.append(problem)
    }

    mutating func command(_ bytes: [UInt8], at place: LogProblem.Place, time: Duration? = nil) throws(LogProblem) {
        if let waiting = pending {
            pending = nil
            try report(waiting.place, .commandWithoutAnswer)
        }
        guard let command = CommandAPDU(Self.withoutSpareLength(bytes)) else {
            return try report(place, .notACommand(count: bytes.count))
        }
        pending = (place, sinceStart(time), command)
    }

    mutating func answer(_ bytes: [UInt8], at place: LogProblem.Place, time: Duration? = nil) throws(LogProblem) {
        guard let waiting = pending else { return try report(place, .answerWithoutCommand) }
        guard let response = ResponseAPDU(bytes: bytes) else { return try report(place, .noStatusWord) }
        pending = nil
        let exchange = APDUTrace.Exchange(
            line: waiting.place.number, command: waiting.command, response: response, sent: waiting.time, received: sinceStart(time))
        try append(.init(line: waiting.place.number, time: waiting.time, .exchange(exchange)), place)
    }

    mutating func reader(_ event: APDUTrace.ReaderEvent, at place: LogProblem.Place, time: Duration? = nil) throws(LogProblem) {
        if event.channelError != nil, let waiting = pending {
            pending = nil
            try append(.init(line: waiting.place.number, time: waiting.time, .unanswered(waiting.command)), place)
        }
        try append(.init(line: place.number, time: sinceStart(time), .reader(event)), place)
    }

    /// Removes the pending command, which is sent again.
    mutating func forgetCommand() { pending = nil }

    mutating func finished() throws(LogProblem) -> (APDUTrace, [LogProblem]) {
        if let waiting = pending {
            pending = nil
            try report(waiting.place, .commandWithoutAnswer)
        }
        let hasCommands = entries.contains { entry in
            if case .reader = entry.event { false } else { true }
        }
        guard hasCommands else { throw problems.first ?? LogProblem(.whole, .noCommands) }
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
