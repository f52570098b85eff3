import Console
import SmartCard
private import TLV

/// The results of replaying many logs.
public struct ReplaySuite: Sendable {
    public struct Case: Sendable {
        public enum Result: Sendable, Equatable {
            case same
            /// The same as far as it could be checked; with what was missing, and the cure.
            case notChecked(String)
            case different([ReplayChangeRow])
            /// It could not be read or replayed, with the reason.
            case broken(String)
        }

        public let file: String
        /// The title of the log, if it has one.
        public let title: String?
        public let result: Result
        /// The results of checks with the keys; nil if not requested.
        public let proofs: ReplayProofs?
        public let elapsed: Duration

        public init(
            file: String, title: String? = nil, result: Result, proofs: ReplayProofs? = nil, elapsed: Duration = .zero
        ) {
            self.file = Masking.text(file)
            self.proofs = proofs
            self.title = title.map { Masking.text($0) }
            self.result =
                switch result {
                case .broken(let why): .broken(Masking.text(why))
                case .notChecked(let why): .notChecked(Masking.text(why))
                case .same, .different: result
                }
            self.elapsed = elapsed
        }
    }

    /// In the order of the report.
    public let cases: [Case]
    /// The numbers of cases with each result.
    public private(set) var same = 0, different = 0, notChecked = 0, broken = 0
    /// The results for all logs; nil if not requested.
    public private(set) var proofs: ReplayProofs?

    public init(_ cases: [Case]) {
        self.cases = cases
        if cases.contains(where: { $0.proofs != nil }) { proofs = ReplayProofs() }
        for entry in cases {
            if let found = entry.proofs { proofs? += found }
            switch entry.result {
            case .same: same += 1
            case .different: different += 1
            case .notChecked: notChecked += 1
            case .broken: broken += 1
            }
        }
    }

    /// "1000 logs: 998 the same, 1 different, 1 broken".
    public var summary: String {
        "\(cases.count) log\(cases.count == 1 ? "" : "s"): \(same) the same, \(different) different, \(broken) broken"
            + (notChecked == 0 ? "" : ", \(notChecked) not checked in full") + (proofs.map { "\n\($0.summary)" } ?? "")
    }

    /// The changes: a row for each, with its file in the first row. With proofs, also a row for
    /// each log, and one for each failed or missing check.
    public var table: [[String]] {
        var rows: [[String]] = []
        for entry in cases where entry.result != .same || entry.proofs != nil {
            let changes = changes(entry)
            rows += changes
            guard let proofs = entry.proofs else { continue }
            rows.append([changes.isEmpty ? Masking.plain(entry.file) : "", "proofs", proofs.summary, ""])
            rows += proofs.remarks.map { ["", "", $0, ""] }
        }
        return rows
    }

    private func changes(_ entry: Case) -> [[String]] {
        switch entry.result {
        case .same: []
        case .notChecked(let why): [[Masking.plain(entry.file), "not checked", why, ""]]
        case .broken(let why): [[Masking.plain(entry.file), "broken", why, ""]]
        case .different(let rows):
            rows.enumerated().map {
                [
                    $0.offset == 0 ? Masking.plain(entry.file) : "", $0.element.what, $0.element.logged,
                    $0.element.replayed,
                ]
            }
        }
    }
}

// MARK: - JSON

extension ReplaySuite {
    private struct Document: Encodable {
        struct Log: Encodable {
            let file: String
            let title: String?
            let result: String
            let changes: [ReplayChangeRow]?
            let problem: String?
            let proofs: ReplayProofs?
        }
        let same, notChecked, different, broken: Int
        let logs: [Log]
    }

    public func json() throws -> String {
        let logs = cases.map { entry in
            switch entry.result {
            case .same: log(entry, "same")
            case .notChecked(let why): log(entry, "not checked", problem: why)
            case .different(let rows): log(entry, "different", rows)
            case .broken(let why): log(entry, "broken", problem: why)
            }
        }
        let document = Document(same: same, notChecked: notChecked, different: different, broken: broken, logs: logs)
        return try JSONText.of(document)
    }

    private func log(_ entry: Case, _ result: String, _ changes: [ReplayChangeRow]? = nil, problem: String? = nil)
        -> Document.Log
    {
        Document.Log(
            file: entry.file, title: entry.title, result: result, changes: changes, problem: problem,
            proofs: entry.proofs)
    }
}

// MARK: - JUnit

extension ReplaySuite {
    /// As JUnit's XML, which continuous integration reads: a failure for a different log, an error
    /// for a broken log, a skipped test for a log that could not be checked completely.
    public func junit() -> String {
        let total = cases.reduce(Duration.zero) { $0 + $1.elapsed }
        let failures = cases.count { $0.isFailure }
        let counts =
            "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(broken)\" skipped=\"\(cases.count { $0.isSkipped })\" "
            + "time=\"\(XMLText.seconds(total))\""
        var text =
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites \(counts)>\n  <testsuite name=\"cardpresent replay\" \(counts)>\n"
        for entry in cases {
            let slash = entry.file.lastIndex(of: "/")
            let folder = slash.map { entry.file[..<$0] }.flatMap { $0.isEmpty ? nil : $0 } ?? "."
            let name = slash.map { entry.file[entry.file.index(after: $0)...] } ?? entry.file[...]
            text +=
                "    <testcase classname=\"\(XMLText.escaped(folder))\" name=\"\(XMLText.escaped(name))\" time=\"\(XMLText.seconds(entry.elapsed))\""
            if entry.isFailure, let proofs = entry.proofs, proofs.disproved > 0, entry.changedRows.isEmpty {
                let lines = proofs.remarks.joined(separator: "\n")
                text +=
                    ">\n      <failure message=\"\(XMLText.escaped(proofs.summary))\">\(XMLText.escaped(lines))</failure>\n    </testcase>\n"
                continue
            }
            switch entry.result {
            case .same where entry.isSkipped:
                let why = entry.proofs?.remarks.joined(separator: "; ") ?? ""
                text += ">\n      <skipped message=\"\(XMLText.escaped(why))\"/>\n    </testcase>\n"
            case .same: text += "/>\n"
            case .notChecked(let why):
                text += ">\n      <skipped message=\"not checked: \(XMLText.escaped(why))\"/>\n    </testcase>\n"
            case .different(let rows):
                let first = rows.first.map { "\($0.what): \($0.logged) in the log, \($0.replayed) now" } ?? "different"
                let lines = rows.map { "\($0.what): \($0.logged) in the log, \($0.replayed) now" }.joined(
                    separator: "\n")
                text +=
                    ">\n      <failure message=\"\(XMLText.escaped(first))\">\(XMLText.escaped(lines))</failure>\n    </testcase>\n"
            case .broken(let why):
                text += ">\n      <error message=\"\(XMLText.escaped(why))\"/>\n    </testcase>\n"
            }
        }
        return text + "  </testsuite>\n</testsuites>\n"
    }
}

extension ReplaySuite.Case {
    fileprivate var changedRows: [ReplayChangeRow] { if case .different(let rows) = result { rows } else { [] } }

    /// Whether it was replayed with differences or failed checks.
    fileprivate var isFailure: Bool {
        switch result {
        case .broken: false
        case .different: true
        case .same, .notChecked: (proofs?.disproved ?? 0) > 0
        }
    }

    /// Whether there are no differences and no failed checks, but missing checks.
    fileprivate var isSkipped: Bool {
        switch result {
        case .broken, .different: false
        case .notChecked: !isFailure
        case .same: !isFailure && (proofs?.notChecked ?? 0) > 0
        }
    }
}

extension ReplaySuite.Case {
    /// The case as strings for a worker's answer, without the file.
    public var fields: [String] {
        let (seconds, attoseconds) = elapsed.components
        let head = ["\(seconds)", "\(attoseconds)", title == nil ? "" : "title", title ?? "", proofs?.word ?? ""]
        return switch result {
        case .same: head + ["same"]
        case .notChecked(let why): head + ["not checked", why]
        case .broken(let why): head + ["broken", why]
        case .different(let rows): head + ["different"] + rows.flatMap { [$0.what, $0.logged, $0.replayed] }
        }
    }

    /// Nil if `fields` do not have the form of ``fields``.
    public init?(file: String, fields: [String]) {
        guard fields.count >= 6, let seconds = Int64(fields[0]), let attoseconds = Int64(fields[1]) else { return nil }
        let proofs = fields[4].isEmpty ? nil : ReplayProofs(word: fields[4])
        guard fields[4].isEmpty || proofs != nil else { return nil }
        let rest = fields[6...]
        let result: Result
        switch (fields[5], rest.count) {
        case ("same", 0): result = .same
        case ("not checked", 1): result = .notChecked(fields[6])
        case ("broken", 1): result = .broken(fields[6])
        case ("different", let count) where count > 0 && count % 3 == 0:
            result = .different(
                stride(from: 6, to: fields.count, by: 3).map {
                    ReplayChangeRow(what: fields[$0], logged: fields[$0 + 1], replayed: fields[$0 + 2])
                })
        default: return nil
        }
        self.init(
            file: file, title: fields[2].isEmpty ? nil : fields[3], result: result, proofs: proofs,
            elapsed: Duration(secondsComponent: seconds, attosecondsComponent: attoseconds))
    }
}
