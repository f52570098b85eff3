import ArgumentParser
import CardCapture
import CardReaders
import Console

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find problems of this machine with its readers, and the command that fixes each.",
        discussion: ExitStatus.explanation)

    @Flag(help: "As JSON (docs/json.md).")
    var json = false

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
