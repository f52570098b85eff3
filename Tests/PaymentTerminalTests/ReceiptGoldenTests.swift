import CardCapture
import EMVKernel
import Foundation
import PaymentTerminal
import Receipts
import TLV
import Testing

/// Receipts against files that were written by hand: what EMV 4.4 Book 4, 11.3 and 11.4, wants on
/// them (part of the PAN and the AID in hexadecimal), and what merchant and cardholder must be able
/// to see.
@Suite struct ReceiptGoldenTests {
    private func golden(_ name: String) throws -> String {
        try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden/\(name)"),
            encoding: .utf8)
    }

    /// A card with a name of its own in Latin-1, and a PAN sequence number.
    private func card(_ responseCode: String = "00", cryptogram: UInt8 = 0x40) -> CapturedCard {
        var card = chipCard()
        card.chip?.elements[.applicationPreferredName] = Array("VISA CR".utf8) + [0xC9] + Array("DITO".utf8)
        card.chip?.elements[.issuerCodeTableIndex] = [0x01]
        card.chip?.elements[.panSequenceNumber] = [0x01]
        card.chip?.elements[.authorisationResponseCode] = Array(responseCode.utf8)
        card.chip?.elements[.cryptogramInformationData] = [cryptogram]
        return card
    }

    private func reader(_ decision: CaptureOutcome.Decision, _ card: CapturedCard, requiresSignature: Bool = false)
        -> FakeReader
    {
        FakeReader(card) { _ throws(CaptureError) in
            CaptureOutcome(decision: decision, card: card, requiresSignature: requiresSignature)
        }
    }

    private func saleWithEverything() throws -> Sale {
        try Sale(
            orderID: OrderID("order-1"), amount: euros("12.34"),
            terms: PaymentTerms(
                tip: euros("1.50"), serviceCharge: euros("0.84"),
                taxes: [
                    TaxLine(name: "VAT", rate: 1900, amount: euros("1.50")),
                    TaxLine(name: "VAT", rate: 550, amount: euros("0.24")),
                ]))
    }

    @Test("G40 A31 A42 A62 A67: a sale with signature, tip, service charge and taxes, both copies") func sale()
        async throws
    {
        let terminal = try await terminal(FakeHost(), reader: reader(.approvedOnline, card(), requiresSignature: true))
        let receipt = try await terminal.processSale(saleWithEverything()).receipt
        #expect(try receipt.text(for: .merchant) == golden("sale-merchant.txt"))
        #expect(try receipt.text(for: .cardholder) == golden("sale-cardholder.txt"))
    }

    @Test("a refund and a capture say so") func refundAndCapture() async throws {
        let terminal = try await terminal(FakeHost())
        let refund = try await terminal.processRefund(
            Refund(orderID: OrderID("order-1"), amount: euros("4.00"), target: .transaction("U000000001")))
        #expect(try refund.receipt.text(for: .cardholder) == golden("refund.txt"))
        let other = try await PaymentTerminalTests.terminal(FakeHost())
        let capture = try await other.capture(
            FundsCapture(orderID: OrderID("order-1"), original: "U000000001", amount: euros("80.00")))
        #expect(try capture.receipt.text(for: .cardholder) == golden("capture.txt"))
    }

    @Test("A42: a pre-authorisation says so, and that the card was not inserted") func preAuthorization() async throws {
        var contactless = card()
        contactless.entryMode = .contactlessChip
        let terminal = try await terminal(FakeHost(), reader: reader(.approvedOnline, contactless))
        let response = try await terminal.processSale(
            Sale(orderID: OrderID("order-1"), amount: euros("100.00"), isPreAuthorization: true))
        #expect(try response.receipt.text(for: .cardholder) == golden("pre-authorisation.txt"))
    }

    @Test("E9: a partial approval shows what is still to be paid") func partialApproval() async throws {
        let host = FakeHost { request throws(HostError) in
            AuthorizationResponse(
                uniqueReference: "U000000001", issuer: IssuerAnswer.Answer(responseCode: "10", approvalCode: "123456"),
                authorizedAmount: Money(minorUnits: 7_00, currency: request.amount.currency),
                message: "PARTIAL APPROVAL")
        }
        let terminal = try await terminal(host, reader: reader(.approvedOnline, stripeCard()))
        let response = try await terminal.processSale(
            Sale(orderID: OrderID("order-1"), amount: euros("10.00"), terms: PaymentTerms(allowsPartialApproval: true)))
        #expect(try response.receipt.text(for: .cardholder) == golden("partial.txt"))
    }

    @Test("the receipt of a declined payment") func declined() async throws {
        let terminal = try await terminal(
            FakeHost(responseCode: "05", message: "DECLINED"), reader: reader(.declinedOnline, stripeCard()))
        let response = try await terminal.processSale(Sale(orderID: OrderID("order-1"), amount: euros("10.00")))
        #expect(try response.receipt.text(for: .cardholder) == golden("declined.txt"))
    }

    @Test("A54 A56: a reversed payment says why") func reversed() async throws {
        let terminal = try await terminal(FakeHost(), reader: reader(.declinedOffline, card(cryptogram: 0)))
        let response = try await terminal.processSale(Sale(orderID: OrderID("order-1"), amount: euros("10.00")))
        #expect(try response.receipt.text(for: .merchant) == golden("reversed.txt"))
    }

    @Test("A63: approved by the card while the host could not be reached, with signature") func offline() async throws {
        let host = FakeHost(failing: HostError(.unreachable, "no network"))
        host.failAdvices(with: HostError(.unreachable, "no network"))
        let terminal = try await terminal(host, reader: reader(.approvedOffline, card("Y3"), requiresSignature: true))
        let response = try await terminal.processSale(Sale(orderID: OrderID("order-1"), amount: euros("10.00")))
        #expect(try response.receipt.text(for: .merchant) == golden("offline.txt"))
    }

    @Test("a stored stripe payment does not say approved") func stored() async throws {
        let host = FakeHost(failing: HostError(.unreachable, "no network"))
        let terminal = try await terminal(host, reader: reader(.declinedOffline, stripeCard())) {
            $0.offline.deferredAuthorization = [.magneticStripe]
        }
        let response = try await terminal.processSale(Sale(orderID: OrderID("order-1"), amount: euros("10.00")))
        #expect(try response.receipt.text(for: .cardholder) == golden("stored.txt"))
    }

    @Test("the receipt of a payment in doubt") func unknown() async throws {
        let host = FakeHost(failing: HostError(.noAnswer, "lost"))
        host.failAdvices(with: HostError(.unreachable, "no network"))
        let terminal = try await terminal(host, reader: reader(.declinedOffline, stripeCard()))
        let response = try await terminal.processSale(Sale(orderID: OrderID("order-1"), amount: euros("10.00")))
        #expect(try response.receipt.text(for: .cardholder) == golden("unknown.txt"))
    }

    /// Signs what it is asked to.
    private final class Signer: TerminalListener {
        func onSignatureRequired(_ request: SignatureRequest, _ context: TerminalEvent.Context) async {
            let signature = Signature(strokes: [
                [.init(x: 30, y: 60), .init(x: 60, y: 20), .init(x: 90, y: 70), .init(x: 130, y: 50)],
                [.init(x: 140, y: 10)],
                [.init(x: 150, y: 50), .init(x: 170, y: 80), .init(x: 280, y: 40)],
            ])
            if let signature { request.submit(signature) }
        }
    }

    private func signedReceipt() async throws -> Receipt {
        let terminal = try await terminal(FakeHost(), reader: reader(.approvedOnline, card(), requiresSignature: true))
        {
            $0.merchantName = "Bread & <Butter>"
            $0.signature = .captured(isVerified: false)
        }
        await terminal.add(Signer())
        return try await terminal.processSale(saleWithEverything()).receipt
    }

    @Test(
        "A33: the signature that was captured is drawn on the merchant's page, and what merchants are called does no harm"
    )
    func page() async throws {
        let page = try await signedReceipt().html(for: .merchant)
        let style = try #require(page.firstMatch(of: /<style>\n(?<rules>[^<]*)\n<\/style>/))
        #expect(page.replacing(style.0, with: "<!--style-->") == (try golden("sale-signed.html")))
        #expect(style.rules.contains(/@page { size: 80mm \d+mm; margin: 0 }/))
    }

    @Test("the page needs nothing from elsewhere and runs nothing", arguments: Receipt.Copy.allCases)
    func selfContained(_ copy: Receipt.Copy) async throws {
        let page = try await signedReceipt().html(for: copy)
        for word in ["script", "http:", "https:", "src=", "href", "url(", "@import", "onload"] {
            #expect(!page.replacing("default-src", with: "").replacing("style-src", with: "").contains(word), "\(word)")
        }
        #expect(page.contains("default-src 'none'"))
        #expect(page.contains("<svg") == (copy == .merchant))
    }

    @Test("a signature that was captured needs no line on paper") func signedOnTheScreen() async throws {
        let receipt = try await signedReceipt()
        let text = receipt.text(for: .merchant)
        #expect(text.contains("Signed on the screen"))
        #expect(!text.contains("____"))
        #expect(receipt.signature?.strokes.count == 3)
        #expect(!receipt.text(for: .cardholder).contains("Signed"))
    }

    @Test("neither copy has more of the card than its last four digits") func nothingOfTheCard() async throws {
        let receipt = try await signedReceipt()
        for copy in Receipt.Copy.allCases {
            for page in [receipt.text(for: copy), receipt.html(for: copy)] {
                #expect(page.contains("**** 0010"))
                #expect(!page.contains("4761"))
                #expect(!page.contains("CARDHOLDER/VISA"))
                #expect(!page.contains("3112"))
                #expect(!page.contains("12/31"))
            }
        }
    }

    @Test("what card and merchant say steers neither printer nor page") func controlCharacters() async throws {
        var hostile = card()
        hostile.chip?.elements[.applicationPreferredName] = Array("<b>\u{1B}@".utf8)
        let terminal = try await terminal(FakeHost(), reader: reader(.approvedOnline, hostile)) {
            $0.merchantName = "Corner\n\u{1B}m\u{202E}Shop<\u{301}script>"
        }
        let receipt = try await terminal.processSale(Sale(orderID: OrderID("order-1"), amount: euros("1.00"))).receipt
        let text = receipt.text(for: .merchant)
        #expect(
            text.unicodeScalars.allSatisfy {
                $0 == "\n" || $0.properties.generalCategory != .control && $0 != "\u{202E}"
            })
        #expect(text.contains("Corner  m Shop"))
        let page = receipt.html(for: .merchant)
        #expect(!page.contains("<b>@"))
        #expect(page.contains("&lt;b&gt; @"))
        #expect(!page.unicodeScalars.contains("\u{1B}"))
        #expect(page.contains("&lt;\u{301}script&gt;"))
    }

    @Test(
        "A31: tax rates in hundredths of a percent",
        arguments: [(700, "7 %"), (550, "5.5 %"), (825, "8.25 %"), (1905, "19.05 %"), (0, "0 %")])
    func rates(_ rate: Int, _ words: String) throws {
        #expect(TaxLine(name: "VAT", rate: rate, amount: try euros("1.00")).percentage == words)
    }
}
