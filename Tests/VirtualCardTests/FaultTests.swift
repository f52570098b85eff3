import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard

/// Each fault ends in a defined outcome, at every step.
@Suite("Each fault of a card ends in a defined outcome") struct FaultTests {
    /// The commands of an undisturbed online transaction with PIN.
    private func steps(_ card: PersonalizedCard, _ bench: Bench) async -> Int {
        let counted = FaultyCard(VirtualCard(card))
        let (outcome, _) = await bench.run(counted, issuer: BookIssuer(.approve))
        #expect(outcome.decision == .approved(.online))
        return await counted.step
    }

    private func bench(_ card: PersonalizedCard) -> Bench {
        var bench = Bench(card)
        bench.request.forcesOnline = true
        return bench
    }

    /// A card that is gone before the end ends the transaction; an approval of the issuer is to be
    /// reversed.
    @Test func removalAtEveryStep() async throws {
        let card = try PersonalizedCard.shared()
        let steps = await steps(card, bench(card))
        #expect(steps > 10)
        for step in 1...steps {
            let issuer = BookIssuer(.approve)
            let faulty = FaultyCard(VirtualCard(card), CardFault(.removal, at: .step(step)))
            let outcome = await bench(card).run(faulty, issuer: issuer).outcome
            #expect(outcome.decision == .terminated(.channel(.cardRemoved)), "step \(step)")
            #expect(outcome.requiresReversal == !(await issuer.cryptograms).isEmpty, "step \(step)")
        }
    }

    @Test func silenceAtEveryStep() async throws {
        let card = try PersonalizedCard.shared()
        for step in 1...(await steps(card, bench(card))) {
            let outcome = await bench(card).run(
                FaultyCard(VirtualCard(card), CardFault(.silence, at: .step(step))), issuer: BookIssuer(.approve)
            ).outcome
            #expect(outcome.decision == .terminated(.channel(.timedOut)), "step \(step)")
        }
    }

    /// With CDA, each approval has a TC of this card over this transaction (EMV 4.4 Book 2, 6.6);
    /// damage ends elsewhere.
    @Test func damageAtEveryStep() async throws {
        let card = try PersonalizedCard.shared()
        for step in 1...(await steps(card, bench(card))) {
            for effect in [
                CardFault.Effect.corruption(index: 0, mask: 0xFF), .corruption(index: 12, mask: 0x01),
                .truncation(to: 0),
                .truncation(to: 5),
                .status(0x6F00), .status(0x6283), .previousAnswer, .endlessChaining, .endlessWrongLength,
                .cryptogramInformation(0x40),
            ] {
                let fault = CardFault(effect, at: .step(step))
                let issuer = BookIssuer(.approve)
                let outcome = await bench(card).run(FaultyCard(VirtualCard(card), fault), issuer: issuer).outcome
                guard case .approved = outcome.decision else { continue }
                let data = outcome.data.merged
                #expect(outcome.cryptogram == .tc, "\(fault)")
                #expect(
                    try issuer.cryptogram(data, key: issuer.sessionKey(data)) == data[.applicationCryptogram],
                    "\(fault)")
            }
        }
    }

    @Test func cardThatAnswersEverySelect() async throws {
        let card = try PersonalizedCard.shared { $0.hasPaymentSystemEnvironment = false }
        var bench = Bench(card)
        bench.configuration.applications.insert(
            ApplicationConfiguration(aid: [0xA0, 0, 0, 0, 0x25, 1], versions: [1]), at: 0)
        let (outcome, events) = await bench.run(FaultyCard(VirtualCard(card), CardFault(.firstFCI, at: .always)))
        guard case .candidatesFound(let candidates) = events.first else {
            #expect(outcome.decision == .terminated(.emptyCandidateList))
            return
        }
        #expect(candidates.count == 1)
    }

    @Test func selectNextWithoutEnd() async throws {
        let card = try PersonalizedCard.shared {
            $0.hasPaymentSystemEnvironment = false
            $0.applications[0].aid += [0x01]
        }
        var bench = Bench(card)
        bench.configuration.applications = [
            ApplicationConfiguration(aid: [0xA0, 0, 0, 0, 0x03, 0x10, 0x10], versions: [0x96])
        ]
        bench.configuration.cardholderSelectsApplication = false
        let faulty = FaultyCard(VirtualCard(card), CardFault(.oneMoreApplication, at: .always))
        _ = await bench.run(faulty, issuer: BookIssuer(.approve))
        #expect(await faulty.step < 100)
    }
}
