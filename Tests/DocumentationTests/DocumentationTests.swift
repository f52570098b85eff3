import Foundation
import Testing

@Suite("Samples, links and lines of the documents") struct DocumentationTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private var package: URL { Self.package }

    /// Tests as the conformance table names them, `Suite/test`, found in the sources of the tests.
    private static let existingTests: Result<Set<String>, any Error> = Result {
        var names: Set<String> = []
        let folder = package.appending(path: "Tests")
        let files = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            var (suite, isSuite) = ("", false)
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                // A long name stands on a line of its own.
                isSuite = isSuite || line.contains("@Suite") || line.hasPrefix("extension ")
                if isSuite, let match = line.firstMatch(of: /(?:struct|extension) (\w+)/) {
                    (suite, isSuite) = (String(match.1), false)
                } else if line.contains("func "), let match = line.firstMatch(of: /func (\w+)\(/) {
                    names.insert("\(suite)/\(match.1)")
                }
            }
        }
        return names
    }

    @Test(arguments: [
        "docs/conformance.md", "docs/conformance-contactless.md", "docs/requirements.md", "docs/simulation.md",
    ])
    func everyTestNamedInConformanceExists(document: String) throws {
        let table = try String(contentsOf: package.appending(path: document), encoding: .utf8)
        let named = Set(table.matches(of: /`(\w+Tests\/\w+)`/).map { String($0.1) })
        #expect(named.count > 40, "the table names its tests")
        #expect(named.subtracting(try Self.existingTests.get()).sorted() == [])
    }

    /// The points that the names of tests begin with, such as `G17` and `A39`, are those of the
    /// page, and each row of it has a state.
    @Test func everyPointOfATestIsARequirement() throws {
        let page = try String(contentsOf: package.appending(path: "docs/requirements.md"), encoding: .utf8)
        let row = /(?m)^\| ([ACEGI][0-9]+) \|.*\| (shown|part: [^|]+|open: [^|]+|not possible here: [^|]+) \| .* \|$/
        let rows = page.matches(of: row).map { String($0.1) }
        #expect(Set(rows).count == rows.count, "one row a point")
        #expect(rows.count > 60, "one row a point")
        #expect(page.matches(of: /(?m)^\| [A-Z][0-9]+ \|/).count == rows.count, "every row has a state")
        var points: Set<String> = []
        let files = FileManager.default.enumerator(
            at: package.appending(path: "Tests"), includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            let text = try String(contentsOf: file, encoding: .utf8)
            for name in text.matches(of: /@Test\(\s*"((?:[ACEGI][0-9]{1,2}(?: to)?[ ,:]+)+)/) {
                points.formUnion(name.1.matches(of: /[ACEGI][0-9]{1,2}/).map { String($0.0) })
            }
        }
        #expect(points.subtracting(rows).sorted() == [])
    }

    /// Every point that the five SDKs ask for, shown or not: a number that is left out here is of no
    /// SDK.
    @Test func everyPointHasARow() throws {
        let page = try String(contentsOf: package.appending(path: "docs/requirements.md"), encoding: .utf8)
        let rows = Set(page.matches(of: /(?m)^\| ([ACEGI][0-9]+) \|/).map { String($0.1) })
        var points: Set<String> = []
        for (letter, last, none) in [
            ("G", 40, [35, 39]), ("A", 69, [55]), ("E", 34, [17]), ("I", 22, [9]), ("C", 12, [3]),
        ] {
            points.formUnion((1...last).filter { !none.contains($0) }.map { "\(letter)\($0)" })
        }
        #expect(points.count == 171)
        #expect(points.subtracting(rows).sorted() == [])
        #expect(rows.subtracting(points).sorted() == [])
    }

    /// The README's two commands, and every file that a document points to, are there.
    @Test func documentsPointToWhatExists() throws {
        for document in [
            "README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/trace-format.md", "docs/performance.md",
            "docs/card-profile.md", "docs/conformance-contactless.md", "tools/README.md", "docs/receipts.md",
            "docs/status.md", "docs/commands.md", "docs/embedding.md", "docs/requirements.md",
        ] {
            let text = try String(contentsOf: package.appending(path: document), encoding: .utf8)
            for match in text.matches(of: /\b((?:docs|tools|Vectors)\/[\w\/.-]*\w)/) {
                let path = String(match.1)
                #expect(
                    FileManager.default.fileExists(atPath: package.appending(path: path).path(percentEncoded: false)),
                    "\(document): \(path)")
            }
        }
    }

    /// Tables, pictures, headings and indented or fenced samples may be wider.
    @Test func proseWrapsAtOneHundredColumns() throws {
        var documents = 0
        let files = FileManager.default.enumerator(
            at: package, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "md" else { continue }
            documents += 1
            var isSample = false
            let lines = try String(contentsOf: file, encoding: .utf8).split(
                separator: "\n", omittingEmptySubsequences: false)
            for (index, line) in lines.enumerated() {
                if line.drop(while: { $0 == " " }).hasPrefix("```") { isSample.toggle() }
                guard !isSample, line.firstMatch(of: /^(\||!\[|#|    )/) == nil else { continue }
                #expect(line.count <= 100, "\(file.lastPathComponent):\(index + 1)")
            }
        }
        #expect(documents > 30)
    }
}
