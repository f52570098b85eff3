import Console
import EMVExplanation
private import TLV

/// The results of a test plan.
public struct PlanReport: Sendable {
    /// A difference from the expected result.
    public struct Difference: Sendable, Equatable, Encodable {
        public let what: String
        public let expected: String
        public let found: String

        public init(what: String, expected: String, found: String) {
            self.what = what
            self.expected = Masking.text(expected)
            self.found = Masking.text(found)
        }
    }

    public enum Result: Sendable, Equatable {
        case passed
        case failed([Difference])
        /// It could not be completed, with the reason.
        case broken(String)
        /// It was skipped, with the reason.
        case notRun(String)
    }

    public struct Case: Sendable {
        public let name: String
        public let clause: String
        public let reason: String?
        public let result: Result
        public let elapsed: Duration

        public init(name: String, clause: String, reason: String?, result: Result, elapsed: Duration) {
            self.name = Masking.text(name)
            self.clause = Masking.text(clause)
            self.reason = reason.map { Masking.text($0) }
            self.result = result
            self.elapsed = elapsed
        }
    }

    public let title: String
    /// `2026-11-21 12:00:00 UTC`.
    public let date: String
    /// In the order of the plan.
    public let cases: [Case]

    public init(title: String, date: String, cases: [Case]) {
        self.title = Masking.text(title)
        self.date = date
        self.cases = cases
    }

    public var passed: Int { cases.count { $0.result == .passed } }
    public var failed: Int { cases.count { if case .failed = $0.result { true } else { false } } }
    public var broken: Int { cases.count { if case .broken = $0.result { true } else { false } } }
    public var notRun: Int { cases.count { if case .notRun = $0.result { true } else { false } } }

    /// "120 cases: 118 passed, 1 failed, 1 broken, 0 not run".
    public var summary: String {
        "\(cases.count) case\(cases.count == 1 ? "" : "s"): \(passed) passed, \(failed) failed, \(broken) broken, \(notRun) not run"
    }

    /// A row for each difference and for each case that was not completed.
    public var table: [[String]] {
        cases.flatMap { entry -> [[String]] in
            switch entry.result {
            case .passed: []
            case .failed(let differences):
                differences.enumerated().map {
                    [$0.offset == 0 ? entry.name : "", $0.element.what, $0.element.expected, $0.element.found]
                }
            case .broken(let why): [[entry.name, "broken", why, ""]]
            case .notRun(let why): [[entry.name, "not run", why, ""]]
            }
        }
    }
}

// MARK: - JSON

extension PlanReport {
    private struct Document: Encodable {
        struct Case: Encodable {
            let name, clause, result: String
            let reason, problem: String?
            let differences: [Difference]?
        }
        let title, date: String
        let passed, failed, broken, notRun: Int
        let cases: [Case]
    }

    public func json() throws -> String {
        let cases = cases.map { entry in
            var (result, problem, differences): (String, String?, [Difference]?)
            switch entry.result {
            case .passed: (result, problem, differences) = ("passed", nil, nil)
            case .failed(let found): (result, problem, differences) = ("failed", nil, found)
            case .broken(let why): (result, problem, differences) = ("broken", why, nil)
            case .notRun(let why): (result, problem, differences) = ("not run", why, nil)
            }
            return Document.Case(
                name: entry.name, clause: entry.clause, result: result, reason: entry.reason, problem: problem,
                differences: differences)
        }
        let document = Document(
            title: title, date: date, passed: passed, failed: failed, broken: broken, notRun: notRun, cases: cases)
        return try JSONText.of(document)
    }
}

// MARK: - JUnit

extension PlanReport {
    /// As JUnit's XML: a failure for a case with another result, an error for a broken case, a
    /// skipped test for a case that was not run. The class is the clause.
    public func junit() -> String {
        let total = cases.reduce(Duration.zero) { $0 + $1.elapsed }
        let counts =
            "tests=\"\(cases.count)\" failures=\"\(failed)\" errors=\"\(broken)\" skipped=\"\(notRun)\" "
            + "time=\"\(XMLText.seconds(total))\""
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites \(counts)>\n"
        text += "  <testsuite name=\"\(XMLText.escaped(title))\" \(counts)>\n"
        for entry in cases {
            text +=
                "    <testcase classname=\"\(XMLText.escaped(entry.clause))\" name=\"\(XMLText.escaped(entry.name))\" "
            text += "time=\"\(XMLText.seconds(entry.elapsed))\""
            switch entry.result {
            case .passed: text += "/>\n"
            case .failed(let differences):
                let lines = differences.map { "\($0.what): \($0.expected) expected, \($0.found) found" }
                text += ">\n      <failure message=\"\(XMLText.escaped(lines.first ?? "failed"))\">"
                text += "\(XMLText.escaped(lines.joined(separator: "\n")))</failure>\n    </testcase>\n"
            case .broken(let why): text += ">\n      <error message=\"\(XMLText.escaped(why))\"/>\n    </testcase>\n"
            case .notRun(let why): text += ">\n      <skipped message=\"\(XMLText.escaped(why))\"/>\n    </testcase>\n"
            }
        }
        return text + "  </testsuite>\n</testsuites>\n"
    }
}

// MARK: - HTML

extension PlanReport {
    /// One page without external resources and scripts: the counts, then a row for each case.
    public func html() -> String {
        let rows = cases.map { entry in
            let (style, word, detail): (String, String, String) =
                switch entry.result {
                case .passed: ("passed", "✓ passed", "")
                case .failed(let differences):
                    (
                        "failed", "✕ failed",
                        differences.map {
                            "<p><b>\(XMLText.escaped($0.what))</b> \(XMLText.escaped($0.expected)) expected, "
                                + "\(XMLText.escaped($0.found)) found</p>"
                        }.joined()
                    )
                case .broken(let why): ("failed", "! broken", "<p>\(XMLText.escaped(why))</p>")
                case .notRun(let why): ("left", "– not run", "<p>\(XMLText.escaped(why))</p>")
                }
            let reason = entry.reason.map { "<p class=\"soft\">\(XMLText.escaped($0))</p>" } ?? ""
            return "<tr class=\"\(style)\"><td>\(XMLText.escaped(entry.name))\(reason)\(detail)</td>"
                + "<td>\(XMLText.escaped(entry.clause))</td><td class=\"result\">\(word)</td></tr>"
        }
        return """
            \(PageHead.html(title, styles: Self.style + "\n"))\
            <header>
            <h1>\(XMLText.escaped(title))</h1>
            <p>\(XMLText.escaped(summary))</p>
            <p class="soft">\(XMLText.escaped(date)), cardpresent plan run. This is a test report, not a certificate.</p>
            </header>
            <main>
            <table>
            <thead><tr><th scope="col">Case</th><th scope="col">Clause</th><th scope="col">Result</th></tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            </tbody>
            </table>
            </main>
            </body>
            </html>

            """
    }

    private static let style = """
        :root { --ink: #1d2126; --soft: #5b6470; --rule: #dfdcd5; --good: #17653c; --bad: #a3271f; --care: #7a4d00; --paper: #fff }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e4e6e9; --soft: #9ea7b2; --rule: #333a43; --good: #7dd3a0; --bad: #f59a90; --care: #e6bd6c; --paper: #14171b }
        }
        body { margin: 0 auto; max-width: 62rem; padding: 1.5rem; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
        h1 { font-size: 1.5rem; margin: 0 0 .5rem } p { margin: .2rem 0 } .soft { color: var(--soft); font-size: .9rem }
        table { width: 100%; border-collapse: collapse; margin-top: 1.5rem } th { text-align: left; color: var(--soft); font-weight: 600 }
        td, th { padding: .4rem .6rem; border-top: 1px solid var(--rule); vertical-align: top; overflow-wrap: anywhere }
        .result { white-space: nowrap } .passed .result { color: var(--good) } .failed .result, .failed b { color: var(--bad) }
        .left .result { color: var(--care) }
        @page { margin: 16mm } @media print { body { max-width: none; padding: 0; font-size: 9.5pt } tr { break-inside: avoid } }
        """
}
