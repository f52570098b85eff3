import ArgumentParser
import CardCryptography
import Console
import EMVExplanation
import EMVReplay
import FoundationEssentials
import Reports
import SmartCard

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Drive the kernel against a captured APDU log and compare it with the log's terminal.",
        discussion: """
            The log answers as the card. What the terminal was (amount, date, unpredictable number, limits …) comes from the log's own GET PROCESSING OPTIONS and
            GENERATE AC data; everything about the card the kernel works out anew, and the TVR that it sends shows whether it came to the same result.

            A log is a text of lines "> command" and "< answer" in hexadecimal digits (docs/trace-format.md). CA keys are a text of lines
            "[scheme] RID index exponent modulus [check sum]"; without --ca-keys the published test keys in Vectors/keys are used.

            EXAMPLES
              cardpresent replay Vectors/traces/visa-contact-online.apdu
              cardpresent replay --ca-keys my-keys.tsv --explain case17.apdu

            The exit status is 1 if the kernel's transaction ends otherwise than the log's.

            \(ExitStatus.explanation)
            """)

    @Argument(help: "The log; - reads it from standard input.")
    var file: String

    @Option(help: "A file of certification authority public keys.")
    var caKeys: String?

    @Option(help: "The folder of CardPresent's vectors.")
    var vectors: String?

    @Flag(help: "Explain every command and answer, data object by data object.")
    var explain = false

    @Flag(help: "Show PANs, tracks and names in full. For test cards only.")
    var showCardData = false

    @Flag(help: "Write the result as one JSON document.")
    var json = false

    func run() async throws {
        let trace: APDUTrace
        let keys: [CAPublicKey]
        do {
            trace = try Self.trace(file)
            keys = try Self.keys(caKeys ?? VectorFolder.find(vectors).appending(path: "keys/ca-test-keys.tsv").path(percentEncoded: false))
        } catch {
            printError("\(error)")
            throw ExitCode(ExitStatus.failure)
        }
        let report = await Replay.run(trace, caKeys: keys)
        let evidence = Evidence.examine(trace, caKeys: keys, issuer: IssuerKeyMaterial(trace))
        if json {
            print(try ReplayDocument(trace, report, evidence).json())
        } else {
            let console = Console()
            if explain {
                let explanation = Explanation(trace, isRedacted: !showCardData)
                ExplanationConsole(console).print(ExplanationText(explanation).conversation)
            }
            ReplayText(console).print(trace, report, evidence)
        }
        if report.isCutShort {
            printError("\(InputFile.name(file)): the log ends at line \(report.lastLine) before the transaction does: is it cut short?")
            throw ExitCode(ExitStatus.failure)
        }
        if !report.endsAlike { throw ExitCode(ExitStatus.negative) }
    }

    private static func trace(_ path: String) throws -> APDUTrace {
        do {
            return try APDUTrace(parsing: InputFile.text(path))
        } catch let error as APDUTraceError {
            throw InputError("\(InputFile.name(path)): \(error)")
        }
    }

    private static func keys(_ path: String) throws -> [CAPublicKey] {
        do {
            return try CAPublicKeyFile.parse(InputFile.text(path))
        } catch let error as CAPublicKeyFileError {
            throw InputError("\(InputFile.name(path)): \(error)")
        }
    }
}
