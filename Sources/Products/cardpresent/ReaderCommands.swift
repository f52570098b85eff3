import ArgumentParser

/// The commands that work with devices are in `cardpresent-bench`, too: the device libraries would
/// cost each `decode` a third of its start.
struct ReadersCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "readers",
        abstract: "List the connected readers, whether they can be opened, and which program uses them.",
        discussion: "cardpresent readers --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct MonitorCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor", abstract: "Show readers, cards and a running transaction as they come and go.",
        discussion: "cardpresent monitor --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct APDUCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "apdu", abstract: "Send commands to a card in a chip card reader and show its answers.",
        discussion: "cardpresent apdu --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct SwipeCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "swipe", abstract: "Read one swipe and show its content, masked.",
        discussion: "cardpresent swipe --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct DoctorCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract:
            "Find what keeps this machine from using its readers, with a command that fixes or examines each problem.",
        discussion: "cardpresent doctor --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct UdevCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "udev", abstract: "Print, install or check the rules that let users open readers.",
        discussion: "cardpresent udev --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct DeviceCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "Load configurations into readers, and show which reader has which.",
        discussion: "cardpresent device --help shows the subcommands.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}
