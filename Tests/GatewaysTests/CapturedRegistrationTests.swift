import BenchHost
import BenchHostServer
import Bytes
import CardCapture
import CardCryptography
import Gateways
import MagneticStripe
import PaymentDoubles
import PaymentTerminal
import Testing

/// Secure cards that come from a reader, over both interfaces, with the bench host's extensions and
/// without.
@Suite struct CapturedRegistrationTests {
    enum Wire: String, CaseIterable, Sendable {
        case rest, publishedREST, xml, publishedXML
    }

    private func open(_ wire: Wire, _ card: CapturedCard?) async throws -> (bench: HostBench, terminal: Terminal) {
        var rules = HostRules()
        rules.swipeKeys = SwipeDecryption([.tdesBase(try ChipCard.baseDerivationKey)])
        let bench = try await HostBench(rules: rules)
        let port = try await bench.serve { $0.hasExtensions = wire == .rest || wire == .xml }
        let gateway: any PaymentHost =
            wire == .xml || wire == .publishedXML ? try bench.xml(port) : try bench.rest(port)
        let terminal = Terminal(
            configuration: Terminal.Configuration(
                merchantName: "Corner Shop", terminalID: HostBench.terminalID, currency: .euro, mode: .test),
            host: gateway, journal: MemoryJournal())
        if let card { try await terminal.connect(PresentedCardReader(card)) }
        return (bench, terminal)
    }

    private func swipe() throws -> CapturedCard {
        guard case .captured(let card) = swiped() else { throw HostError(.internalError, "no card") }
        return card
    }

    /// Track 2 under the data variant of the DUKPT key (ANSI X9.24-1:2009, annex A.2), as the
    /// gateway's `ENCRYPTED` swipes are.
    private func enciphered(_ use: EncryptedTracks.KeyUse = .dataVariant) throws -> CapturedCard {
        let ksn = try [UInt8](hex: "FFFF9876543210E00002")
        let key = try TDESDUKPT.key(
            for: use == .dataVariant ? .dataRequest : .pinEncryption,
            transactionKey: TDESDUKPT.transactionKey(
                baseDerivationKey: ChipCard.baseDerivationKey, serialNumber: #require(KeySerialNumber(ksn))))
        var track = Array(";5555555555554444=31121010000000000000?".utf8)
        track += [UInt8](repeating: 0, count: 8 - track.count % 8)
        let tracks = EncryptedTracks(
            cipher: .tdes, keyUse: use, ksn: ksn,
            ciphertexts: [.two: try key.encryptCBC(track, iv: [UInt8](repeating: 0, count: 8))],
            masked: [.two: ";5555********4444=3112***************?"])
        return CapturedCard(entryMode: .magneticStripe, pan: nil, expiry: tracks.expiry, encryptedTracks: tracks)
    }

    private func secureCard(_ method: TokenMethod? = nil) throws -> SecureCard {
        SecureCard(merchantReference: try MerchantReference("c1"), tokenMethod: method)
    }

    @Test("a swiped card is registered, changed, and pays by its token", arguments: Wire.allCases)
    func register(_ wire: Wire) async throws {
        let (bench, terminal) = try await open(wire, try swipe())
        let token = try #require(try await terminal.registerSecureCard(secureCard()).secureCardReference)
        #expect(try await bench.host.retrieveSecureCard(MerchantReference("c1")).card?.maskedPAN == "555555******4444")
        #expect(try await terminal.editSecureCard(secureCard()).secureCardReference == token)
        let sale = Sale(orderID: OrderID("o1"), amount: try Money(parsing: "10.00 EUR"), source: .secureCard(token))
        #expect(try await terminal.processSale(sale).outcome == .approved)
    }

    @Test("details alone are changed, and the card stays", arguments: Wire.allCases) func detailsAlone(_ wire: Wire)
        async throws
    {
        let (bench, terminal) = try await open(wire, try swipe())
        _ = try await terminal.registerSecureCard(secureCard())
        var changed = try secureCard(.unchanged)
        changed.details.customFields = [CustomField(name: "InvoiceNumber", value: "7")]
        _ = try await terminal.editSecureCard(changed)
        let kept = try await bench.host.retrieveSecureCard(MerchantReference("c1"))
        #expect(kept.card?.maskedPAN == "555555******4444")
        #expect(kept.details.customFields == changed.details.customFields)
    }

    @Test("a sale keeps the card that pays", arguments: Wire.allCases) func along(_ wire: Wire) async throws {
        let (bench, terminal) = try await open(wire, nil)
        let card = try details()
        let sale = Sale(
            orderID: OrderID("o1"), amount: try Money(parsing: "10.00 EUR"), source: .keyed(card, cvv: nil),
            secureCard: try secureCard())
        let response = try await terminal.processSale(sale)
        #expect(response.outcome == .approved)
        let kept = try await bench.host.retrieveSecureCard(MerchantReference("c1"))
        #expect(kept.cardReference == response.secureCardReference)
        #expect(kept.card?.maskedPAN == "555555******4444")
        let declined = Sale(
            orderID: OrderID("o2"), amount: try Money(parsing: "10.05 EUR"), source: .keyed(card, cvv: nil),
            secureCard: SecureCard(merchantReference: try MerchantReference("c2")))
        #expect(try await terminal.processSale(declined).outcome == .declined)
        #expect(
            try await code { _ = try await bench.host.retrieveSecureCard(MerchantReference("c2")) }
                == .refused(.secureCardUnknown))
    }

    @Test("over XML a sale stands when its card cannot be kept, and says why", arguments: [Wire.xml, .publishedXML])
    func notKept(_ wire: Wire) async throws {
        let (bench, terminal) = try await open(wire, nil)
        let card = try details()
        func sale(_ order: OrderID) throws -> Sale {
            Sale(
                orderID: order, amount: try Money(parsing: "10.00 EUR"), source: .keyed(card, cvv: nil),
                secureCard: try secureCard())
        }
        _ = try await terminal.processSale(sale("o1"))
        let second = try await terminal.processSale(sale("o2"))
        #expect(second.outcome == .approved)
        #expect(second.secureCardReference == nil)
        #expect(second.description.contains("the card was not registered: "))
        withExtendedLifetime(bench) {}
    }

    @Test(
        "a reader that enciphers registers a card, and sells with it",
        arguments: [EncryptedTracks.KeyUse.dataVariant, .pinVariant])
    func enciphers(_ use: EncryptedTracks.KeyUse) async throws {
        let (bench, terminal) = try await open(.rest, try enciphered(use))
        let response = try await terminal.registerSecureCard(secureCard())
        #expect(response.secureCardReference != nil)
        let kept = try await bench.host.retrieveSecureCard(MerchantReference("c1"))
        #expect(kept.card?.maskedPAN == "555555******4444")
        #expect(kept.entryMode == .magneticStripe)
        #expect(kept.readerName == "Reader 1")
        let sale = Sale(orderID: OrderID("o1"), amount: try Money(parsing: "10.00 EUR"))
        #expect(try await terminal.processSale(sale).outcome == .approved)
    }

    @Test("over the published REST interface, too; the XML interface keeps a card by its number and says so")
    func enciphersPublished() async throws {
        let (bench, terminal) = try await open(.publishedREST, try enciphered())
        #expect(try await terminal.registerSecureCard(secureCard()).secureCardReference != nil)
        let (_, xml) = try await open(.publishedXML, try enciphered())
        let error = await #expect(throws: TerminalError.self) { try await xml.registerSecureCard(secureCard()) }
        #expect(error?.code == .refused(.notSupported))
        #expect(error?.message.contains("a secure card is kept by its number") == true)
        withExtendedLifetime(bench) {}
    }

    @Test("the published settings name no currencies, and are taken", arguments: [Wire.rest, .publishedREST])
    func settings(_ wire: Wire) async throws {
        let (bench, terminal) = try await open(wire, nil)
        let settings = try await terminal.settings()
        #expect(settings.terminalID == HostBench.terminalID)
        #expect((settings.currencies == nil) == (wire == .publishedREST))
        withExtendedLifetime(bench) {}
    }

    @Test(
        "what the published interfaces have no place for is refused by name",
        arguments: [Wire.publishedREST, .publishedXML])
    func fields(_ wire: Wire) async throws {
        let (bench, terminal) = try await open(wire, nil)
        let terms = PaymentTerms(
            allowsTipAdjustment: true, allowsPartialApproval: true, duplicateCheck: .required,
            descriptor: try StatementDescriptor("CORNER SHOP"), externalID: try ExternalID("till-7"))
        let sale = Sale(
            orderID: OrderID("o1"), amount: try Money(parsing: "10.00 EUR"), source: .keyed(try details(), cvv: nil),
            terms: terms)
        let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale) }
        #expect(error?.code == .refused(.notSupported))
        for name in ["statement descriptor", "external ID", "duplicate check", "tip adjustment", "partial approval"] {
            #expect(error?.message.contains(name) == true, "\(name)")
        }
        #expect(try await bench.host.transactions(TransactionQuery()).isEmpty)
    }
}
