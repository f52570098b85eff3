import Bytes
import FormDocument
import IPG
import PaymentTerminal
import Testing

@testable import BenchIPG

@Suite("The gateway for trials") struct GatewayTests {
    private let order = IPGOrderID("A-1")!
    private let now: Int64 = 1_626_444_655

    /// The single delivery of the effects.
    private func delivery(_ effects: [BenchIPG.Effect]) throws -> BenchIPG.Delivery {
        for case .post(let delivery) in effects { return delivery }
        throw IPGMessageError.unknownMessage
    }

    @Test("a purchase, told and answered", arguments: SignatureGeneration.allCases)
    func purchase(_ generation: SignatureGeneration) async throws {
        var pair = try Pair(generation)
        let form = try await pair.merchant.begin(Pair.payment(.purchase, order, "23.45 EUR"))
        #expect(pair.gateway.receive(form.body, now: now) == .page(pair.id, order))
        #expect(pair.gateway.receive(form.body, now: now) == .refused(.duplicate))
        #expect(pair.gateway.page(pair.id, order)?.amount == "23.45 EUR")
        let effects = pair.gateway.enter(.card(try Pair.card()), at: pair.id, order: order, now: now)
        #expect(pair.gateway.enter(.card(try Pair.card()), at: pair.id, order: order, now: now).isEmpty)
        let post = try delivery(effects)
        #expect(post.url == "https://shop.example/notify")
        let handled = await pair.merchant.handle(post.body)
        guard case .succeeded(let payment)? = handled.news else { throw IPGMessageError.unknownMessage }
        #expect(payment.card.lastDigits == "1000")
        #expect(payment.card.brand == .visa)
        #expect(payment.reference?.text.hasPrefix("20210716141055") == true)
        #expect(pair.gateway.answered(post.id, status: handled.status, body: handled.body, now: now).isEmpty)
        #expect(pair.gateway.charges(of: pair.id)[order]?.state == .completed)
        let status = try pair.ask(pair.merchant.account.status(of: order), .status, now: now)
        #expect(status.state == .completed)
    }

    @Test(
        "an answer that is not exactly OK declines and reverses",
        arguments: [(200, "OK\n"), (200, "ok"), (200, "\"OK\""), (200, ""), (500, "OK"), (302, "OK"), (nil, "")]
            as [(Int?, String)])
    func exactlyOK(_ status: Int?, _ body: String) async throws {
        var pair = try Pair(.urlEncoded)
        let form = try await pair.merchant.begin(Pair.payment(.purchase, order, "23.45 EUR"))
        _ = pair.gateway.receive(form.body, now: now)
        let post = try delivery(pair.gateway.enter(.card(try Pair.card()), at: pair.id, order: order, now: now))
        let rollback = try delivery(
            pair.gateway.answered(post.id, status: status, body: Array(body.utf8), now: now))
        #expect(pair.gateway.charges(of: pair.id)[order]?.state == .reversed)
        #expect(await pair.merchant.handle(rollback.body).news == .rolledBack)
        // A late OK changes nothing.
        #expect(pair.gateway.answered(post.id, status: 200, body: Array("OK".utf8), now: now).isEmpty)
        #expect(pair.gateway.charges(of: pair.id)[order]?.state == .reversed)
    }

    @Test("4.5 repeats 53 times by its schedule, and reverses nothing") func repeats() async throws {
        var pair = try Pair(.sorted)
        let form = try await pair.merchant.begin(Pair.payment(.purchase, order, "23.45 EUR"))
        _ = pair.gateway.receive(form.body, now: now)
        var post = try delivery(pair.gateway.enter(.card(try Pair.card()), at: pair.id, order: order, now: now))
        var moment = now
        var delays: [Int64] = []
        while true {
            let effects = pair.gateway.answered(post.id, status: 503, body: [], now: moment)
            guard case .wake(let next)? = effects.first else {
                #expect(effects.isEmpty)
                break
            }
            #expect(pair.gateway.wake(now: next - 1).isEmpty)
            delays.append(next - moment)
            moment = next
            post = try delivery(pair.gateway.wake(now: moment))
        }
        #expect(
            delays == [Int64](repeating: 60, count: 20) + [Int64](repeating: 300, count: 8)
                + [Int64](repeating: 600, count: 6) + [Int64](repeating: 1200, count: 6)
                + [Int64](repeating: 3600, count: 6) + [Int64](repeating: 7200, count: 7))
        #expect(pair.gateway.charges(of: pair.id)[order]?.state == .completed)
    }

    @Test("a stored card pays", arguments: SignatureGeneration.allCases)
    func storedCard(_ generation: SignatureGeneration) async throws {
        var pair = try Pair(generation)
        let form = try await pair.merchant.begin(Pair.payment(.storeCard, order, "0.00 EUR"))
        _ = pair.gateway.receive(form.body, now: now)
        let post = try delivery(
            pair.gateway.enter(.card(try Pair.card(), customName: "Mine"), at: pair.id, order: order, now: now))
        guard case .succeeded(let stored)? = await pair.merchant.handle(post.body).news else {
            throw IPGMessageError.unknownMessage
        }
        let token = try #require(stored.card.token)
        #expect(token.utf8.count == 64)
        #expect(pair.gateway.charges(of: pair.id).isEmpty)
        let next = try #require(IPGOrderID("A-2"))
        let purchase = try await pair.merchant.begin(
            Pair.payment(.storedCardPurchase(token: token), next, "1.00 EUR"))
        #expect(pair.gateway.receive(purchase.body, now: now) == .page(pair.id, next))
        let second = try delivery(pair.gateway.enter(.storedCard, at: pair.id, order: next, now: now))
        let handled = await pair.merchant.handle(second.body)
        #expect(handled.body == Array("OK".utf8))
        _ = pair.gateway.answered(second.id, status: 200, body: handled.body, now: now)
        #expect(pair.gateway.charges(of: pair.id)[next]?.state == .completed)
        let unknown = try await pair.merchant.begin(
            Pair.payment(.storedCardPurchase(token: String(token.reversed())), #require(IPGOrderID("A-3")), "1.00 EUR"))
        #expect(pair.gateway.receive(unknown.body, now: now) == .refused(.cardNotFound))
    }

    @Test("storing and paying at once", arguments: SignatureGeneration.allCases)
    func storeAndPurchase(_ generation: SignatureGeneration) async throws {
        var pair = try Pair(generation)
        let form = try await pair.merchant.begin(Pair.payment(.storeCardAndPurchase, order, "23.45 EUR"))
        _ = pair.gateway.receive(form.body, now: now)
        let post = try delivery(pair.gateway.enter(.card(try Pair.card()), at: pair.id, order: order, now: now))
        guard case .succeeded(let payment)? = await pair.merchant.handle(post.body).news else {
            throw IPGMessageError.unknownMessage
        }
        #expect(payment.card.token?.utf8.count == 64)
        #expect(pair.gateway.charges(of: pair.id)[order]?.amount == "23.45 EUR")
    }

    @Test("refunds within the amount, a reversal, and what is refused", arguments: SignatureGeneration.allCases)
    func backOffice(_ generation: SignatureGeneration) async throws {
        var pair = try Pair(generation)
        let account = pair.merchant.account
        let form = try await pair.merchant.begin(Pair.payment(.purchase, order, "23.45 EUR"))
        _ = pair.gateway.receive(form.body, now: now)
        let post = try delivery(pair.gateway.enter(.card(try Pair.card()), at: pair.id, order: order, now: now))
        _ = pair.gateway.answered(post.id, status: 200, body: Array("OK".utf8), now: now)
        let reference = try #require(pair.gateway.charges(of: pair.id)[order]?.reference)
        func refund(_ id: String, _ amount: Money, _ format: OutputFormat) throws -> IPGAnswer {
            let form = try account.refund(reference, amount, orderID: #require(IPGOrderID(id)), format: format)
            return try pair.ask(form, .refund, now: now)
        }
        let first = try refund("R-1", "20.00 EUR", .xml)
        #expect(first.isGood)
        #expect(first.amount == "20.00 EUR")
        #expect(try refund("R-1", "1.00 EUR", .json).code == .duplicate)
        #expect(try refund("R-2", "3.46 EUR", .json).code == .amount)
        #expect(try refund("R-2", "3.45 EUR", .json).isGood)
        let status = try pair.ask(account.status(of: #require(IPGOrderID("R-1")), format: .xml), .status, now: now)
        #expect(status.state == .completed)
        let reversal = try pair.ask(account.reversal(reference, orderID: order), .reversal, now: now)
        #expect(reversal.code == .notReversible)
        let unknown = try pair.ask(account.status(of: #require(IPGOrderID("none"))), .status, now: now)
        #expect(unknown.state == .failed(.notFound))
    }

    @Test("declined by amount, by card, and cancelled by the customer", arguments: SignatureGeneration.allCases)
    func declines(_ generation: SignatureGeneration) async throws {
        var pair = try Pair(generation)
        let cases: [(String, Money, String?, OperationStatus)] = [
            ("D-1", "1.51 EUR", "4000000000001000", .insufficientFunds),
            ("D-2", "1.00 EUR", "4000000000001018", .failed3DS), ("D-3", "1.00 EUR", nil, .cancelledByCustomer),
        ]
        for (id, amount, number, expected) in cases {
            let order = try #require(IPGOrderID(id))
            let form = try await pair.merchant.begin(Pair.payment(.purchase, order, amount))
            _ = pair.gateway.receive(form.body, now: now)
            let entry: BenchIPG.Entry = try number.map { .card(try Pair.card($0)) } ?? .cancel
            let post = try delivery(pair.gateway.enter(entry, at: pair.id, order: order, now: now))
            let news = await pair.merchant.handle(post.body).news
            #expect(news == (generation == .sorted ? .declined(expected) : .rolledBack))
            #expect(pair.gateway.charges(of: pair.id)[order] == nil)
            let status = try pair.ask(pair.merchant.account.status(of: order), .status, now: now)
            #expect(status.state == .failed(expected))
        }
    }

    @Test("requests that the gateway refuses", arguments: SignatureGeneration.allCases)
    func refuses(_ generation: SignatureGeneration) async throws {
        var pair = try Pair(generation)
        let account = pair.merchant.account
        let form = try account.request(Pair.payment(.purchase, order, "23.45 EUR"))
        func received(_ change: (inout FormFields) -> Void) -> BenchIPG.Received {
            var changed = form
            change(&changed)
            return pair.gateway.receive(changed.body, now: now)
        }
        #expect(received { $0.set("Amount", "1.00") } == .refused(.signature))
        #expect(received { $0 = $0.without("Signature") } == .refused(.signature))
        #expect(received { $0.set("KeyIndex", "2") } == .refused(.signature))
        #expect(received { $0.set("MID", "113") } == .refused(.merchant))
        #expect(received { $0.set("IPGmethod", "IPGMoto") } == .refused(.method))
        #expect(pair.gateway.receive([0xFF], now: now) == .refused(.parameter))
        for other in SignatureGeneration.allCases where other != generation {
            let body = try Pair(other).merchant.account.request(Pair.payment(.purchase, order, "1.00 EUR")).body
            #expect(pair.gateway.receive(body, now: now) == .refused(.signature))
        }
        var status = account.status(of: order)
        status.set("OrderID", "B")
        let refused = try pair.ask(status, .status, now: now)
        #expect(refused.code == .signature)
    }
}
