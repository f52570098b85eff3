import Bytes
import FormDocument
import IPG
import PaymentTerminal
import SeededNumbers
import Testing

@testable import BenchIPG

/// Merchant and gateway over a network that loses, doubles, delays and reorders, with customers who
/// go away and a shop that gives up. What must hold for each seed is in ``check()``.
private struct Model {
    enum Message {
        case toMerchant(BenchIPG.Delivery)
        case toGateway(Int, status: Int?, body: [UInt8])
    }

    var pair: Pair
    let generation: SignatureGeneration
    var numbers: SplitMix
    var now: Int64 = 1_700_000_000
    var network: [Message] = []
    var orders: [IPGOrderID] = []
    /// What the shop was told of each order, in this order.
    var told: [IPGOrderID: [IPGOrder.State]] = [:]

    init(_ generation: SignatureGeneration, seed: UInt64) throws {
        pair = try Pair(generation)
        self.generation = generation
        numbers = SplitMix(seed: seed)
    }

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &numbers) < percent }

    mutating func run() async throws {
        for step in 0..<40 {
            now += Int64.random(in: 1...200, using: &numbers)
            if step < 25, chance(40) { try await shop(step) }
            if let order = orders.randomElement(using: &numbers), chance(8) { note(await pair.merchant.abandon(order)) }
            take(pair.gateway.wake(now: now))
            await deliver()
        }
        // For a day the network loses nothing, or everything. What was lost stays lost.
        let loss = chance(50) ? 0 : 100
        while !network.isEmpty { await deliver(losing: loss, doubling: 0) }
        for _ in 0..<60 {
            now += 7200
            take(pair.gateway.wake(now: now))
            while !network.isEmpty { await deliver(losing: loss, doubling: 0) }
        }
        // The shop gives up some of those that it has heard nothing of.
        for id in orders where chance(30) { note(await pair.merchant.abandon(id)) }
        try await reconcile()
    }

    private mutating func shop(_ number: Int) async throws {
        guard let id = IPGOrderID("O-\(number)") else { return }
        let amounts: [Money] = ["10.00 EUR", "10.51 EUR", "25.05 EUR", "3.45 EUR"]
        let amount = amounts.randomElement(using: &numbers) ?? "10.00 EUR"
        let purpose: HostedPayment.Purpose = chance(30) ? .storeCardAndPurchase : .purchase
        let form = try await pair.merchant.begin(Pair.payment(purpose, id, amount))
        orders.append(id)
        // The customer may not arrive, or go away without a word.
        guard !chance(10), case .page = pair.gateway.receive(form.body, now: now), !chance(10) else { return }
        let entry: BenchIPG.Entry = chance(10) ? .cancel : .card(try Pair.card())
        for _ in 0..<(chance(20) ? 2 : 1) { take(pair.gateway.enter(entry, at: pair.id, order: id, now: now)) }
    }

    private mutating func take(_ effects: [BenchIPG.Effect]) {
        for case .post(let delivery) in effects { network.append(.toMerchant(delivery)) }
    }

    /// One message, any of those on their way.
    private mutating func deliver(losing loss: Int = 20, doubling: Int = 15) async {
        guard !network.isEmpty else { return }
        let place = Int.random(in: 0..<network.count, using: &numbers)
        let message = network[place]
        // A copy stays on its way: it comes later again.
        if !chance(doubling) { network.remove(at: place) }
        let isLost = chance(loss)
        switch message {
        case .toMerchant(let delivery):
            guard !isLost else { return network.append(.toGateway(delivery.id, status: nil, body: [])) }
            let handled = await pair.merchant.handle(delivery.body)
            note(handled)
            network.append(.toGateway(delivery.id, status: handled.status, body: handled.body))
        case .toGateway(let delivery, let status, let body):
            // A lost answer is a time that is up.
            take(pair.gateway.answered(delivery, status: isLost ? nil : status, body: isLost ? [] : body, now: now))
        }
    }

    private mutating func note(_ handled: HandledNotification) {
        guard let order = handled.order, let news = handled.news else { return }
        told[order.id, default: []].append(news)
    }

    /// What a shop does at the end of its day: it asks for what is not settled and for what has
    /// succeeded, and has reversed what must not stay.
    private mutating func reconcile() async throws {
        let account = pair.merchant.account
        for id in orders {
            guard let order = try await pair.merchant.journal.order(id) else { continue }
            var isSucceeded = false
            if case .succeeded = order.state { isSucceeded = true }
            if order.isUnsettled || isSucceeded {
                let answer = try pair.ask(account.status(of: id), .status, now: now)
                note(await pair.merchant.settle(id, answer))
            }
            for reference in try await pair.merchant.journal.order(id)?.dueReversals ?? [] {
                let answer = try pair.ask(account.reversal(reference, orderID: id), .reversal, now: now)
                note(await pair.merchant.settle(id, reversal: reference, answer))
            }
        }
    }

    func check() async throws {
        let charges = pair.gateway.charges(of: pair.id)
        for id in orders {
            let order = try #require(try await pair.merchant.journal.order(id))
            let charge = charges[id]
            let stands = charge.map { $0.state == .completed } ?? false
            // The books agree: each charge is known with its amount, and no other is.
            if case .succeeded(let payment) = order.state {
                #expect(stands, "\(id) is not charged")
                #expect(payment.reference == charge?.reference)
                #expect(order.amount == charge?.amount)
            } else {
                #expect(!stands, "\(id): nobody was told of a charge")
            }
            #expect(order.dueReversals.isEmpty)
            #expect(charge?.state != .notifying)
            // Told once, and not differently: a success can only be followed by the gateway's own
            // reversal.
            let states = told[id] ?? []
            #expect(states.count <= 2, "\(id): \(states)")
            if states.count == 2 {
                guard case .succeeded = states[0] else {
                    Issue.record("\(id) was told \(states)")
                    continue
                }
                #expect(states[1] == .rolledBack)
                #expect(charge?.state == .reversed)
            }
        }
    }
}

@Suite("Merchant and gateway over a bad network") struct ModelTests {
    @Test("books agree, and nothing is told twice differently", arguments: SignatureGeneration.allCases, 0..<12)
    func seeds(_ generation: SignatureGeneration, _ block: Int) async throws {
        for seed in 0..<10 {
            var model = try Model(generation, seed: UInt64(block * 10 + seed))
            try await model.run()
            try await model.check()
        }
    }
}
