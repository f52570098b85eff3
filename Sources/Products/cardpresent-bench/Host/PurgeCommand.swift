import ArgumentParser
import BenchHost
import Console
import Foundation

struct PurgeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge",
        abstract: "Delete old final orders: settled, declined, reversed, voided, captured. Secure cards stay.",
        discussion: "\(ExitStatus.explanation)")

    @Option(help: ArgumentHelp("Keep the orders of this many days.", valueName: "days"))
    var keep: Int = 30

    @Flag(help: "As JSON.")
    var json = false

    @OptionGroup var vault: VaultOptions

    private struct Document: Encodable {
        let deleted: Int
    }

    func run() async throws {
        try await reportingErrors {
            guard keep >= 0 else { throw InputError("--keep must be 0 or more days") }
            let host = try vault.open()
            // fits: a moment of our time
            let moment = Int64(Date().timeIntervalSince1970) - Int64(keep) * 86_400
            let deleted = try await host.purge(before: moment)
            print(json ? try JSONText.of(Document(deleted: deleted)) : "\(deleted) orders deleted")
        }
    }
}
