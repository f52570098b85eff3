import ArgumentParser
import Bytes
import Console
import JSONDocument
import Printing

struct PrintModelsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "models", abstract: "List the printers whose commands are known, and where that is from.")

    @Option(
        help: ArgumentHelp("A file of further profiles.", valueName: "file"), completion: .file(extensions: ["json"]))
    var profiles: String?

    @Flag(help: "As JSON: a file for --profiles.")
    var json = false

    func run() async throws {
        try await reportingErrors {
            let all = try ProfileOptions.all(profiles)
            guard !json else { return print(JSON.object(["profiles": .list(all.map(\.document))]).formatted) }
            for profile in all {
                let columns = profile.fonts.map { "\($0.name) \($0.columns)" }.joined(separator: ", ")
                print("\(profile.id)  \(profile.maker) \(profile.name)".onOneLine())
                print("  \(profile.language.rawValue), \(profile.dots) dots, columns \(columns)")
                print("  \(profile.abilities); \(profile.source)".onOneLine())
            }
        }
    }
}

extension PrinterProfile {
    fileprivate var abilities: String {
        [
            cut == .none ? "no knife" : "\(cut.rawValue) cut", hasDrawer ? "drawer" : "no drawer", "QR \(qr.rawValue)",
            marksEnd ? "says when it has printed" : "does not say when it has printed",
        ].joined(separator: ", ")
    }

    /// As in a file of profiles.
    fileprivate var document: JSON {
        .object([
            "id": .text(id), "maker": .text(maker), "name": .text(name), "language": .text(language.rawValue),
            "dots": .number(dots),
            "fonts": .list(fonts.map { .object(["name": .text($0.name), "columns": .number($0.columns)]) }),
            "tables": .list(
                codeTables.map { .object(["name": .text($0.table.name), "number": .number($0.number)]) }),
            "cut": .text(cut.rawValue), "drawer": .flag(hasDrawer), "qr": .text(qr.rawValue),
            "marker": .flag(marksEnd), "status": .text(status.rawValue), "source": .text(source),
        ])
    }
}
