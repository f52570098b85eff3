internal import Bytes
internal import CardCapture
internal import EMVKernel
internal import PaymentTerminal
internal import TLV

/// A reader with a card before it, which keeps to the interface's promises or does not.
final class ModelReader: CardReader, @unchecked Sendable {
    enum Manner: String {
        case takesAnswer, approvesAlone, declinesAlone
        /// It wants the host to hear of its decline.
        case declinesWithAdvice
        /// The card declines what the host approved.
        case declinesAfterwards
        case noCard, removedBefore, removedAfter, fails
        /// It never ends, whoever cancels it.
        case hangs
        /// It takes its time and hears of no cancelling.
        case late
    }

    let name: String
    let capabilities: ReaderCapabilities = .contactChip
    let events = ReaderEvents()
    private let world: World
    private let life: Int
    private var isBusy = false

    init(_ world: World, life: Int, number: Int) {
        self.world = world
        self.life = life
        name = "Model reader \(number)"
    }

    private static let second: Int64 = 1_000_000_000

    /// How this capture goes; `.late` comes with the manner in which it then ends.
    private func manner() -> Manner {
        if world.strikes(.readerHangs, .reader) { return .hangs }
        if world.strikes(.readerLate, .reader) { return .late }
        if world.strikes(.noCard, .reader) { return .noCard }
        if world.strikes(.cardRemoved, .reader) {
            return world.draw(.reader, "when", 2) == 0 ? .removedBefore : .removedAfter
        }
        if world.strikes(.readerFails, .reader) { return .fails }
        if world.strikes(.cardDeclines, .reader) { return .declinesAfterwards }
        if world.strikes(.declineAdvice, .corners) { return .declinesWithAdvice }
        switch world.draw(.reader, "manner", 8) {
        case 7: return .approvesAlone
        case 6: return .declinesAlone
        default: return .takesAnswer
        }
    }

    func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        guard !isBusy else { throw ExclusiveUse.captureRefusal }
        isBusy = true
        defer { isBusy = false }
        // One that has its outcome is only not told yet. Of two that pay at once nobody knows whose
        // card this is.
        let orders = world.shop.running.filter { $0.readsCard && !world.shop.concluded.contains($0.orderID) }.map(
            \.orderID)
        let order = orders.first
        world.shop.captures += 1
        let number = world.shop.captures
        for order in orders.dropFirst() {
            world.shop.cardsWord[order] = nil
            world.shop.lastCapture[order] = number
        }
        if let order {
            world.shop.cardsWord[order] = nil
            world.shop.awaitingCard.remove(order)
            world.shop.lastCapture[order] = number
        }
        let outcome = try await run(request, of: order) { card in
            if let order, orders.count == 1, card.chip != nil, self.world.shop.lastCapture[order] == number {
                self.world.shop.awaitingCard.insert(order)
            }
            return await authorize(card)
        }
        if let order { world.shop.awaitingCard.remove(order) }
        // A stripe says nothing: the shop may store it. A capture that ends late, after a second
        // try, does not count.
        if let order, orders.count == 1, outcome.card?.chip != nil, world.shop.lastCapture[order] == number {
            world.shop.cardsWord[order] = outcome.requiresReversal ? .declinedOnline : outcome.decision
        }
        return outcome
    }

    private func run(
        _ request: CaptureRequest, of order: OrderID?, _ authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        let manner = manner()
        world.note("\(name): \(manner.rawValue)")
        let (card, last) = cards()
        let isLate = manner == .late
        if manner == .hangs { await world.hang() }
        try await pause(isLate ? Int64(3 + world.draw(.reader, "late by", 40)) * Self.second : time(), isDeaf: isLate)
        if card.entryMode == .contactlessChip { try await tear(request) }
        switch manner {
        case .noCard: throw .noCardPresented
        case .removedBefore: throw .cardRemoved
        case .fails: throw .readerTimedOut
        case .approvesAlone where !request.forcesOnline && card.chip != nil: return approved(.approvedOffline, last)
        case .declinesAlone, .declinesWithAdvice:
            return CaptureOutcome(
                decision: .declinedOffline, card: last, requiresAdvice: manner == .declinesWithAdvice)
        default: break
        }
        var answer = await authorize(card)
        if let order, world.shop.running.filter(\.readsCard).count == 1 { world.shop.heard(answer, of: order, world) }
        if world.strikes(.asksTwice, .corners) { answer = await authorize(card) }
        try await pause(time(), isDeaf: isLate)
        if manner == .removedAfter { throw .cardRemoved }
        if card.chip != nil, manner != .declinesAfterwards, world.strikes(.cardAlone, .corners) {
            return approved(.approvedOffline, last)
        }
        if case .answered(let issuer) = answer { world.checkIssuerData(issuer, of: order) }
        guard case .answered(let issuer) = answer else { return CaptureOutcome(decision: .declinedOffline, card: last) }
        if request.responseCodes.referral.contains(issuer.responseCode),
            case .approved? = await request.resolveReferral?()
        {
            return approved(.approvedOnline, last)
        }
        guard request.responseCodes.approves(issuer.responseCode) else {
            return CaptureOutcome(decision: .declinedOnline, card: last)
        }
        if manner == .declinesAfterwards {
            // A reader that contradicts itself: the reversal counts.
            let decision: CaptureOutcome.Decision =
                world.strikes(.cardAlone, .corners) ? .approvedOnline : .declinedOnline
            return CaptureOutcome(decision: decision, card: last, requiresReversal: true)
        }
        return approved(.approvedOnline, last)
    }

    /// The card that asks the host, and the one that the reader has in the end: another one, if the
    /// reader looked twice.
    private func cards() -> (asking: CapturedCard, last: CapturedCard) {
        var card =
            world.draw(.reader, "card", 3) == 2 ? Cards.stripe(hasTrack: world.server is XMLServer) : Cards.chip()
        if world.strikes(.tap, .corners) { card = Cards.chip(.contactlessChip) }
        if world.strikes(.refusedCard, .corners) { card = Cards.chip(number: Cards.refusedNumber) }
        guard world.strikes(.otherCard, .corners) else { return (card, card) }
        let number = world.draw(.corners, "other card", 2) == 1 ? Cards.refusedNumber : Cards.otherNumber
        return (card, Cards.chip(card.entryMode == .contactlessChip ? .contactlessChip : .chip, number: number))
    }

    private func approved(_ decision: CaptureOutcome.Decision, _ card: CapturedCard) -> CaptureOutcome {
        CaptureOutcome(decision: decision, card: card, requiresSignature: world.strikes(.signature, .corners))
    }

    /// A tap whose GENERATE AC got no answer: it is kept, and the card comes back.
    private func tear(_ request: CaptureRequest) async throws(CaptureError) {
        guard world.strikes(.tornTap, .corners), let memory = request.memory else { return }
        let known = try await memory.tornTransactions()?.revealed() ?? []
        world.shop.checkTorn(known, world)
        let records = (0..<8).map { _ in UInt8(world.draw(.corners, "torn", 256)) }
        world.shop.torn = nil
        try await memory.keepTornTransactions(SecretBytes(records))
        world.shop.torn = records
        try await pause(time(), isDeaf: false)
    }

    private func time() -> Int64 {
        let time = Int64(1 + world.draw(.reader, "card takes", 300)) * 10_000_000
        return world.strikes(.readerSlow, .reader) ? time * 20 : time
    }

    private func pause(_ time: Int64, isDeaf: Bool) async throws(CaptureError) {
        await world.waitForCard(time, life: life, isDeaf: isDeaf)
        if !isDeaf, Task.isCancelled { throw .cancelled }
    }
}

extension World {
    /// The wait of a driver that is woken when its task is cancelled, unless it is deaf.
    func waitForCard(_ time: Int64, life: Int, isDeaf: Bool) async {
        let wait = Wait()
        let start = now
        defer { shop.spentAtReader(now - start) }
        await withTaskCancellationHandler {
            await unsafe withUnsafeContinuation { waiting in
                unsafe wait.waiting = waiting
                if wait.isCancelled { return wait.end() }
                loop.after(time, "card", life: life) { wait.end() }
            }
        } onCancel: {
            wait.isCancelled = true
            if !isDeaf { wait.end() }
        }
    }

    /// A driver that never ends, whoever cancels it.
    func hang() async { await unsafe withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in } }

    @safe private final class Wait: @unchecked Sendable {
        var waiting: UnsafeContinuation<Void, Never>?
        var isCancelled = false

        func end() {
            guard let waiting = unsafe waiting else { return }
            unsafe self.waiting = nil
            unsafe waiting.resume()
        }
    }
}

/// The cards of the simulated shop: numbers of the published test ranges.
enum Cards {
    static let chipNumber = "4761739001010119"
    static let stripeNumber = "4111111111111111"
    static let keyedNumber = "5555555555554444"
    /// Of a kind that the list of devices may have a reader refuse.
    static let refusedNumber = "6011000990139424"
    static let otherNumber = "4012888888881881"
    /// Of the virtual cards of Mastercard's kind.
    static let tappedNumber = "5413330089600119"
    static let all = [chipNumber, stripeNumber, keyedNumber, refusedNumber, otherNumber, tappedNumber]

    static func chip(_ entryMode: CapturedCard.EntryMode = .chip, number: String = chipNumber) -> CapturedCard {
        var elements = DataElements()
        elements[.dfName] = [0xA0, 0, 0, 0, 0x03, 0x10, 0x10]
        elements[.applicationCryptogram] = [1, 2, 3, 4, 5, 6, 7, 8]
        elements[.cryptogramInformationData] = [0x40]
        return CapturedCard(
            entryMode: entryMode, pan: SecretBytes(number.utf8), expiry: "3112", panSequenceNumber: 1,
            track2: SecretBytes("\(number)=31122010000".utf8), chip: ChipData(elements: elements))
    }

    static func stripe(hasTrack: Bool) -> CapturedCard {
        CapturedCard(
            entryMode: .magneticStripe, pan: SecretBytes(stripeNumber.utf8), expiry: "3112",
            track2: hasTrack ? SecretBytes("\(stripeNumber)=31122010000".utf8) : nil)
    }

    static func keyed() -> CardDetails? {
        guard let expiry = ExpiryDate(mmyy: "1231") else { return nil }
        return try? CardDetails(pan: SecretBytes(keyedNumber.utf8), expiry: expiry, cardholderName: "TEST CARD")
    }
}
