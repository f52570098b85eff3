import ArgumentParser

/// The commands of the bench host are in a separate executable, `cardpresent-host`, which links an
/// HTTP server.
struct HostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host", abstract: "Serve, configure and inspect the bench payment host over HTTP.",
        discussion: "cardpresent host --help shows what it can do.")
    @Argument(parsing: .captureForPassthrough, completion: .list(["seed", "serve", "inspect", "purge"])) var arguments: [String] = []
    func run() throws { try Sibling.host.replaceProcess("host", arguments) }
}
