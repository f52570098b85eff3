import Foundation
import Testing

/// The scripts of `cardpresent --generate-completion-script`, against what each executable says of
/// its commands and options (`--experimental-dump-help` of argument-parser).
@Suite("Shells complete every command and every option", .timeLimit(.minutes(20))) struct CompletionTests {
    /// A command with the names of its options, as an executable describes it.
    private struct Command: Decodable {
        struct Argument: Decodable {
            struct Name: Decodable {
                let kind, name: String
            }

            let names: [Name]?
            let shouldDisplay: Bool
        }

        let commandName: String
        let arguments: [Argument]?
        let subcommands: [Command]?

        var options: [String] {
            (arguments ?? []).filter(\.shouldDisplay).flatMap { $0.names ?? [] }.filter { $0.kind == "long" }.map(
                \.name)
        }

        /// Each command without subcommands, and its options.
        func leaves(_ path: [String] = []) -> [[String]: [String]] {
            guard let subcommands, !subcommands.isEmpty else { return [path: options] }
            return subcommands.filter { $0.commandName != "help" }.reduce(into: [:]) { leaves, command in
                leaves.merge(command.leaves(path + [command.commandName])) { $1 }
            }
        }
    }

    private struct Description: Decodable {
        let command: Command
    }

    /// Of all executables: what the one that runs a command says counts before the one that starts it.
    private static func commands(_ place: Workspace) async throws -> [[String]: [String]] {
        var commands: [[String]: [String]] = [:]
        for name in ["cardpresent", "cardpresent-bench"] {
            let run = try await place.run(Executables.path(name), ["--experimental-dump-help"])
            let leaves = try JSONDecoder().decode(Description.self, from: Data(run.output.utf8)).command.leaves()
            for path in leaves.keys {
                for ancestor in path.indices { commands[Array(path[..<ancestor])] = nil }
            }
            commands.merge(leaves) { $1 }
        }
        return commands
    }

    /// The part of the script that has the options of one command.
    private static func part(_ script: String, _ shell: String, _ path: [String]) -> Substring? {
        guard shell != "fish" else {
            let lines = script.split(separator: "\n").filter {
                $0.contains("\"cardpresent \(path.joined(separator: " "))\"")
            }
            return lines.isEmpty ? nil : Substring(lines.joined(separator: "\n"))
        }
        guard let start = script.range(of: "\n_cardpresent_\(path.joined(separator: "_"))() {") else { return nil }
        return script[start.upperBound...].range(of: "\n}").map { script[start.upperBound..<$0.lowerBound] }
    }

    @Test("A script has each subcommand with each of its options", arguments: ["bash", "zsh", "fish"])
    func everyOption(_ shell: String) async throws {
        try await inWorkspace { place in
            let commands = try await Self.commands(place)
            // The commands of docs/commands.md, and those below them.
            #expect(commands.count >= 35)
            #expect(commands[["sale"]]?.contains("token") == true)
            #expect(commands[["device", "package", "make"]]?.contains("maker") == true)
            #expect(commands[["plan"]] == nil)
            let run = try await place.run("--generate-completion-script", shell)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.errors.isEmpty, "\(run.errors)")
            for (path, options) in commands {
                let part = try #require(Self.part(run.output, shell, path), "\(path)")
                for option in options {
                    let word = shell == "fish" ? "-l '\(option)'" : "--\(option)"
                    #expect(part.contains(word), "\(path) \(option)")
                }
            }
        }
    }

    /// In fish, the words before the cursor are parsed by cases: each with the options of its
    /// command.
    @Test("The fish script tells the commands of all executables apart by their options")
    func fishCases() async throws {
        try await inWorkspace { place in
            let run = try await place.run("--generate-completion-script=fish")
            let lines = run.output.split(separator: "\n")
            for (path, options) in try await Self.commands(place) {
                let margin = String(repeating: " ", count: 8 + 4 * (path.count - 1))
                let cases = lines.indices.filter { lines[$0] == "\(margin)case '\(path[path.count - 1])'" }
                let isThere = cases.contains { index in
                    options.allSatisfy { lines[index + 1].contains("'\($0)") || lines[index + 1].contains("/\($0)") }
                }
                #expect(isThere, "\(path)")
            }
        }
    }

    @Test(
        "bash offers the options and values of a command of another executable",
        arguments: [
            ("cardpresent sale --t", ["--terminal", "--token", "--trace", "--trust", "--tap", "--tap-reader"]),
            ("cardpresent device package ch", ["check"]),
            ("cardpresent card serve --vp", ["--vpcd", "--vpcd-address"]),
            ("cardpresent host inspect --o", ["--order"]),
        ]) func bash(_ line: String, _ offered: [String]) async throws
    {
        try await inWorkspace { place in
            let run = try await place.run("--generate-completion-script", "bash")
            let script = try place.file("completions", run.output)
            let words = line.split(separator: " ").map { "'\($0)'" }
            let completed = try await place.run(
                "/bin/bash",
                [
                    "-c",
                    """
                    . "$0"; COMP_LINE='\(line)'; COMP_POINT=${#COMP_LINE}; COMP_WORDS=(\(words.joined(separator: " ")))
                    COMP_CWORD=\(words.count - 1); _cardpresent cardpresent \(words[words.count - 1]) \(words[words.count - 2])
                    printf '%s\\n' "${COMPREPLY[@]}"
                    """, script,
                ])
            let found = completed.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(Set(found) == Set(offered), "\(completed.output)\(completed.errors)")
        }
    }

    @Test("A shell that is unknown is refused") func unknownShell() async throws {
        try await inWorkspace { place in
            let run = try await place.run("--generate-completion-script", "tcsh")
            #expect(run.status == 64)
            #expect(run.output.isEmpty)
        }
    }
}
