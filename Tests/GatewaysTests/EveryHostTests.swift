import BenchHost
import Bytes
import CardCapture
import Gateways
import PaymentTerminal
import Testing

/// The same expectations of the bench host in process, and of the bench host behind each of its
/// interfaces, client and server over a socket.
@Suite struct EveryHostTests {
    enum Way: String, CaseIterable, Sendable {
        case inProcess, xml, rest
    }

    private func open(_ way: Way, rules: HostRules = HostRules(), scripts: ScriptPolicy = .none) async throws -> (
        bench: HostBench, host: any PaymentHost
    ) {
        let bench = try await HostBench(rules: rules, scripts: scripts)
        switch way {
        case .inProcess: return (bench, bench.host)
        case .xml: return (bench, try bench.xml(try await bench.serve()))
        case .rest: return (bench, try bench.rest(try await bench.serve()))
        }
    }

    private func decided(_ status: OrderStatus) -> AuthorizationResponse? {
        if case .decided(let response) = status { response } else { nil }
    }

    @Test("a sale: approved, declined, in part, by key, stripe and token", arguments: Way.allCases)
    func sale(_ way: Way) async throws {
        let (bench, host) = try await open(way)
        for (index, (amount, code)) in [
            ("10.00", "00"), ("10.05", "05"), ("10.51", "51"), ("10.02", "02"), ("10.04", "04"),
        ].enumerated() {
            let response = try await host.authorize(request("o\(index)", amount, keyed()))
            #expect(response.issuer.responseCode == code)
            #expect((response.issuer.approvalCode != nil) == (code == "00"))
            #expect(response.uniqueReference.count == 10)
            #expect(!response.message.isEmpty)
        }
        let half = try await host.authorize(request("half", "20.10", swiped()))
        #expect(half.issuer.responseCode == "10")
        #expect(half.authorizedAmount.decimal == "10.05")
        let token = try #require(try await host.registerSecureCard(registration("c1")).cardReference)
        #expect(try await host.authorize(request("token", "10.00", .token(token))).issuer.responseCode == "00")
        #expect(try await bench.host.transactions(TransactionQuery(pageSize: 100)).count == 7, "and nothing twice")
        withExtendedLifetime(bench) {}
    }

    @Test("a referral: approved once by the code of a call, except over XML", arguments: Way.allCases)
    func referral(_ way: Way) async throws {
        let (bench, host) = try await open(way)
        let orderID = OrderID("o1")
        let referred = try await host.authorize(request("o1", "10.02", keyed()))
        let isCarried = try await !host.fieldsNotCarried().contains(.referralApproval)
        #expect(isCarried == (way != .xml))
        guard isCarried else {
            #expect(
                try await code { _ = try await host.approveReferral(of: orderID, approvalCode: "123456") }
                    == .refused(.notSupported))
            return
        }
        #expect(
            try await code { _ = try await host.approveReferral(of: orderID, approvalCode: "000000") }
                == .refused(.notAllowed))
        #expect(
            try await code { _ = try await host.approveReferral(of: orderID, approvalCode: "12345") }
                == .refused(.invalidRequest))
        #expect(
            try await code { _ = try await host.approveReferral(of: OrderID("o9"), approvalCode: "123456") }
                == .refused(.transactionUnknown))
        for _ in 1...2 {
            let approved = try await host.approveReferral(of: orderID, approvalCode: "12ab56")
            #expect(approved.issuer.responseCode == "00")
            #expect(approved.issuer.approvalCode == "12ab56")
            #expect(approved.authorizedAmount.decimal == "10.02")
            #expect(approved.uniqueReference == referred.uniqueReference)
        }
        #expect(
            try await code { _ = try await host.approveReferral(of: orderID, approvalCode: "654321") }
                == .refused(.notAllowed))
        #expect(try decided(await host.status(of: orderID))?.issuer.approvalCode == "12ab56")
        #expect(try await bench.host.transactions(TransactionQuery()).map(\.state) == [.approved])
        _ = try await host.authorize(request("o2", "10.02", keyed()))
        try await host.advise(Advice(orderID: OrderID("o2"), result: .reversed(.terminalTerminated)))
        #expect(
            try await code { _ = try await host.approveReferral(of: OrderID("o2"), approvalCode: "123456") }
                == .refused(.notAllowed))
        withExtendedLifetime(bench) {}
    }

    @Test("an advice of an offline decline is recorded and charges nothing, except over XML", arguments: Way.allCases)
    func offlineDecline(_ way: Way) async throws {
        let (bench, host) = try await open(way)
        let advice = Advice(orderID: OrderID("o1"), result: .declinedOffline(try request("o1", "10.00", swiped())))
        guard try await !host.fieldsNotCarried().contains(.declineAdvice) else {
            #expect(way == .xml)
            #expect(try await code { try await host.advise(advice) } == .refused(.notSupported))
            return
        }
        for _ in 1...2 { try await host.advise(advice) }
        let records = try await bench.host.transactions(TransactionQuery())
        #expect(records.map(\.state) == [.declined])
        #expect(records.map(\.responseCode) == ["Z1"])
        #expect(records.allSatisfy { $0.authorizedAmount == nil })
        #expect(try decided(await host.status(of: OrderID("o1")))?.issuer.responseCode == "Z1")
        // As for a payment: an amount has 12 digits.
        let tooMuch = Advice(
            orderID: OrderID("o2"), result: .declinedOffline(try request("o2", "10000000000.00", swiped())))
        #expect(try await code { try await host.advise(tooMuch) } == .refused(.invalidRequest))
        withExtendedLifetime(bench) {}
    }

    @Test("AVS and CVV answers", arguments: Way.allCases) func checks(_ way: Way) async throws {
        let (bench, host) = try await open(way)
        var terms = PaymentTerms(channel: .mailOrTelephone)
        terms.billingAddress = BillingAddress(street: "1 Main & Side <Street>", postalCode: "99999")
        terms.customFields = [CustomField(name: "InvoiceNumber", value: "Ü\"1\"")]
        let response = try await host.authorize(request("o1", "10.00", keyed(cvv: "123"), terms: terms))
        #expect(response.checks == CardholderChecks(address: "A", cvv: "M"))
        let refused = try await host.authorize(request("o2", "10.00", keyed(cvv: "999")))
        #expect(refused.issuer.responseCode == "N7")
        #expect(refused.checks.cvv == "N")
        withExtendedLifetime(bench) {}
    }

    @Test("I7: an order id is taken once", arguments: Way.allCases) func duplicateOrder(_ way: Way) async throws {
        let (bench, host) = try await open(way)
        _ = try await host.authorize(request("o1", "10.00", keyed()))
        #expect(
            try await code { _ = try await host.authorize(request("o1", "10.00", keyed())) }
                == .refused(.orderAlreadyProcessed))
        withExtendedLifetime(bench) {}
    }

    @Test("refusals have distinct codes", arguments: Way.allCases) func refusals(_ way: Way) async throws {
        let (bench, host) = try await open(way)
        #expect(
            try await code { _ = try await host.authorize(request("o1", "10.00", keyed("4539578763621486"))) }
                == .refused(.cardRefused))
        var terms = PaymentTerms()
        terms.customFields = [CustomField(name: "Undeclared", value: "1")]
        #expect(
            try await code { _ = try await host.authorize(request("o2", "10.00", keyed(), terms: terms)) }
                == .refused(.invalidRequest))
        #expect(
            try await code { _ = try await host.refund(referenced("r1", of: "0000000000", "1.00")) }
                == .refused(.transactionUnknown))
        #expect(
            try await code { _ = try await host.retrieveSecureCard(MerchantReference("nobody")) }
                == .refused(.secureCardUnknown))
        #expect(
            try await code { _ = try await host.registerSecureCard(registration("c1", cvv: "999")) }
                == .refused(.validationFailed))
        withExtendedLifetime(bench) {}
    }

    @Test("A39: refunds until nothing is left; captures with a tip", arguments: Way.allCases) func refundsAndCaptures(
        _ way: Way
    )
        async throws
    {
        let (bench, host) = try await open(way)
        let sale = try await host.authorize(request("o1", "10.00", keyed())).uniqueReference
        #expect(try await host.refund(referenced("r1", of: sale, "4.00")).issuer.responseCode == "00")
        #expect(
            try await code { _ = try await host.refund(referenced("r1", of: sale, "4.00")) }
                == .refused(.orderAlreadyProcessed))
        #expect(
            try await code { _ = try await host.refund(referenced("r2", of: sale, "6.01")) } == .refused(.notAllowed))
        #expect(try await host.refund(referenced("r3", of: sale, "6.00")).authorizedAmount.decimal == "6.00")

        let reserved = try await host.authorize(request("o2", "10.00", keyed(), purpose: .preAuthorization))
            .uniqueReference
        #expect(
            try await code { _ = try await host.capture(referenced("c1", of: reserved, "12.01")) }
                == .refused(.notAllowed))
        #expect(try await host.capture(referenced("c2", of: reserved, "12.00")).issuer.responseCode == "00")
        #expect(
            try await code { _ = try await host.capture(referenced("c3", of: reserved, "1.00")) }
                == .refused(.notAllowed))

        let unreferenced = try await host.authorize(request("o3", "3.00", keyed(), purpose: .refund))
        #expect(unreferenced.issuer.responseCode == "00")
        let kinds = try await bench.host.transactions(TransactionQuery(isAscending: true, pageSize: 100)).map(\.kind)
        #expect(Set(kinds) == [.sale, .refund, .preAuthorization, .capture])
        #expect(kinds.count == 6)
        let refund = try #require(try await bench.host.transactions(TransactionQuery(orderID: OrderID("r1"))).first)
        #expect(refund.original == sale)
        #expect(refund.timestamp?.secondsSince1970 == 1_773_057_999)
    }

    @Test("A56: an inquiry after a lost answer returns the decision", arguments: Way.allCases) func status(_ way: Way)
        async throws
    {
        let (bench, host) = try await open(way)
        guard case .notSeen = try await host.status(of: OrderID("o1")) else {
            Issue.record("seen")
            return
        }
        let given = try await host.authorize(request("o1", "10.00", keyed(cvv: "123")))
        #expect(decided(try await host.status(of: OrderID("o1"))) == given)
        let declined = try await host.authorize(request("o2", "10.51", keyed()))
        #expect(decided(try await host.status(of: OrderID("o2"))) == declined)
        let refund = try await host.refund(referenced("r1", of: given.uniqueReference, "1.00"))
        let answer = try #require(decided(try await host.status(of: OrderID("r1"))))
        #expect(answer.issuer.responseCode == refund.issuer.responseCode)
        #expect(answer.uniqueReference == refund.uniqueReference)
        try await host.advise(Advice(orderID: OrderID("r1"), result: .reversed(.noHostAnswer)))
        guard case .reversed = try await host.status(of: OrderID("r1")) else {
            Issue.record("not reversed")
            return
        }
        withExtendedLifetime(bench) {}
    }

    @Test(
        "A54: a reversal that comes before its order keeps it out; one that comes after undoes it",
        arguments: Way.allCases)
    func reversals(_ way: Way) async throws {
        let (bench, host) = try await open(way)
        try await host.advise(Advice(orderID: OrderID("o1"), result: .reversed(.noHostAnswer)))
        #expect(
            try await code { _ = try await host.authorize(request("o1", "10.00", keyed())) }
                == .refused(.orderAlreadyProcessed))
        _ = try await host.authorize(request("o2", "10.00", keyed()))
        for _ in 0..<2 { try await host.advise(Advice(orderID: OrderID("o2"), result: .reversed(.signatureDeclined))) }
        for order in ["o1", "o2"] {
            guard case .reversed = try await host.status(of: OrderID(order)) else {
                Issue.record("\(order) is not reversed")
                return
            }
        }
        let records = try await bench.host.transactions(TransactionQuery())
        #expect(records.map(\.state) == [.reversed])
        #expect(records.first?.reversalReason == .signatureDeclined)
    }

    @Test("G12 to G15: secure cards are registered, retrieved, changed and deleted", arguments: Way.allCases)
    func secureCards(_ way: Way) async throws {
        let (bench, host) = try await open(way)
        let registered = try await host.registerSecureCard(registration("c1", cvv: "123"))
        let token = try #require(registered.cardReference)
        // XML says nothing of it.
        #expect(registered.securityCheck == (way == .xml ? nil : .cvvValidated))
        #expect(token.text.hasPrefix("296753"))
        #expect(registered.card?.maskedPAN == "555555******4444")
        #expect(
            try await code { _ = try await host.registerSecureCard(registration("c1")) } == .refused(.secureCardExists))
        let kept = try await host.retrieveSecureCard(MerchantReference("c1"))
        #expect(kept.cardReference == token)
        #expect(kept.card?.expiry?.mmyy == "1231")
        #expect(kept.card?.cardholderName == "NAMECANARY JOE")
        if way != .xml {
            let details = try registration("c1").details
            #expect(kept.card?.maskedPAN == "555555******4444")
            #expect(kept.details == details)
            #expect(kept.entryMode == .keyed)
            #expect(kept.securityCheck == .cvvValidated)
        }
        let updated = try await host.updateSecureCard(registration("c1", "4111111111111111"))
        #expect(updated.cardReference == token)
        #expect(updated.card?.maskedPAN == "411111******1111")
        #expect(updated.securityCheck == (way == .xml ? nil : .notValidated), "the new card came without a CVV")
        let other = SecureCardReference("2967530000000000")
        #expect(
            try await code { try await host.deleteSecureCard(MerchantReference("c1"), token: other) }
                == .refused(.secureCardUnknown))
        try await host.deleteSecureCard(MerchantReference("c1"), token: token)
        #expect(
            try await code { _ = try await host.authorize(request("o1", "1.00", .token(token))) }
                == .refused(.secureCardDeleted))
        let validations = try await bench.host.transactions(TransactionQuery(kinds: [.accountVerification]))
        #expect(validations.map(\.state) == [.voided], "G2: the card was validated, and that never settles")
    }

    // MARK: What the XML interface has not

    static let full: [Way] = [.inProcess, .rest]

    @Test("a chip: ARPC and scripts come back, the last cryptogram goes out", arguments: full) func chip(_ way: Way)
        async throws
    {
        let scripts = ScriptPolicy { _ in
            [
                IssuerScript(.beforeFinalCryptogram, [.pinUnblock]),
                IssuerScript(.afterFinalCryptogram, [.applicationBlock]),
            ]
        }
        let (bench, host) = try await open(way, scripts: scripts)
        let card = PaymentCard.captured(try ChipCard().captured(atc: 1, pin: ChipCard.pinBlock("1234")))
        let response = try await host.authorize(request("o1", "10.00", card))
        #expect(response.issuer.responseCode == "00")
        #expect(response.issuer.issuerAuthenticationData?.count == 8)
        #expect(response.issuer.scripts.map(\.first) == [0x71, 0x72])
        #expect(
            response == decided(try await bench.host.status(of: OrderID("o1"))),
            "what came over the wire is what was given")
        #expect(decided(try await host.status(of: OrderID("o1"))) == response)
        let final: [UInt8] = [0x9F, 0x26, 8, 1, 2, 3, 4, 5, 6, 7, 8, 0x9F, 0x27, 1, 0x40]
        try await host.advise(Advice(orderID: OrderID("o1"), result: .finished(chipData: final, signature: nil)))
        #expect(try await bench.host.finalCryptogram(of: OrderID("o1")) == [1, 2, 3, 4, 5, 6, 7, 8])
        let signature = Signature(strokes: [[.init(x: 130, y: 50), .init(x: 170, y: 50)]])
        try await host.advise(Advice(orderID: OrderID("o1"), result: .finished(chipData: [], signature: signature)))
        #expect(try await bench.host.transaction(of: OrderID("o1"))?.signature == signature)
        #expect(try await bench.host.finalCryptogram(of: OrderID("o1")) == [1, 2, 3, 4, 5, 6, 7, 8], "it stays")

        let wrongPIN = PaymentCard.captured(try ChipCard().captured(atc: 2, pin: ChipCard.pinBlock("4321")))
        #expect(try await host.authorize(request("o2", "10.00", wrongPIN)).issuer.responseCode == "55")
        let replayed = PaymentCard.captured(try ChipCard().captured(atc: 2))
        #expect(try await host.authorize(request("o3", "10.00", replayed)).issuer.responseCode == "63")
        let otherAmount = PaymentCard.captured(try ChipCard(minorUnits: 900).captured(atc: 3))
        #expect(try await host.authorize(request("o4", "10.00", otherAmount)).issuer.responseCode == "88")
    }

    @Test("stripes, with the reason for a fallback; verification of an account; a secure card along", arguments: full)
    func entries(_ way: Way) async throws {
        let (bench, host) = try await open(way)
        #expect(try await host.authorize(request("o1", "10.00", swiped(fallback: true))).issuer.responseCode == "00")
        let chip = PaymentCard.captured(try ChipCard(minorUnits: 0).captured(atc: 1))
        let verified = try await host.authorize(request("v1", "0.00", chip, purpose: .accountVerification))
        #expect(verified.issuer.responseCode == "00")
        #expect(decided(try await host.status(of: OrderID("v1"))) == verified)
        let along = try await host.authorize(request("o2", "10.00", keyed(), registering: "c1"))
        let token = try #require(along.secureCardReference)
        #expect(try await host.retrieveSecureCard(MerchantReference("c1")).cardReference == token)
        let byToken = try await host.authorize(request("o3", "10.00", .token(token)))
        #expect(byToken.card?.maskedPAN == "555555******4444")
        #expect(along.card == nil)
        let records = try await bench.host.transactions(TransactionQuery(isAscending: true))
        #expect(records.map(\.kind) == [.sale, .accountVerification, .sale, .sale])
        #expect(records.allSatisfy { $0.timestamp?.secondsSince1970 == 1_773_057_909 }, "by the terminal's clock")
    }

    @Test("A63: approvals of the card alone, and what is authorised later", arguments: full) func offline(_ way: Way)
        async throws
    {
        let (bench, host) = try await open(way)
        let chip = PaymentCard.captured(try ChipCard().captured(atc: 1))
        let approval = try request("o1", "10.00", chip, processing: .approvedOffline)
        for _ in 0..<2 {
            let answer = try await host.authorize(approval)
            #expect(answer.authorizedAmount == approval.amount)
            #expect(answer.isAuthorized == true)
        }
        let record = try #require(try await bench.host.transactions(TransactionQuery()).first)
        #expect(record.state == .approvedOffline)
        #expect(record.amount?.decimal == "10.00")
        let refund = try request(
            "r1", "5.00", .captured(try ChipCard(minorUnits: 500).captured(atc: 9)), purpose: .refund,
            processing: .approvedOffline)
        _ = try await host.authorize(refund)
        let refunded = try #require(try await bench.host.transactions(TransactionQuery(orderID: OrderID("r1"))).first)
        #expect(refunded.kind == .refund)
        #expect(refunded.state == .approvedOffline)
        let later = AuthorizationRequest(
            orderID: OrderID("o2"), processing: .deferred, amount: try Money(parsing: "10.00 EUR"),
            timestamp: Timestamp(secondsSince1970: 1_773_000_000), terminalID: HostBench.terminalID,
            card: .captured(try ChipCard().captured(atc: 2)))
        #expect(try await host.authorize(later).issuer.responseCode == "00")
        let order = try #require(try await bench.host.transactions(TransactionQuery(orderID: OrderID("o2"))).first)
        #expect(order.timestamp?.secondsSince1970 == 1_773_000_000)

        let strokes: [[Signature.Point]] = [
            [.init(x: 1, y: 1), .init(x: 9, y: 9)], [.init(x: 4, y: 2), .init(x: 2, y: 4)],
        ]
        let signature = try #require(Signature(strokes: strokes))
        for (id, card) in [("o3", swiped(fallback: false)), ("o4", .captured(try ChipCard().captured(atc: 3)))] {
            let signed = AuthorizationRequest(
                orderID: try OrderID(id), processing: .deferred, amount: try Money(parsing: "10.00 EUR"),
                timestamp: Timestamp(secondsSince1970: 1_773_000_000), terminalID: HostBench.terminalID, card: card,
                signature: signature)
            #expect(try await host.authorize(signed).issuer.responseCode == "00")
            #expect(try await bench.host.transaction(of: OrderID(id))?.signature == signature)
        }
    }

    @Test("A43 A12: the list of transactions and the settings", arguments: full) func inquiries(_ way: Way) async throws
    {
        let (bench, host) = try await open(way)
        let sale = try await host.authorize(request("o1", "30.00", keyed())).uniqueReference
        _ = try await host.authorize(request("o2", "10.51", keyed()))
        _ = try await host.refund(referenced("r1", of: sale, "1.00"))
        for query in [
            TransactionQuery(), TransactionQuery(states: [.approved]), TransactionQuery(kinds: [.sale, .capture]),
            TransactionQuery(orderID: OrderID("o1")), TransactionQuery(uniqueReference: sale),
            TransactionQuery(period: 1_773_057_950..<1_773_058_000), TransactionQuery(phrase: "4444"),
            TransactionQuery(order: .amount, isAscending: true, page: 1, pageSize: 2),
            TransactionQuery(states: [.settled]),
        ] {
            #expect(try await host.transactions(query) == (try await bench.host.transactions(query)))
        }
        #expect(try await host.transactions(TransactionQuery()).count == 3)
        #expect(try await host.settings() == .bench)
    }

    @Test("E7: the same payment twice is declined unless the merchant wants it", arguments: full) func duplicates(
        _ way: Way
    ) async throws {
        var rules = HostRules()
        rules.duplicateWindow = 300
        let (bench, host) = try await open(way, rules: rules)
        var terms = PaymentTerms()
        terms.descriptor = try StatementDescriptor("Corner Shop")
        terms.externalID = try ExternalID("invoice 7")
        terms.tip = try Money(parsing: "1.00 EUR")
        #expect(try await host.authorize(request("o1", "10.00", keyed(), terms: terms)).issuer.responseCode == "00")
        terms.externalID = try ExternalID("invoice 8")
        #expect(try await host.authorize(request("o2", "10.00", keyed(), terms: terms)).issuer.responseCode == "94")
        #expect(
            try await code { _ = try await host.authorize(request("o5", "10.00", keyed(), terms: terms)) }
                == .refused(.invalidRequest), "E6: the external id is taken")
        terms.externalID = nil
        #expect(
            try await host.authorize(request("o3", "10.00", keyed(), terms: PaymentTerms(duplicateCheck: .off))).issuer
                .responseCode == "00",
            "the merchant's wish")
        #expect(
            try await host.authorize(request("o4", "11.00", keyed(), terms: terms)).issuer.responseCode == "00",
            "another amount")
        withExtendedLifetime(bench) {}
    }

    @Test("E8: a tip is added to a sale until its batch closes", arguments: full) func tipAdjustment(_ way: Way)
        async throws
    {
        let (bench, host) = try await open(way)
        let terms = PaymentTerms(allowsTipAdjustment: true)
        let sale = try await host.authorize(request("o1", "10.00", keyed(), terms: terms)).uniqueReference
        #expect(
            try await code { _ = try await host.capture(referenced("c1", of: sale, "12.01")) } == .refused(.notAllowed))
        #expect(try await host.capture(referenced("c2", of: sale, "11.50")).authorizedAmount.decimal == "11.50")
        let plain = try await host.authorize(request("o2", "10.00", keyed())).uniqueReference
        #expect(
            try await code { _ = try await host.capture(referenced("c3", of: plain, "11.00")) } == .refused(.notAllowed)
        )
        let batch = try #require(
            try await bench.host.closeBatch(of: HostBench.terminalID, at: Timestamp(secondsSince1970: 0)))
        #expect(batch.totals.map(\.description) == ["21.50 EUR"], "the sale settles as it was captured, and once")
        let late = try await host.authorize(request("o3", "10.00", keyed(), terms: terms)).uniqueReference
        _ = try await bench.host.closeBatch(of: HostBench.terminalID, at: Timestamp(secondsSince1970: 0))
        #expect(
            try await code { _ = try await host.capture(referenced("c4", of: late, "11.00")) } == .refused(.notAllowed))
    }

    @Test("what the XML interface has not is refused before anything leaves") func xmlLimits() async throws {
        let (bench, host) = try await open(.xml)
        let chip = PaymentCard.captured(try ChipCard().captured(atc: 1))
        #expect(
            try await code { _ = try await host.authorize(request("o1", "10.00", chip)) } == .refused(.notSupported))
        #expect(try await code { _ = try await host.transactions(TransactionQuery()) } == .refused(.notSupported))
        #expect(try await code { _ = try await host.settings() } == .refused(.notSupported))
        #expect(try await bench.host.transactions(TransactionQuery()).isEmpty)
    }
}
