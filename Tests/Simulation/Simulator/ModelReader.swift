internal import Bytes
internal import CardCapture
internal import EMVKernel
internal import PaymentTerminal
internal import TLV

/// A reader with a card before it, which keeps to the interface's promises or does not.
final class ModelReader: CardReader, @unchecked Sendable {
    enum Manner: String {
        case takesAnswer, approvesAlone, declinesAlone
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
        if world.strikes(.cardRemoved, .reader) { return world.draw(.reader, "when", 2) == 0 ? .removedBefore : .removedAfter }
        if world.strikes(.readerFails, .reader) { return .fails }
        if world.strikes(.cardDeclines, .reader) { return .declinesAfterwards }
        switch world.draw(.reader, "manner", 8) {
        case 7: return .approvesAlone
        case 6: return .declinesAlone
        default: return .takesAnswer
        }
    }

    func capture(
        _ request: CaptureRequest, authorize: @escaping @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome {
        guard !isBusy else { throw ExclusiveUse.captureRefusal }
        isBusy = true
        defer { isBusy = false }
        let manner = manner()
        world.note("\(name): \(manner.rawValue)")
        let card = world.draw(.reader, "card", 3) == 2 ? Cards.stripe(hasTrack: world.server is XMLServer) : Cards.chip()
        let isLate = manner == .late
        if manner == .hangs { await world.hang() }
        try await pause(isLate ? Int64(3 + world.draw(.reader, "late by", 40)) * Self.second : time(), isDeaf: isLate)
        switch manner {
        case .noCard: throw .noCardPresented
        case .removedBefore: throw .cardRemoved
        case .fails: throw .readerTimedOut
        case .approvesAlone where !request.forcesOnline && card.chip != nil: return CaptureOutcome(decision: .approvedOffline, card: card)
        case .declinesAlone: return CaptureOutcome(decision: .declinedOffline, card: card)
        default: break
        }
        let answer = await authorize(card)
        try await pause(time(), isDeaf: isLate)
        if manner == .removedAfter { throw .cardRemoved }
        guard case .answered(let issuer) = answer else { return CaptureOutcome(decision: .declinedOffline, card: card) }
        guard request.responseCodes.approves(issuer.responseCode) else { return CaptureOutcome(decision: .declinedOnline, card: card) }
        if manner == .declinesAfterwards { return CaptureOutcome(decision: .declinedOnline, card: card, requiresReversal: true) }
        return CaptureOutcome(decision: .approvedOnline, card: card)
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

    static func chip() -> CapturedCard {
        var elements = DataElements()
        elements[.dfName] = [0xA0, 0, 0, 0, 0x03, 0x10, 0x10]
        elements[.applicationCryptogram] = [1, 2, 3, 4, 5, 6, 7, 8]
        elements[.cryptogramInformationData] = [0x40]
        return CapturedCard(
            entryMode: .chip, pan: SecretBytes(chipNumber.utf8), expiry: "3112", panSequenceNumber: 1,
            track2: SecretBytes("\(chipNumber)=31122010000".utf8), chip: ChipData(elements: elements))
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
