public import CardCryptography
public import EMVReplay
public import SmartCard

/// A comparison of two recorded conversations: a good and a bad card, or one card at two terminals.
///
/// Values that differ in every transaction (unpredictable numbers, counters, cryptograms, dates)
/// are also compared but marked, so that they do not hide relevant differences.
public struct ExplanationComparison: Sendable, Encodable {
    public let left: Side
    public let right: Side
    /// The first difference, in the order of the conversation; values that differ in every
    /// transaction are ignored. Nil if nothing else differs.
    public let first: Difference?
    /// The rows that differ in "What it was", in the evidence and in the verdict.
    public let facts: [Difference]
    /// Every command with its answer, in the order of both logs.
    public let exchanges: [Pair]

    /// Whether only values differ that are new in every transaction.
    public var isSame: Bool { first == nil }

    /// One sentence: whether the transactions end differently, and where the logs differ first.
    public var headline: String {
        guard let first else { return "Nothing differs but values that are new in each transaction." }
        let place = first.command.map { "\($0), " } ?? ""
        let end = left.verdict.sentence == right.verdict.sentence ? "alike" : "differently"
        return "A and B end \(end). They differ first in \(place)\(first.subject)."
    }

    /// One of the two logs.
    public struct Side: Sendable, Encodable {
        public let title: String?
        public let verdict: Explanation.Verdict
    }

    /// A difference between the two logs.
    public struct Difference: Sendable, Encodable, Equatable {
        /// The command that it belongs to; nil for facts about the whole log.
        public let command: String?
        /// A data object, a status, a row: `answer 9F07 Application Usage Control`.
        public let subject: String
        /// Nil if this log has none.
        public let left: String?
        public let right: String?
        /// The meanings that only this log's value has.
        public let leftMeanings: [String]
        public let rightMeanings: [String]
        /// Whether the value differs in every transaction.
        public let variesAlways: Bool

        private enum CodingKeys: String, CodingKey {
            case command, subject, left, right
            case leftMeanings = "leftWords"
            case rightMeanings = "rightWords"
            case variesAlways
        }
    }

    /// A command of both logs, or of one of them.
    public struct Pair: Sendable, Encodable {
        public let command: String
        /// The line in the log; nil if the log has no such command there.
        public let leftLine: Int?
        public let rightLine: Int?
        public let differences: [Difference]
    }

    /// - Parameters:
    ///   - left: A log, by convention the good one.
    ///   - right: The log that is compared with it.
    ///   - caKeys: Used to check certificates and signatures.
    ///   - issuers: The issuer's keys for each log, used to recompute cryptograms.
    ///   - isRedacted: Whether card data are hidden. They are still compared. A PIN is always
    ///     hidden, and not compared.
    public init(
        _ left: APDUTrace, with right: APDUTrace, caKeys: [CAPublicKey] = [],
        issuers: (left: IssuerKeyMaterial?, right: IssuerKeyMaterial?), isRedacted: Bool = true
    ) {
        let (one, other) = (
            Explanation(left, caKeys: caKeys, issuer: issuers.left, isRedacted: isRedacted),
            Explanation(right, caKeys: caKeys, issuer: issuers.right, isRedacted: isRedacted)
        )
        self.left = Side(title: one.title, verdict: one.verdict)
        self.right = Side(title: other.title, verdict: other.verdict)
        let pairs = ConversationAlignment(
            ComparedExchange.all(of: one, exact: isRedacted ? Explanation(left, isRedacted: false) : one),
            ComparedExchange.all(of: other, exact: isRedacted ? Explanation(right, isRedacted: false) : other)
        ).pairs
        exchanges = pairs.map { Pair($0.left, $0.right) }
        facts = ComparedRows.differences(one, other)
        let isOwn = { (difference: Difference) in !difference.variesAlways }
        first = exchanges.lazy.flatMap(\.differences).first(where: isOwn) ?? facts.first(where: isOwn)
    }
}

extension ExplanationComparison.Difference {
    init(
        _ subject: String, of command: String? = nil, _ values: (left: String?, right: String?),
        meanings: (left: [String], right: [String]) = ([], []), variesAlways: Bool = false
    ) {
        self.command = command
        self.subject = subject
        (left, right) = values
        leftMeanings = meanings.left.filter { !meanings.right.contains($0) }
        rightMeanings = meanings.right.filter { !meanings.left.contains($0) }
        self.variesAlways = variesAlways
    }
}

extension ExplanationComparison.Pair {
    fileprivate init(_ left: ComparedExchange?, _ right: ComparedExchange?) {
        let command = (left ?? right)?.command ?? ""
        self.command = command
        leftLine = left?.line
        rightLine = right?.line
        guard let left, let right else {
            let line: (ComparedExchange?) -> String? = { $0.map { "line \($0.line)" } }
            differences = [
                ExplanationComparison.Difference("only one log has it", of: command, (line(left), line(right)))
            ]
            return
        }
        differences = left.differences(from: right)
    }
}
