public import CardCryptography
public import EMVReplay
public import SmartCard

/// A log of many transactions: an explanation of each, and an index.
public struct ExplainedLog: Sendable, Encodable {
    /// In the order of the log; at least one.
    public let transactions: [Explanation]
    /// A row for each.
    public let index: [Row]

    public struct Row: Sendable, Encodable, Equatable {
        /// From 1.
        public let number: Int
        /// Its first line in the log; nil for a log without a text.
        public let line: Int?
        public let outcome: Explanation.Outcome
        public let sentence: String
        /// The number of oddities.
        public let oddities: Int
        /// The number of wrong certificates, signatures and cryptograms.
        public let disproved: Int
    }

    /// - Parameters:
    ///   - caKeys: Used to check certificates and signatures.
    ///   - issuer: Used to recompute cryptograms.
    ///   - unread: The parts that were skipped when the log was read.
    ///   - number: Only this transaction is explained, from 1; nil for all.
    ///   - isRedacted: Whether card data are hidden. A PIN always is.
    /// - Returns: Nil if the log has no transaction of that number.
    public init?(
        _ trace: APDUTrace, caKeys: [CAPublicKey] = [], issuer: IssuerKeyMaterial? = nil,
        unread: [Explanation.Oddity] = [],
        transaction number: Int? = nil, isRedacted: Bool = true
    ) {
        let ranges = trace.transactionRanges
        let beginnings = ranges.map { Self.line(trace, $0) ?? 0 }
        let unreadParts = Dictionary(grouping: unread) { oddity in
            oddity.line.flatMap { line in beginnings.lastIndex { $0 <= line } } ?? 0
        }
        var transactions: [Explanation] = []
        var index: [Row] = []
        for (place, range) in ranges.enumerated() where number.map({ $0 == place + 1 }) ?? true {
            var part = trace.part(range)
            // The terminal's word is about the end of the log.
            if place + 1 < ranges.count { part.metadata.removeAll { $0.name == "verdict" } }
            let explanation = Explanation(
                part, caKeys: caKeys, issuer: issuer, unread: unreadParts[place] ?? [], isRedacted: isRedacted)
            transactions.append(explanation)
            index.append(
                Row(
                    number: place + 1, line: Self.line(trace, range), outcome: explanation.verdict.outcome,
                    sentence: explanation.verdict.sentence, oddities: explanation.oddities.count,
                    disproved: explanation.evidence.count { $0.state == .disproved }))
        }
        guard !transactions.isEmpty else { return nil }
        self.transactions = transactions
        self.index = index
    }

    private static func line(_ trace: APDUTrace, _ range: Range<Int>) -> Int? {
        trace.entries[range].first { $0.line > 0 }?.line
    }
}

extension ExplainedLog {
    /// The index as lines of text.
    public var indexLines: [ExplanationText.Line] {
        [ExplanationText.Line(.heading, "\(index.count) transactions")]
            + index.map { row in
                let kind: ExplanationText.Line.Kind =
                    switch row.outcome {
                    case _ where row.disproved > 0: .bad
                    case .approved: .good
                    case .declined: .bad
                    case .wentOnline, .ended: .warning
                    }
                let line = row.line.map { ", line \($0)" } ?? ""
                let odd = row.oddities > 0 ? "  (\(row.oddities) odd)" : ""
                return ExplanationText.Line(kind, "\(row.number)\(line): \(row.sentence)\(odd)", depth: 1)
            }
    }
}
