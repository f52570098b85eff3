import BenchHost
import Bytes
import CardCapture
import CardCryptography
import CardReaders
import EMVKernel
import KernelDoubles
import PaymentDoubles
import PaymentTerminal
import TLV
import TerminalFiles
import Testing
import VirtualCard

/// What the terminal remembers of a card reaches the kernel, and what the kernel finds reaches the
/// host.
@Suite("The terminal's memory of cards") struct RememberedCardTests {
    private static let personal = Result { () throws -> PersonalizedCard in
        var profile = CardProfile.visaStyle()
        profile.cvmList = CVMList(rules: [CVMRule(code: .noCVM, continuesIfUnsuccessful: false, condition: .always)])
        profile.actionCodes = IssuerActionCodes(online: [.floorLimitExceeded, .cardOnExceptionFile], default: [])
        return try CardPersonalizer().personalize(
            profile, iccKey: RSAPrivateKey.generate(modulusBits: 1024, exponent: 3))
    }

    /// A terminal with a floor limit of 100.00 for the one card of the suite.
    private func terminal(
        _ bench: Bench, _ card: VirtualCard, journal: any TransactionJournal = MemoryJournal(),
        splitSaleHours: Int? = nil,
        exceptions: ExceptionFile? = nil, at seconds: Int64 = 1_795_262_400
    ) async throws -> Terminal {
        let profile = card.card.profile
        let kernel = ContactKernel(
            TerminalConfiguration(
                capabilities: [.contactChip, .signature, .noCVM, .sda, .dda, .cda], additionalCapabilities: [.goods],
                countryCode: 840,
                applications: profile.applications.map {
                    ApplicationConfiguration(aid: $0.aid, versions: [profile.versionNumber], floorLimit: 100_00)
                }, caKeys: card.card.caPublicKeys))
        var configuration = Terminal.Configuration(
            merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro, mode: .test)
        configuration.offline.splitSaleHours = splitSaleHours
        configuration.exceptions = exceptions
        let terminal = Terminal(configuration: configuration, host: bench.host, journal: journal.reopened) {
            Timestamp(secondsSince1970: seconds)
        }
        try await terminal.connect(
            ChipReader(
                slot: VirtualReader(card: card), kernel: kernel, cardholder: FirstChoice(),
                environment: FixedEnvironment(),
                clock: { Timestamp(secondsSince1970: seconds) }))
        return terminal
    }

    private func lane() throws -> (Bench, VirtualCard) {
        let card = VirtualCard(try Self.personal.get())
        let profile = card.card.profile
        let issuer = TestIssuer(
            profiles: [
                IssuerProfile(
                    leadingDigits: String(decoding: profile.account.pan.revealed().prefix(6), as: UTF8.self),
                    masterKeys: profile.issuerMasterKeys, cryptogram: nil)
            ])
        return (try Bench(issuer: issuer), card)
    }

    /// Sells for 60.00 and gives what the kernel found.
    private func sell(_ order: String, _ terminal: Terminal, _ card: VirtualCard) async throws -> (
        PaymentResponse, TerminalVerificationResults
    ) {
        await card.reset()
        let sale = Sale(orderID: try OrderID(order), amount: Money(minorUnits: 60_00, currency: .euro))
        let response = try await terminal.processSale(sale)
        let elements = try DataElements(parsing: try [UInt8](hex: try #require(response.emvTags)))
        let found = try #require(elements[.terminalVerificationResults])
        return (response, try #require(TerminalVerificationResults(found)))
    }

    @Test("a sale that is split in two exceeds the floor limit, after a restart too, and not on another day")
    func splitSale() async throws {
        let (bench, card) = try lane()
        let journal = MemoryJournal()
        let terminal = try await terminal(bench, card, journal: journal, splitSaleHours: 24)
        let (first, firstFound) = try await sell("o1", terminal, card)
        #expect(first.outcome == .storedOffline)
        #expect(!firstFound.contains(.floorLimitExceeded))
        let (second, secondFound) = try await sell("o2", terminal, card)
        #expect(second.outcome == .approved, "the issuer was asked")
        #expect(secondFound.contains(.floorLimitExceeded), "the issuer was asked")

        let restarted = try await self.terminal(
            bench, card, journal: journal, splitSaleHours: 24, at: 1_795_262_400 + 3600)
        #expect(try await sell("o3", restarted, card).1.contains(.floorLimitExceeded))
        let later = try await self.terminal(
            bench, card, journal: journal, splitSaleHours: 24, at: 1_795_262_400 + 90_001)
        #expect(try await !sell("o4", later, card).1.contains(.floorLimitExceeded))
    }

    @Test("without the setting nothing is remembered") func notRemembered() async throws {
        let (bench, card) = try lane()
        let terminal = try await terminal(bench, card)
        for order in ["o1", "o2"] {
            let (response, found) = try await sell(order, terminal, card)
            #expect(response.outcome == .storedOffline)
            #expect(!found.contains(.floorLimitExceeded))
        }
    }

    @Test("a card on the exception file goes to its issuer") func exceptionFile() async throws {
        let (bench, card) = try lane()
        let key = SecretBytes([UInt8](repeating: 0x42, count: 32))
        let text = ExceptionFile.text(of: [(card.card.profile.account.pan, nil)], key: key)
        let terminal = try await terminal(bench, card, exceptions: ExceptionFile(parsing: text, key: key))
        let (response, found) = try await sell("o1", terminal, card)
        #expect(response.outcome == .approved)
        #expect(found.contains(.cardOnExceptionFile))
    }
}
