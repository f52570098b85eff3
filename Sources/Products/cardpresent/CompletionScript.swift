import ArgumentParser

/// The script with which a shell completes the words of `cardpresent`.
///
/// Each executable generates a script of its own commands. The commands of the sibling are in the
/// script of this executable, too, but without their subcommands and options. As all scripts are of
/// a program `cardpresent`, the parts of such a command are replaced by those in the sibling's
/// script.
struct CompletionScript {
    private let shell: CompletionShell
    private var lines: [Substring]

    /// For this executable and its sibling.
    static func text(for shell: CompletionShell) throws -> String {
        var script = CompletionScript(shell, CardPresentCommand.completionScript(for: shell))
        let other = CompletionScript(
            shell, try Sibling.output(["--generate-completion-script", shell.rawValue]))
        for command in siblingCommands(in: CardPresentCommand.self) { script.take(command.path, from: other) }
        return script.lines.joined(separator: "\n")
    }

    private static func siblingCommands(in command: any ParsableCommand.Type) -> [any SiblingCommand.Type] {
        command.configuration.subcommands.flatMap { subcommand in
            (subcommand as? any SiblingCommand.Type).map { [$0] } ?? siblingCommands(in: subcommand)
        }
    }

    private init(_ shell: CompletionShell, _ text: String) {
        self.shell = shell
        lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    private mutating func take(_ path: [String], from other: CompletionScript) {
        if shell == .fish {
            replace([words(of: path)].compactMap { $0 }, by: [other.words(of: path)].compactMap { $0 }, in: other)
            replace(completions(of: path), by: other.completions(of: path), in: other)
        } else {
            replace(functions(of: path), by: other.functions(of: path), in: other)
        }
    }

    /// - Parameters:
    ///   - ranges: In ascending order.
    ///   - others: The ranges of the other script that take their place.
    private mutating func replace(_ ranges: [Range<Int>], by others: [Range<Int>], in other: CompletionScript) {
        guard let first = ranges.first, !others.isEmpty else { return }
        for range in ranges.reversed() { lines.removeSubrange(range) }
        lines.insert(contentsOf: others.flatMap { other.lines[$0] }, at: first.lowerBound)
    }

    /// In bash and zsh, a command and its subcommands have a function each.
    private func functions(of path: [String]) -> [Range<Int>] {
        let name = "_cardpresent_\(path.joined(separator: "_"))"
        return lines.indices.filter {
            lines[$0] == "\(name)() {" || lines[$0].hasPrefix("\(name)_") && lines[$0].hasSuffix("() {")
        }
        .compactMap { start in lines[start...].firstIndex(of: "}").map { start..<$0 + 1 } }
    }

    /// In fish, one function tells commands apart: a case for each, and within it those of its
    /// subcommands.
    private func words(of path: [String]) -> Range<Int>? {
        path.enumerated().reduce(lines.indices as Range<Int>?) { range, step in
            let margin = String(repeating: " ", count: 8 + 4 * step.offset)
            guard let range, let start = lines[range].firstIndex(of: "\(margin)case '\(step.element)'") else {
                return nil
            }
            return start..<(lines[range][(start + 1)...].firstIndex { !$0.hasPrefix("\(margin) ") } ?? range.upperBound)
        }
    }

    /// In fish, each word that may be completed has a line, with the command's path in quotation
    /// marks.
    private func completions(of path: [String]) -> [Range<Int>] {
        let path = "\"cardpresent \(path.joined(separator: " "))"
        return lines.indices.filter { index in
            lines[index].hasPrefix("complete ")
                && (lines[index].contains("\(path)\"") || lines[index].contains("\(path) "))
        }.map { $0..<$0 + 1 }
    }
}

extension CompletionScript {
    /// The shell whose script the arguments request; nil if they request none.
    static func requested(_ arguments: some Collection<String>) -> CompletionShell? {
        let option = "--generate-completion-script"
        guard let first = arguments.first else { return nil }
        if first.hasPrefix("\(option)=") { return CompletionShell(rawValue: String(first.dropFirst(option.count + 1))) }
        guard first == option else { return nil }
        guard let name = arguments.dropFirst().first else { return CompletionShell.autodetected() }
        return CompletionShell(rawValue: name)
    }
}
