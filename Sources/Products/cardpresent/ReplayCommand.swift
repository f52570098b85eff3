import ArgumentParser
import CardCryptography
import Console
import EMVExplanation
import EMVReplay
import Reports
import SmartCard
private import TLV
import TraceImport

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Run our kernels over captured APDU logs and compare them with the logs' terminals.",
        discussion: """
            The log answers as the card. What the terminal was (amount, date, unpredictable number, \
            limits …) comes from the log's own GET PROCESSING OPTIONS and GENERATE AC data, or from \
            its head; the kernel decides everything about the card again, and the TVR that it sends \
            shows whether its result is the same.

            A contactless log (PPSE, TTQ or commands that only contactless kernels have; else, bit 8 of \
            the second byte of the AIP) is for Entry Point and the kernel of its application: 2, 3, 4 \
            or 7, and 8 if the log's head has the terminal's private key (kernel-8-key), or \
            --kernel-8-key. A card that is presented several times has a verdict for each presentation, or the \
            reason why it cannot be replayed. A log of another kernel is not replayed, and the report says so; \
            it still shows what the keys prove.

            A log is a trace (docs/trace-format.md) or what other tools write (cardpresent convert \
            --help names them). A file of CA keys has lines "[scheme] RID index exponent modulus \
            [check sum]"; without --ca-keys the published test keys in Vectors/keys are used.

            One log is shown in detail. Of several, or of a folder and its subfolders (files ending in .apdu, .trace, \
            .log, .txt, .pcap and .pcapng), a table shows what changed. The comparison is by meaning: the outcome, \
            with what the log's head expects, and the decisions that the log has; with --strict, it is also of every \
            command and its data. Each log is replayed in a process of its own: one that crashes or takes longer than \
            --time-limit is shown as broken, and the others have their results.

            The report of one log shows what the keys prove: certificates, signatures, cryptograms, ARPC. \
            Of many, --prove counts what is proved, what is disproved and what could not be checked, and lists \
            the last two. --show-card-data is for --explain: everything else is always masked.

            EXAMPLES
              cardpresent replay Vectors/traces/visa-contact-online.apdu
              cardpresent replay --ca-keys my-keys.tsv --explain case17.apdu
              cardpresent replay --prove my-logs
              cardpresent replay --strict --junit results.xml my-logs

            A certificate without its CA key is not checked: the log's own result counts then, and the \
            report says so. A contactless log whose kernel would decide by that certificate is not replayed. Codes \
            that only the issuer's key can prove (ARQC, TC, CVC3) are not checked without it.

            The exit status is 1 if something differs from a log (the outcome, a TVR, a TSI, CVM results, the type of a \
            cryptogram) or is disproved (in a contactless log, and with --prove in any), 2 if a log could not be read or \
            replayed to its end, and 3 if everything is the same but something could not be checked or replayed.

            \(ExitStatus.explanation)
            """)

    @Argument(help: "Logs, and folders of logs; - reads one from standard input.")
    var paths: [String]

    @OptionGroup var options: LogOptions

    @OptionGroup var authorities: CAKeyOptions

    @OptionGroup var channel: Kernel8KeyOption

    @Flag(help: "Compare every command and its data, not only what they mean.")
    var strict = false

    @Flag(
        help:
            "Also check the certificates, cryptograms and ARPC of many logs, and count them; a disproved one counts as different."
    )
    var prove = false

    @Option(help: "How many logs are replayed at the same time. Default: one for each processor.")
    var jobs: Int?

    @Option(help: ArgumentHelp("How long one of many logs may take.", valueName: "seconds"))
    var timeLimit: UInt32?

    @Option(help: ArgumentHelp("Write the results as JUnit XML to this file.", valueName: "file"))
    var junit: String?

    @Flag(help: "Explain every command and answer of one log, data object by data object.")
    var explain = false

    @OptionGroup var cardData: CardDataOption

    @Flag(help: "Write the result as one JSON document.")
    var json = false

    func validate() throws {
        if let jobs, !(1...256).contains(jobs) { throw ValidationError("--jobs is a number from 1 to 256") }
        if let timeLimit, !(1...86_400).contains(timeLimit) {
            throw ValidationError("--time-limit is a number from 1 to 86400")
        }
        if !isSuite, jobs != nil || timeLimit != nil {
            throw ValidationError("--jobs and --time-limit are for many logs")
        }
        if json && explain {
            throw ValidationError("--explain is text: leave out --json, or use `cardpresent explain --json`")
        }
        if prove && !isSuite {
            throw ValidationError("--prove is for many logs: the report of one always shows what the keys prove")
        }
        if explain && isSuite { throw ValidationError("--explain is for one log") }
        if paths.count > 1 && paths.contains("-") { throw ValidationError("- must be the only log") }
    }

    /// Whether there is more than one log, or one is reported like many.
    var isSuite: Bool { paths.count > 1 || junit != nil || FileTree.isFolder(paths[0]) }

    func run() async throws {
        do {
            try await runOne(paths[0], try authorities.keys(), try channel.keys())
        } catch {
            throw Self.reported(error)
        }
    }

    /// Replays many logs. To be called while the process has one thread (``WorkerPool``).
    func runSuite() throws {
        do {
            try runWorkers()
        } catch {
            throw Self.reported(error)
        }
    }

    private static func reported(_ error: any Error) -> ExitCode {
        if let code = error as? ExitCode { return code }
        printError(Masking.text("\(error)"))
        return ExitCode(ExitStatus.failure)
    }

    private var strictness: ReplayStrictness { strict ? .bytes : .meaning }

    // MARK: One log

    private func runOne(_ file: String, _ keys: [CAPublicKey], _ kernel8Keys: [String]) async throws {
        let log = try options.read(file)
        let trace = log.trace.completed(withKernel8Keys: kernel8Keys)
        var replayed: [Replayed] = []
        for transaction in trace.replayedTransactions {
            do {
                let report = try await Replay.run(transaction, caKeys: keys)
                let evidence = Evidence.examine(transaction, caKeys: keys, issuer: IssuerKeyMaterial(trace))
                replayed.append(Replayed(trace: transaction, report: report, evidence: evidence))
            } catch {
                throw InputError("\(InputFile.name(file)): \(error)")
            }
        }
        if json {
            try printJSON(replayed)
        } else {
            printText(replayed, isRedacted: !cardData.areShown(trace, of: file))
        }
        if let cut = replayed.first(where: \.report.isCutShort) {
            throw InputError("\(InputFile.name(file)): \(ReplayRun.cutShort(cut.report))")
        }
        if replayed.contains(where: { $0.isDifferent(strictness) }) { throw ExitCode(ExitStatus.negative) }
        if !log.problems.isEmpty || !replayed.allSatisfy(\.isChecked) { throw ExitCode(ExitStatus.notChecked) }
    }

    /// One transaction of the log, replayed.
    private struct Replayed {
        let trace: APDUTrace
        let report: ReplayReport
        let evidence: [Evidence]

        /// The evidence of a contactless log is in its signatures and codes, for which the kernel
        /// has no phase: one that is wrong counts as different.
        func isDifferent(_ strictness: ReplayStrictness) -> Bool {
            !report.changes(strictness).isEmpty || report.isContactless && evidence.contains(where: \.isDisproved)
        }

        var isChecked: Bool {
            report.notChecked.isEmpty && (!report.isContactless || evidence.allSatisfy(\.isVerified))
        }
    }

    private func printJSON(_ replayed: [Replayed]) throws {
        let documents = replayed.map {
            ReplayDocument($0.trace, report: $0.report, evidence: $0.evidence, strictness: strictness)
        }
        print(try documents.count == 1 ? documents[0].json() : ReplayDocument.json(documents))
    }

    private func printText(_ replayed: [Replayed], isRedacted: Bool) {
        let console = Console()
        for (place, transaction) in replayed.enumerated() {
            if replayed.count > 1 { console.heading("Transaction \(place + 1) of \(replayed.count)") }
            if explain {
                let explanation = Explanation(transaction.trace, isRedacted: isRedacted)
                ExplanationConsole(console).print(ExplanationText(explanation).conversation)
            }
            ReplayText(console).print(
                transaction.trace, report: transaction.report, evidence: transaction.evidence, strictness: strictness)
        }
    }

    // MARK: Many

    private func runWorkers() throws {
        let run = ReplayRun(
            options: options, caKeys: try authorities.keys(), kernel8Keys: try channel.keys(), strictness: strictness,
            proves: prove)
        let files = try FileTree.files(paths, extensions: ["apdu", "trace", "log", "txt", "pcap", "pcapng"])
        guard !files.isEmpty else { throw InputError("\(paths.joined(separator: ", ")): no logs found") }
        let progress = Progress(total: files.count)
        let suite = try ReplayWorkers(run: run, limit: timeLimit ?? 60).replay(files, jobs: jobs, progress)
        progress.end()
        if let junit { try OutputFile.replace(junit, with: suite.junit()) }
        if json {
            print(try suite.json())
        } else {
            Console().table(["log", "what", "in the log", "now"], suite.table)
            print(suite.summary)
        }
        if suite.broken > 0 { throw ExitCode(ExitStatus.failure) }
        if suite.different > 0 || suite.proofs.map({ $0.disproved > 0 }) ?? false {
            throw ExitCode(ExitStatus.negative)
        }
        if suite.notChecked > 0 || suite.proofs.map({ $0.notChecked > 0 }) ?? false {
            throw ExitCode(ExitStatus.notChecked)
        }
    }
}
