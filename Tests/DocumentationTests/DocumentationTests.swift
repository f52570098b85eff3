import Foundation
import Testing

@Suite struct DocumentationTests {
    private let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// Tests as the conformance table names them, `Suite/test`, found in the sources of the tests.
    private func existingTests() throws -> Set<String> {
        var names: Set<String> = []
        let folder = package.appending(path: "Tests")
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        while let file = files?.nextObject() as? URL {
            guard file.pathExtension == "swift" else { continue }
            var suite = ""
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                if let match = line.firstMatch(of: /@Suite.*struct (\w+)/) {
                    suite = String(match.1)
                } else if let match = line.firstMatch(of: /func (\w+)\(/) {
                    names.insert("\(suite)/\(match.1)")
                }
            }
        }
        return names
    }

    @Test(arguments: ["docs/conformance.md", "docs/conformance-contactless.md"])
    func everyTestNamedInConformanceExists(document: String) throws {
        let table = try String(contentsOf: package.appending(path: document), encoding: .utf8)
        let named = Set(table.matches(of: /`(\w+Tests\/\w+)`/).map { String($0.1) })
        #expect(named.count > 40, "the table names its tests")
        #expect(named.subtracting(try existingTests()).sorted() == [])
    }

    /// The README's two commands, and every file that a document points to, are there.
    @Test func documentsPointToWhatExists() throws {
        for document in [
            "README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/trace-format.md", "docs/performance.md", "docs/card-profile.md",
            "docs/conformance-contactless.md",
            "docs/receipts.md", "docs/status.md", "docs/commands.md", "docs/embedding.md",
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
}
