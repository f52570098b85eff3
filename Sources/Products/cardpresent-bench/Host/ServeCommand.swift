import ArgumentParser
import BenchHost
import BenchHostServer
import Console
import Foundation
import Logging

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Serve the host until SIGTERM or SIGINT.",
        discussion: """
              cardpresent host serve
              cardpresent host serve --listen 0.0.0.0:8443 --certificate chain.pem --key key.pem
              cardpresent host serve --self-signed

            The XML interface is at /merchant/xmlpayment, the REST interface below /merchant/api/v1. \
            Amounts select the issuer's answer and the host's faults: docs/gateways.md.

            \(ExitStatus.explanation)
            """)

    @Option(help: ArgumentHelp("The address to listen at. Port 0 takes a free port.", valueName: "host:port"))
    var listen: String = "127.0.0.1:8080"

    @Option(help: ArgumentHelp("The certificate chain (PEM), for TLS. Required beyond loopback.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The certificate's key (PEM).", valueName: "file"))
    var key: String?

    @Flag(
        help: ArgumentHelp(
            "Use a certificate for loopback that is kept in the vault; made with openssl at the first start. Clients must trust its file."
        ))
    var selfSigned = false

    @Option(
        name: .customLong("card"),
        help: ArgumentHelp(
            "A card for the issuer, as a profile (docs/card-profile.md); may be repeated.", valueName: "file"))
    var cards: [String] = []

    @Flag(help: "Accept any card number, not only published test numbers. Never use a cardholder's card.")
    var anyCard = false

    @Flag(help: "Accept the old MD5 hash of the XML interface.")
    var legacyMd5 = false

    @Flag(help: "Switch off the amounts that cause host faults (45.67 and others).")
    var noFaults = false

    @Option(
        help: ArgumentHelp("Decline with 65 after this many payments with one card within an hour.", valueName: "count")
    )
    var velocity: Int?

    @Option(
        help: ArgumentHelp(
            "Decline with 94 a payment of the same amount with the same card within this time, unless it says that it is no duplicate. 0: never.",
            valueName: "seconds"))
    var duplicateWindow: UInt32 = 300

    @Flag(
        help: ArgumentHelp(
            "Decline a card whose transaction counter begins again (63), as that of a virtual card does when its program ends."
        ))
    var strictCounters = false

    @Flag(help: "Do not print a line for each request.")
    var quiet = false

    @OptionGroup var vault: VaultOptions

    func validate() throws {
        if selfSigned, certificate != nil || key != nil {
            throw ValidationError("--self-signed makes a certificate: leave out --certificate and --key")
        }
    }

    func run() async throws {
        try await reportingErrors {
            var rules = HostRules()
            rules.takesAnyCard = anyCard
            rules.playsFaults = !noFaults
            rules.takesCardsThatBeganAgain = !strictCounters
            rules.duplicateWindow = duplicateWindow == 0 ? nil : Int64(duplicateWindow)
            rules.velocity = velocity.map { HostRules.Velocity(count: $0, seconds: 3600) }
            let (hostname, port) = try address()
            let host = try vault.open(cards: cards, rules: rules)
            var configuration = BenchHostServer.Configuration(
                hostname: hostname, port: port, allowsLegacyMD5: legacyMd5)
            let own = selfSigned ? try ownCertificate(hostname) : nil
            configuration.certificate = try own?.files ?? certificatePair()
            configuration.logger = Logger(label: "host") { [quiet] _ in RequestLines(isQuiet: quiet) }
            let server = try BenchHostServer(host, configuration)
            guard try await !host.terminals().isEmpty else {
                throw InputError("no terminal is configured: add one with cardpresent host seed")
            }
            let scheme = configuration.certificate == nil ? "http" : "https"
            let name = hostname.contains(":") ? "[\(hostname)]" : hostname
            do {
                try await server.run(endsOnSignals: true) { [anyCard, own] port in
                    print(
                        "Bench host, for tests only\(anyCard ? "" : ": it accepts published test card numbers only").")
                    if let own { print("Certificate: \(InputFile.name(own.files.chain)), SHA-256 \(own.fingerprint)") }
                    print("Listening at \(scheme)://\(name):\(port)\(BenchHostServer.basePath)")
                    fflush(nil)
                }
            } catch {
                throw InputError("\(listen): cannot listen on this address: choose another port")
            }
            print("Stopped.")
        }
    }

    private func address() throws(InputError) -> (String, Int) {
        guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]),
            colon > listen.startIndex
        else {
            throw InputError("\(listen): not HOST:PORT: write it as 127.0.0.1:8080")
        }
        return (listen[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: "[]")), Int(port))
    }

    private func ownCertificate(_ hostname: String) throws -> SelfSignedCertificate {
        guard try BenchHostServer.isLoopback(hostname) else {
            throw InputError("--self-signed is for loopback: give --certificate and --key for other addresses")
        }
        return try SelfSignedCertificate(in: vault.vault)
    }

    private func certificatePair() throws -> (chain: String, key: String)? {
        switch (certificate, key) {
        case (let chain?, let key?): return (chain, key)
        case (nil, nil): return nil
        default: throw InputError("a certificate needs its key: give --certificate and --key")
        }
    }
}

/// One line on standard error for each request, and for each warning of the server: when, what, and
/// of which terminal and order.
private struct RequestLines: LogHandler {
    let isQuiet: Bool
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        // The server's own messages below a warning are not about payments.
        guard event.level >= .warning || !isQuiet && event.source == "BenchHostServer" else { return }
        let subject = (event.metadata ?? [:]).sorted { $0.key > $1.key }.map { "\($0.key) \($0.value)" }
        printError(([Date.now.ISO8601Format(), "\(event.message)"] + subject).joined(separator: " "))
    }
}
