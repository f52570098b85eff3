/// The index of a log of many transactions as a page, which links to a page for each, under the
/// same rules as ``ExplanationPage``.
public struct LogIndexPage: Sendable {
    private let log: ExplainedLog
    private let pages: [String]
    private let origin: PageOrigin?

    /// - Parameters:
    ///   - pages: The page of each transaction, relative to the folder of this page.
    ///   - origin: What it is made of, for its last line; nil leaves that out.
    public init(_ log: ExplainedLog, pages: [String], origin: PageOrigin? = nil) {
        self.log = log
        self.pages = pages
        self.origin = origin
    }

    /// Passes the page to `body` in consecutive parts.
    public func write<Failure>(_ body: (String) throws(Failure) -> Void) throws(Failure) {
        try body(
            PageHead.html("\(log.index.count) card transactions, explained", style: Self.style)
                + """
                <header>
                <h1>\(log.index.count) transactions</h1>
                </header>
                <main>
                <ol class="index">

                """)
        for (row, page) in zip(log.index, pages) {
            let place = ["\(row.number)", row.line.map { "line \($0)" }].compactMap { $0 }.joined(separator: " · ")
            let odd = row.oddities > 0 ? Markup.element("span", "line", text: " \(row.oddities) odd") : ""
            let wrong =
                row.disproved > 0 ? Markup.element("span", "status failed", text: " \(row.disproved) wrong") : ""
            let link = "<a href=\"\(Markup.escaped(page))\">\(Markup.escaped(row.sentence))</a>"
            try body("<li>\(Markup.element("span", "place", text: place)) \(link)\(odd)\(wrong)</li>\n")
        }
        let made = PageOrigin.line(origin, command: "cardpresent explain")
        try body(
            "</ol>\n</main>\n" + Markup.element("footer", Markup.element("p", text: made)) + "\n</body>\n</html>\n")
    }

    private static let style = """
        .index li { padding: .35rem 0; border-top: 1px solid var(--rule); overflow-wrap: anywhere }
        .index .place { display: inline-block; min-width: 8rem; margin: 0; color: var(--soft) }
        """
}
