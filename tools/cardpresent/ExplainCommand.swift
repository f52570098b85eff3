import ArgumentParser
import Bytes
import CardCryptography
import Console
import EMVExplanation
import EMVReplay
import FoundationEssentials
import Reports
import SmartCard
import TraceImport

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Say what happened in a captured APDU log: verdict, phases, every byte.",
        discussion: """
            The log is a trace (docs/trace-format.md) or what other tools write (cardpresent convert --help names them). What is broken in it is passed over and named.
            Certificates and signatures are checked with the published test keys in Vectors/keys, or with those of --ca-keys; cryptograms with --issuer-key, or with the
            test key that the log itself names. Card data are masked unless --show-card-data is given, a PIN always.

            EXAMPLES
              cardpresent explain Vectors/traces/visa-contact-online.apdu
              cardpresent explain --html case17.html case17.apdu
              cardpresent explain --ca-keys my-keys.tsv --issuer-key 2315208C9110AD402315208C9110AD40 case17.apdu

            The exit status is 1 if a line is broken, or if a certificate, a signature or a cryptogram is wrong.

            \(ExitStatus.explanation)
            """)

    @Argument(help: "The log; - reads it from standard input.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "The form of the log: trace, pairs, pcscd, pcsc-spy, opensc, proxmark or usbmon. Default: found out.", valueName: "format"))
    var from: LogFormat?

    @Option(help: "A file of certification authority public keys.")
    var caKeys: String?

    @Option(
        help: "The issuer's master key for application cryptograms, 32 hexadecimal digits, with AES also 48 or 64. For test cards only.")
    var issuerKey: String?

    @Option(help: "How cryptograms are made, for example visa-10; without it, as the card says in tag 9F10.")
    var cryptogramVersion: String?

    @Option(help: "Write one page of HTML to this file, which needs nothing else.")
    var html: String?

    @Option(help: "The folder of CardPresent's vectors.")
    var vectors: String?

    @Flag(help: "Show PANs, tracks and names in full. For test cards only.")
    var showCardData = false

    @Flag(help: "Write the explanation as one JSON document.")
    var json = false

    func validate() throws {
        if cryptogramVersion != nil, issuerKey == nil { throw ValidationError("--cryptogram-version goes with --issuer-key") }
        if let cryptogramVersion, IssuerKeyMaterial.versions[cryptogramVersion] == nil {
            throw ValidationError(
                "--cryptogram-version is one of: \(IssuerKeyMaterial.versions.keys.sorted().joined(separator: ", "))")
        }
    }

    func run() throws {
        let explanation: Explanation
        let isWhole: Bool
        do {
            (explanation, isWhole) = try explained()
            if let html { try OutputFile.replace(html, with: ExplanationPage(explanation).html) }
            if json {
                print(try explanation.json())
            } else if html == nil {
                ExplanationConsole(Console()).print(ExplanationText(explanation).lines)
            } else {
                print(explanation.verdict.sentence)
            }
        } catch {
            printError("\(error)")
            throw ExitCode(ExitStatus.failure)
        }
        if !isWhole || explanation.evidence.contains(where: { !$0.isVerified }) { throw ExitCode(ExitStatus.negative) }
    }

    /// The explanation, and whether every line of the log could be read.
    private func explained() throws -> (Explanation, isWhole: Bool) {
        let bytes = try InputFile.bytes(file, maximumSize: LogImport.maximumSize)
        let log: LogImport
        do throws(LogProblem) {
            log = try LogImport(bytes, format: from, brokenParts: .skipped, hiddenDigits: .zeros)
        } catch {
            throw InputError("\(InputFile.name(file)): \(error)")
        }
        for problem in log.problems { printError("\(InputFile.name(file)): \(problem)") }
        let unread = log.problems.map { problem in
            if case .line(let line) = problem.place { return Explanation.Oddity(line: line, text: problem.what) }
            return Explanation.Oddity(line: nil, text: "\(problem)")
        }
        let issuer = try issuerKey.map(issuerMaterial) ?? IssuerKeyMaterial(log.trace)
        let explanation = Explanation(log.trace, caKeys: try keys(), issuer: issuer, unread: unread, isRedacted: !showCardData)
        return (explanation, log.problems.isEmpty)
    }

    private func issuerMaterial(_ hex: String) throws(InputError) -> IssuerKeyMaterial {
        guard let bytes = try? [UInt8](hex: hex), [16, 24, 32].contains(bytes.count) else {
            throw InputError("--issuer-key wants 32 hexadecimal digits, with AES also 48 or 64")
        }
        return IssuerKeyMaterial(masterKey: SecretBytes(bytes), version: cryptogramVersion.flatMap { IssuerKeyMaterial.versions[$0] })
    }

    /// The keys that are given, which must be there; without them the published ones, if their folder is found.
    private func keys() throws -> [CAPublicKey] {
        if let caKeys { return try Self.keys(caKeys) }
        if let vectors { return try Self.keys(Self.published(in: VectorFolder.find(vectors))) }
        guard let folder = try? VectorFolder.find() else { return [] }
        return try Self.keys(Self.published(in: folder))
    }

    private static func published(in folder: URL) -> String { folder.appending(path: "keys/ca-test-keys.tsv").path(percentEncoded: false) }

    private static func keys(_ path: String) throws -> [CAPublicKey] {
        do {
            return try CAPublicKeyFile.parse(InputFile.text(path))
        } catch let error as CAPublicKeyFileError {
            throw InputError("\(InputFile.name(path)): \(error)")
        }
    }
}
