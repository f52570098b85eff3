import BenchHost
import Bytes
import CardCapture
import CardCryptography
import CardReaders
import EMVKernel
import Foundation
import JSONDocument
import PaymentDoubles
import PaymentTerminal
import SmartCard
import Synchronization
import TLV
import TerminalFiles
import TerminalJournal
import Testing
import VirtualCard

/// A card that leaves the field during GENERATE AC, and a terminal that dies before it comes back.
@Suite("A torn tap survives a restart of the terminal") struct TornSaleTests {
    private static let personal = Result { () throws -> PersonalizedCard in
        var profile = CardProfile.mastercardStyle()
        var contactless = MastercardContactlessProfile()
        contactless.recoversTornTransactions = true
        profile.contactless = .mastercard(contactless)
        return try CardPersonalizer().personalize(
            profile, iccKey: RSAPrivateKey.generate(modulusBits: 1024, exponent: 3))
    }

    private static let noon: Int64 = 1_795_262_400

    private final class Shop: Sendable {
        let folder = FileManager.default.temporaryDirectory.appending(path: "torn-\(UUID().uuidString)").path(
            percentEncoded: false)
        /// Commands that the card was sent, and their answers' status, since the last start.
        let commands = Mutex<[String]>([])
        let card: VirtualCard
        let bench: Bench

        init() throws {
            let card = try TornSaleTests.personal.get()
            self.card = VirtualCard(card, interface: .contactless)
            bench = try Bench(
                issuer: TestIssuer(
                    profiles: [
                        IssuerProfile(
                            leadingDigits: String(
                                decoding: card.profile.account.pan.revealed().prefix(6), as: UTF8.self),
                            masterKeys: card.profile.issuerMasterKeys, cryptogram: .mastercard14)
                    ]))
        }

        deinit { try? FileManager.default.removeItem(atPath: folder) }

        func openJournal() async throws -> SQLiteJournal {
            try await SQLiteJournal.open(
                folder: folder, key: JournalKey.bytes(SecretBytes([UInt8](repeating: 7, count: 32))), watermark: .none)
        }

        /// A terminal as a process starts it, with the card in its field.
        func start(_ journal: any TransactionJournal, _ card: any CardChannel, secondsLater: Int64 = 0) async throws
            -> Terminal
        {
            commands.withLock { $0 = [] }
            var file = try TerminalFile(
                parsing: #"""
                    {"merchant": {"name": "Corner Shop"}, "terminal": {"id": "BENCH001", "currency": "EUR", "country": 276, "mode": "test"},
                     "contactless": [{"preset": "mastercard", "transactionLimit": 10001, "floorLimit": 0, "cvmRequiredLimit": 5000}]}
                    """#
            ) { name throws(DocumentError) in
                throw DocumentError("caKeys", ValueFault.missing)
            } exceptions: { names throws(DocumentError) in
                throw DocumentError("exceptions", ValueFault.missing)
            } devices: { name throws(DocumentError) in
                throw DocumentError("devices", ValueFault.missing)
            }
            file.kernel.caKeys = try TornSaleTests.personal.get().caPublicKeys
            let terminal = Terminal(configuration: file.terminal, host: bench.host, journal: journal) {
                Timestamp(secondsSince1970: TornSaleTests.noon + secondsLater)
            }
            let observer = ChipReader.Observer(exchange: { [self] exchange in
                commands.withLock { $0.append(exchange.command.header.hex) }
            })
            try await terminal.connect(
                VirtualReader(card: card, interface: .contactless), kernel: file.kernel, contactless: file.contactless,
                observer: observer)
            return terminal
        }

        /// GENERATE AC and RECOVER AC that were answered.
        var cryptograms: [String] {
            commands.withLock {
                $0.filter { $0.hasPrefix("80AE") || $0.hasPrefix("80D0") }.map { String($0.prefix(4)) }
            }
        }

        /// The first tap: GENERATE AC gets no answer, and the process is gone as soon as its
        /// journal has that.
        func tear() async throws {
            let journal = try await openJournal()
            let silent = FaultyCard(card, [CardFault(.silence, at: .command(.generateAC, occurrence: 1))]) { _ in }
            let terminal = try await start(LastWriteJournal(journal), silent)
            await #expect(throws: TerminalError.self) {
                try await terminal.processSale(TornSaleTests.sale("o1", 12_34))
            }
            #expect(cryptograms.isEmpty)
            #expect(try await bench.orders().isEmpty)
        }
    }

    private static func sale(_ order: String, _ minorUnits: Int64) throws -> Sale {
        Sale(orderID: try OrderID(order), amount: Money(minorUnits: minorUnits, currency: .euro))
    }

    @Test("the card is asked for its answer, the first cryptogram counts, and it counts once") func recovered()
        async throws
    {
        let shop = try Shop()
        try await shop.tear()

        let journal = try await shop.openJournal()
        let terminal = try await shop.start(journal, shop.card, secondsLater: 60)
        let response = try await terminal.processSale(Self.sale("o2", 12_34))
        #expect(response.outcome == .approved)
        #expect(response.entryMode == .contactlessChip)
        #expect(shop.cryptograms == ["80D0"])
        // The host has verified the cryptogram over the counter of the first tap.
        let order = try #require(try await shop.bench.orders().first)
        #expect(try await shop.bench.orders().count == 1)
        #expect(order.orderID.text == "o2")
        #expect(await shop.card.applicationTransactionCounter == 2)
        #expect(try await journal.tornTransactions() == SecretBytes([]))

        // The next sale of the same amount is another one, after a restart too.
        try journal.close()
        let next = try await shop.start(shop.openJournal(), shop.card, secondsLater: 120)
        #expect(try await next.processSale(Self.sale("o3", 12_34)).outcome == .approved)
        #expect(shop.cryptograms == ["80AE"])
        #expect(try await shop.bench.orders().count == 2)
    }

    @Test(
        "another amount, or more time than the record lives, makes a new cryptogram",
        arguments: [(Int64(12_35), Int64(60)), (12_34, 301)])
    func notRecovered(_ amount: Int64, _ seconds: Int64) async throws {
        let shop = try Shop()
        try await shop.tear()
        let journal = try await shop.openJournal()
        #expect(try await journal.tornTransactions() != SecretBytes([]))
        let terminal = try await shop.start(journal, shop.card, secondsLater: seconds)
        #expect(try await terminal.processSale(Self.sale("o2", amount)).outcome == .approved)
        #expect(shop.cryptograms == ["80AE"])
        #expect(try await shop.bench.orders().count == 1)
        // A record that is too old has left the disk.
        #expect(try await (journal.tornTransactions() == SecretBytes([])) == (seconds > 300))
    }

    @Test("a record that cannot be removed is not used: no payment") func fullDisk() async throws {
        let shop = try Shop()
        try await shop.tear()
        let terminal = try await shop.start(
            LastWriteJournal(shop.openJournal(), keeps: false), shop.card, secondsLater: 60)
        await #expect(throws: TerminalError.self) { try await terminal.processSale(Self.sale("o2", 12_34)) }
        #expect(shop.cryptograms == ["80D0"])
        #expect(try await shop.bench.orders().isEmpty)
    }
}

/// A journal whose last write is that of torn transactions: nothing is written after it.
private final class LastWriteJournal: RelayedJournal {
    let kept: SQLiteJournal
    private let keeps: Bool

    /// - Parameter keeps: Whether that write itself is done.
    init(_ journal: SQLiteJournal, keeps: Bool = true) {
        kept = journal
        self.keeps = keeps
    }

    func keepTornTransactions(_ records: SecretBytes) async throws(JournalError) {
        if keeps { try await kept.keepTornTransactions(records) }
        try kept.close()
        throw JournalError(.failed, "the process is gone")
    }

    func tornTransactions() async throws(JournalError) -> SecretBytes? { try await kept.tornTransactions() }
}
