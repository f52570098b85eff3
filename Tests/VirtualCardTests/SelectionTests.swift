import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard

/// EMV 4.4 Book 1, 12.
@Suite struct SelectionTests {
    private static let debit: [UInt8] = [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10, 0x02]

    private func card(hasPSE: Bool, debitPriority: UInt8 = 1, creditPriority: UInt8 = 2) throws -> PersonalisedCard {
        try .shared {
            $0.hasPaymentSystemEnvironment = hasPSE
            $0.applications = [
                CardApplication(aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10, 0x01], label: "CREDIT", priority: creditPriority),
                CardApplication(aid: Self.debit, label: "DEBIT", priority: debitPriority),
            ]
        }
    }

    /// One AID of the terminal finds both by directory, or by partial name and SELECT next.
    private func bench(_ card: PersonalisedCard) -> Bench {
        var bench = Bench(card)
        bench.configuration.applications = [
            ApplicationConfiguration(aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], versions: [0x0096], floorLimit: 500_00)
        ]
        return bench
    }

    @Test(arguments: [true, false])
    func highestPriorityWithoutAsking(hasPSE: Bool) async throws {
        let card = try card(hasPSE: hasPSE)
        var bench = bench(card)
        bench.configuration.cardholderSelectsApplication = false
        let (outcome, events) = await bench.run(VirtualCard(card))
        #expect(outcome.decision == .approved(.offline))
        #expect(outcome.data.card[.dfName] == Self.debit)
        guard case .candidatesFound(let candidates) = events.first else { throw Missing() }
        #expect(candidates.map(\.priority) == [1, 2])
    }

    @Test(arguments: [true, false])
    func cardholderChooses(hasPSE: Bool) async throws {
        let card = try card(hasPSE: hasPSE)
        var bench = bench(card)
        bench.cardholder.choice = "CREDIT"
        let (outcome, _) = await bench.run(VirtualCard(card))
        #expect(outcome.data.card[.applicationLabel] == Array("CREDIT".utf8))
        #expect(outcome.decision == .approved(.offline))
    }

    @Test func blockedApplication() async throws {
        let card = try PersonalisedCard.shared {
            $0.hasPaymentSystemEnvironment = false
            $0.applications[0].isBlocked = true
        }
        let (outcome, _) = await Bench(card).run(VirtualCard(card))
        #expect(outcome.decision == .terminated(.applicationBlocked))
    }

    @Test func foreignTerminal() async throws {
        let card = try PersonalisedCard.shared()
        var bench = Bench(card)
        bench.configuration.applications = [ApplicationConfiguration(aid: [0xA0, 0, 0, 0, 0x25, 1], versions: [1])]
        #expect(await bench.run(VirtualCard(card)).outcome.decision == .terminated(.emptyCandidateList))
    }

    private struct Missing: Error {}
}
