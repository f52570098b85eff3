import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard

/// EMV 4.4 Book 1, 12.
@Suite("Application selection between kernel and virtual card") struct SelectionTests {
    private static let debit: [UInt8] = [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10, 0x02]

    private func card(hasPSE: Bool, debitPriority: UInt8 = 1, creditPriority: UInt8 = 2) throws -> PersonalizedCard {
        try .shared {
            $0.hasPaymentSystemEnvironment = hasPSE
            $0.applications = [
                CardApplication(
                    aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10, 0x01], label: "CREDIT", priority: creditPriority),
                CardApplication(aid: Self.debit, label: "DEBIT", priority: debitPriority),
            ]
        }
    }

    /// One AID of the terminal finds both by directory, or by partial name and SELECT next.
    private func bench(_ card: PersonalizedCard) -> Bench {
        var bench = Bench(card)
        bench.configuration.applications = [
            ApplicationConfiguration(
                aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], versions: [0x0096], floorLimit: 500_00)
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

    @Test("The cardholder chooses among several applications", arguments: [true, false])
    func cardholderChooses(hasPSE: Bool) async throws {
        let card = try card(hasPSE: hasPSE)
        var bench = bench(card)
        bench.cardholder.choice = "CREDIT"
        let (outcome, _) = await bench.run(VirtualCard(card))
        #expect(outcome.data.card[.applicationLabel] == Array("CREDIT".utf8))
        #expect(outcome.decision == .approved(.offline))
    }

    @Test("A blocked application ends the transaction") func blockedApplication() async throws {
        let card = try PersonalizedCard.shared {
            $0.hasPaymentSystemEnvironment = false
            $0.applications[0].isBlocked = true
        }
        let (outcome, _) = await Bench(card).run(VirtualCard(card))
        #expect(outcome.decision == .terminated(.applicationBlocked))
    }

    /// Tag 5F2D in the FCI of PSE and application, tags 9F11 and 9F12 for a name outside ASCII
    /// (Book 1, 11.3.4; ISO/IEC 8859-7 has alpha at E1).
    @Test func languagesAndCodeTable() async throws {
        let card = VirtualCard(
            try .shared {
                $0.languages = ["el", "en"]
                $0.applications[0].preferredName = "\u{3B1}"
                $0.applications[0].codeTable = .init(rawValue: 7) ?? .latin1
            })
        for name in [Array("1PAY.SYS.DDF01".utf8), [0xA0, 0, 0, 0, 0x03, 0x10, 0x10]] {
            let fci = try DataElements(parsing: try await card.transmit(.select(name)).data)
            #expect(fci[.languagePreference] == Array("elen".utf8))
            guard name.count == 7 else { continue }
            #expect(fci[.issuerCodeTableIndex] == [0x07])
            #expect(fci[.applicationPreferredName] == [0xE1])
        }
    }

    @Test(
        "SW 6A81 to every SELECT (Book 1, 12.3.2; Book 3, 6.5.3): the transaction ends at the first",
        arguments: [true, false])
    func blockedCard(hasPSE: Bool) async throws {
        let card = try PersonalizedCard.shared {
            $0.hasPaymentSystemEnvironment = hasPSE
            $0.isBlocked = true
        }
        let faulty = FaultyCard(VirtualCard(card))
        #expect(await Bench(card).run(faulty).outcome.decision == .terminated(.cardBlocked))
        #expect(try await VirtualCard(card).transmit(.select([0xA0, 0, 0, 0, 0x03])).status == .functionNotSupported)
    }

    @Test("A terminal without the card's application ends the transaction") func foreignTerminal() async throws {
        let card = try PersonalizedCard.shared()
        var bench = Bench(card)
        bench.configuration.applications = [ApplicationConfiguration(aid: [0xA0, 0, 0, 0, 0x25, 1], versions: [1])]
        #expect(await bench.run(VirtualCard(card)).outcome.decision == .terminated(.emptyCandidateList))
    }

    private struct Missing: Error {}
}
