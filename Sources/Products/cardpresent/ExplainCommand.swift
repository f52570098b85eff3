import ArgumentParser
import Bytes
import CardCapture
import CardCryptography
import Console
import EMVExplanation
import EMVReplay
import PaymentTerminal
import Reports
import SmartCard
private import TLV
import TraceImport

struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a captured APDU log: verdict, phases, every byte.",
        discussion: """
            The log is a trace (docs/trace-format.md) or what other tools write (cardpresent convert \
            --help names them). Broken lines are skipped and reported. Certificates and signatures are \
            checked with the published test keys in Vectors/keys, or with those of --ca-keys; \
            cryptograms with --issuer-key, or with the test key that the log itself names. Card data \
            are masked unless --show-card-data is given, and even then if the log has a card number \
            that is not a published test number; a PIN is always masked.

            EXAMPLES
              cardpresent explain Vectors/traces/visa-contact-online.apdu
              cardpresent explain --html case17.html case17.apdu
              cardpresent explain --transaction 12 --html case12.html day.log
              cardpresent explain --diff good.apdu bad.apdu
              cardpresent explain --ca-keys my-keys.tsv --issuer-key 2315208C9110AD402315208C9110AD40 case17.apdu

            The exit status is 1 if a line is broken, or if a certificate, a signature or a \
            cryptogram is wrong, and 3 if none is and one could not be checked: a missing CA key \
            proves nothing either way. With --diff it is 0 if nothing differs but values that are new in each \
            transaction (unpredictable numbers, counters, cryptograms, dates), and 1 if something else does, \
            or if a line of a log is broken.

            \(ExitStatus.explanation)
            """)

    @Argument(help: "The log; - reads it from standard input.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "Compare this log with the other one: the first difference, then command by command.", valueName: "file"))
    var diff: String?

    @Option(
        help: ArgumentHelp("Explain only this transaction of a log with several, counted from 1.", valueName: "number"))
    var transaction: Int?

    @OptionGroup var format: LogFormatOption

    @OptionGroup var authorities: CAKeyOptions

    @OptionGroup var channel: Kernel8KeyOption

    @Option(
        help:
            "The issuer's master key for application cryptograms, 32 hexadecimal digits, with AES also 48 or 64. For test cards only."
    )
    var issuerKey: String?

    @Option(help: "The cryptogram version, for example visa-10. Default: the one in tag 9F10.")
    var cryptogramVersion: String?

    @Option(
        help:
            "Write one self-contained HTML page to this file. For several transactions it is an index, and each has a page beside it."
    )
    var html: String?

    @OptionGroup var cardData: CardDataOption

    @Flag(help: "Write the explanation as one JSON document.")
    var json = false

    func validate() throws {
        if let transaction, transaction < 1 { throw ValidationError("--transaction is a number from 1 on") }
        if diff != nil, transaction != nil { throw ValidationError("--transaction and --diff exclude each other") }
        if cryptogramVersion != nil, issuerKey == nil {
            throw ValidationError("--cryptogram-version requires --issuer-key")
        }
        if let cryptogramVersion, IssuerKeyMaterial.versions[cryptogramVersion] == nil {
            throw ValidationError(
                "--cryptogram-version is one of: \(IssuerKeyMaterial.versions.keys.sorted().joined(separator: ", "))")
        }
    }

    func run() throws {
        if let diff { return try compare(diff) }
        let log: ExplainedLog
        let isWhole: Bool
        do {
            (log, isWhole) = try explained()
            try ExplainOutput(log: log, origin: origin([file])).write(page: html, isJSON: json)
        } catch {
            printError(Masking.text("\(error)"))
            throw ExitCode(ExitStatus.failure)
        }
        let states = Set(log.transactions.flatMap(\.evidence).map(\.state))
        if states.contains(.disproved) { throw ExitCode(ExitStatus.negative) }
        if !isWhole || states.contains(.notChecked) { throw ExitCode(ExitStatus.notChecked) }
    }

    private func compare(_ other: String) throws {
        let (isSame, isWhole): (Bool, Bool)
        do {
            let (left, right) = (try read(other), try read(file))
            let keys = try authorities.keysIfAny()
            let key = try issuerKey.map(issuerMaterial)
            let isRedacted = !cardData.areShown(left.trace, of: other) || !cardData.areShown(right.trace, of: file)
            let comparison = ExplanationComparison(
                left.trace, with: right.trace, caKeys: keys,
                issuers: (key ?? IssuerKeyMaterial(left.trace), key ?? IssuerKeyMaterial(right.trace)),
                isRedacted: isRedacted)
            try ExplainComparison(comparison: comparison, isRedacted: isRedacted, origin: origin([other, file])).write(
                page: html, isJSON: json)
            (isSame, isWhole) = (comparison.isSame, left.problems.isEmpty && right.problems.isEmpty)
        } catch {
            printError(Masking.text("\(error)"))
            throw ExitCode(ExitStatus.failure)
        }
        if !isSame { throw ExitCode(ExitStatus.negative) }
        if !isWhole { throw ExitCode(ExitStatus.notChecked) }
    }

    private func origin(_ files: [String]) -> PageOrigin {
        PageOrigin(
            logs: files.map { Masking.text(InputFile.name($0)) }, version: Terminal.libraryVersion,
            date: Timestamp.now().date)
    }

    /// Reads the log at `path`, with the keys that it lacks, and reports its broken parts on
    /// standard error.
    private func read(_ path: String) throws -> (trace: APDUTrace, problems: [LogProblem]) {
        let log = try format.read(path, brokenParts: .skipped, hiddenDigits: .zeros)
        for problem in log.problems { printError(Masking.text("\(InputFile.name(path)): \(problem)")) }
        return (log.trace.completed(withKernel8Keys: try channel.keys()), log.problems)
    }

    /// The explanation, and whether every line of the log could be read.
    private func explained() throws -> (ExplainedLog, isWhole: Bool) {
        let log = try read(file)
        let unread = log.problems.map { problem in
            if case .line(let line) = problem.place {
                return Explanation.Oddity(line: line, text: problem.reason.description)
            }
            return Explanation.Oddity(line: nil, text: "\(problem)")
        }
        let issuer = try issuerKey.map(issuerMaterial) ?? IssuerKeyMaterial(log.trace)
        let explained = ExplainedLog(
            log.trace, caKeys: try authorities.keysIfAny(), issuer: issuer, unread: unread, transaction: transaction,
            isRedacted: !cardData.areShown(log.trace, of: file))
        guard let explained else {
            throw InputError("\(InputFile.name(file)): the log has no transaction \(transaction ?? 0)")
        }
        return (explained, log.problems.isEmpty)
    }

    private func issuerMaterial(_ hex: String) throws(InputError) -> IssuerKeyMaterial {
        guard let bytes = try? [UInt8](hex: hex), [16, 24, 32].contains(bytes.count) else {
            throw InputError("--issuer-key needs 32 hexadecimal digits, with AES also 48 or 64")
        }
        return IssuerKeyMaterial(
            masterKey: SecretBytes(bytes), version: cryptogramVersion.flatMap { IssuerKeyMaterial.versions[$0] })
    }
}
