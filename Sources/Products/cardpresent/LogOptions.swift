public import ArgumentParser
import Console
import SmartCard
private import TLV
public import TraceImport

/// The format of a log, if it is not detected.
struct LogFormatOption: ParsableArguments {
    @Option(
        help: ArgumentHelp("The format of the log. Default: detected.", valueName: "format"))
    var from: LogFormat?

    func read(
        _ path: String, brokenParts: BrokenParts, hiddenDigits: APDUTrace.HiddenDigits = .refused
    ) throws(InputError) -> LogImport {
        let bytes = try InputFile.bytes(path, maximumSize: LogImport.maximumSize)
        do throws(LogProblem) {
            return try LogImport(bytes, format: from, brokenParts: brokenParts, hiddenDigits: hiddenDigits)
        } catch {
            throw InputError("\(InputFile.name(path)): \(error)")
        }
    }
}

/// The options for reading logs.
struct LogOptions: ParsableArguments {
    @OptionGroup var format: LogFormatOption

    @Flag(help: "Skip broken lines and packets, and report them, instead of refusing the log.")
    var skipBadLines = false

    /// Reads the log at `path`, and reports its skipped parts on standard error.
    func read(_ path: String) throws(InputError) -> LogImport {
        let log = try quietly(path)
        for problem in log.problems {
            printError(Masking.text("\(InputFile.name(path)): \(problem)\(problem.reason == .commandWithoutAnswer ? "" : ": left out")"))
        }
        return log
    }

    func quietly(_ path: String) throws(InputError) -> LogImport { try format.read(path, brokenParts: skipBadLines ? .skipped : .refused) }
}

extension LogFormat: ExpressibleByArgument {}
