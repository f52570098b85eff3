package import ArgumentParser
private import TLV

#if canImport(Glibc)
    private import Glibc
#elseif canImport(Musl)
    private import Musl
#endif

/// How a process runs a command and ends.
///
/// What the parser of arguments says of words that were typed or pasted is masked as our own
/// messages are, since any of them may be a card number.
package enum CommandEnd {
    /// Runs the command of the process's arguments.
    package static func run(_ root: (some AsyncParsableCommand).Type) async -> Never {
        do {
            let command = try await root.asyncParseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                var command = command
                try command.run()
            }
            root.exit()
        } catch {
            exit(root, with: error)
        }
    }

    /// Ends the process as `root` would, with the same text on the same stream and the same status.
    package static func exit(_ root: (some ParsableCommand).Type, with error: any Error) -> Never {
        let code = root.exitCode(for: error)
        // Help and versions have nothing of what was typed.
        guard !code.isSuccess else { root.exit(withError: error) }
        let text = root.fullMessage(for: error)
        if !text.isEmpty {
            _ = FileDescriptor.writeAll(
                STDERR_FILENO, Array("\(shown(text, of: Array(CommandLine.arguments.dropFirst())))\n".utf8))
        }
        root.exit(withError: code)
    }

    /// `text`, a message of several lines about `arguments`, without card numbers and without
    /// characters that steer a terminal.
    static func shown(_ text: String, of arguments: [String]) -> String {
        var text = text
        // A line's end in an argument would otherwise begin a line of the message.
        for argument in arguments.flatMap({ [$0] + $0.split(separator: "=", maxSplits: 1).dropFirst().map(String.init) }
        ) {
            let clean = Masking.text(argument)
            if clean != argument { text = text.replacing(argument, with: clean) }
        }
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line($0) }.joined(separator: "\n")
    }

    private static func line(_ line: Substring) -> String {
        // Of a number that was pasted in groups, the parser lists the groups.
        let joined = line.replacing("', '", with: " ")
        let masked = Masking.text(joined)
        return masked == Masking.plain(joined) ? Masking.text(line) : masked
    }
}
