import Foundation

/// The public declarations that the umbrellas bring, read from the sources: `Terminal.processSale`,
/// `ReversalReason.cardDeclined`.
struct PublicDeclarations {
    private var endings: Set<String> = []

    /// - Parameter package: The folder of the package.
    init(package: URL) throws {
        var modules: Set<String> = []
        for umbrella in ["CardPresent", "CardBench"] {
            let file = package.appending(path: "Sources/Products/\(umbrella)/\(umbrella).swift")
            for export in try String(contentsOf: file, encoding: .utf8).matches(
                of: /@_exported public import (?:(?:struct|enum|class|protocol) )?(\w+)/)
            {
                modules.insert(String(export.1))
            }
            modules.insert(umbrella)
        }
        for module in modules.union(Self.importsOfTheirOwn) {
            let files = FileManager.default.enumerator(
                at: package.appending(path: "Sources"), includingPropertiesForKeys: nil)
            while let file = files?.nextObject() as? URL {
                guard file.pathExtension == "swift", file.pathComponents.contains(module) else { continue }
                for path in Self.paths(in: try String(contentsOf: file, encoding: .utf8)) { add(path) }
            }
        }
    }

    /// What no umbrella brings.
    private static let importsOfTheirOwn: Set = [
        "Printing", "Peripherals", "Counter", "Basket", "TillRecords", "Outbox", "Mail", "IPG", "PaymentPage",
        "ThreeDSecure", "BenchThreeDSecure", "WebShopGateways", "BackOffice", "BackOfficeStore",
    ]

    /// Whether a public declaration has this name, its types before it or not.
    func contain(_ path: Substring) -> Bool { endings.contains(String(path)) }

    private mutating func add(_ path: [String]) {
        for start in path.indices { endings.insert(path[start...].joined(separator: ".")) }
    }

    private enum Scope {
        case type(String, isEnum: Bool, opens: Bool)
        case other
    }

    /// The names of the public declarations of a file, each with those of its types.
    static func paths(in source: String) -> [[String]] {
        var paths: [[String]] = []
        var scopes: [Scope] = []
        var next = Scope.other
        let declaration =
            /^\s*(?:@\w+(?:\([^)]*\))?\s+)*(?<modifiers>(?:[a-z]+(?:\(set\))?\s+)*?)(?<kind>struct|enum|class|actor|protocol|extension|func|var|let|case|typealias|init)\b\s*(?<name>[\w.]*)/
        let strings = /"""(?s).*?"""|"(?:\\.|[^"\\\n])*"/
        for line in source.replacing(strings, with: "\"\"").split(separator: "\n") {
            let code = line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex)
            if let match = code.firstMatch(of: declaration) {
                let names = scopes.compactMap { if case .type(let name, _, _) = $0 { name } else { nil } }
                let isPublic = match.modifiers.contains("public") || match.modifiers.contains("open")
                var opens = isPublic
                if !isPublic, match.modifiers.isEmpty, case .type(_, _, true)? = scopes.last { opens = true }
                switch match.kind {
                case "struct", "enum", "class", "actor", "protocol":
                    if isPublic { paths.append(names + [String(match.name)]) }
                    next = .type(
                        String(match.name), isEnum: match.kind == "enum", opens: isPublic && match.kind == "protocol")
                case "extension": next = .type(String(match.name), isEnum: false, opens: isPublic)
                case "case":
                    guard case .type(_, true, _)? = scopes.last, paths.contains(names) else { break }
                    for name in cases(code) { paths.append(names + [name]) }
                default: if opens { paths.append(names + [match.kind == "init" ? "init" : String(match.name)]) }
                }
            }
            for character in code {
                if character == "{" {
                    scopes.append(next)
                    next = .other
                } else if character == "}" {
                    _ = scopes.popLast()
                }
            }
        }
        return paths
    }

    /// `case a(Int), b = 1` to `a` and `b`.
    private static func cases(_ code: Substring) -> [String] {
        var depth = 0
        var parts = [""]
        for character in code.drop(while: { $0 == " " }).dropFirst("case ".count) {
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if character == ",", depth == 0 { parts.append("") } else { parts[parts.count - 1].append(character) }
        }
        return parts.compactMap { $0.firstMatch(of: /\w+/).map { String($0.0) } }
    }
}
