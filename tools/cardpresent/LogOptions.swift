public import ArgumentParser
import Console
import SmartCard
public import TraceImport

/// How the commands that read logs read them.
struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The form of the log: trace, pairs, pcscd, pcsc-spy, opensc, proxmark or usbmon. Default: found out.", valueName: "format"))
    var from: LogFormat?

    @Flag(help: "Leave out lines and packets that are broken, and say which, instead of refusing the log.")
    var skipBadLines = false

    /// The log at `path`, with what was left out told on standard error.
    func read(_ path: String) throws(InputError) -> LogImport {
        let log = try quietly(path)
        for problem in log.problems { printError("\(InputFile.name(path)): \(problem): left out") }
        return log
    }

    func quietly(_ path: String) throws(InputError) -> LogImport {
        let bytes = try InputFile.bytes(path, maximumSize: LogImport.maximumSize)
        do throws(LogProblem) {
            return try LogImport(bytes, format: from, brokenParts: skipBadLines ? .skipped : .refused)
        } catch {
            throw InputError("\(InputFile.name(path)): \(error)")
        }
    }
}

extension LogFormat: ExpressibleByArgument {}
