import CardCryptography
import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard

/// Whole transactions between kernel and card. What is expected is what the books say of such a
/// transaction.
@Suite("Whole transactions between kernel and virtual card") struct TransactionTests {
    /// EMV 4.4 Book 3, 10.3: the best method that both have, performed with success, leaves no bit
    /// of TVR byte 1 but "SDA selected".
    @Test(
        arguments: [
            (TerminalCapabilities.sda, DataAuthenticationMethod.sda), (TerminalCapabilities.dda, .dda),
            (TerminalCapabilities.cda, .cda),
        ], [ResponseFormat.format1, .format2])
    func approvedOfflineWithDataAuthentication(
        _ method: (TerminalCapabilities, DataAuthenticationMethod), _ format: ResponseFormat
    )
        async throws
    {
        let card = try PersonalizedCard.shared { $0.responseFormat = format }
        var bench = Bench(card)
        bench.configuration.capabilities.subtract([.sda, .dda, .cda])
        bench.configuration.capabilities.insert(method.0)
        let (outcome, events) = await bench.run(VirtualCard(card))
        #expect(outcome.decision == .approved(.offline))
        #expect(events.contains(.dataAuthentication(method.1, nil)))
        #expect(outcome.tvr == (method.1 == .sda ? .sdaSelected : []))
        #expect(outcome.tsi.contains(.offlineDataAuthentication))
        #expect(outcome.data.terminal[.authorisationResponseCode] == Array("Y1".utf8))
        #expect(outcome.data.card[.applicationCryptogram]?.count == 8)
    }

    /// EMV 4.4 Book 2, 6.3 step 2: a terminal with another CA key of the same name recovers
    /// rubbish, and the method fails.
    @Test(arguments: [
        (TerminalCapabilities.sda, TerminalVerificationResults.sdaFailed), (.dda, .ddaFailed), (.cda, .cdaFailed),
    ])
    func foreignCAKey(_ method: (TerminalCapabilities, TerminalVerificationResults)) async throws {
        let card = try PersonalizedCard.shared()
        var bench = Bench(card)
        bench.configuration.caKeys = try [PersonalizedCard.make(.visaStyle()).caPublicKey]
        bench.configuration.capabilities.subtract([.sda, .dda, .cda])
        bench.configuration.capabilities.insert(method.0)
        let (outcome, _) = await bench.run(VirtualCard(card))
        #expect(outcome.tvr.contains(method.1))
    }

    /// Above the floor limit the issuer is asked (Book 3, 10.6.1 and 10.7); it knows the ARQC, and
    /// the card knows its ARPC (Book 2, 8).
    @Test(
        "Above the floor limit the issuer approves, and the card verifies it", arguments: [false, true], [false, true])
    func approvedOnline(isMastercard: Bool, inCDOL2: Bool) async throws {
        var profile = isMastercard ? CardProfile.mastercardStyle() : .visaStyle()
        if inCDOL2 {
            profile.interchangeProfile.remove(.issuerAuthenticationSupported)
            profile.cdol2 = DOL(
                entries: profile.cdol2.entries + [DOL.Entry(.issuerAuthenticationData, isMastercard ? 10 : 8)])
        }
        profile.riskRule.requiresIssuerAuthentication = true
        let card = VirtualCard(try personalize(profile))
        var bench = Bench(card.card)
        bench.request.amount = 600_00
        let issuer = BookIssuer(.approve, scheme: isMastercard ? .mastercard14 : .visa18)
        let (outcome, events) = await bench.run(card, issuer: issuer)
        #expect(await issuer.cryptograms == [true])
        #expect(outcome.decision == .approved(.online))
        #expect(outcome.tvr == .floorLimitExceeded)
        #expect(events.contains(.issuerAuthentication(succeeded: true)) == !inCDOL2)
        #expect(await card.lastOnlineCounter == 1)

        // The TC is over the transaction's data as they stand at the end.
        let data = outcome.data.merged
        #expect(try issuer.cryptogram(data, key: issuer.sessionKey(data)) == outcome.data.card[.applicationCryptogram])
    }

    /// Book 3, 10.9: a failed EXTERNAL AUTHENTICATE sets the TVR; the card then gives no TC, and
    /// the host must reverse the authorization.
    @Test(arguments: [false, true])
    func wrongResponseCryptogram(isMastercard: Bool) async throws {
        let card = VirtualCard(try personalize(isMastercard ? .mastercardStyle() : .visaStyle()))
        var bench = Bench(card.card)
        bench.request.forcesOnline = true
        let (outcome, events) = await bench.run(
            card, issuer: BookIssuer(.approveWithWrongCryptogram, scheme: isMastercard ? .mastercard14 : .visa18))
        #expect(outcome.decision == .declined(.online))
        #expect(outcome.cryptogram == .aac)
        #expect(outcome.tvr == [.merchantForcedOnline, .issuerAuthenticationFailed])
        #expect(events.contains(.issuerAuthentication(succeeded: false)))
        #expect(outcome.requiresReversal)
        #expect(await card.lastOnlineCounter == 0)
    }

    @Test func missingResponseCryptogram() async throws {
        for isRequired in [false, true] {
            let card = try PersonalizedCard.shared { $0.riskRule.requiresIssuerAuthentication = isRequired }
            var bench = Bench(card)
            bench.request.forcesOnline = true
            let (outcome, _) = await bench.run(VirtualCard(card), issuer: BookIssuer(.approveWithoutCryptogram))
            #expect(outcome.decision == (isRequired ? .declined(.online) : .approved(.online)))
        }
    }

    @Test func declinedByIssuer() async throws {
        let card = try PersonalizedCard.shared()
        var bench = Bench(card)
        bench.request.forcesOnline = true
        let (outcome, _) = await bench.run(VirtualCard(card), issuer: BookIssuer(.decline))
        #expect(outcome.decision == .declined(.online))
        #expect(!outcome.requiresReversal)
    }

    /// Book 4, 12.2.1 and annex A6: with `Y3` the card may approve, with what IAC default names it
    /// is asked to decline.
    @Test func issuerCannotBeReached() async throws {
        for (isGuarded, decision) in [
            (true, Outcome.Decision.declined(.unableToGoOnline)), (false, .approved(.unableToGoOnline)),
        ] {
            let card = try PersonalizedCard.shared { if !isGuarded { $0.actionCodes.default = [] } }
            var bench = Bench(card)
            bench.request.forcesOnline = true
            let (outcome, _) = await bench.run(VirtualCard(card))
            #expect(outcome.decision == decision)
            #expect(outcome.data.terminal[.authorisationResponseCode] == Array((isGuarded ? "Z3" : "Y3").utf8))
        }
    }

    @Test("Book 3, 10.8: the card may answer with less than was asked for") func cardDecides() async throws {
        let rules: [(CardRiskRule, Outcome.Decision)] = [
            (CardRiskRule(declinesAbove: 999), .declined(.offline)),
            (CardRiskRule(goesOnlineAbove: 999), .approved(.online)),
            (CardRiskRule(declinesAbove: 1000, goesOnlineAbove: 1000), .approved(.offline)),
        ]
        for (rule, decision) in rules {
            let card = try PersonalizedCard.shared { $0.riskRule = rule }
            let (outcome, _) = await Bench(card).run(VirtualCard(card), issuer: BookIssuer(.approve))
            #expect(outcome.decision == decision)
        }
    }

    @Test("Book 3, 10.6.3: limits on the card make the terminal ask for both counters; a card never online is new")
    func velocityChecking()
        async throws
    {
        let card = VirtualCard(
            try .shared {
                $0.consecutiveOfflineLimits = 1...2
                $0.interchangeProfile.remove(.cardholderVerificationSupported)
            })
        let bench = Bench(card.card)
        let first = await bench.run(card).outcome
        #expect(first.tvr == .newCard)
        let second = await bench.run(card).outcome
        #expect(second.tvr == [.newCard, .lowerConsecutiveOfflineLimitExceeded])
        #expect(second.decision == .approved(.offline))
        let third = await bench.run(card, issuer: BookIssuer(.approve)).outcome
        #expect(third.tvr == [.newCard, .lowerConsecutiveOfflineLimitExceeded, .upperConsecutiveOfflineLimitExceeded])
        #expect(third.decision == .approved(.online))
        // After an online transaction the count restarts.
        let fourth = await bench.run(card).outcome
        #expect(fourth.tvr == [])
        #expect(fourth.decision == .approved(.offline))
    }

    @Test(
        "Book 3, 5.4 and 10.1: what the PDOL asks for goes with GET PROCESSING OPTIONS, and CDA signs it too (Book 2, 6.6.1)"
    )
    func processingOptionsData() async throws {
        let card = try PersonalizedCard.shared {
            $0.pdol = DOL(entries: [DOL.Entry(.terminalCountryCode, 2), DOL.Entry(.terminalCapabilities, 3)])
        }
        let (outcome, _) = await Bench(card).run(VirtualCard(card), issuer: BookIssuer(.approve))
        #expect(outcome.decision == .approved(.offline))
        #expect(outcome.tvr == [])
    }
}
