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
        _ trace: APDUTrace, caKeys: [CAPublicKey] = [], issuer: IssuerKeyMaterial? = nil, unread: [Explanation.Oddity] = [],
        transaction number: Int? = nil, isRedacted: Bool = true
    ) {
        let ranges = Self.ranges(trace)
        let beginnings = ranges.map { Self.line(trace, $0) ?? 0 }
        let unreadParts = Dictionary(grouping: unread) { oddity in
            oddity.line.flatMap { line in beginnings.lastIndex { $0 <= line } } ?? 0
        }
        var transactions: [Explanation] = []
        var index: [Row] = []
        for (place, range) in ranges.enumerated() where number.map({ $0 == place + 1 }) ?? true {
            let explanation = Explanation(
                trace.part(range), caKeys: caKeys, issuer: issuer, unread: unreadParts[place] ?? [], isRedacted: isRedacted)
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

    /// The boundaries of transactions: a SELECT by name after a cryptogram, or a card that is
    /// presented or reset after an application was started. A terminal may start an application
    /// twice before it requests a cryptogram, and returns to the selection if the card refuses GET
    /// PROCESSING OPTIONS.
    static func ranges(_ trace: APDUTrace) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var start = 0
        var (isStarted, hasCryptogram) = (false, false)
        for (place, entry) in trace.entries.enumerated() {
            if begins(entry.event, isStarted: isStarted, hasCryptogram: hasCryptogram) {
                ranges.append(start..<place)
                (start, isStarted, hasCryptogram) = (place, false, false)
            }
            guard case .exchange(let exchange) = entry.event else { continue }
            switch exchange.command.instruction {
            case .getProcessingOptions:
                isStarted = isStarted || exchange.response.status == .success || exchange.response.status.sw1 == 0x61
                // A contactless card returns its cryptogram here.
                if exchange.response.data.first == 0x77, LoggedCryptogram(exchange.response) != nil { hasCryptogram = true }
            case .generateAC: hasCryptogram = true
            default: break
            }
        }
        return ranges + [start..<trace.entries.count]
    }

    private static func begins(_ event: APDUTrace.Event, isStarted: Bool, hasCryptogram: Bool) -> Bool {
        switch event {
        case .reader(.cardPresented), .reader(.reset): isStarted
        case .exchange(let exchange): hasCryptogram && isSelection(exchange.command)
        case .unanswered(let command): hasCryptogram && isSelection(command)
        case .reader, .decision, .host, .wire: false
        }
    }

    /// SELECT by name, first or only occurrence (EMV 4.4 Book 1, 11.3).
    private static func isSelection(_ command: CommandAPDU) -> Bool {
        command.instruction == .select && command.p1 == 0x04 && command.p2 & 0x03 == 0
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
