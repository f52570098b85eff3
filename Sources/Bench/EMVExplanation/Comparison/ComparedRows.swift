/// Compares the facts of two logs, row by row.
enum ComparedRows {
    static func differences(_ left: Explanation, _ right: Explanation) -> [ExplanationComparison.Difference] {
        var differences: [ExplanationComparison.Difference] = []
        if left.verdict.outcome != right.verdict.outcome {
            differences.append(
                ExplanationComparison.Difference(
                    "Verdict", (left.verdict.sentence, right.verdict.sentence),
                    meanings: (left.verdict.reasons, right.verdict.reasons)))
        }
        differences += rows(
            left.facts.map { ($0.name, $0.value, $0.meanings) }, right.facts.map { ($0.name, $0.value, $0.meanings) },
            varying: varyingFacts
        )
        differences += rows(
            left.evidence.map { ($0.subject, state($0.state), []) },
            right.evidence.map { ($0.subject, state($0.state), []) }, varying: [])
        return differences
    }

    private typealias Row = (name: String, value: String, meanings: [String])

    private static func rows(_ left: [Row], _ right: [Row], varying: Set<String>) -> [ExplanationComparison.Difference]
    {
        let others = Dictionary(right.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let own = Set(left.map(\.name))
        let changed = left.compactMap { row -> ExplanationComparison.Difference? in
            let other = others[row.name]
            guard other?.value != row.value || other?.meanings ?? [] != row.meanings else { return nil }
            return ExplanationComparison.Difference(
                row.name, (row.value, other?.value), meanings: (row.meanings, other?.meanings ?? []),
                variesAlways: varying.contains(row.name)
                    && other.map { Self.begins($0.value, like: row.value) } ?? false)
        }
        let added = right.filter { !own.contains($0.name) }
        return changed
            + added.map { ExplanationComparison.Difference($0.name, (nil, $0.value), meanings: ([], $0.meanings)) }
    }

    private static let varyingFacts: Set<String> = ["ATC", "Date", "First cryptogram", "Second cryptogram"]

    /// A cryptogram of another type is a difference; another cryptogram of the same type is not.
    private static func begins(_ value: String, like other: String) -> Bool {
        value.prefix { $0 != " " } == other.prefix { $0 != " " } || !value.contains(" ")
    }

    private static func state(_ state: Explanation.Proof.State) -> String {
        switch state {
        case .proved: "proved"
        case .disproved: "wrong"
        case .notChecked: "not checked"
        }
    }
}
