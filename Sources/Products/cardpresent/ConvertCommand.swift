import ArgumentParser
import Console
import SmartCard
private import TLV
import TraceImport

struct ConvertCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract:
            "Read a log of pcscd, opensc-tool, Proxmark3, usbmon and many more, or plain hexadecimal pairs, and write it as a trace.",
        discussion: """
            The command reads commands and answers in hexadecimal digits with arrows, words or nothing before \
            them, logs of pcscd (--debug --apdu), pcsc-spy, opensc-tool, OpenSC, scriptor, gscriptor, pyscard, python-emv, gp, \
            cardpeek and EMV-NFC-Paycard-Enrollment, lines of Android's logcat, Proxmark3's trace list, and captures (pcap, pcapng) of USB traffic with a CCID reader or of \
            SIMtrace 2's GSMTAP datagrams. It writes a trace (docs/trace-format.md), or plain pairs: a command and \
            its answer, each on a line.

            A part of the log that is left out is named on standard error, and the exit status is 3. A command whose \
            answer the log does not have stays in the trace, with "! no answer" and what the tool said of it.

            Card data are masked unless --show-card-data is given, and even then if the log has a \
            card number that is not a published test number.

            EXAMPLES
              cardpresent convert pcscd.log -o case17.apdu
              cardpresent convert --show-card-data testcard.pcapng | cardpresent replay -
              cardpresent convert --to pairs --from opensc session.txt

            \(ExitStatus.explanation)
            """)

    enum Target: String, ExpressibleByArgument, CaseIterable {
        case trace, pairs
    }

    @Argument(help: "The log; - reads it from standard input.")
    var log: String

    @OptionGroup var options: LogOptions

    @Option(help: "The output format.")
    var to: Target = .trace

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write to this file, which is overwritten. Default: standard output.", valueName: "file"))
    var output: String?

    @OptionGroup var cardData: CardDataOption

    func run() throws {
        let isWhole: Bool
        do {
            let imported = try options.read(log)
            let unanswered = to == .pairs ? Self.unanswered(imported.trace) : []
            for line in unanswered {
                printError(
                    "\(InputFile.name(log)): line \(line): a command without an answer, which pairs cannot have: left out"
                )
            }
            isWhole = imported.problems.isEmpty && unanswered.isEmpty
            let text = text(imported, cardData.areShown(imported.trace, of: log) ? .testCard : .redacted)
            if let output { try OutputFile.replace(output, with: text) } else { print(text, terminator: "") }
        } catch {
            printError(Masking.text("\(error)"))
            throw ExitCode(ExitStatus.failure)
        }
        if !isWhole { throw ExitCode(ExitStatus.notChecked) }
    }

    /// The lines of the commands without an answer.
    private static func unanswered(_ trace: APDUTrace) -> [Int] {
        trace.entries.compactMap { entry in
            guard case .unanswered = entry.event else { return nil }
            return entry.line
        }
    }

    private func text(_ imported: LogImport, _ disclosure: TraceDisclosure) -> String {
        var trace = imported.trace
        let hasTimes = trace.entries.contains { $0.time != nil }
        var writer = APDUTraceWriter(disclosure, showsTimes: hasTimes && to == .trace)
        switch to {
        case .trace:
            if imported.format != .trace { trace.metadata.append(("imported-from", imported.format.rawValue)) }
            return writer.text(trace)
        case .pairs:
            trace.metadata = []
            trace.entries = trace.exchanges.map { .init(.exchange($0)) }
            return writer.text(trace).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
                "\($0.dropFirst(2))\n"
            }.joined()
        }
    }
}
