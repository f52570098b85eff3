import Bytes
import CardCapture
import Foundation
import Outbox
import PaymentDoubles
import PaymentTerminal
import Testing

@testable import Mail

@Suite("Receipts by mail go through the outbox") struct ReceiptMailTests {
    private static let noon = Timestamp(secondsSince1970: 1_795_910_400)

    private static func receipt() async throws -> Receipt {
        let terminal = Terminal(
            configuration: Terminal.Configuration(
                merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro),
            host: ApprovingHost(), journal: MemoryJournal())
        let card = CapturedCard(
            entryMode: .magneticStripe, pan: SecretBytes("4111111111111111".utf8), expiry: "3112")
        try await terminal.connect(PresentedCardReader(card))
        return try await terminal.processSale(Sale(orderID: "sale-17", amount: "5.50 EUR")).receipt
    }

    private static func mail(_ outbox: Outbox, _ peer: MailPeer) throws -> ReceiptMail {
        var server = MailServer(host: "localhost", port: peer.port, security: .startTLS)
        server.trustedCertificates = peer.certificate
        return ReceiptMail(outbox, from: try MailAddress("till@shop.example"), by: MailClient(server))
    }

    @Test("A receipt that is put twice is sent once, and only the cardholder's copy") func once() async throws {
        let peer = try MailPeer("starttls")
        defer { peer.end() }
        let outbox = try await Outbox(MemoryOutbox(), at: Self.noon.secondsSince1970, jitter: 0)
        let mail = try Self.mail(outbox, peer)
        let receipt = try await Self.receipt()
        for _ in 0..<2 {
            try await mail.put(receipt, to: try MailAddress("aoife@example.com"), at: Self.noon)
            _ = try await mail.deliverDue(at: Self.noon) { 0 }
        }
        let mails = try peer.mails()
        try #require(mails.count == 1)
        #expect(mails[0].subject == "Corner Shop: receipt sale-17")
        #expect(mails[0].text.contains("CARDHOLDER COPY"))
        #expect(mails[0].text.contains("5.50 EUR"))
        #expect(mails[0].html.contains("5.50 EUR"))
        #expect(!mails[0].text.contains("411111"))
        let keys = try await outbox.keys(.delivered)
        try #require(keys.count == 1)
        #expect(!keys[0].text.contains("aoife"))
        try await mail.put(receipt, to: try MailAddress("other@example.com"), at: Self.noon)
        #expect(try await mail.deliverDue(at: Self.noon) { 0 }.map(\.certainty) == [.once])
        #expect(try await outbox.delivery(keys[0])?.certainty == .once)
    }

    @Test(
        "A mail server that is busy is asked again; one that refuses is not",
        arguments: ["recipient-busy", "recipient-unknown"])
    func refusals(_ mode: String) async throws {
        let peer = try MailPeer(mode)
        defer { peer.end() }
        let outbox = try await Outbox(MemoryOutbox(), at: Self.noon.secondsSince1970, jitter: 0)
        let mail = try Self.mail(outbox, peer)
        try await mail.put(Self.receipt(), to: try MailAddress("aoife@example.com"), at: Self.noon)
        let tried = try await mail.deliverDue(at: Self.noon) { 0 }
        #expect(tried.map(\.certainty) == [mode == "recipient-busy" ? .notYet : .never])
        #expect(try await mail.deliverDue(at: Self.noon) { 0 }.isEmpty)
    }

    @Test("A mail whose end was not answered is sent again, and is perhaps there twice") func perhapsTwice()
        async throws
    {
        let cutting = try MailPeer("cut-at-end")
        defer { cutting.end() }
        let taking = try MailPeer("starttls")
        defer { taking.end() }
        let outbox = try await Outbox(MemoryOutbox(), at: Self.noon.secondsSince1970, jitter: 0)
        try await Self.mail(outbox, cutting).put(
            Self.receipt(), to: try MailAddress("aoife@example.com"), at: Self.noon)
        let first = try await Self.mail(outbox, cutting).deliverDue(at: Self.noon) { 0 }
        #expect(first.map(\.certainty) == [.perhapsAlready])
        let later = Timestamp(secondsSince1970: Self.noon.secondsSince1970 + 3600)
        let second = try await Self.mail(outbox, taking).deliverDue(at: later) { 0 }
        #expect(second.map(\.certainty) == [.perhapsTwice])
        let count = try cutting.mails().count + taking.mails().count
        #expect(count == 2)
    }
}
