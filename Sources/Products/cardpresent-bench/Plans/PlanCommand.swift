import ArgumentParser
import CardProfiles
import Console
import FoundationEssentials
import JSONDocument
import Reports
import SmartCard
import TLV

/// Test plans: `run` and `list`.
struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan", abstract: "Run a list of test cases, and write a report.",
        subcommands: [PlanRunCommand.self, PlanListCommand.self])
}

/// The path of a plan, and the selected cases.
struct PlanOptions: ParsableArguments {
    @Argument(help: "The plan (docs/test-plans.md).")
    var plan: String

    @Option(help: ArgumentHelp("Only cases whose name or clause contains this text.", valueName: "text"))
    var filter: String?

    func load() throws -> TestPlan {
        let folder = URL(filePath: plan).deletingLastPathComponent()
        let text = try InputFile.text(plan)
        do throws(DocumentError) {
            return try TestPlan(parsing: text) { name in
                try InputFile.text(URL(filePath: name, relativeTo: folder).path(percentEncoded: false))
            }
        } catch {
            throw InputError(error.description(of: InputFile.name(plan)))
        }
    }

    func cases(of plan: TestPlan) throws(InputError) -> [TestCase] {
        guard let filter else { return plan.cases }
        let cases = plan.cases.filter {
            $0.name.lowercased().contains(filter.lowercased()) || $0.clause.lowercased().contains(filter.lowercased())
        }
        guard !cases.isEmpty else {
            throw InputError("no case has \"\(filter)\" in its name or clause: `cardpresent plan list` lists them")
        }
        return cases
    }
}

struct PlanListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the cases of a plan, with the clause that each tests.",
        discussion: """
            EXAMPLES
              cardpresent plan list Vectors/plans/contact.json --filter 10.5
              cardpresent plan list --json Vectors/plans/contact.json

            \(ExitStatus.explanation)
            """)

    @OptionGroup var options: PlanOptions

    @Flag(help: "As JSON (docs/json.md).")
    var json = false

    /// The cases for JSON.
    private struct Document: Encodable {
        struct Case: Encodable {
            let name, clause: String
            let reason: String?
        }

        let title: String
        let cases: [Case]
    }

    func run() async throws {
        try await reportingErrors {
            let plan = try options.load()
            let cases = try options.cases(of: plan)
            guard json else {
                return Console().table(
                    ["case", "clause"], cases.map { [Masking.plain($0.name), Masking.plain($0.clause)] })
            }
            let entries = cases.map { test in
                Document.Case(
                    name: Masking.text(test.name), clause: Masking.text(test.clause),
                    reason: test.reason.map { Masking.text($0) })
            }
            print(try JSONText.of(Document(title: Masking.text(plan.title), cases: entries)))
        }
    }
}

struct PlanRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract:
            "Run the cases of a plan, with virtual cards or cards in a reader, and report each difference from what is expected.",
        discussion: """
            EXAMPLES
              cardpresent plan run Vectors/plans/contact.json
              cardpresent plan run --html report.html --junit report.xml Vectors/plans/contact.json
              cardpresent plan run --filter 10.5 --traces failed plan.json
              cardpresent plan run --reader pcsc:Alcor --ca-keys keys.tsv cards-on-my-desk.json

            The kernel runs each case with the card, the terminal, the cardholder and the issuer of the plan (docs/test-plans.md). \
            A case with the card "inReader" waits for a card in --reader; without the option it is not run. Each run makes new keys. \
            The report is a test report, not a certificate.

            EXIT STATUS
              0   every case passed
              1   a case failed, or could not be completed
              2   not done: the plan cannot be read, a file cannot be written
              3   no case failed, but one at least was not run
              64  wrong usage
            """)

    @OptionGroup var options: PlanOptions

    @Option(help: ArgumentHelp("Write an HTML page to this file.", valueName: "file"))
    var html: String?

    @Option(help: ArgumentHelp("Write JUnit XML to this file.", valueName: "file"))
    var junit: String?

    @Flag(help: "Write the report as one JSON document.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Write the conversation of each case that failed into this folder, card data masked.", valueName: "folder"))
    var traces: String?

    @Option(
        help: ArgumentHelp(
            "The reader for the cards of \"inReader\", by device file or a part of its name (pcsc:NAME through the PC/SC service).",
            valueName: "reader"))
    var reader: String?

    @Option(help: ArgumentHelp("Keys of the certification authorities of cards in the reader.", valueName: "file"))
    var caKeys: String?

    @Option(help: ArgumentHelp("How long to wait for a card in the reader, 1 to 3600 seconds.", valueName: "seconds"))
    var cardTime = 60

    func validate() throws {
        guard (1...3600).contains(cardTime) else { throw ValidationError("--card-time is from 1 to 3600") }
        if caKeys != nil, reader == nil { throw ValidationError("--ca-keys requires --reader") }
    }

    func run() async throws {
        try await reportingErrors {
            let plan = try options.load()
            let cases = try options.cases(of: plan)
            let place = try reader.map { try ReaderPlace($0, caKeys: caKeys) }
            let traceFolder = try traces.map { try PlanTraces($0) }
            let run = PlanRun(place, cardTime: .seconds(cardTime))
            let progress = Progress(total: cases.count)
            var results: [PlanReport.Case] = []
            for test in cases {
                if case .inReader = test.card, place != nil {
                    printError("\(Masking.plain(test.name)): insert the card")
                }
                let start = ContinuousClock.now
                let (result, trace) = await run.run(test)
                results.append(
                    PlanReport.Case(
                        name: test.name, clause: test.clause, reason: test.reason, result: result,
                        elapsed: start.duration(to: .now)))
                if let trace, result != .passed { try traceFolder?.write(trace, number: results.count) }
                progress.advance()
            }
            progress.end()
            try write(PlanReport(title: plan.title, date: Self.now, cases: results))
        }
    }

    private func write(_ report: PlanReport) throws {
        if let html { try OutputFile.replace(html, with: report.html()) }
        if let junit { try OutputFile.replace(junit, with: report.junit()) }
        if json {
            print(try report.json())
        } else {
            Console().table(["case", "what", "expected", "found"], report.table)
            print(report.summary)
        }
        if report.failed + report.broken > 0 { throw ExitCode(ExitStatus.negative) }
        if report.notRun > 0 { throw ExitCode(ExitStatus.notChecked) }
    }

    private static var now: String {
        let text = Date.now.formatted(.iso8601)
        return text.replacing("T", with: " ").replacing("Z", with: " UTC")
    }
}

/// The folder for conversations of cases that failed.
private struct PlanTraces {
    private let folder: URL

    init(_ path: String) throws(InputError) {
        folder = URL(filePath: path)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw InputError("\(path): the folder cannot be created")
        }
    }

    /// - Parameter number: Of the case, from 1.
    func write(_ trace: APDUTrace, number: Int) throws(InputError) {
        var writer = APDUTraceWriter(.redacted)
        try OutputFile.replace(
            folder.appending(path: "case-\(number).apdu").path(percentEncoded: false), with: writer.text(trace))
    }
}
