import TLV

/// An explanation as lines of text; the printer selects colors by their kind.
public struct ExplanationText: Sendable {
    public struct Line: Sendable, Equatable {
        public enum Kind: Sendable, Equatable {
            /// The heading of a part, preceded by an empty line.
            case heading
            case plain
            /// A command and the status of its answer.
            case exchange
            /// A data object; the text begins with its tag.
            case dataObject
            /// An explanation of the line above.
            case detail
            case good
            case bad
            case warning
        }

        public let kind: Kind
        /// The indentation in units of two spaces.
        public let depth: Int
        public let text: String

        public init(_ kind: Kind, _ text: String, depth: Int = 0) {
            self.kind = kind
            self.depth = depth
            self.text = text
        }
    }

    private let explanation: Explanation

    public init(_ explanation: Explanation) { self.explanation = explanation }

    /// All lines, the verdict first.
    public var lines: [Line] {
        var lines: [Line] = []
        write { lines += $0 }
        return lines
    }

    /// Passes all lines to `body` in parts of at most one command and its answer: the text of a
    /// long log is many times larger than the log.
    public func write(_ body: ([Line]) -> Void) {
        body(verdict + facts + oddities + evidence)
        for phase in explanation.phases {
            body(head(phase))
            for step in phase.steps { body(self.step(step, depth: 1)) }
        }
    }

    /// Only commands and answers, data object by data object.
    public var conversation: [Line] { explanation.phases.flatMap(\.steps).flatMap { step($0, depth: 0) } }

    // MARK: Parts

    private var verdict: [Line] {
        let kind: Line.Kind =
            switch explanation.verdict.outcome {
            case .approved: .good
            case .declined: .bad
            case .wentOnline, .ended: .warning
            }
        return [Line(.heading, explanation.title ?? "Explanation"), Line(kind, explanation.verdict.sentence, depth: 1)]
            + explanation.verdict.reasons.map { Line(.plain, "- \($0)", depth: 1) }
            + explanation.remarks.map { Line(.detail, "\($0.name): \($0.value)", depth: 1) }
    }

    private var facts: [Line] {
        guard !explanation.facts.isEmpty else { return [] }
        return [Line(.heading, "What it was")]
            + explanation.facts.flatMap { fact in
                let name = fact.name + String(repeating: " ", count: max(1, 24 - fact.name.count))
                // A fact with one meaning has one line; several meanings follow below.
                guard fact.meanings.count != 1, !fact.meanings.isEmpty else {
                    return [Line(.plain, name + ([fact.value] + fact.meanings).joined(separator: "  "), depth: 1)]
                }
                return [Line(.plain, name + fact.value, depth: 1)] + fact.meanings.map { Line(.detail, $0, depth: 3) }
            }
    }

    private var oddities: [Line] {
        guard !explanation.oddities.isEmpty else { return [] }
        return [Line(.heading, "What is odd")]
            + explanation.oddities.map {
                Line(.warning, "- " + ($0.line.map { "line \($0): " } ?? "") + $0.text, depth: 1)
            }
    }

    private var evidence: [Line] {
        guard !explanation.evidence.isEmpty else { return [] }
        return [Line(.heading, "What the keys prove")]
            + explanation.evidence.map {
                switch $0.state {
                case .proved: Line(.good, "✓ \($0.subject): \($0.detail)", depth: 1)
                case .disproved: Line(.bad, "✗ \($0.subject): \($0.detail)", depth: 1)
                case .notChecked: Line(.warning, "? \($0.subject) not checked: \($0.detail)", depth: 1)
                }
            }
    }

    private func head(_ phase: Explanation.Phase) -> [Line] {
        let time =
            phase.start.map { start in
                "  \(Self.seconds(start)) s" + (phase.end.map { ", \(Self.milliseconds($0 - start)) ms" } ?? "")
            }
            ?? ""
        return [Line(.heading, phase.name + time)] + phase.conclusions.map { Line(.plain, $0, depth: 1) }
    }

    // MARK: Steps

    private func step(_ step: Explanation.Step, depth: Int) -> [Line] {
        let place = step.line > 0 ? "line \(step.line): " : ""
        switch step.event {
        case .exchange(let exchange): return self.exchange(exchange, place, depth: depth)
        case .unanswered(let exchange):
            return [Line(.exchange, "\(place)\(exchange.command) → no answer", depth: depth)]
                + sent(exchange, depth: depth + 2)
        case .reader(let text): return [Line(.warning, "\(place)reader: \(text)", depth: depth)]
        case .decision(let text): return [Line(.plain, "\(place)kernel: \(text)", depth: depth)]
        case .host(let isAnswer, let text):
            return [Line(.plain, "\(place)\(isAnswer ? "from" : "to") the host: \(text)", depth: depth)]
        case .wire(let text): return [Line(.detail, "\(place)wire: \(text)", depth: depth)]
        }
    }

    private func exchange(_ exchange: Explanation.Exchange, _ place: String, depth: Int) -> [Line] {
        guard let answer = exchange.answer else { return [] }
        let meaning = answer.meaning.map { ": \($0)" } ?? ""
        var lines = [
            Line(
                .exchange, "\(place)\(exchange.command) → \(answer.status) \(answer.statusWords)\(meaning)",
                depth: depth)
        ]
        lines += exchange.details.map { Line(.detail, $0, depth: depth + 2) } + sent(exchange, depth: depth + 2)
        lines += answer.fields.flatMap { Self.lines($0, depth: depth + 2, prefix: "") }
        return lines + (answer.problem.map { [Line(.warning, $0, depth: depth + 2)] } ?? [])
    }

    private func sent(_ exchange: Explanation.Exchange, depth: Int) -> [Line] {
        exchange.sent.flatMap { Self.lines($0, depth: depth, prefix: "sent ") }
    }

    private static func lines(_ field: DataField, depth: Int, prefix: String) -> [Line] {
        field.lines().map { line in
            line.tag == nil
                ? Line(.detail, line.text, depth: depth + line.depth)
                : Line(.dataObject, prefix + line.text, depth: depth + line.depth)
        }
    }

    // MARK: Times

    /// The time of an event: in milliseconds, or in seconds in a log of more than ten seconds.
    static func moment(_ value: Double, of duration: Double?) -> String {
        (duration ?? 0) > 10 ? "\(seconds(value)) s" : "\(milliseconds(value)) ms"
    }

    static func seconds(_ value: Double) -> String { decimals(value, 3) }
    static func milliseconds(_ value: Double) -> String { decimals(value * 1000, 1) }

    private static func decimals(_ value: Double, _ places: Int) -> String {
        let scale = places == 3 ? 1000.0 : 10.0
        guard value.isFinite, abs(value) < 1e12 else { return "?" }
        // fits: finite and below 10 to the 15th
        let scaled = Int((abs(value) * scale).rounded())
        let digits = String(scaled)
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return (value < 0 && scaled > 0 ? "-" : "") + "\(padded.dropLast(places)).\(padded.suffix(places))"
    }
}
