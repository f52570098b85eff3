import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

@Suite("American Express: decisions") struct AmericanExpressDecisionTests {
    @Test("A small amount is approved offline, with CDA over the TC") func offline() async throws {
        let tap = try VirtualTap.americanExpress()
        let run = try await tap.run()
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.reason == nil)
        #expect(run.outcome.verification == ContactlessOutcome.Verification.none)
        #expect(run.asked == 0x50)
        #expect(run.tvr == [])
        #expect(run.outcome.data?[.cvmResults] == [0x1F, 0x03, 0x02])
        #expect(try tap.isRight(run.outcome))
        #expect(run.shown.map(\.message) == [.presentCard, .processing, .cardReadRemove, .approved])
    }

    @Test("Above the floor limit the issuer recomputes a signed ARQC") func online() async throws {
        var tap = try VirtualTap.americanExpress()
        tap.request.amount = 25_01
        let run = try await tap.run()
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.asked == 0x90)
        #expect(run.tvr == .floorLimitExceeded)
        #expect(try tap.isRight(run.outcome))
        tap.request.amount = 25_00
        #expect(try await tap.run().outcome.status == .approved)
    }

    @Test("The card may ask for its issuer, or decline: the contacts, or nothing for a phone") func theCardsDecision()
        async throws
    {
        var online = try VirtualTap.americanExpress { $0.approvesOfflineUpTo = nil }
        let run = try await online.run()
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.asked == 0x50)
        let declines: (inout CardProfile) -> Void = { $0.riskRule.declinesAbove = 1_00 }
        let card = try await VirtualTap.americanExpress(profile: declines).run()
        #expect(card.outcome.status == .tryAnotherInterface)
        #expect(card.outcome.alternateInterface == .contactChip)
        let phone = try await VirtualTap.americanExpress({ $0.device = .verified }, profile: declines).run()
        #expect(phone.outcome.status == .declined)
        #expect(phone.outcome.reason == .cardDeclined)
        online = try VirtualTap.americanExpress(profile: declines)
        online.terminal.capabilities.remove(.contactChip)
        #expect(try await online.run().outcome.status == .declined)
    }

    @Test(
        "Only the issuer approves refunds, forced payments, zero amounts and status checks",
        arguments: [TransactionRequest.Kind.refund, .purchase])
    func issuersDecision(kind: TransactionRequest.Kind) async throws {
        var tap = try VirtualTap.americanExpress()
        tap.request.kind = kind
        tap.request.forcesOnline = kind == .purchase
        #expect(try await tap.run().asked == 0x90)
        tap.request.forcesOnline = false
        tap.request.amount = 0
        #expect(try await tap.run().asked == 0x90)
        tap.request.amount = 1_00
        tap.combinations[0].limits.supportsStatusCheck = true
        #expect(try await tap.run().asked == 0x90)
        tap.terminal.type = .attendedOfflineOnly
        #expect(try await tap.run().asked == 0x00)
    }

    @Test("A card on the exception file is for its issuer") func exceptionFile() async throws {
        var tap = try VirtualTap.americanExpress()
        tap.isListed = { $0 == Array("371449635398431".utf8) }
        let run = try await tap.run()
        #expect(run.asked == 0x90)
        #expect(run.tvr == .cardOnExceptionFile)
        tap.terminal.type = .attendedOfflineOnly
        #expect(try await tap.run().outcome.status == .tryAnotherInterface)
    }

    @Test("Expiry, usage and version set their bits; the codes decide") func restrictions() async throws {
        let expired = try await VirtualTap.americanExpress(profile: { $0.account.expiry = [0x25, 0x12, 0x31] }).run()
        // Its certificates have expired with it.
        #expect(expired.tvr == [.expiredApplication, .cdaFailed])
        #expect(expired.asked == 0x80)
        let service = try await VirtualTap.americanExpress(profile: {
            $0.usageControl = [.domesticCash, .terminalsOtherThanATMs]
        }).run()
        // The acquirer's denial code of every terminal that is known: 00 10 00 00 00.
        #expect(service.asked == 0x00)
        #expect(service.outcome.status == .tryAnotherInterface)
        let version = try await VirtualTap.americanExpress(profile: { $0.versionNumber = 0x0002 }).run()
        #expect(version.tvr == .differentApplicationVersions)
        #expect(version.outcome.status == .approved)
        var kernel = Kernel4Configuration()
        kernel.actionCodes.online = .differentApplicationVersions
        kernel.versions = [0x0002]
        #expect(try await VirtualTap.americanExpress().with(kernel).run().asked == 0x90)
    }

    @Test("An online-only terminal asks for an ARQC, an offline-only one for no ARQC") func terminalTypes() async throws
    {
        var tap = try VirtualTap.americanExpress()
        tap.terminal.type = .attendedOnlineOnly
        #expect(try await tap.run().asked == 0x90)
        tap.terminal.type = .attendedOfflineOnly
        #expect(try await tap.run().asked == 0x50)
        tap.request.amount = 30_00
        #expect(try await tap.run().asked == 0x00)
    }

    @Test("An amount that the combination refuses is not asked of the card") func transactionLimit() async throws {
        var tap = try VirtualTap.americanExpress()
        tap.request.amount = 250_01
        let run = try await tap.run()
        #expect(run.outcome.reason == .notAllowed)
        #expect(run.sent.isEmpty)
    }
}
