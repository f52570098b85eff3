import Foundation
import Testing

/// The help of every command, as its executable describes it (`--experimental-dump-help` of
/// argument-parser).
@Suite("Help is wrapped by the terminal alone", .timeLimit(.minutes(20))) struct HelpParagraphTests {
    private struct Command: Decodable {
        struct Argument: Decodable {
            let abstract, discussion: String?
        }

        let commandName: String
        let abstract, discussion: String?
        let arguments: [Argument]?
        let subcommands: [Command]?

        /// This command and those below it, with their full names.
        func all(_ path: String = "") -> [(name: String, command: Command)] {
            let name = path + commandName
            return [(name, self)] + (subcommands ?? []).flatMap { $0.all(name + " ") }
        }
    }

    private struct Description: Decodable {
        let command: Command
    }

    @Test(
        "A paragraph is one line: another end of line would be in its middle where the terminal is narrower",
        arguments: ["cardpresent", "cardpresent-bench"])
    func paragraphs(_ executable: String) async throws {
        try await inWorkspace { place in
            let run = try await place.run(Executables.path(executable), ["--experimental-dump-help"])
            let commands = try JSONDecoder().decode(Description.self, from: Data(run.output.utf8)).command.all()
            #expect(commands.count > 3)
            for (name, command) in commands {
                let lines = (command.discussion ?? "").split(separator: "\n", omittingEmptySubsequences: false)
                // Headings are followed by indented lines.
                for (line, next) in zip(lines, lines.dropFirst()) where line.first.map({ $0 != " " }) ?? false {
                    #expect(next.first.map { $0 == " " } ?? true, "\(name): \(line)")
                }
                for argument in command.arguments ?? [] {
                    #expect(!(argument.abstract ?? "").contains("\n"), "\(name)")
                    #expect(!(argument.discussion ?? "").contains("\n"), "\(name)")
                }
                #expect(!(command.abstract ?? "").contains("\n"), "\(name)")
            }
        }
    }
}
