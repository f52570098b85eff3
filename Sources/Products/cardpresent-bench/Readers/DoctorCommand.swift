import ArgumentParser
import CardCapture
import CardReaders
import Console

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Find what keeps this machine from using its readers, with a command that fixes or examines each problem.",
        discussion: """
            EXAMPLES
              cardpresent doctor
              cardpresent doctor --tap-timing
              cardpresent doctor --tap-timing --reader pn532:/dev/ttyUSB0 --count 1000
              cardpresent doctor --tap-timing --pcsc --reader ACR1252 --json

            --tap-timing measures round trips to a contactless reader: to the chip of a PN532 or PN533, without a card; to \
            other readers by a command that the reader answers itself, with a card in the field. Relay resistance needs \
            these times (docs/terminal-file.md).

            \(ExitStatus.explanation)
            """)

    @Flag(help: "Measure round trips to a contactless reader, for relay resistance.")
    var tapTiming = false

    @OptionGroup var choice: ReaderChoice

    @Flag(help: "With --tap-timing: use the PC/SC service, for readers that pcscd holds.")
    var pcsc = false

    @Option(
        help: ArgumentHelp("With --tap-timing: how many round trips, 10 to 100000. Default: 200.", valueName: "number"))
    var count: Int?

    @Flag(help: "As JSON (docs/json.md).")
    var json = false

    func validate() throws {
        if let count, !(10...100_000).contains(count) { throw ValidationError("--count is 10 to 100000") }
        if !tapTiming, choice.reader != nil || pcsc || count != nil {
            throw ValidationError("--reader, --pcsc and --count go with --tap-timing")
        }
    }

    /// The results for JSON.
    private struct Document: Encodable {
        struct Check: Encodable {
            let subject: String
            let problem, cure: String?
            let isRequired: Bool
        }

        let checks: [Check]
        let isInOrder: Bool
    }

    func run() async throws {
        try await reportingErrors {
            let console = Console()
            if tapTiming {
                let result = try await TapTiming(choice: choice, isThroughPCSC: pcsc, count: count ?? 200).measured()
                if json { print(try JSONText.of(result.document)) } else { result.show(on: console) }
                return
            }
            let diagnoses = try Diagnosis.ofThisHost()
            let isInOrder = !diagnoses.contains { $0.problem != nil && $0.isRequired }
            if json {
                let checks = diagnoses.map {
                    Document.Check(subject: $0.subject, problem: $0.problem, cure: $0.cure, isRequired: $0.isRequired)
                }
                print(try JSONText.of(Document(checks: checks, isInOrder: isInOrder)))
                if !isInOrder { throw ExitCode(ExitStatus.negative) }
                return
            }
            for diagnosis in diagnoses {
                if let problem = diagnosis.problem, !diagnosis.isRequired {
                    console.remark(diagnosis.subject, problem)
                } else {
                    console.check(diagnosis.problem == nil, diagnosis.subject, detail: diagnosis.problem ?? "in order")
                }
                if let cure = diagnosis.cure { print("      " + console.paint(cure, .bold)) }
            }
            if !isInOrder { throw ExitCode(ExitStatus.negative) }
        }
    }
}
