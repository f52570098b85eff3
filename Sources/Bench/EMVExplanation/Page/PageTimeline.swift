/// A timeline of the phases; empty for a log without times.
struct PageTimeline {
    private let explanation: Explanation

    init(_ explanation: Explanation) { self.explanation = explanation }

    var html: String {
        guard let duration = explanation.duration, duration > 0 else { return "" }
        let origin = explanation.phases.compactMap(\.start).min() ?? 0
        let rows = explanation.phases.enumerated().compactMap { index, phase -> String? in
            guard let start = phase.start else { return nil }
            let end = max(phase.end ?? start, start)
            let bars = phase.steps.compactMap { step -> String? in
                guard let from = step.start else { return nil }
                return bar((from - origin) / duration, ((step.end ?? from) - from) / duration)
            }
            return """
                <li><a href="#p\(index)">\(Markup.escaped(phase.name))</a>
                <span class="track">\(bars.joined())</span>
                <span class="took">\(ExplanationText.milliseconds(end - start)) ms</span></li>
                """
        }
        return """
            <section id="timeline">
            <h2>When it happened</h2>
            <p class="note">\(ExplanationText.milliseconds(duration)) ms from the first event to the last; each bar is a command and its answer.</p>
            <ol class="timeline">
            \(rows.joined(separator: "\n"))
            </ol>
            </section>

            """
    }

    /// A bar from `start` with `width`, both as fractions of the whole; wide enough to be visible.
    private func bar(_ start: Double, _ width: Double) -> String {
        "<i style=\"left:\(percent(start))%;width:max(2px,\(percent(width))%)\"></i>"
    }

    /// Two decimals.
    private func percent(_ part: Double) -> String {
        guard part.isFinite else { return "0" }
        // fits: finite and at most 10,000
        let hundredths = Int((min(max(part, 0), 1) * 10_000).rounded())
        return "\(hundredths / 100).\(hundredths % 100 < 10 ? "0" : "")\(hundredths % 100)"
    }
}
