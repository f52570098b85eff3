import ArgumentParser

struct PrintCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "print", abstract: "Print the receipt of a sale in a till's journal, and ask a printer how it is.",
        discussion: "cardpresent print --help shows what it can do.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct DrawerCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "drawer",
        abstract: "Open a cash drawer, if it is closed: on a printer's socket, or on a serial line.",
        discussion: "cardpresent drawer --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct ScanCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "scan", abstract: "Read codes from a barcode scanner, taken for this program alone.",
        discussion: "cardpresent scan --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}
