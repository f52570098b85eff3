import ArgumentParser

struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Load configurations into readers, and show which reader has which.",
        discussion: """
            A configuration package (docs/device-files.md) is a signed zip archive for the readers of one \
            maker. Nothing is loaded unasked: `check` says whether a reader needs a package, and `load` loads it. \
            What each reader has is recorded in a folder, by serial number.

            EXAMPLES
              cardpresent device check tables.zip --signer acquirer.pem --reader Gertec
              cardpresent device load tables.zip --signer acquirer.pem --reader Gertec
              cardpresent device state

            """,
        subcommands: [
            DeviceListCommand.self, DeviceCheckCommand.self, DeviceLoadCommand.self, DeviceStateCommand.self, DevicePackageCommand.self,
        ])
}
