/// A comparison as one page of HTML, under the same rules as ``ExplanationPage``.
public struct ComparisonPage: Sendable {
    private let comparison: ExplanationComparison
    private let isRedacted: Bool
    private let origin: PageOrigin?

    /// - Parameter origin: What it is made of, for its last line; nil leaves that out.
    public init(_ comparison: ExplanationComparison, isRedacted: Bool = true, origin: PageOrigin? = nil) {
        self.comparison = comparison
        self.isRedacted = isRedacted
        self.origin = origin
    }

    /// Passes the page to `body` in consecutive parts.
    public func write<Failure>(_ body: (String) throws(Failure) -> Void) throws(Failure) {
        try body(
            PageHead.html("Two card transactions, compared", style: Self.style)
                + """
                <header class="verdict \(comparison.isSame ? "approved" : "wentOnline")">
                <p class="badge"><span class="mark" aria-hidden="true">\(comparison.isSame ? "=" : "≠")</span> \(comparison.isSame ? "The same" : "Different")</p>
                <h1>\(Markup.escaped(comparison.headline))</h1>
                </header>
                <main>
                <section id="sides">
                \(table([row("both", subject: "", left: side(comparison.left, 0), right: side(comparison.right, 1))]))
                </section>
                \(whole)
                <section id="conversation">
                <h2>Command by command</h2>

                """)
        for pair in comparison.exchanges { try body(html(pair) + "\n") }
        let hidden = isRedacted ? "Card data are hidden, but compared. " : "Card data are shown: for test cards only. "
        let made = hidden + PageOrigin.line(origin, command: "cardpresent explain --diff")
        try body(
            "</section>\n</main>\n" + Markup.element("footer", Markup.element("p", text: made)) + "\n</body>\n</html>\n"
        )
    }

    private var whole: String {
        guard !comparison.facts.isEmpty else { return "" }
        return "<section id=\"whole\">\n<h2>As a whole</h2>\n\(table(comparison.facts.map(row)))\n</section>"
    }

    /// - Parameter index: Of the log in ``origin``.
    private func side(_ side: ExplanationComparison.Side, _ index: Int) -> String {
        let log = origin.flatMap { $0.logs.indices.contains(index) ? $0.logs[index] : nil }
        let titles = [log, side.title].compactMap(\.self)
        return Markup.element("p", "origin", text: titles.isEmpty ? "without a title" : titles.joined(separator: ": "))
            + Markup.element("p", text: side.verdict.sentence)
            + Markup.list("reasons", side.verdict.reasons)
    }

    private func html(_ pair: ExplanationComparison.Pair) -> String {
        let isThere = pair.leftLine != nil && pair.rightLine != nil
        let own = pair.differences.filter { !$0.variesAlways }
        let extent =
            isThere ? own.isEmpty ? "same" : "\(own.count) different" : "only in \(pair.leftLine == nil ? "B" : "A")"
        let status = Markup.element("span", own.isEmpty ? "status" : "status failed", text: extent)
        let lines = [pair.leftLine.map { "A line \($0)" }, pair.rightLine.map { "B line \($0)" }].compactMap { $0 }
        let summary =
            Markup.element("span", "command", text: pair.command) + status
            + Markup.element("span", "place", text: lines.joined(separator: " · "))
        let contents =
            isThere && !pair.differences.isEmpty ? Markup.element("div", "bytes", table(pair.differences.map(row))) : ""
        return
            "<details class=\"exchange\"\(own.isEmpty ? "" : " open=\"open\"")><summary>\(summary)</summary>\(contents)</details>"
    }

    // MARK: Rows

    private func row(_ difference: ExplanationComparison.Difference) -> String {
        row(
            difference.variesAlways ? "own" : "other", subject: Markup.escaped(difference.subject),
            left: cell(difference.left, difference.leftMeanings),
            right: cell(difference.right, difference.rightMeanings))
    }

    private func cell(_ value: String?, _ meanings: [String]) -> String {
        Markup.element("code", value == nil ? "none" : "value", text: value ?? "none") + Markup.list("words", meanings)
    }

    private func row(_ style: String, subject: String, left: String, right: String) -> String {
        "<tr class=\"\(style)\">" + "<th scope=\"row\">\(subject)</th>" + Markup.element("td", left)
            + Markup.element("td", right) + "</tr>"
    }

    private func table(_ rows: [String]) -> String {
        "<table class=\"sides\"><thead><tr><th></th><th scope=\"col\">A</th><th scope=\"col\">B</th></tr></thead><tbody>"
            + rows.joined(separator: "\n") + "</tbody></table>"
    }

    private static let style = """
        .sides { width: 100%; border-collapse: collapse; table-layout: fixed; font-size: .9rem }
        .sides th, .sides td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-top: 1px solid var(--rule); overflow-wrap: anywhere }
        .sides tr > th:first-child { width: 26%; color: var(--soft); font-weight: 500 }
        .sides .own { color: var(--soft) } .sides .other td { background: var(--care-tint) } .sides .none { color: var(--soft) }
        """
}
