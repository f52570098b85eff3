import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

/// A locked phone that pays transit gates without its owner, and a relay that makes a shop's reader
/// look like a gate (Radu, Chothia, Newton, Boureanu, Chen: "Practical EMV Relay Protection",
/// 2022). No kernel can see that TTQ or amount were changed on the way to the phone: what it can
/// see is what the phone signed, and what it says of its owner.
@Suite("Express transit, and relays that abuse it") struct TransitTests {
    private func tap(
        _ transit: VisaContactlessProfile.Transit = .authenticatingReader, amount: UInt64,
        reader: TerminalTransactionQualifiers = []
    ) throws -> VirtualTap {
        var profile = CardProfile.visaStyle()
        var contactless = VisaContactlessProfile()
        contactless.verifications = [.consumerDevice]
        contactless.device = .locked
        contactless.transit = transit
        profile.contactless = .visa(contactless)
        var combination = Combination.visa(
            limits: TransactionLimits(transactionLimit: 300_00, floorLimit: 25_00, cvmRequiredLimit: 50_00))
        combination.qualifiers?.formUnion(reader)
        var tap = try VirtualTap(profile, [combination])
        tap.request.amount = amount
        return tap
    }

    // MARK: What the phone does

    @Test("A gate is paid at once: the phone signs, and says that no owner was verified") func gate() async throws {
        let tap = try tap(amount: 2_50, reader: .dataAuthenticationForOnline)
        let run = try await tap.run()
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.verification == ContactlessOutcome.Verification.none)
        #expect(run.count(.getProcessingOptions) == 1)
        #expect(run.shown.allSatisfy { $0.message != .seePhone })
        let card = try #require(run.outcome.data?.card)
        #expect(card[.cardTransactionQualifiers] == [0x00, 0x00])
        #expect(card.contains(.signedDynamicApplicationData))
        #expect(card[.cardAuthenticationRelatedData]?.suffix(2) == [0x00, 0x00])
        #expect(try tap.isRight(run.outcome))
    }

    @Test("A gate that wants no amount is paid at once, another one is not") func withoutAmount() async throws {
        let free = try await tap(.zeroAmount, amount: 0).run()
        #expect(free.outcome.status == .onlineRequest)
        #expect(free.count(.getProcessingOptions) == 1)
        let fare = try await tap(.zeroAmount, amount: 2_50, reader: .dataAuthenticationForOnline).run()
        #expect(fare.count(.getProcessingOptions) == 2)
        #expect(fare.shown.contains { $0.message == .seePhone })
    }

    @Test("A shop's reader waits for the owner") func shop() async throws {
        let run = try await tap(amount: 60_00).run()
        #expect(run.count(.getProcessingOptions) == 2)
        #expect(run.shown.contains { $0.message == .seePhone })
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.verification == .consumerDevice)
    }

    // MARK: Relays

    /// Sets the bit for data authentication in TTQ, the first object behind the head of template
    /// `83`.
    private static func asGate(_ command: CommandAPDU) -> CommandAPDU {
        guard command.instruction == .getProcessingOptions else { return command }
        var changed = command
        changed.data[2] |= 0x01
        return changed
    }

    /// "Verified on the device" in the answer to GET PROCESSING OPTIONS, and in the record with
    /// what the phone signs.
    private static func claiming(signedToo: Bool) -> (CommandAPDU, ResponseAPDU) -> ResponseAPDU {
        { command, answer in
            if command.instruction == .getProcessingOptions {
                return answer.replacing(.cardTransactionQualifiers, with: [0x00, 0x80])
            }
            guard signedToo, let value = (try? DataElements(parsing: answer.data))?[.cardAuthenticationRelatedData]
            else { return answer }
            return answer.replacing(.cardAuthenticationRelatedData, with: value.dropLast(2) + [0x00, 0x80])
        }
    }

    @Test(
        "Below the limit nobody need be verified: what a relay passes off as a gate's goes to the issuer, whose cryptogram has no TTQ"
    )
    func belowTheLimit() async throws {
        var tap = try tap(amount: 49_99)
        tap.ask = Self.asGate
        let run = try await tap.run()
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.verification == ContactlessOutcome.Verification.none)
        #expect(run.count(.getProcessingOptions) == 1)
        #expect(try tap.isRight(run.outcome))
    }

    @Test("Above the limit a phone that verified nobody is declined") func aboveTheLimit() async throws {
        var tap = try tap(amount: 50_00)
        tap.ask = Self.asGate
        #expect(try await tap.run().outcome.reason == .verificationNotPossible)
    }

    @Test(
        "A claim that differs from what the phone signed is declined, whether or not the reader asked for a signature",
        arguments: [true, false])
    func claimed(asked: Bool) async throws {
        var tap = try tap(amount: 60_00, reader: asked ? .dataAuthenticationForOnline : [])
        tap.ask = Self.asGate
        tap.change = Self.claiming(signedToo: false)
        let run = try await tap.run()
        #expect(run.outcome.status == .declined)
        #expect(run.outcome.reason == .consumerDeviceVerificationDiffers)
    }

    @Test("A claim in both places is found by a reader that verifies the signature") func claimedInBothPlaces()
        async throws
    {
        var tap = try tap(amount: 60_00, reader: .dataAuthenticationForOnline)
        tap.change = Self.claiming(signedToo: true)
        let run = try await tap.run()
        #expect(run.outcome.status == .declined)
        guard case .dataAuthentication(.signature) = run.outcome.reason else {
            Issue.record("\(String(describing: run.outcome.reason))")
            return
        }
    }

    /// The published attack. The issuer alone can find it, by what it knows of the shop.
    @Test(
        "A reader that verifies no signature leaves a claim in both places to the issuer, and approves nothing itself")
    func claimedToAReaderWithoutAuthentication() async throws {
        var tap = try tap(amount: 60_00)
        tap.ask = Self.asGate
        tap.change = Self.claiming(signedToo: true)
        let run = try await tap.run()
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.verification == .consumerDevice)
        #expect(try tap.isRight(run.outcome))
    }

    @Test("An amount that a relay takes away is in the cryptogram and under the signature") func amount() async throws {
        let withoutAmount: (CommandAPDU) -> CommandAPDU = { command in
            guard command.instruction == .getProcessingOptions else { return command }
            var changed = command
            changed.data.replaceSubrange(6..<12, with: [0, 0, 0, 0, 0, 0])
            return changed
        }
        var tap = try tap(.zeroAmount, amount: 40_00)
        tap.ask = withoutAmount
        let run = try await tap.run()
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.count(.getProcessingOptions) == 1)
        #expect(try !tap.isRight(run.outcome))
        var authenticating = try self.tap(.zeroAmount, amount: 40_00, reader: .dataAuthenticationForOnline)
        authenticating.ask = withoutAmount
        #expect(try await authenticating.run().outcome.status == .declined)
    }
}
