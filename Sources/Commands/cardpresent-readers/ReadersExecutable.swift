import ArgumentParser
import Console

/// The commands of `cardpresent` that work with devices.
@main
struct ReadersExecutable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cardpresent", abstract: "The commands of cardpresent that work with devices.",
        subcommands: [ReadersCommand.self, MonitorCommand.self, APDUCommand.self, SwipeCommand.self, DoctorCommand.self, UdevCommand.self])

    static func main() async {
        ProcessSecrecy.begin()
        StandardOutput.failsLoudly()
        await main(nil)
    }
}

/// Runs `body`; an error becomes one line on standard error and the exit status of a failure.
func reportingErrors(_ body: () async throws -> Void) async throws {
    do {
        try await body()
    } catch let code as ExitCode {
        throw code
    } catch {
        printError("\(error)")
        throw ExitCode(ExitStatus.failure)
    }
}
