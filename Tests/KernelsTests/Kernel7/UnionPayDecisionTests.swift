import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing
import VirtualCard
import VirtualTap

@Suite("UnionPay: decisions") struct UnionPayDecisionTests {
    @Test("A small amount is approved offline, with fast DDA of version 01") func offline() async throws {
        let tap = try VirtualTap.unionPay()
        let run = try await tap.run()
        #expect(run.outcome.status == .approved)
        #expect(run.outcome.reason == nil)
        #expect(run.outcome.verification == ContactlessOutcome.Verification.none)
        #expect(run.outcome.data?.card[.cardAuthenticationRelatedData]?.first == 0x01)
        #expect(try tap.isRight(run.outcome))
        #expect(run.shown.map(\.message) == [.presentCard, .processing, .cardReadRemove, .approved])
    }

    @Test("Above the floor limit the issuer recomputes the ARQC") func online() async throws {
        var tap = try VirtualTap.unionPay()
        tap.request.amount = 25_01
        let run = try await tap.run()
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.start == nil)
        #expect(try tap.isRight(run.outcome))
        tap.request.amount = 25_00
        #expect(try await tap.run().outcome.status == .approved)
    }

    @Test("TTQ by limits, terminal and PIN pad: EMV mode, contacts, signature, consumer device, fDDA version 01")
    func qualifiers() async throws {
        var tap = try VirtualTap.unionPay()
        #expect(try await tap.run().qualifiers == [0x32, 0x00, 0x40, 0x80])
        tap.request.amount = 25_01
        #expect(try await tap.run().qualifiers == [0x32, 0x80, 0x40, 0x80])
        tap.request.amount = 50_00
        #expect(try await tap.run().qualifiers == [0x32, 0xC0, 0x40, 0x80])
        tap = try VirtualTap.unionPay(hasPINPad: true)
        tap.terminal.type = .attendedOnlineOnly
        #expect(try await tap.run().qualifiers == [0x36, 0x80, 0x40, 0x80])
        tap.terminal.type = .attendedOnlineWithOfflineCapability
        tap.request.forcesOnline = true
        #expect(try await tap.run().qualifiers == [0x36, 0x80, 0x40, 0x80])
    }

    @Test("Bits of functions that the kernel does not have are not sent, fDDA version 01 always is") func ownLayout()
        async throws
    {
        var tap = try VirtualTap.unionPay { $0.qualifiers = .issuerUpdateProcessing }
        tap.combinations[0].qualifiers = [
            .emvMode, .magstripeMode, .dataAuthenticationForOnline, .issuerUpdateProcessing,
        ]
        tap.request.amount = 30_00
        let run = try await tap.run()
        #expect(run.qualifiers == [0x20, 0x80, 0x00, 0x80])
        #expect(run.outcome.status == .onlineRequest)
        #expect(run.outcome.start == nil)
    }

    @Test("A combination without TTQ is an error of the configuration") func withoutQualifiers() async throws {
        var tap = try VirtualTap.unionPay()
        tap.combinations[0].qualifiers = nil
        #expect(try await tap.run().outcome.reason == .termination(.configuration(.noTransactionQualifiers)))
    }

    @Test("The card declines; a refund is for its issuer") func declined() async throws {
        var tap = try VirtualTap.unionPay(profile: { $0.riskRule.declinesAbove = 1_00 })
        let run = try await tap.run()
        #expect(run.outcome.status == .declined)
        #expect(run.outcome.reason == .cardDeclined)
        tap.request.kind = .refund
        #expect(try await tap.run().outcome.status == .onlineRequest)
    }

    @Test("An amount that the combination refuses is not asked of the card") func transactionLimit() async throws {
        var tap = try VirtualTap.unionPay()
        tap.request.amount = 250_01
        let run = try await tap.run()
        #expect(run.outcome.reason == .notAllowed)
        #expect(run.sent.isEmpty)
    }

    @Test("Expiry, usage and exception file where the card approves offline") func restrictions() async throws {
        let expired = try await VirtualTap.unionPay(profile: { $0.account.expiry = [0x25, 0x12, 0x31] }).run()
        #expect(expired.outcome.status == .declined)
        #expect(expired.outcome.reason == .expired)
        let online = try await VirtualTap.unionPay(
            { $0.qualifiers = .onlineIfExpired }, profile: { $0.account.expiry = [0x25, 0x12, 0x31] }
        ).run()
        // Its certificate has expired too, and no bit of CTQ allows that.
        #expect(online.outcome.status == .onlineRequest)
        var cash = try VirtualTap.unionPay(profile: { $0.usageControl = [.domesticGoods, .terminalsOtherThanATMs] })
        cash.request.kind = .cash
        #expect(try await cash.run().outcome.reason == .serviceNotAllowed)
        // As EMV Contactless Book C-3, 5.5.1.3 and 5.5.1.4: a card that says nothing allows
        // nothing.
        for kind in [TransactionRequest.Kind.cash, .purchaseWithCashback] {
            var silent = try VirtualTap.unionPay(profile: { $0.usageControl = nil })
            silent.request.kind = kind
            if kind == .purchaseWithCashback { silent.request.amountOther = 1 }
            #expect(try await silent.run().outcome.reason == .serviceNotAllowed)
        }
        var listed = try VirtualTap.unionPay()
        listed.isListed = { $0 == Array("6250946000000016".utf8) }
        #expect(try await listed.run().outcome.reason == .onExceptionFile)
    }

    @Test("An offline-only reader asks nobody") func offlineOnly() async throws {
        var tap = try VirtualTap.unionPay { $0.approvesOfflineUpTo = nil }
        tap.terminal.type = .attendedOfflineOnly
        #expect(try await tap.run().outcome.reason == .issuerNotReachable)
    }
}
