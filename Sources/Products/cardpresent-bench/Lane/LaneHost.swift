import BenchHost
import Bytes
import CardCapture
import Console
import FoundationEssentials
import PaymentTerminal
import TerminalFiles
import TerminalJournal
import VirtualCard

/// What a lane asks, and the journal of what it asks.
struct LaneHost {
    let host: any PaymentHost
    let journal: SQLiteJournal
    /// Nil for a gateway.
    private let bench: BenchHost?

    /// A gateway.
    init(_ host: any PaymentHost, journal: SQLiteJournal) {
        self.host = host
        self.journal = journal
        bench = nil
    }

    /// The bench host in this process. Its vault and the journal share a folder and a key.
    ///
    /// - Parameters:
    ///   - folder: It is created if it does not exist.
    ///   - cards: Those that the issuer knows besides the cards of the bench.
    init(
        benchIn folder: URL, vaultKey: SecretBytes, cards: [CardProfile], swipeKeys: SwipeDecryption? = nil
    ) async throws {
        // The vault is opened first: it creates the folder, and refuses unsuitable ones.
        var rules = HostRules()
        rules.swipeKeys = swipeKeys
        let bench = try BenchHost(
            folder: folder.path(percentEncoded: false), vaultKey: vaultKey, issuer: BenchIssuer.make(cards),
            rules: rules)
        host = bench
        journal = try await SQLiteJournal.open(
            folder: folder.path(percentEncoded: false), key: JournalKey.bytes(vaultKey))
        self.bench = bench
    }

    /// Closes journal and vault for the next lane: running tasks of this lane could keep them open
    /// for some time.
    func close() throws {
        try journal.close()
        try bench?.close()
    }

    /// Does something with a terminal. However it ends, what is due at a gateway is sent then, and
    /// what is left is said.
    func with<Result>(_ terminal: Terminal, _ body: (Terminal) async throws -> Result) async throws -> Result {
        let result: Result
        do {
            result = try await body(terminal)
        } catch {
            await finish(terminal)
            throw error
        }
        await finish(terminal)
        return result
    }

    private func finish(_ terminal: Terminal) async {
        guard bench == nil else { return }
        _ = try? await terminal.recoverPending()
        let count = await terminal.pendingPayments.count
        guard count > 0 else { return }
        printError(
            "\(count == 1 ? "1 payment still has" : "\(count) payments still have") something due at the gateway: the next command tries again, and cardpresent journal pending shows it"
        )
    }
}

extension Terminal.Configuration {
    /// A terminal of the bench.
    static let bench = Terminal.Configuration(
        merchantName: "CARDPRESENT BENCH", terminalID: "BENCH001", currency: .euro, mode: .test)
}
