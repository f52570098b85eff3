import Foundation
import Testing

/// The pages for integrators of other SDKs, held to the names of those SDKs: `ReplacedSDKs` has
/// them, one a line, by point of docs/requirements.md.
@Suite struct ReplacedSDKTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let pages = [
        "MovingFromASecureCardSDK", "MovingFromAnAcceptSDK", "MovingFromACheckoutSDK", "MovingFromECPSdk",
        "MovingFromCardinal",
    ]
    private static let declarations = Result { try PublicDeclarations(package: package) }

    private struct Row {
        /// What stands in backticks on the left.
        let theirs: [Substring]
        let ours: Substring
        let hasCounterpart: Bool
    }

    private static func rows(_ page: String) throws -> [Row] {
        let file = package.appending(path: "Sources/Products/CardPresent/CardPresent.docc/\(page).md")
        var hasCounterpart = true
        var rows: [Row] = []
        for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
            if line.hasPrefix("## ") { hasCounterpart = line != "## Without a counterpart" }
            guard line.hasPrefix("| "), !line.hasPrefix("| there |") else { continue }
            let cells = line.split(separator: "|")
            try #require(cells.count == 2, "\(page): \(line)")
            rows.append(
                Row(theirs: cells[0].matches(of: /`([^`]+)`/).map(\.1), ours: cells[1], hasCounterpart: hasCounterpart))
        }
        return rows
    }

    private static func names(_ page: String) throws -> [Substring] {
        let file = package.appending(path: "Tests/DocumentationTests/ReplacedSDKs/\(page).txt")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
            $0
        }
    }

    @Test("Each name of another SDK stands beside ours, or beside the reason why there is none", arguments: pages)
    func everyName(_ page: String) throws {
        let rows = try Self.rows(page)
        let named = Set(rows.flatMap { $0.theirs.map { $0.prefix { $0 != "(" } } })
        let names = try Self.names(page)
        #expect(names.count > 30)
        #expect(names.filter { !named.contains($0) } == [])
    }

    @Test("What stands beside a name of another SDK is a public declaration, or a reason", arguments: pages)
    func everyCounterpart(_ page: String) throws {
        let declarations = try Self.declarations.get()
        for row in try Self.rows(page) {
            guard row.hasCounterpart else {
                #expect(row.ours.count > 10, "\(page): \(row.theirs): no reason")
                continue
            }
            let ours = row.ours.matches(of: /`([^`]+)`/).compactMap { $0.1.firstMatch(of: /^[A-Za-z]\w*(?:\.\w+)*/)?.0 }
            #expect(ours.contains { declarations.contain($0) }, "\(page): \(row.ours)")
            // A name with its type is one of ours, and is to be right.
            for name in ours where name.contains(".") { #expect(declarations.contain(name), "\(page): \(name)") }
        }
    }

    /// One case of ours for each, and not one text for several.
    @Test("Progress, errors and reversals are mapped by case, or have a reason", arguments: ["A52", "A53", "A54"])
    func byCase(_ point: String) throws {
        let page = "MovingFromAnAcceptSDK"
        let file = Self.package.appending(path: "Tests/DocumentationTests/ReplacedSDKs/\(page).txt")
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        let start = try #require(lines.firstIndex(of: "# \(point)"))
        let cases = lines[(start + 1)...].prefix { !$0.hasPrefix("#") }
        #expect(cases.count == ["A52": 26, "A53": 32, "A54": 9][point])
        let rows = try Self.rows(page)
        for name in cases {
            let row = try #require(rows.last { $0.theirs.contains(name) }, "\(name)")
            #expect(
                !row.hasCounterpart || row.ours.contains(/`[A-Z]\w*(?:\.[A-Z]\w*)*\.[a-z]\w*/),
                "\(name) has no case beside it")
        }
    }

    @Test("The names of public declarations are read with their types, and others are not") func parser() {
        let source = """
            public enum Outer: String {
                case one, two(Int, String)
                enum Hidden { case no }
                public struct Inner { public let value: Int; private let other = "}" }
            }
            extension Outer.Inner {
                public func run(_ x: Int) { switch x { case .min: break; default: break } }
                func package() {}
            }
            public protocol Listener {
                func onMessage(_ text: String)
            }
            """
        #expect(
            PublicDeclarations.paths(in: source).map { $0.joined(separator: ".") } == [
                "Outer", "Outer.one", "Outer.two", "Outer.Inner", "Outer.Inner.run", "Listener", "Listener.onMessage",
            ])
    }
}
