import ArgumentParser

/// The commands that need a database or the network are in a separate executable,
/// `cardpresent-bench`, so that `decode` and `replay` start without loading it (docs/performance.md
/// has the figures).
struct DemoCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Sell, keep a card, charge it by its token, and check captured logs. No hardware, no network.",
        discussion: "cardpresent demo --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct SaleCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "sale",
        abstract: "Sell with a virtual card, a card in a reader, keyed card data, or the token of a secure card.",
        discussion: "cardpresent sale --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct RefundCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "refund", abstract: "Refund an earlier sale by the host's reference, or pay to a card or a token.",
        discussion: "cardpresent refund --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct CaptureCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "capture", abstract: "Charge an amount that a pre-authorization reserved.",
        discussion: "cardpresent capture --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct ReverseCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "reverse", abstract: "Undo a payment of this terminal, before its batch is closed.",
        discussion: "cardpresent reverse --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct TransactionsCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "transactions", abstract: "List the transactions that the host has, newest first.",
        discussion: "cardpresent transactions --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct SettingsCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "settings", abstract: "Show what the host says of the terminal: merchant, currencies, limits.",
        discussion: "cardpresent settings --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct TillCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "till",
        abstract: "Serve a till in any language: requests on standard input, answers and events on standard output.",
        discussion: "cardpresent till --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct JournalCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Show, check, back up and export a till's journal, and change its key.",
        discussion: "cardpresent journal --help shows what it can do.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct SecureCardCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "secure-card", abstract: "Register, show, edit and delete secure cards in a vault.",
        discussion: "cardpresent secure-card --help shows what it can do.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct RecordCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Make one sale and record it as a trace.",
        discussion: "cardpresent record --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct PlanCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Run a list of test cases with virtual cards or cards in a reader, and write a report.",
        discussion: "cardpresent plan --help shows what it can do.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct HostCommand: SiblingCommand {
    static let configuration = CommandConfiguration(
        commandName: "host", abstract: "Serve the bench payment host over HTTP, configure it, and inspect its vault.",
        discussion: "cardpresent host --help shows what it can do.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}
