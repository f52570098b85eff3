import ArgumentParser
import BenchCards
import Bytes
import CardCryptography
import Console
import Foundation
import PaymentTerminal
import VirtualCard

struct DemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "demo",
        abstract: "Sell, keep a card, charge it by its token, and check captured logs. No hardware, no network.",
        discussion: """
            A virtual card with fresh keys pays online through the contact kernel; the embedded test \
            host verifies its cryptogram and the card verifies the host's. The card is then kept as \
            a secure card and charged by its token. Last, captured logs of test cards are replayed \
            and what they prove is recomputed.

            The exit status is 0 only if all checks pass.

            \(ExitStatus.explanation)
            """)

    @Option(
        help: ArgumentHelp(
            "Keep the vault in this folder, and its key beside it. Default: a temporary folder.", valueName: "folder"))
    var vault: String?

    @Option(
        help: ArgumentHelp(
            "The first card: visa, mastercard, kernel-8, or a profile in a file (docs/card-profile.md).",
            valueName: "card"))
    var card: BenchCard = .style(.visa)

    @Option(help: ArgumentHelp("Write the APDUs to this file, card data masked.", valueName: "file"))
    var trace: String?

    @Option(help: "The folder Vectors of CardPresent. Default: the one near the executable or the current folder.")
    var vectors: String?

    @Flag(help: "Write the result as one JSON document.")
    var json = false

    /// Nil if it is not found, for example after the executable was copied elsewhere. A path in an
    /// option must be valid.
    private var vectorFolder: URL? {
        get throws(InputError) { vectors == nil ? try? VectorFolder.find() : try VectorFolder.find(vectors) }
    }

    func run() async throws {
        try await reportingErrors {
            let workplace = try Workplace(vault)
            defer { workplace.cleanUp() }
            let signals = try TerminalSignals()
            let ending = Task {
                for await signal in signals.signals {
                    switch signal {
                    case .end(let number):
                        workplace.cleanUp()
                        TerminalSignals.end(number)
                    case .stop: TerminalSignals.stop()
                    case .resumed, .resized: break
                    }
                }
            }
            defer { ending.cancel() }
            let log = LaneLog(trace: try trace.map { path throws(InputError) in try TraceFile(path) })
            let demo = Demo(
                workplace: workplace, vectors: try vectorFolder, card: card, log: log, screen: json ? nil : Console())
            let document = try await demo.run()
            try log.finishTrace()
            if json { print(try document.json()) }
            if !document.succeeded { throw ExitCode(ExitStatus.negative) }
        }
    }
}

/// Where the demo keeps its vault.
struct Workplace {
    let folder: URL
    let key: SecretBytes
    let isTemporary: Bool

    init(_ given: String?) throws {
        if let given {
            folder = URL(filePath: given)
            key = try VaultKeyFile.load(URL(filePath: given + ".key"))
            isTemporary = false
        } else {
            folder = FileManager.default.temporaryDirectory.appending(path: "cardpresent-demo-\(UUID().uuidString)")
            key = SecretBytes(SecureRandom.bytes(32))
            isTemporary = true
        }
    }

    func host(for card: CardProfile) async throws -> LaneHost {
        try await LaneHost(benchIn: folder, vaultKey: key, cards: [card])
    }

    func cleanUp() {
        if isTemporary { try? FileManager.default.removeItem(at: folder) }
    }
}
