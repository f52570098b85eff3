import BenchHost
import Bytes
import CardCapture
import CardCryptography
import CardReaders
import Contactless
import EMVKernel
import JSONDocument
import PaymentTerminal
import Receipts
import TLV
import TerminalFiles
import Testing
import VirtualCard

/// Taps at a terminal with a field beside its contacts, from the terminal's file to the host that
/// verifies the cryptogram.
@Suite("A terminal takes taps") struct TapSaleTests {
    private static let personal = Result { () throws -> PersonalizedCard in
        var profile = CardProfile.visaStyle()
        profile.contactless = .visa(VisaContactlessProfile())
        profile.cryptograms = .visa18
        return try CardPersonalizer().personalize(
            profile, iccKey: RSAPrivateKey.generate(modulusBits: 1024, exponent: 3))
    }

    private let field = VirtualReader(name: "Field", interface: .contactless, waitsForCard: true)
    private let contacts = VirtualReader(name: "Contacts", waitsForCard: true)
    private let clock: @Sendable () -> Timestamp = { Timestamp(secondsSince1970: 1_795_262_400) }

    private func lane() async throws -> (Bench, Terminal) {
        let card = try Self.personal.get()
        let issuer = TestIssuer(
            profiles: [
                IssuerProfile(
                    leadingDigits: String(decoding: card.profile.account.pan.revealed().prefix(6), as: UTF8.self),
                    masterKeys: card.profile.issuerMasterKeys, cryptogram: .visa18)
            ])
        let bench = try Bench(issuer: issuer)
        var file = try TerminalFile(
            parsing: #"""
                {"merchant": {"name": "Corner Shop"}, "terminal": {"id": "BENCH001", "currency": "EUR", "country": 276, "mode": "test"},
                 "contactless": [{"preset": "visa", "transactionLimit": 10001, "floorLimit": 0, "cvmRequiredLimit": 5000}]}
                """#
        ) { name throws(DocumentError) in
            throw DocumentError("caKeys", ValueFault.missing)
        } exceptions: { names throws(DocumentError) in
            throw DocumentError("exceptions", ValueFault.missing)
        } devices: { name throws(DocumentError) in
            throw DocumentError("devices", ValueFault.missing)
        }
        file.kernel.caKeys = card.caPublicKeys
        let terminal = Terminal(configuration: file.terminal, host: bench.host, journal: MemoryJournal(), clock: clock)
        try await terminal.connect(contacts, field: field, kernel: file.kernel, contactless: file.contactless)
        return (bench, terminal)
    }

    /// Holds the card to the field once the terminal asks for one, and inserts it if the contacts
    /// are asked for.
    private func holder(_ terminal: Terminal) async throws -> Task<Void, Never> {
        let card = try Self.personal.get()
        let events = terminal.eventStream()
        return Task { [field, contacts] in
            for await event in events {
                guard case .reader(.prompt(let lines, _)) = event.content else { continue }
                switch lines.first {
                case "PRESENT CARD": await field.insert(VirtualCard(card, interface: .contactless))
                case "INSERT CARD":
                    await field.remove()
                    await contacts.insert(VirtualCard(card))
                default: break
                }
            }
        }
    }

    private func sale(_ order: String, _ minorUnits: Int64, secureCard: SecureCard? = nil) throws -> Sale {
        Sale(
            orderID: try OrderID(order), amount: Money(minorUnits: minorUnits, currency: .euro), secureCard: secureCard)
    }

    @Test("a tap is authorized as contactless, its cryptogram verified, and its card kept", .timeLimit(.minutes(20)))
    func tapped() async throws {
        let (bench, terminal) = try await lane()
        let holder = try await holder(terminal)
        defer { holder.cancel() }
        let response = try await terminal.processSale(
            sale("o1", 12_34, secureCard: SecureCard(merchantReference: MerchantReference("customer-7"))))
        #expect(response.outcome == .approved)
        #expect(response.entryMode == .contactlessChip)
        #expect(response.secureCardReference != nil)
        #expect(try await bench.orders().count == 1)
        #expect(response.receipt.text(for: .cardholder).contains("Contactless chip"))
    }

    @Test("above the limit for taps the card is inserted, and the host hears of one payment", .timeLimit(.minutes(20)))
    func inserted() async throws {
        let (bench, terminal) = try await lane()
        let holder = try await holder(terminal)
        defer { holder.cancel() }
        let response = try await terminal.processSale(sale("o1", 150_00))
        #expect(response.outcome == .approved)
        #expect(response.entryMode == .chip)
        #expect(try await bench.orders().count == 1)
    }

    @Test("money goes back to a card that is tapped", .timeLimit(.minutes(20))) func refunded() async throws {
        let (bench, terminal) = try await lane()
        let holder = try await holder(terminal)
        defer { holder.cancel() }
        let refund = Refund(
            orderID: OrderID("r1"), amount: Money(minorUnits: 5_00, currency: .euro), target: .card(.reader))
        let response = try await terminal.processRefund(refund)
        #expect(response.outcome == .approved)
        #expect(response.entryMode == .contactlessChip)
        #expect(try await bench.orders().count == 1)
    }
}
