/// An explanation as one page of HTML without external resources and scripts, which its security
/// policy enforces.
///
/// Collapsible parts are `details` elements, which browsers open automatically for links; on paper
/// all are open.
public struct ExplanationPage: Sendable {
    private let explanation: Explanation
    private let origin: PageOrigin?

    /// - Parameter origin: What it is made of, for its last line; nil leaves that out.
    public init(_ explanation: Explanation, origin: PageOrigin? = nil) {
        self.explanation = explanation
        self.origin = origin
    }

    public var html: String {
        var html = ""
        write { html += $0 }
        return html
    }

    /// Passes the page to `body` in consecutive parts: the page of a long log is many times larger
    /// than the log.
    public func write<Failure>(_ body: (String) throws(Failure) -> Void) throws(Failure) {
        let title = explanation.title ?? "A card transaction, explained"
        try body(head(title))
        try SequenceDiagram(explanation).write(body)
        try body("\n")
        try PagePhases(explanation).write(body)
        try body("\n</main>\n\(footer)\n</body>\n</html>\n")
    }

    private func head(_ title: String) -> String {
        PageHead.html(title)
            + """
            \(header(title))
            <main>
            \(summary)
            \(PageTimeline(explanation).html)

            """
    }

    // MARK: Above

    private func header(_ title: String) -> String {
        let verdict = explanation.verdict
        return """
            <header class="verdict \(verdict.outcome.rawValue)">
            <p class="badge"><span class="mark" aria-hidden="true">\(mark)</span> \(word)</p>
            <h1>\(Markup.unbroken(verdict.sentence))</h1>
            \(Markup.list("reasons", verdict.reasons))
            <p class="origin">\(remarks(title))</p>
            </header>
            """
    }

    private var word: String {
        switch explanation.verdict.outcome {
        case .approved: "Approved"
        case .declined: "Declined"
        case .wentOnline: "Went online"
        case .ended: "No cryptogram"
        }
    }

    private var mark: String {
        switch explanation.verdict.outcome {
        case .approved: "✓"
        case .declined: "–"
        case .wentOnline: "→"
        case .ended: "!"
        }
    }

    private func remarks(_ title: String) -> String {
        let remarks = explanation.remarks.map { "\($0.name): \($0.value)" }
        return ([title, explanation.source].compactMap { $0 } + remarks).map { Markup.escaped($0) }.joined(
            separator: "<br />")
    }

    private var summary: String {
        let odd = section(
            "odd", "What is odd",
            Markup.element(
                "ul", "odd",
                explanation.oddities.map { oddity in
                    let line = oddity.line.map { Markup.element("span", "line", text: "line \($0)") + " " } ?? ""
                    return Markup.element("li", line + Markup.escaped(oddity.text))
                }.joined()), isThere: !explanation.oddities.isEmpty)
        let proofs = section(
            "proofs", "What the keys prove",
            Markup.element(
                "ul", "proofs",
                explanation.evidence.map { proof in
                    let (style, sign, state) =
                        switch proof.state {
                        case .proved: ("right", "✓", "")
                        case .disproved: ("wrong", "✕", "")
                        case .notChecked: ("unknown", "?", "not checked: ")
                        }
                    let head =
                        Markup.element("span", "sign", text: sign) + " " + Markup.element("b", text: proof.subject)
                    return Markup.element("li", style, "\(head) \(state)\(Markup.escaped(proof.detail))")
                }.joined()), isThere: !explanation.evidence.isEmpty)
        return section("facts", "What it was", facts, isThere: !explanation.facts.isEmpty) + odd + proofs
    }

    private var facts: String {
        Markup.element(
            "dl", "facts",
            explanation.facts.map { fact in
                let isDigits = fact.value.allSatisfy(Self.isDigit)
                let value = Markup.element("span", isDigits ? "hex" : "value", Markup.unbroken(fact.value))
                let contents =
                    // A single meaning comes before its digits.
                    isDigits && fact.meanings.count == 1
                    ? Markup.element("span", "value", text: fact.meanings[0]) + " " + value
                    : value + Markup.list("words", fact.meanings)
                let style = fact.meanings.count > 5 ? " class=\"wide\"" : ""
                return "<div\(style)>" + Markup.element("dt", text: fact.name) + Markup.element("dd", contents)
                    + "</div>"
            }.joined())
    }

    private static func isDigit(_ character: Character) -> Bool { character.isHexDigit || character == "*" }

    private func section(_ identifier: String, _ heading: String, _ contents: String, isThere: Bool) -> String {
        guard isThere else { return "" }
        return "<section id=\"\(identifier)\">\n\(Markup.element("h2", text: heading))\n\(contents)\n</section>\n"
    }

    // MARK: Below

    private var footer: String {
        let hidden = explanation.isRedacted ? "Card data are hidden. " : "Card data are shown: for test cards only. "
        return Markup.element(
            "footer", Markup.element("p", text: hidden + PageOrigin.line(origin, command: "cardpresent explain")))
    }
}
