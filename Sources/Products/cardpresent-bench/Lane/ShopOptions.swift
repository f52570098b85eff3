import ArgumentParser
import Bytes
import CardCapture
import Console
import FoundationEssentials
import JSONDocument
import PaymentTerminal
import TerminalFiles
import VirtualCard

/// The terminal, and the host that it asks: the bench host with its vault, or a gateway.
struct ShopOptions: ParsableArguments {
    @Option(
        name: .customLong("vault"),
        help: ArgumentHelp(
            "The folder of the bench host's vault; created if it does not exist. Default: \(Self.defaultVault).",
            valueName: "folder"))
    var namedVault: String?

    static let defaultVault = "cardpresent-vault"

    @Option(
        help: ArgumentHelp(
            "The file with the vault's key, 64 hexadecimal digits; created if it does not exist. Default: the vault's name with .key.",
            valueName: "file"))
    var vaultKey: String?

    @Option(
        help: ArgumentHelp(
            "The configuration file of the terminal (docs/terminal-file.md). Default: a terminal of the bench, which accepts the virtual card.",
            valueName: "file"))
    var terminal: String?

    @Option(
        help: ArgumentHelp(
            "Write a log of the operation into this folder, without card data; the last 500 are kept. It is created if it does not exist.",
            valueName: "folder"))
    var log: String?

    @OptionGroup(title: "A gateway") var host: GatewayOptions

    func validate() throws {
        guard host.gateway != nil else { return }
        if namedVault != nil || vaultKey != nil {
            throw ValidationError("--vault and --vault-key are for the bench host: leave them out with --gateway")
        }
        if terminal == nil { throw ValidationError("--gateway needs --terminal: its file names the terminal") }
    }

    /// - Throws: ``InputError`` with the place in the file.
    func terminalFile() throws(InputError) -> TerminalFile? {
        guard let terminal else { return nil }
        do throws(DocumentError) {
            return try TerminalFile.load(terminal)
        } catch {
            throw InputError(error.description(of: terminal))
        }
    }

    func logFolder() throws(InputError) -> Terminal.PaymentLogFolder? {
        guard let log else { return nil }
        do throws(Terminal.PaymentLogFolder.Failure) {
            return try Terminal.PaymentLogFolder(path: log)
        } catch {
            throw InputError("\(log): \(error)")
        }
    }

    /// The host of the terminal in `file`.
    ///
    /// - Parameter cards: Those that the bench host's issuer knows besides the cards of the bench.
    func open(
        for file: TerminalFile?, cards: [CardProfile] = [], swipeKeys: SwipeDecryption? = nil
    ) async throws -> LaneHost {
        if let gateway = try await host.open(for: file) { return gateway }
        return try await LaneHost(
            benchIn: vaultFolder, vaultKey: try loadVaultKey(), cards: cards, swipeKeys: swipeKeys)
    }

    /// Does something with the terminal, without a reader.
    func withTerminal(callsIssuer: Bool = false, _ body: (Terminal) async throws -> Void) async throws {
        let file = try terminalFile()
        let host = try await open(for: file)
        var configuration = file?.terminal ?? .bench
        configuration.paymentLog = try logFolder() ?? configuration.paymentLog
        configuration.callsIssuer = callsIssuer
        try await host.with(
            Terminal(configuration: configuration, host: host.host, journal: host.journal), body)
        try host.close()
    }

    /// The key of the vault, which is created if it does not exist. Before one is created at the
    /// default path, a note says so.
    private func loadVaultKey() throws(InputError) -> SecretBytes {
        if namedVault == nil, InputFile.identity(vault) == nil {
            printError(
                "the vault \(vault) and its key \(vaultKeyFile.relativePath) are created in this folder; --vault names another"
            )
        }
        return try VaultKeyFile.load(vaultKeyFile)
    }

    /// Where the virtual card keeps its counter: beside the vault, or the journal of a gateway.
    var counterFolder: URL { URL(filePath: host.journal ?? vault) }

    private var vault: String { namedVault ?? Self.defaultVault }
    private var vaultFolder: URL { URL(filePath: vault) }
    private var vaultKeyFile: URL { vaultKey.map { URL(filePath: $0) } ?? URL(filePath: vault + ".key") }
}
