import ArgumentParser
import Console

/// The commands of `cardpresent` that need devices, or the bench host and its database.
@main
struct BenchExecutable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cardpresent", abstract: "The commands of cardpresent that work with devices or a vault.",
        subcommands: [
            DemoCommand.self, SaleCommand.self, TillCommand.self, JournalCommand.self, RecordCommand.self,
            SecureCardCommand.self,
            CardCommand.self,
            PlanCommand.self, ReadersCommand.self, MonitorCommand.self, APDUCommand.self,
            SwipeCommand.self, PrintCommand.self, DrawerCommand.self, ScanCommand.self, DoctorCommand.self,
            UdevCommand.self, DeviceCommand.self,
        ])

    static func main() async {
        ProcessSecrecy.begin()
        StandardOutput.failsLoudly()
        CommandNames.refuseUnknown(of: Self.self)
        await CommandEnd.run(Self.self)
    }
}
