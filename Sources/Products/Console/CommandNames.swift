package import ArgumentParser

/// A mistyped command: the parser would call it an unexpected argument.
package enum CommandNames {
    /// Ends the process if a word in the place of a command is none.
    package static func refuseUnknown(of root: (some ParsableCommand).Type) {
        guard let complaint = complaint(root, CommandLine.arguments.dropFirst()) else { return }
        CommandEnd.exit(root, with: ValidationError(complaint))
    }

    /// What to say of the first word that is no command; nil if all words before the options are.
    private static func complaint(_ root: any ParsableCommand.Type, _ words: some Sequence<String>) -> String? {
        var command = root
        var path = "cardpresent"
        for word in words {
            let names = command.configuration.subcommands.map { name(of: $0) }
            guard !names.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            guard let place = names.firstIndex(of: word) else { return complaint(word, names, path) }
            command = command.configuration.subcommands[place]
            path += " \(word)"
        }
        return nil
    }

    private static func complaint(_ word: String, _ names: [String], _ path: String) -> String {
        // Anything may stand there, a card number too.
        let isWord = word.utf8.count <= 20 && word.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-") }
        let problem = "\(path) has no command \(isWord ? "\"\(word)\"" : "of that name")"
        // The letters to remove and to insert: two for a wrong one, two for two that are exchanged.
        let nearest = names.map { (name: $0, distance: Array($0).difference(from: Array(word)).count) }.min {
            $0.distance < $1.distance
        }
        guard isWord, let nearest, nearest.distance <= 3 || nearest.name.hasPrefix(word) else {
            return "\(problem): `\(path) --help` lists them"
        }
        return "\(problem): did you mean \"\(nearest.name)\"?"
    }

    private static func name(of command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? "\(command)".lowercased()
    }
}
