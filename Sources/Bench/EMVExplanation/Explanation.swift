public import EMVKernel

/// The explanation of a recorded conversation: what it was, how it ended and why, phase by phase
/// and byte by byte.
///
/// All forms of output are created from this value: text, JSON, a page. Sensitive data are already
/// hidden in it.
public struct Explanation: Sendable, Encodable {
    /// The title in the head of the log.
    public let title: String?
    public let source: String?
    /// Other remarks in the head of the log that are meant for people.
    public let remarks: [Fact]
    public let verdict: Verdict
    /// The basic facts, in about a dozen rows.
    public let facts: [Fact]
    /// The oddities, worst first.
    public let oddities: [Oddity]
    /// The results of checks with the given keys; empty without keys.
    public let evidence: [Proof]
    public let phases: [Phase]
    /// Seconds from the first event to the last; nil for a log without times.
    public let duration: Double?
    /// Whether the terminal went online although the log does not contain the messages.
    public let issuerIsInferred: Bool
    /// Whether card data are hidden.
    public let isRedacted: Bool
}

extension Explanation {
    /// How it ended.
    public enum Outcome: String, Sendable, Encodable {
        case approved
        case declined
        /// The card requested online authorization, and the log ends there.
        case wentOnline
        /// There was no cryptogram.
        case ended
    }

    public struct Verdict: Sendable, Encodable {
        public let outcome: Outcome
        /// One sentence: who decided, and how it ended.
        public let sentence: String
        /// The reasons for the outcome, in chronological order.
        public let reasons: [String]
    }

    public struct Fact: Sendable, Encodable, Equatable {
        public let name: String
        public let value: String
        /// The meaning of the value, if there is more than the value.
        public let meanings: [String]

        public init(_ name: String, _ value: String, meanings: [String] = []) {
            self.name = name
            self.value = value
            self.meanings = meanings
        }

        private enum CodingKeys: String, CodingKey {
            case name, value
            case meanings = "words"
        }
    }

    public struct Oddity: Sendable, Encodable, Equatable {
        /// The line in the log; nil for an oddity of the whole log.
        public let line: Int?
        public let text: String

        public init(line: Int?, text: String) {
            self.line = line
            self.text = text
        }
    }

    public struct Proof: Sendable, Encodable, Equatable {
        public enum State: String, Sendable, Encodable {
            case proved
            case disproved
            case notChecked
        }

        public let subject: String
        public let state: State
        /// The result, or what was missing for the check and the cure.
        public let detail: String
    }

    /// A phase of the transaction (EMV 4.4 Book 3, 8.2) with its messages.
    public struct Phase: Sendable, Encodable {
        public let name: String
        /// The results, as far as the log shows them.
        public let conclusions: [String]
        public let steps: [Step]
        /// Seconds from the first event of the log; nil for a log without times, or a phase without
        /// steps.
        public let start: Double?
        public let end: Double?

        public init(_ phase: KernelEvent.Phase, conclusions: [String], steps: [Step]) {
            name = phase.rawValue
            self.conclusions = conclusions
            self.steps = steps
            start = steps.compactMap(\.start).first
            end = steps.compactMap { $0.end ?? $0.start }.last
        }

        init(_ phase: Phase, conclusions: [String]) {
            name = phase.name
            self.conclusions = conclusions
            steps = phase.steps
            start = phase.start
            end = phase.end
        }
    }

    /// One event.
    public struct Step: Sendable, Encodable {
        public let line: Int
        /// Seconds from the first event of the log.
        public let start: Double?
        /// The time of the complete answer.
        public let end: Double?
        let source: StepSource

        /// Computed on demand: the text of a long log is many times larger than the log.
        public var event: Event { source.event }

        private enum CodingKeys: String, CodingKey {
            case line, start, end, event
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(line, forKey: .line)
            try container.encodeIfPresent(start, forKey: .start)
            try container.encodeIfPresent(end, forKey: .end)
            try container.encode(event, forKey: .event)
        }
    }

    public enum Event: Sendable, Encodable {
        case exchange(Exchange)
        /// A command without an answer.
        case unanswered(Exchange)
        /// An event at the reader or the card.
        case reader(String)
        /// A decision of the kernel, from the log.
        case decision(String)
        /// A message to or from the host.
        case host(isAnswer: Bool, String)
        /// Bytes between computer and reader.
        case wire(String)
    }
}
