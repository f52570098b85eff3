import ArgumentParser

/// The commands that need the bench host and its database are in a separate executable,
/// `cardpresent-bench`, so that `decode` and `replay` start without loading it (docs/performance.md
/// has the figures).
struct DemoCommand: SiblingCommand {
    static let sibling = Sibling.bench
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Sell, keep a card, charge it by its token, and check captured logs. No hardware, no network.",
        discussion: "cardpresent demo --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct SaleCommand: SiblingCommand {
    static let sibling = Sibling.bench
    static let configuration = CommandConfiguration(
        commandName: "sale", abstract: "Sell with a virtual card, a card in a reader, or the token of a secure card.",
        discussion: "cardpresent sale --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct TillCommand: SiblingCommand {
    static let sibling = Sibling.bench
    static let configuration = CommandConfiguration(
        commandName: "till",
        abstract: "Serve a till in any language: requests on standard input, answers and events on standard output.",
        discussion: "cardpresent till --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct JournalCommand: SiblingCommand {
    static let sibling = Sibling.bench
    static let configuration = CommandConfiguration(
        commandName: "journal", abstract: "Show, check, back up and export a till's journal, and change its key.",
        discussion: "cardpresent journal --help shows what it can do.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct SecureCardCommand: SiblingCommand {
    static let sibling = Sibling.bench
    static let configuration = CommandConfiguration(
        commandName: "secure-card", abstract: "Register, show, edit and delete secure cards in a vault.",
        discussion: "cardpresent secure-card --help shows what it can do.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct RecordCommand: SiblingCommand {
    static let sibling = Sibling.bench
    static let configuration = CommandConfiguration(
        commandName: "record", abstract: "Make one sale and record it as a trace.",
        discussion: "cardpresent record --help shows the options.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

struct PlanCommand: SiblingCommand {
    static let sibling = Sibling.bench
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Run a list of test cases with virtual cards or cards in a reader, and write a report.",
        discussion: "cardpresent plan --help shows what it can do.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}

/// The commands of the bench host are in a separate executable, `cardpresent-host`, which links an
/// HTTP server.
struct HostCommand: SiblingCommand {
    static let sibling = Sibling.host
    static let configuration = CommandConfiguration(
        commandName: "host", abstract: "Serve the bench payment host over HTTP, configure it, and inspect its vault.",
        discussion: "cardpresent host --help shows what it can do.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}
