import ArgumentParser

/// The commands of the bench host are in a separate executable, `cardpresent-host`, which links an
/// HTTP server.
struct HostCommand: SiblingCommand {
    static let sibling = Sibling.host
    static let configuration = CommandConfiguration(
        commandName: "host", abstract: "Serve the bench payment host over HTTP, configure it, and inspect its vault.",
        discussion: "cardpresent host --help shows what it can do.")
    @Argument(parsing: .captureForPassthrough) var arguments: [String] = []
}
