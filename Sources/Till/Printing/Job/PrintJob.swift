/// The printing of one slip, once: what to do next, and what is known at the end.
///
/// It has no clock and no connection: whoever runs it does each ``Action`` and says how it ended by
/// an ``Input``. It never sends a block twice; a slip whose connection broke is printed again only
/// by a new job, which somebody wants.
public struct PrintJob: Sendable {
    public enum State: String, Sendable, CaseIterable {
        case initialize, connecting, connected, print, finish
    }

    /// How long the printer is waited for.
    public struct Limits: Sendable, Equatable {
        public var connect = Duration.seconds(5)
        /// For an answer to a status request.
        public var status = Duration.milliseconds(1500)
        /// For a block to be taken.
        public var write = Duration.seconds(10)
        /// For somebody to put in paper or close the cover once printing has begun.
        public var attention = Duration.seconds(30)
        /// For the end marker after the last block.
        public var end = Duration.seconds(15)

        public init() {}
    }

    public enum Action: Sendable, Equatable {
        case connect(within: Duration)
        case write([UInt8], within: Duration)
        /// Waits for bytes from the printer.
        case read(within: Duration)
        /// Closes the connection. The job has ended.
        case finish(Outcome)
    }

    public enum Input: Sendable, Equatable {
        case start
        /// The connection or the block is done.
        case done
        case received([UInt8])
        /// Nothing was received in time.
        case silence
        /// The connection, the block or the reading failed.
        case failed(PrintError)
    }

    public enum Outcome: Sendable, Equatable {
        /// The printer has said that it printed everything.
        case printed
        /// The printer was sent the slip, or a part of it, and did not say that it printed it;
        /// the error is what is known to be wrong.
        case notKnown(PrintError?)
        /// Nothing was printed.
        case notPrinted(PrintError)
    }

    public private(set) var state = State.initialize
    /// The last that the printer said of itself.
    public private(set) var status: PrinterStatus?

    private enum Step {
        case opening
        case asking(PrintJob.Question)
        case writing(block: Int)
        /// Looks for messages of the printer between two blocks.
        case looking(block: Int)
        case waitingForAttention(block: Int)
        case marking
        case awaitingEnd
        case ended(Outcome)
    }

    private enum Question {
        case before, after(PrintJob.Outcome)
    }

    /// A stranger who sends bytes without end does not hold the job.
    private static let maximumReads = 256
    private static let glance = Duration.milliseconds(1)

    private let blocks: [[UInt8]]
    private let profile: PrinterProfile
    private let number: UInt16
    private let limits: Limits
    private var decoder: StatusDecoder
    private var step = Step.opening
    private var reads = 0
    /// Whether the printer is known to answer nothing.
    private var isOneWay: Bool

    /// - Parameter number: Tells the end marker of this job from that of an earlier one.
    public init(_ slip: PrintedSlip, on profile: PrinterProfile, number: UInt16, limits: Limits = Limits()) {
        var blocks = slip.blocks.filter { !$0.isEmpty }
        // Behind the command that sets everything back.
        if profile.status == .answers, !blocks.isEmpty { blocks[0] += AutomaticStatus.on(profile.language) }
        self.blocks = blocks
        self.profile = profile
        self.number = number
        self.limits = limits
        decoder = StatusDecoder(profile.language)
        isOneWay = profile.status == .oneWay
    }

    /// What to do after what has happened.
    public mutating func next(_ input: Input) -> Action {
        switch (step, input) {
        case (.ended(let outcome), _): return .finish(outcome)
        case (_, .start): return start()
        case (.opening, .done):
            state = .connected
            return isOneWay ? write(0) : ask(.before)
        case (.opening, .failed(let error)): return end(.notPrinted(error))
        case (.asking(let question), _): return answer(input, to: question)
        case (.writing(let block), .done): return isOneWay ? write(block + 1) : look(block)
        // The first block sets the styles back: nothing is printed by it.
        case (.writing(block: 0), .failed(let error)): return end(.notPrinted(error))
        case (.writing, .failed(let error)): return end(.notKnown(status?.obstacle ?? error))
        case (.looking(let block), _): return glanced(input, block)
        case (.waitingForAttention(let block), _): return attended(input, block)
        case (.marking, .done): return read(.awaitingEnd, limits.end)
        case (.awaitingEnd, _): return awaited(input)
        case (_, .failed(let error)): return end(.notKnown(status?.obstacle ?? error))
        case (_, .received), (_, .silence), (_, .done): return end(.notKnown(.timedOut))
        }
    }

    private mutating func start() -> Action {
        guard state == .initialize, !blocks.isEmpty else { return end(.notPrinted(.initialization)) }
        state = .connecting
        return .connect(within: limits.connect)
    }

    private mutating func end(_ outcome: Outcome) -> Action {
        state = .finish
        step = .ended(outcome)
        return .finish(outcome)
    }

    private mutating func read(_ step: Step, _ limit: Duration) -> Action {
        self.step = step
        reads += 1
        return .read(within: limit)
    }

    /// Takes what the printer says, and returns whether it said that everything is printed; nil if
    /// it speaks another language, or talks without end.
    private mutating func take(_ bytes: [UInt8]) -> Bool? {
        var isEnd = false
        for message in decoder.receive(bytes) {
            switch message {
            case .status(let said): status = said
            case .end(number): isEnd = true
            case .end: break
            case .otherLanguage: return nil
            }
        }
        return reads < Self.maximumReads ? isEnd : nil
    }

    // MARK: Status

    private mutating func ask(_ question: Question) -> Action {
        step = .asking(question)
        reads = 0
        return .write(decoder.request(), within: limits.write)
    }

    private mutating func answer(_ input: Input, to question: Question) -> Action {
        switch input {
        case .done, .start: return read(.asking(question), limits.status)
        case .received(let bytes):
            guard take(bytes) != nil else { return unanswered(question, .unsupported) }
            return decoder.isWaiting ? read(.asking(question), limits.status) : answered(question)
        case .silence:
            guard case .before = question, profile.status == .unknown else { return unanswered(question, .timedOut) }
            // Some of the family answer nothing, some a part.
            isOneWay = status == nil
            return answered(question)
        case .failed(let error): return unanswered(question, error)
        }
    }

    private mutating func answered(_ question: Question) -> Action {
        switch question {
        case .before: status?.obstacle.map { end(.notPrinted($0)) } ?? write(0)
        case .after(.notKnown): end(.notKnown(status?.obstacle))
        case .after(let outcome): end(outcome)
        }
    }

    private mutating func unanswered(_ question: Question, _ error: PrintError) -> Action {
        switch question {
        case .before: end(.notPrinted(error))
        case .after(.notKnown(let known)): end(.notKnown(known ?? error))
        // It has said so before.
        case .after(let outcome): end(outcome)
        }
    }

    // MARK: Blocks

    private mutating func write(_ block: Int) -> Action {
        state = .print
        guard blocks.indices.contains(block) else { return mark() }
        step = .writing(block: block)
        reads = 0
        return .write(blocks[block], within: limits.write)
    }

    private mutating func look(_ block: Int) -> Action { read(.looking(block: block), Self.glance) }

    private mutating func glanced(_ input: Input, _ block: Int) -> Action {
        switch input {
        case .silence, .done, .start: return write(block + 1)
        case .failed(let error): return end(.notKnown(status?.obstacle ?? error))
        case .received(let bytes):
            guard take(bytes) != nil else { return end(.notKnown(.unsupported)) }
            guard status?.obstacle == nil else { return read(.waitingForAttention(block: block), limits.attention) }
            return write(block + 1)
        }
    }

    /// Printing stopped in the middle; printers go on by themselves when the paper is in.
    private mutating func attended(_ input: Input, _ block: Int) -> Action {
        switch input {
        case .silence, .done, .start: return end(.notKnown(status?.obstacle ?? .timedOut))
        case .failed(let error): return end(.notKnown(status?.obstacle ?? error))
        case .received(let bytes):
            guard take(bytes) != nil else { return end(.notKnown(.unsupported)) }
            guard status?.obstacle == nil else { return read(.waitingForAttention(block: block), limits.attention) }
            return write(block + 1)
        }
    }

    // MARK: The end

    private mutating func mark() -> Action {
        guard profile.marksEnd, !isOneWay else { return isOneWay ? end(.notKnown(nil)) : ask(.after(.notKnown(nil))) }
        step = .marking
        reads = 0
        return .write(EndMarker.request(number, profile.language), within: limits.write)
    }

    private mutating func awaited(_ input: Input) -> Action {
        switch input {
        case .received(let bytes):
            guard let isEnd = take(bytes) else { return end(.notKnown(.unsupported)) }
            if isEnd { return ask(.after(.printed)) }
            return read(.awaitingEnd, status?.obstacle == nil ? limits.end : limits.attention)
        case .silence, .done, .start: return ask(.after(.notKnown(.timedOut)))
        case .failed(let error): return end(.notKnown(status?.obstacle ?? error))
        }
    }
}
