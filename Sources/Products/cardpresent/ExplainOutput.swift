import Console
import EMVExplanation
import Reports

/// The output of `explain` for a log: the explanation of one transaction, or an index and all
/// explanations.
struct ExplainOutput {
    let log: ExplainedLog
    let origin: PageOrigin

    /// - Parameters:
    ///   - path: The path of the page; nil for no page.
    ///   - isJSON: Whether standard output gets JSON.
    func write(page path: String?, isJSON: Bool) throws {
        if let path { try writePages(path) }
        if isJSON { return try printJSON() }
        let console = ExplanationConsole(Console())
        guard log.transactions.count > 1 else {
            if path == nil { console.print(ExplanationText(log.transactions[0])) } else { print(log.index[0].sentence) }
            return
        }
        console.print(log.indexLines)
        guard path == nil else { return }
        for (row, explanation) in zip(log.index, log.transactions) {
            console.print([ExplanationText.Line(.heading, "Transaction \(row.number)")])
            console.print(ExplanationText(explanation))
        }
    }

    private func printJSON() throws {
        guard log.transactions.count > 1 else { return print(try log.transactions[0].json()) }
        // One after the other: the JSON of a long log is many times larger than the log.
        print("{\n\"version\": \(JSONText.version),\n\"transactions\": [")
        for (place, explanation) in log.transactions.enumerated() {
            print(try explanation.json() + (place + 1 < log.transactions.count ? "," : ""))
        }
        print("]\n}")
    }

    /// `day.html` is the index, `day-1.html` and so on the transactions.
    private func writePages(_ path: String) throws(InputError) {
        guard log.transactions.count > 1 else {
            return try OutputFile.replace(path) { write throws(InputError) in
                try ExplanationPage(log.transactions[0], origin: origin).write(write)
            }
        }
        let isNamed = path.lowercased().hasSuffix(".html")
        let stem = isNamed ? String(path.dropLast(5)) : path
        let paths = log.index.map { "\(stem)-\($0.number).html" }
        for (path, explanation) in zip(paths, log.transactions) {
            try OutputFile.replace(path) { write throws(InputError) in
                try ExplanationPage(explanation, origin: origin).write(write)
            }
        }
        let names = paths.map { path in
            String(path[(path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex)...])
        }
        try OutputFile.replace(path) { write throws(InputError) in
            try LogIndexPage(log, pages: names.map(Self.reference), origin: origin).write(write)
        }
    }

    /// A file's name as a relative reference (RFC 3986, 4.2).
    private static func reference(_ name: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        let digits = Array("0123456789ABCDEF")
        return name.utf8.map {
            plain.contains($0) ? String(UnicodeScalar($0)) : "%\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])"
        }.joined()
    }
}
