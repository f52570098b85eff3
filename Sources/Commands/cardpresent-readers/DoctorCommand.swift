import ArgumentParser
import CardCapture
import CardReaders
import Console

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Find problems of this machine with its readers, and the command that fixes each.",
        discussion: ExitStatus.explanation)

    func run() async throws {
        try await reportingErrors {
            let console = Console()
            let diagnoses = try Diagnosis.ofThisHost()
            for diagnosis in diagnoses {
                if let problem = diagnosis.problem, !diagnosis.isRequired {
                    console.remark(diagnosis.subject, problem)
                } else {
                    console.check(diagnosis.problem == nil, diagnosis.subject, detail: diagnosis.problem ?? "in order")
                }
                if let cure = diagnosis.cure { print("      " + console.paint(cure, .bold)) }
            }
            if diagnoses.contains(where: { $0.problem != nil && $0.isRequired }) { throw ExitCode(ExitStatus.negative) }
        }
    }
}
