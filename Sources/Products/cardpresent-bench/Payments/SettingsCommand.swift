import ArgumentParser
import Console
import PaymentTerminal
import TerminalMessages

struct SettingsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Show what the host says of the terminal: merchant, currencies, limits.",
        discussion: ExitStatus.explanation)

    @Flag(help: "As JSON (docs/terminal-messages.md).")
    var json = false

    @OptionGroup var shop: ShopOptions

    func run() async throws {
        try await reportingErrors {
            try await shop.withTerminal { terminal in
                let settings = try await terminal.settings()
                if json { return JSONText.show(TerminalMessage(.settings(settings)).json) }
                print("Merchant       \(settings.merchantName)")
                print("Terminal       \(settings.terminalID)")
                let currencies = settings.currencies.map { $0.map(\.code).joined(separator: " ") }
                print("Currencies     \(currencies ?? "not told")")
                if !settings.customFields.isEmpty {
                    print("Custom fields  \(settings.customFields.joined(separator: ", "))")
                }
                if let most = settings.maximumAmount { print("Maximum        \(most)") }
            }
        }
    }
}
