import ArgumentParser
import BenchHost
import Bytes
import CardCryptography
import Console
import PaymentTerminal

struct SeedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "seed", abstract: "Add or change a terminal and generate its keys.",
        discussion: """
            Prints the terminal's secret for the XML interface, and an API key for the REST \
            interface if requested. Both are shown only once.

              cardpresent host seed --terminal BENCH001 --merchant "Corner Shop" --currency EUR --api-key till

            \(ExitStatus.explanation)
            """)

    @Option(help: ArgumentHelp("The terminal's id, 1 to 50 characters.", valueName: "id"))
    var terminal: String

    @Option(help: ArgumentHelp("The merchant's name on receipts.", valueName: "name"))
    var merchant: String = "CARDPRESENT BENCH"

    @Option(
        help: ArgumentHelp("A currency that the terminal accepts; may be repeated. Default: all.", valueName: "code"))
    var currency: [String] = []

    @Option(help: ArgumentHelp("A custom field of payments and secure cards; may be repeated.", valueName: "name"))
    var customField: [String] = []

    @Option(help: ArgumentHelp("The maximum amount of one payment: \"1000.00 EUR\".", valueName: "amount"))
    var maximum: String?

    @Option(
        help: ArgumentHelp(
            "Create an API key of this name for the terminal; it replaces the previous one.", valueName: "alias"))
    var apiKey: String?

    @Flag(help: "For a terminal with several currencies: the hash of payments over XML covers the currency.")
    var hashCoversCurrency = false

    @Flag(help: "As JSON.")
    var json = false

    @OptionGroup var vault: VaultOptions

    private struct Document: Encodable {
        let terminal, xmlSecret: String
        let apiKey: String?
    }

    func run() async throws {
        try await reportingErrors {
            guard (1...50).contains(terminal.utf8.count) else {
                throw InputError("a terminal's id has 1 to 50 characters")
            }
            let currencies = try currency.map { code in
                guard let currency = Currency(code: code) else {
                    throw InputError("\(code): \(MoneyError.unknownCurrency)")
                }
                return currency
            }
            var settings = HostSettings(
                merchantName: merchant, terminalID: terminal,
                currencies: currencies.isEmpty ? Currency.all : currencies,
                customFields: customField)
            settings.maximumAmount = try maximum.map { try Money(parsing: $0) }
            let host = try vault.open()
            let secret = SecureRandom.bytes(16).hex.lowercased()
            try await host.save(
                BenchTerminal(
                    settings: settings, secret: SecretBytes(secret.utf8), hashCoversCurrency: hashCoversCurrency))
            var key: String?
            if let apiKey {
                key = String(
                    decoding: try await host.makeAPIKey(alias: apiKey, terminals: [terminal]).revealed(), as: UTF8.self)
            }
            guard !json else {
                return print(try JSONText.of(Document(terminal: terminal, xmlSecret: secret, apiKey: key)))
            }
            print("terminal    \(terminal)")
            print("XML secret  \(secret)")
            if let key { print("API key     \(key)") }
        }
    }
}
