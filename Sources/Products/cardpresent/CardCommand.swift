import ArgumentParser
import CardProfiles
import Console
import JSONDocument

struct CardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "card",
        abstract: "Make and look at profiles of virtual cards, serve the cards, and check any card.",
        subcommands: [CardMakeCommand.self, CardShowCommand.self, CardServeCommand.self, CardCheckCommand.self])
}

struct CardServeCommand: SiblingCommand {
    static let path = ["card", "serve"]
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract:
            "Insert a virtual card into a reader of the PC/SC service or of an emulated machine, or tap it at a terminal.",
        discussion: "cardpresent card serve --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct CardCheckCommand: SiblingCommand {
    static let path = ["card", "check"]
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Read a card as a terminal does, and report findings.",
        discussion: "cardpresent card check --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct CardShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Check a card profile and describe the card.",
        discussion: """
            A profile is a JSON document (docs/card-profile.md); errors name their place in it. The PAN is masked.

            EXAMPLES
              cardpresent card show Vectors/cards/maestro.json
              cardpresent sale 12.34 --card Vectors/cards/maestro.json

            \(ExitStatus.explanation)
            """)

    @Argument(help: "The profile; - reads it from standard input.")
    var file: String

    @Flag(help: "As JSON (docs/json.md).")
    var json = false

    /// The card for JSON.
    private struct Document: Encodable {
        struct Section: Encodable {
            let title: String
            let lines: [String]
        }

        let reason: String?
        let sections: [Section]
    }

    func run() throws {
        let profile: CardProfileFile
        do {
            profile = try Self.read(file)
        } catch {
            printError("\(error)")
            throw ExitCode(ExitStatus.failure)
        }
        if json {
            let sections = profile.summary.map { Document.Section(title: $0.title, lines: $0.lines) }
            return print(try JSONText.of(Document(reason: profile.reason, sections: sections)))
        }
        let console = Console()
        if let reason = profile.reason { print(reason) }
        for section in profile.summary {
            console.heading(section.title)
            for line in section.lines { print("  \(line)") }
        }
    }

    private static func read(_ path: String) throws(InputError) -> CardProfileFile {
        let text = try InputFile.text(path)
        do throws(DocumentError) {
            return try CardProfileFile(parsing: text)
        } catch {
            throw InputError(error.description(of: InputFile.name(path)))
        }
    }
}
