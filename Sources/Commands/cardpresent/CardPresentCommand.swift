import ArgumentParser
import Console

@main
struct CardPresentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cardpresent",
        abstract: "Card payments on Linux: read cards, take payments, store cards, replay traces.",
        discussion: """
            Start with 'cardpresent demo': a whole EMV sale with a virtual card, a secure card and \
            what a captured log proves, without hardware or network.

            \(ExitStatus.explanation)
            """,
        version: "0.2.0",
        subcommands: [
            DemoCommand.self, SaleCommand.self, SecureCardCommand.self, RecordCommand.self, ReplayCommand.self, ExplainCommand.self,
            ConvertCommand.self, DecodeCommand.self, CardCommand.self, PlanCommand.self, ConfigCommand.self, ExceptionsCommand.self,
            ReadersCommand.self,
            MonitorCommand.self,
            APDUCommand.self,
            HostCommand.self, SwipeCommand.self, DoctorCommand.self, UdevCommand.self, DeviceCommand.self,
        ])

    static func main() async {
        ProcessSecrecy.begin()
        StandardOutput.failsLoudly()
        if let worker = ReplayWorker(CommandLine.arguments) {
            // The process that started it has told of the keys already, and sees the status.
            do { try await worker.run() } catch { exit(withError: ExitCode(ExitStatus.failure)) }
            return
        }
        await main(nil)
    }
}
