import ArgumentParser
import Console
import Gateways
import PaymentTerminal
import TerminalFiles
import TerminalJournal

/// A gateway in place of the bench host, and the journal of what it is asked.
struct GatewayOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Ask this gateway in place of the bench host: https://HOST/merchant, or http on loopback (docs/gateways.md). It needs --terminal, which names the terminal, its journal, and the API key (REST) or the secret (XML).",
            valueName: "url"))
    var gateway: String?

    @Option(
        help: ArgumentHelp("The file with the gateway's API key: its REST interface is used.", valueName: "file"),
        completion: .file())
    var apiKeyFile: String?

    @Option(
        help: ArgumentHelp(
            "The file with the secret that the terminal shares with the gateway: its XML interface is used.",
            valueName: "file"),
        completion: .file())
    var xmlSecretFile: String?

    @Flag(help: "For a terminal with several currencies: the hash of payments over XML covers the currency.")
    var hashCoversCurrency = false

    @Option(
        help: ArgumentHelp(
            "Trust the certificates in this file (PEM), in place of the system's.", valueName: "file"),
        completion: .file())
    var trust: String?

    @Option(
        help: ArgumentHelp("The folder of the journal; created if it does not exist.", valueName: "folder"),
        completion: .directory)
    var journal: String?

    @Option(
        help: ArgumentHelp("The file with the journal's key, 64 hexadecimal digits.", valueName: "file"),
        completion: .file())
    var journalKey: String?

    func validate() throws {
        guard gateway != nil else {
            if apiKeyFile != nil || xmlSecretFile != nil || hashCoversCurrency || trust != nil || journal != nil
                || journalKey != nil
            {
                throw ValidationError(
                    "--api-key-file, --xml-secret-file, --hash-covers-currency, --trust, --journal and --journal-key are for a --gateway"
                )
            }
            return
        }
        guard (apiKeyFile == nil) != (xmlSecretFile == nil) else {
            throw ValidationError(
                "give the gateway's API key with --api-key-file, or its secret with --xml-secret-file")
        }
        if hashCoversCurrency, xmlSecretFile == nil {
            throw ValidationError("--hash-covers-currency is for the XML interface: leave it out with --api-key-file")
        }
        guard journal != nil, journalKey != nil else {
            throw ValidationError(
                "a gateway charges: give the folder of the journal with --journal, its key with --journal-key")
        }
    }

    /// The gateway and the journal; nil without a gateway.
    func open(for file: TerminalFile?) async throws -> LaneHost? {
        guard let gateway, let journal, let journalKey else { return nil }
        guard let file else { throw InputError("--gateway needs --terminal: its file names the terminal") }
        let options = ConnectionOptions(trustedCertificates: trust)
        let host: any PaymentHost
        if let apiKeyFile {
            host = try RESTGateway(gateway, for: file, apiKeyFile: apiKeyFile, options: options)
        } else if let xmlSecretFile {
            host = try XMLGateway(
                gateway, for: file, secretFile: xmlSecretFile, hasSeveralCurrencies: hashCoversCurrency,
                options: options)
        } else {
            return nil
        }
        return LaneHost(host, journal: try await SQLiteJournal.open(folder: journal, keyFile: journalKey))
    }
}
