import BenchHost
import Bytes
import CardCapture
import CardCryptography
import CardReaders
import EMVKernel
import PaymentTerminal
import Synchronization
import TLV
import TerminalFiles
import Testing
import VirtualCard

/// EMV 4.4 Book 4, 11.1 and 11.2: what screen and cashier say, in the language of card and
/// terminal.
@Suite("What a listener is told at the contacts", .timeLimit(.minutes(20))) struct CardholderMessageTests {
    private final class Messages: TerminalListener {
        private let said = Mutex<[String]>([])
        private let (ends, end) = AsyncStream.makeStream(of: Void.self)

        func onMessage(_ message: String, _ context: TerminalEvent.Context) async {
            said.withLock { $0.append(message) }
        }
        func onSaleResponse(_ response: PaymentResponse, _ context: TerminalEvent.Context) async { end.yield() }
        func onSecureCardResponse(_ response: SecureCardResponse, _ context: TerminalEvent.Context) async {
            end.yield()
        }

        /// Up to the first result.
        func all() async -> [String] {
            for await _ in ends { break }
            return said.withLock { $0 }
        }
    }

    private static let icc = Result { try RSAPrivateKey.generate(modulusBits: 1024, exponent: 3) }

    /// A terminal with a card that wants a PIN and stays in the contacts, and what is said there.
    private func lane(
        card languages: [String], terminal: [String],
        _ verification: Terminal.Configuration.SecureCardVerification = .whereSupported
    )
        async throws -> (Terminal, Messages)
    {
        var profile = CardProfile.visaStyle()
        profile.languages = languages
        profile.cvmList = CVMList(rules: [CVMRule(code: .onlinePIN, continuesIfUnsuccessful: false, condition: .always)]
        )
        let personalized = try CardPersonalizer().personalize(profile, iccKey: Self.icc.get())
        let bench = try Bench(
            issuer: TestIssuer(
                profiles: [
                    IssuerProfile(
                        leadingDigits: String(decoding: profile.account.pan.revealed().prefix(6), as: UTF8.self),
                        masterKeys: profile.issuerMasterKeys, cryptogram: profile.cryptograms.version,
                        pin: PIN(ascii: "1234".utf8))
                ], pinKey: TestPINPad.baseDerivationKey))
        var configuration = Terminal.Configuration(
            merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro, mode: .test)
        configuration.secureCardVerification = verification
        let till = Terminal(configuration: configuration, host: bench.host, journal: MemoryJournal())
        let serialNumber = try #require(KeySerialNumber([UInt8](hex: "FFFF9876543210E00000")))
        let pad = try VirtualPINPad(
            .enters(#require(PIN(ascii: "1234".utf8))),
            initialKey: TDESDUKPT.initialKey(
                baseDerivationKey: TestPINPad.baseDerivationKey, serialNumber: serialNumber),
            serialNumber: serialNumber)
        var kernel = TerminalConfiguration.attended(
            countryCode: 276, applications: [.visa], caKeys: personalized.caPublicKeys, hasPINPad: true)
        kernel.languages = terminal.compactMap { Language($0) }
        try await till.connect(
            VirtualReader(card: VirtualCard(personalized), waitsForCard: true), kernel: kernel, pinPad: pad)
        let messages = Messages()
        await till.add(messages)
        return (till, messages)
    }

    @Test(
        "insert, enter the PIN, remove: in the card's language where the terminal has it, else in the terminal's",
        arguments: [
            (["fr"], ["INSÉREZ LA CARTE", "SAISISSEZ\nVOTRE CODE", "RETIREZ LA CARTE"]),
            (["pl"], ["KARTE EINSTECKEN", "BITTE GEHEIMZAHL\nEINGEBEN", "KARTE ENTFERNEN"]),
        ])
    func steps(_ card: [String], _ expected: [String]) async throws {
        let (terminal, messages) = try await lane(card: card, terminal: ["de", "fr"])
        let sale = try Sale(orderID: "o1", amount: "12.34 EUR")
        #expect(try await terminal.processSale(sale).outcome == .approved)
        let said = await messages.all()
        // The terminal's language until the card is in.
        let steps = ["KARTE EINSTECKEN"] + expected.dropFirst() + ["authorizing"]
        for step in steps { #expect(said.contains(step), "\(said)") }
        let order = ([steps[0]] + expected.dropFirst()).map { said.firstIndex(of: $0) ?? -1 }
        #expect(order == order.sorted(), "\(said)")
    }

    @Test("a card that is kept is said to be authorized only where the host verifies it", arguments: [true, false])
    func registration(_ isVerified: Bool) async throws {
        let (terminal, messages) = try await lane(card: [], terminal: ["en"], isVerified ? .whereSupported : .never)
        _ = try await terminal.registerSecureCard(SecureCard(merchantReference: MerchantReference("c1")))
        let said = await messages.all()
        #expect(said.contains("authorizing") == isVerified, "\(said)")
        #expect(said.contains("updating the secure card at the host"), "\(said)")
        #expect(said.contains("PLEASE ENTER\nYOUR PIN"))
    }
}
