import ArgumentParser
import Bytes
import CardCryptography
import Console
import EMVKernel
import JSONDocument
import PaymentTerminal
import TerminalFiles

struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Check and show the configuration file of a terminal.",
        subcommands: [ConfigCheckCommand.self, ConfigShowCommand.self])
}

struct ConfigCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check", abstract: "Check a configuration file and describe the terminal.",
        discussion: """
            An error names its place in the document (docs/terminal-file.md). CA keys are read from the file that \
            the document names; a test key is an error for a terminal in production.

            EXAMPLES
              cardpresent config check /etc/pos/terminal.json

            \(ExitStatus.explanation)
            """)

    @Argument(help: "The configuration file.")
    var file: String

    @Flag(help: "As JSON.")
    var json = false

    private struct Document: Encodable {
        let merchant, terminal, currency, mode: String
        let country, applications, contactlessApplications, caKeys: Int

        init(_ file: TerminalFile) {
            merchant = file.terminal.merchantName
            terminal = file.terminal.terminalID
            currency = file.terminal.currency.code
            mode = "\(file.terminal.mode)"
            country = Int(file.kernel.countryCode)
            applications = file.kernel.applications.count
            contactlessApplications = file.contactless.count
            caKeys = file.kernel.caKeys.count
        }
    }

    func run() throws {
        let found = try TerminalFile.loaded(file)
        let (terminal, kernel) = (found.terminal, found.kernel)
        let testKeys = kernel.caKeys.filter(\.isTest).count
        if terminal.mode == .production, testKeys > 0 {
            printError(
                "\(file): caKeys: \(testKeys) test keys, and the mode is production: remove them, or set terminal.mode to test"
            )
            throw ExitCode(ExitStatus.failure)
        }
        guard !json else { return print(try JSONText.of(Document(found))) }
        print(
            "\(terminal.merchantName), terminal \(terminal.terminalID), \(terminal.currency), country \(kernel.countryCode)"
        )
        print(
            "mode \(terminal.mode), \(counted(kernel.applications.count, "application")) by contact, \(found.contactless.count) contactless, "
                + "\(kernel.caKeys.count) CA keys")
        if kernel.caKeys.isEmpty { print("note: without CA keys no card can be authenticated offline (caKeys)") }
    }
}

struct ConfigShowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a configuration with its defaults, or a starting point.",
        discussion: """
            EXAMPLES
              cardpresent config show > terminal.json        a starting point
              cardpresent config show terminal.json          with the defaults of the keys that it leaves out

            \(ExitStatus.explanation)
            """)

    @Argument(help: "The configuration file; without one, an attended terminal for euros is shown.")
    var file: String?

    func run() throws {
        let shown: TerminalFile
        if let file {
            shown = try TerminalFile.loaded(file)
        } else {
            shown = TerminalFile(
                terminal: Terminal.Configuration(merchantName: "Corner Shop", terminalID: "LANE0001", currency: .euro),
                kernel: .attended(countryCode: 276, caKeys: []))
        }
        print(shown.json, terminator: "")
    }
}

extension TerminalFile {
    /// Loads the file; prints an error and ends the command if it is invalid.
    fileprivate static func loaded(_ path: String) throws -> TerminalFile {
        do throws(DocumentError) {
            return try load(path, createsLogFolder: false)
        } catch {
            printError(error.description(of: path))
            throw ExitCode(ExitStatus.failure)
        }
    }
}
