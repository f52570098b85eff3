/// A comparison as lines of text.
public struct ComparisonText: Sendable {
    private typealias Line = ExplanationText.Line
    private let comparison: ExplanationComparison
    private let origin: PageOrigin?

    /// - Parameter origin: Names the logs; nil leaves only their titles.
    public init(_ comparison: ExplanationComparison, origin: PageOrigin? = nil) {
        self.comparison = comparison
        self.origin = origin
    }

    /// The first difference comes first.
    public var lines: [ExplanationText.Line] {
        var lines = [Line(.heading, comparison.headline)]
        let logs = origin?.logs ?? []
        for (index, (name, side)) in [("A", comparison.left), ("B", comparison.right)].enumerated() {
            let titles = [logs.indices.contains(index) ? logs[index] : nil, side.title].compactMap(\.self)
            lines.append(
                Line(
                    .plain, ([name + " "] + titles.map { $0 + ":" } + [side.verdict.sentence]).joined(separator: " "),
                    depth: 1))
        }
        lines.append(Line(.heading, "What differs first"))
        if let first = comparison.first {
            lines += first.command.map { [Line(.exchange, $0, depth: 1)] } ?? []
            lines += Self.lines(first, depth: 2)
        } else {
            lines.append(Line(.good, "nothing but values that are new in each transaction", depth: 1))
        }
        if !comparison.facts.isEmpty {
            lines.append(Line(.heading, "As a whole"))
            lines += comparison.facts.flatMap { Self.lines($0, depth: 1) }
        }
        lines.append(Line(.heading, "Command by command"))
        lines += comparison.exchanges.flatMap(Self.lines)
        return lines
    }

    private static func lines(_ pair: ExplanationComparison.Pair) -> [Line] {
        let place = "A \(pair.leftLine.map { "line \($0)" } ?? "–"), B \(pair.rightLine.map { "line \($0)" } ?? "–"): "
        guard pair.leftLine != nil, pair.rightLine != nil else {
            return [Line(.bad, "\(place)\(pair.command): only in \(pair.leftLine == nil ? "B" : "A")", depth: 1)]
        }
        let same = pair.differences.isEmpty ? "  same" : ""
        return [Line(.exchange, "\(place)\(pair.command)\(same)", depth: 1)]
            + pair.differences.flatMap { lines($0, depth: 3) }
    }

    private static func lines(_ difference: ExplanationComparison.Difference, depth: Int) -> [Line] {
        let kind: Line.Kind = difference.variesAlways ? .detail : .warning
        var lines = [
            Line(
                kind, difference.subject + (difference.variesAlways ? " (new for each transaction)" : ""), depth: depth)
        ]
        for (name, value, meanings) in [
            ("A", difference.left, difference.leftMeanings), ("B", difference.right, difference.rightMeanings),
        ] {
            lines.append(
                Line(difference.variesAlways ? .detail : .plain, "\(name)  \(value ?? "none")", depth: depth + 1))
            if !difference.variesAlways { lines += meanings.map { Line(.detail, $0, depth: depth + 3) } }
        }
        return lines
    }
}
