import ArgumentParser
import Console

struct HostCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "host", abstract: "Serve the bench payment host over HTTP, configure it, and inspect its vault.",
        discussion: """
            The host speaks the XML and the REST interface of the WorldNet gateway \
            (docs/gateways.md) and decides as the issuer of the bench's test cards. It accepts \
            published test card numbers only, unless `serve` has --any-card.

              cardpresent host seed --terminal BENCH001 --api-key till
              cardpresent host serve

            \(ExitStatus.explanation)
            """,
        subcommands: [ServeCommand.self, SeedCommand.self, InspectCommand.self, PurgeCommand.self])
}
