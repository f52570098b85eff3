import ArgumentParser
import Console

/// The commands of `cardpresent` that need devices, a database, or the network.
@main
struct BenchExecutable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cardpresent",
        abstract: "The commands of cardpresent that work with devices, journals, gateways or a vault.",
        subcommands: [
            DemoCommand.self, SaleCommand.self, RefundCommand.self, CaptureCommand.self, ReverseCommand.self,
            TransactionsCommand.self, SettingsCommand.self, TillCommand.self, JournalCommand.self, RecordCommand.self,
            SecureCardCommand.self, CardCommand.self,
            PlanCommand.self, ReadersCommand.self, MonitorCommand.self, APDUCommand.self,
            SwipeCommand.self, PrintCommand.self, DrawerCommand.self, ScanCommand.self, DoctorCommand.self,
            UdevCommand.self, DeviceCommand.self, HostCommand.self,
        ])

    static func main() async {
        ProcessSecrecy.begin()
        StandardOutput.failsLoudly()
        CommandNames.refuseUnknown(of: Self.self)
        await CommandEnd.run(Self.self)
    }
}
