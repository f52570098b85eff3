import ArgumentParser
import Console

/// The commands of `cardpresent` that work with devices.
@main
struct ReadersExecutable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cardpresent", abstract: "The commands of cardpresent that work with devices.",
        subcommands: [
            ReadersCommand.self, MonitorCommand.self, APDUCommand.self, SwipeCommand.self, DoctorCommand.self,
            UdevCommand.self,
            DeviceCommand.self,
        ])

    static func main() async {
        ProcessSecrecy.begin()
        StandardOutput.failsLoudly()
        CommandNames.refuseUnknown(of: Self.self)
        await CommandEnd.run(Self.self)
    }
}
