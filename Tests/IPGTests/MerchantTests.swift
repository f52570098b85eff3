import Bytes
import FormDocument
import Foundation
import PaymentTerminal
import Synchronization
import Testing

@testable import IPG

/// Who answers `OK`, and for what.
@Suite("The merchant's side of notifications") struct MerchantTests {
    private let id = IPGOrderID("1854")!

    private func payment(_ purpose: HostedPayment.Purpose = .purchase) throws -> HostedPayment {
        try HostedPayment(
            purpose, orderID: id, amount: "23.45 EUR", customerIP: "82.119.81.30",
            successURL: "https://shop.example/ok",
            cancelURL: "https://shop.example/cancel", notifyURL: "https://shop.example/notify")
    }

    private func merchant(_ generation: SignatureGeneration = .urlEncoded) async throws -> IPGMerchant<MemoryIPGJournal>
    {
        let merchant = IPGMerchant(account: try account(generation), journal: MemoryIPGJournal())
        _ = try await merchant.begin(payment())
        return merchant
    }

    private func with(_ changes: [String: String], _ fields: [(String, String)] = Published.purchase) throws -> [UInt8]
    {
        try gatewayForm(fields.map { ($0.0, changes[$0.0] ?? $0.1) }, .urlEncoded).body
    }

    private func state(_ merchant: IPGMerchant<MemoryIPGJournal>) async throws -> IPGOrder.State? {
        try await merchant.journal.order(id)?.state
    }

    @Test("a purchase is told once, and answered OK each time") func repeated() async throws {
        let merchant = try await merchant()
        let first = try await merchant.handle(with([:]))
        #expect(first.status == 200)
        #expect(first.body == Array("OK".utf8))
        guard case .succeeded(let payment)? = first.news else { throw IPGMessageError.unknownMessage }
        #expect(payment.reference?.text == "20210716141055303234")
        for _ in 0..<3 {
            let again = try await merchant.handle(with([:]))
            #expect(again.body == Array("OK".utf8))
            #expect(again.news == nil)
        }
        #expect(try await merchant.journal.unsettled().isEmpty)
    }

    @Test("what was not asked for is not answered OK") func refuses() async throws {
        let merchant = try await merchant()
        for (changes, refusal) in [
            (["OrderID": "1855"], NotificationRefusal.unknownOrder), (["Amount": "23.46"], .otherAmount),
            (["Currency": "840"], .otherAmount), (["MID": "000000000000124"], .unreadable(.otherMerchant)),
            // The same signed text, cut in another place.
            (["OrderID": "18542", "Amount": "3.45"], .unknownOrder),
        ] {
            let handled = try await merchant.handle(with(changes))
            #expect(handled.refusal == refusal)
            #expect(handled.status != 200)
            #expect(handled.body != Array("OK".utf8))
            #expect(try await state(merchant) == .asked)
        }
        let unsigned = await merchant.handle(Array("IPGmethod=IPGPurchaseNotify".utf8))
        #expect(unsigned.refusal == .unreadable(.signature(.unsigned)))
        #expect(unsigned.status == 400)
    }

    @Test("another transaction of a paid order is not answered OK") func contradiction() async throws {
        let merchant = try await merchant()
        _ = try await merchant.handle(with([:]))
        #expect(try await merchant.handle(with(["IPG_Trnref": "2"])).refusal == .contradiction)
        #expect(try await merchant.handle(with(["Approval": "OTHER"])).refusal == .contradiction)
        #expect(try await merchant.handle(with(["Amount": "1.00"])).refusal == .contradiction)
        guard case .succeeded(let payment)? = try await state(merchant) else { throw IPGMessageError.unknownMessage }
        #expect(payment.approval == "MSQI258")
    }

    @Test("a rollback before, after and without the purchase") func rollback() async throws {
        let rollback = try with([:], Published.rollback)
        let after = try await merchant()
        _ = try await after.handle(with([:]))
        #expect(await after.handle(rollback).news == .rolledBack)
        #expect(await after.handle(rollback).news == nil)
        #expect(await after.handle(rollback).body == Array("OK".utf8))
        // Late, or repeated: the gateway must not keep the charge.
        #expect(try await after.handle(with([:])).refusal == .closed)
        let before = try await merchant()
        #expect(await before.handle(rollback).news == .rolledBack)
        #expect(try await before.handle(with([:])).refusal == .closed)
        let other = try await merchant()
        #expect(try await other.handle(with(["OrderID": "1"], Published.rollback)).refusal == .unknownOrder)
        #expect(try await other.handle(with(["Amount": "1.00"], Published.rollback)).refusal == .otherAmount)
        #expect(try await state(other) == .asked)
    }

    @Test("what comes after the shop has given up is refused") func abandoned() async throws {
        let merchant = try await merchant()
        #expect(await merchant.abandon(id).news == .abandoned)
        #expect(try await merchant.handle(with([:])).refusal == .closed)
        let paid = try await self.merchant()
        _ = try await paid.handle(with([:]))
        #expect(await paid.abandon(id).news == nil)
    }

    @Test("a decline; one after a purchase leaves a doubt that a question settles") func declines() async throws {
        let decline = try with(["IPGmethod": "IPGPurchaseDeclineNotify"], Published.rollback)
        let first = try await merchant()
        #expect(await first.handle(decline).news == .declined(nil))
        #expect(try await first.handle(with([:])).refusal == .closed)
        let second = try await merchant()
        _ = try await second.handle(with([:]))
        #expect(await second.handle(decline).news == nil)
        #expect(try await second.journal.unsettled().map(\.id) == [id])
        let answer = try status("100", second)
        #expect(await second.settle(id, answer).refusal == nil)
        #expect(try await second.journal.unsettled().isEmpty)
        _ = await second.handle(decline)
        let reversed = try status("9024", second)
        #expect(await second.settle(id, reversed).news == .rolledBack)
    }

    private func status(_ number: String, _ merchant: IPGMerchant<MemoryIPGJournal>) throws -> IPGAnswer {
        let form = try gatewayForm(
            [
                ("method", "IPGGetTxnStatus"), ("status", "0"), ("OrderID", "1854"), ("Amount", "23.45"),
                ("Currency", "978"), ("IPG_Trnref", "20210716141055303234"), ("IPG_TrnStatus", number),
            ], merchant.account.generation)
        let xml = form.all.map { "<\($0.name)>\($0.value)</\($0.name)>" }.joined()
        return try IPGAnswer(parsing: Array("<A>\(xml)</A>".utf8), to: .status, for: merchant.account)
    }

    @Test("an order id is used once") func once() async throws {
        let merchant = try await merchant()
        await #expect(throws: IPGMerchantError.journal(.orderExists)) { try await merchant.begin(payment()) }
    }

    @Test("no OK while the journal does not write") func journalFails() async throws {
        let journal = FailingJournal()
        let merchant = IPGMerchant(account: try account(.urlEncoded), journal: journal)
        _ = try await merchant.begin(payment())
        journal.fails.withLock { $0 = true }
        let handled = try await merchant.handle(with([:]))
        #expect(handled.refusal == .journal(.failed))
        #expect(handled.status == 503)
        #expect(handled.body != Array("OK".utf8))
        journal.fails.withLock { $0 = false }
        #expect(try await merchant.handle(with([:])).body == Array("OK".utf8))
    }

    @Test("the same notification in many tasks at once is news for one") func concurrent() async throws {
        let merchant = try await merchant()
        let body = try with([:])
        let news = await withTaskGroup(of: HandledNotification.self) { group in
            for _ in 0..<50 { group.addTask { await merchant.handle(body) } }
            return await group.reduce(into: 0) { $0 += $1.news == nil ? 0 : 1 }
        }
        #expect(news == 1)
    }

    @Test("an order survives its journal's JSON") func codable() async throws {
        let merchant = try await merchant()
        _ = try await merchant.handle(with([:]))
        let order = try #require(try await merchant.journal.order(id))
        #expect(try JSONDecoder().decode(IPGOrder.self, from: JSONEncoder().encode(order)) == order)
    }
}

/// A journal whose disk is full when it is told so.
private final class FailingJournal: IPGJournal {
    private let memory = MemoryIPGJournal()
    let fails = Mutex(false)

    private func check() throws(IPGJournalError) {
        if fails.withLock({ $0 }) { throw .failed }
    }

    func order(_ id: IPGOrderID) async throws(IPGJournalError) -> IPGOrder? { try await memory.order(id) }
    func insert(_ order: IPGOrder) async throws(IPGJournalError) {
        try check()
        try await memory.insert(order)
    }
    func replace(_ old: IPGOrder, by new: IPGOrder) async throws(IPGJournalError) -> Bool {
        try check()
        return try await memory.replace(old, by: new)
    }
    func unsettled() async throws(IPGJournalError) -> [IPGOrder] { try await memory.unsettled() }
}
