public import EMVKernel

/// A recorded conversation explained: what it was, how it ended and why, phase by phase and byte by byte.
///
/// It is a value that every form of output is made from: text, JSON, a page. What may not be seen is hidden in it already.
public struct Explanation: Sendable, Encodable {
    /// What the log says about itself, without keys.
    public let title: String?
    public let source: String?
    /// Other remarks in the head of the log that are meant for people.
    public let remarks: [Fact]
    public let verdict: Verdict
    /// Who and what, in a dozen rows.
    public let facts: [Fact]
    /// What is odd, worst first.
    public let oddities: [Oddity]
    /// What the keys at hand prove or refute; empty without keys.
    public let evidence: [Proof]
    public let phases: [Phase]
    /// Seconds from the first event to the last; nil for a log without times.
    public let duration: Double?
    /// The terminal went online; the log does not contain the messages.
    public let issuerIsInferred: Bool
    /// Card data are hidden.
    public let isRedacted: Bool
}

extension Explanation {
    /// How it ended.
    public enum Outcome: String, Sendable, Encodable {
        case approved
        case declined
        /// The card asked for the issuer, and the log ends there.
        case wentOnline
        /// There was no cryptogram.
        case ended
    }

    public struct Verdict: Sendable, Encodable {
        public let outcome: Outcome
        /// One sentence: who, and how it ended.
        public let sentence: String
        /// What decided it, in the order in which it happened.
        public let reasons: [String]
    }

    public struct Fact: Sendable, Encodable, Equatable {
        public let name: String
        public let value: String
        /// What the value says, if that is more than the value.
        public let words: [String]

        public init(_ name: String, _ value: String, words: [String] = []) {
            self.name = name
            self.value = value
            self.words = words
        }
    }

    public struct Oddity: Sendable, Encodable, Equatable {
        /// The line in the log; nil for what is odd about the whole.
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
        /// What was found, or what was missing for it and the cure.
        public let detail: String
    }

    /// A phase of the transaction (EMV 4.4 Book 3, 8.2) with what was said in it.
    public struct Phase: Sendable, Encodable {
        public let name: String
        /// What came out, as far as the log shows it.
        public let conclusions: [String]
        public let steps: [Step]
        /// Seconds from the first event of the log; nil for a log without times, or a phase without steps.
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

    /// Something that happened.
    public struct Step: Sendable, Encodable {
        public let line: Int
        /// Seconds from the first event of the log.
        public let start: Double?
        /// When the answer had come.
        public let end: Double?
        let source: StepSource

        /// Made when it is asked for: a long log has many times its size in words.
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
        /// A command that got no answer.
        case unanswered(Exchange)
        /// What happened to the reader or the card.
        case reader(String)
        /// What the kernel decided, as the log has it.
        case decision(String)
        /// To the host, or from it.
        case host(isAnswer: Bool, String)
        /// Bytes between computer and reader.
        case wire(String)
    }
}
