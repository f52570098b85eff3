import ArgumentParser
import Console
import Dispatch
import PaymentTerminal

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
        version: Terminal.libraryVersion,
        subcommands: [
            DemoCommand.self, SaleCommand.self, RefundCommand.self, CaptureCommand.self, ReverseCommand.self,
            TransactionsCommand.self, SettingsCommand.self, TillCommand.self, JournalCommand.self,
            SecureCardCommand.self,
            RecordCommand.self,
            ReplayCommand.self,
            ExplainCommand.self, ConvertCommand.self, DecodeCommand.self, CardCommand.self, PlanCommand.self,
            ConfigCommand.self, ExceptionsCommand.self, ReadersCommand.self, MonitorCommand.self, APDUCommand.self,
            HostCommand.self, SwipeCommand.self, PrintCommand.self, DrawerCommand.self, ScanCommand.self,
            DoctorCommand.self, UdevCommand.self, DeviceCommand.self,
        ])

    static func main() {
        ProcessSecrecy.begin()
        StandardOutput.failsLoudly()
        CommandNames.refuseUnknown(of: Self.self)
        do {
            if let shell = CompletionScript.requested(CommandLine.arguments.dropFirst()) {
                try printCompletions(for: shell)
                exit()
            }
            var command = try parseAsRoot()
            if let replay = command as? ReplayCommand, replay.isSuite {
                try replay.runSuite()
            } else if let command = command as? any AsyncParsableCommand {
                run(command)
            } else {
                try command.run()
            }
            exit()
        } catch {
            CommandEnd.exit(Self.self, with: error)
        }
    }

    private static func printCompletions(for shell: CompletionShell) throws {
        do {
            print(try CompletionScript.text(for: shell))
        } catch {
            printError("\(error)")
            throw ExitCode(ExitStatus.failure)
        }
    }

    private static func run(_ command: any AsyncParsableCommand) -> Never {
        // Handed over to the task, which alone uses it from here on.
        nonisolated(unsafe) var command = command
        Task {
            do {
                try await unsafe command.run()
                exit()
            } catch {
                CommandEnd.exit(Self.self, with: error)
            }
        }
        dispatchMain()
    }
}
