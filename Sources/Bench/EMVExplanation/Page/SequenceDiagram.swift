/// The messages between host, terminal and card, one row for each.
struct SequenceDiagram {
    private let explanation: Explanation
    private let hasHost: Bool

    init(_ explanation: Explanation) {
        self.explanation = explanation
        hasHost =
            explanation.issuerIsInferred
            || explanation.phases.contains { $0.steps.contains { $0.source.isHost } }
    }

    func write<Failure>(_ body: (String) throws(Failure) -> Void) throws(Failure) {
        try body(head)
        try writeRows(body)
        try body("\n</div>\n</section>\n")
    }

    private var head: String {
        """
        <section id="sequence">
        <h2>Who said what</h2>
        <div class="sequence\(hasHost ? " three" : "")">
        <div class="actors"><span class="meta"></span>\(hasHost ? "<b class=\"host\">Host</b>" : "")<b class="terminal">Terminal</b><b class="card">Card</b></div>

        """
    }

    private func writeRows<Failure>(_ body: (String) throws(Failure) -> Void) throws(Failure) {
        var number = 0
        var isInferred = explanation.issuerIsInferred
        for (index, phase) in explanation.phases.enumerated() {
            let isAfterCard = explanation.phases[..<index].contains { $0.name == "Card action analysis" }
            if isInferred, isAfterCard {
                isInferred = false
                try body(
                    hostRow(false, "authorisation request", note: "not in the log")
                        + hostRow(true, "the issuer's answer", note: "not in the log"))
            }
            try body(
                "<div class=\"band\"><span class=\"meta\"></span><a href=\"#p\(index)\">\(Markup.escaped(phase.name))</a></div>\n"
            )
            if phase.steps.isEmpty { try body(phase.conclusions.map { noteRow("kernel", $0, "") }.joined()) }
            for step in phase.steps {
                try body(row(step, number))
                number += 1
            }
        }
    }

    private func row(_ step: Explanation.Step, _ number: Int) -> String {
        let meta = meta(step)
        switch step.event {
        case .exchange(let exchange):
            let answer = exchange.answer
            let bytes = answer?.parts.first { $0.name == "data" }?.meaning
            let said = [answer?.status, answer?.isExpected == true ? bytes : answer?.meaning ?? answer?.statusWords]
                .compactMap { $0 }
            return line(
                arrow("call", "<a href=\"#s\(number)\">\(Markup.escaped(exchange.command))</a>")
                    + arrow(
                        answer?.isExpected == true ? "reply" : "reply failed",
                        Markup.escaped(said.joined(separator: " · "))), meta)
        case .unanswered(let exchange):
            return line(
                arrow("call", "<a href=\"#s\(number)\">\(Markup.escaped(exchange.command))</a>")
                    + Markup.element("p", "lost", text: "no answer"),
                meta)
        case .host(let isAnswer, let text): return hostRow(isAnswer, text, note: nil)
        case .reader(let text): return noteRow("reader", text, meta)
        case .decision(let text): return noteRow("kernel", text, meta)
        case .wire(let text): return noteRow("wire", text, meta)
        }
    }

    private func meta(_ step: Explanation.Step) -> String {
        step.start.map { ExplanationText.moment($0, of: explanation.duration) }
            ?? (step.line > 0 ? "line \(step.line)" : "")
    }

    private func arrow(_ style: String, _ label: String) -> String {
        "<p class=\"arrow \(style)\"><span>\(label)</span></p>"
    }

    private func line(_ contents: String, _ meta: String) -> String {
        "<div class=\"row\"><span class=\"meta\">\(Markup.escaped(meta))</span>\(hasHost ? "<div class=\"far\"></div>" : "")<div class=\"near\">\(contents)</div></div>\n"
    }

    private func hostRow(_ isAnswer: Bool, _ text: String, note: String?) -> String {
        let label = Markup.escaped(text) + (note.map { " " + Markup.element("em", text: $0) } ?? "")
        let style = (isAnswer ? "from" : "to") + (note == nil ? "" : " inferred")
        return
            "<div class=\"row\"><span class=\"meta\"></span><div class=\"far\">\(arrow(style, label))</div><div class=\"near\"></div></div>\n"
    }

    private func noteRow(_ style: String, _ text: String, _ meta: String) -> String {
        line(Markup.element("p", "said \(style)", text: text), meta)
    }
}
