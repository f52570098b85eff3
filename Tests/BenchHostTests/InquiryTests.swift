import BenchHost
import Bytes
import CardCapture
import CardCryptography
import PaymentTerminal
import Testing

@Suite("The host's list of transactions") struct InquiryTests {
    private func answer(_ status: OrderStatus) -> AuthorizationResponse? {
        if case .decided(let response) = status { response } else { nil }
    }

    @Test("A56 I15: a repeated inquiry gets the same answer: ARPC, scripts, token and all") func sameAnswerAgain()
        async throws
    {
        let bench = try Bench(
            issuer: TestIssuer(
                profiles: [
                    IssuerProfile(leadingDigits: "476173", masterKeys: try TestCard.issuerKeys, cryptogram: .visa18)
                ],
                scripts: ScriptPolicy { _ in [IssuerScript(.afterFinalCryptogram, [.pinUnblock])] }))
        let given = try await bench.host.authorize(
            request("o1", "10.00", .captured(TestCard().captured(atc: 1)), registering: "c1"))
        #expect(given.issuer.issuerAuthenticationData != nil)
        #expect(given.issuer.scripts.count == 1)
        #expect(given.secureCardReference != nil)
        #expect(answer(try await bench.host.status(of: OrderID("o1"))) == given)

        let token = try #require(given.secureCardReference)
        let byToken = try await bench.host.authorize(request("o2", "10.51", .token(token)))
        #expect(answer(try await bench.host.status(of: OrderID("o2"))) == byToken, "a decline as well")
        let refund = try await bench.host.refund(referenced("r1", of: given.uniqueReference, "1.00"))
        #expect(answer(try await bench.host.status(of: OrderID("r1"))) == refund)
    }

    @Test("what is not decided: never seen, reversed, reversed before it came; approved by the card alone")
    func otherStates() async throws {
        let bench = try Bench()
        guard case .notSeen = try await bench.host.status(of: OrderID("o1")) else {
            Issue.record("seen")
            return
        }
        try await bench.host.advise(Advice(orderID: OrderID("o1"), result: .reversed(.noHostAnswer)))
        _ = try await bench.host.authorize(request("o2", "10.00", .keyed(details(), cvv: nil)))
        try await bench.host.advise(Advice(orderID: OrderID("o2"), result: .reversed(.cardDeclined)))
        for order in ["o1", "o2"] {
            guard case .reversed = try await bench.host.status(of: OrderID(order)) else {
                Issue.record("\(order) is not reversed")
                return
            }
        }
        let card = PaymentCard.captured(try TestCard().captured(atc: 1))
        _ = try await bench.host.authorize(request("o3", "10.00", card, processing: .approvedOffline))
        #expect(answer(try await bench.host.status(of: OrderID("o3")))?.issuer.responseCode == "Y1")
    }

    @Test("half of 20.10 is approved, and the status says half") func partialApproval() async throws {
        let bench = try Bench()
        let given = try await bench.host.authorize(
            request("o1", "20.10", .captured(TestCard(amount: "000000002010").captured(atc: 1))))
        #expect(given.issuer.responseCode == "10")
        #expect(given.authorizedAmount.description == "10.05 EUR")
        #expect(given.issuer.issuerAuthenticationData != nil)
        #expect(answer(try await bench.host.status(of: OrderID("o1"))) == given)
        let order = try #require(try await bench.orders().first)
        #expect(order.state == .approved)
        #expect(order.amount?.decimal == "20.10")
        #expect(order.authorizedAmount?.decimal == "10.05")
    }

    @Test("a card that paid while the host was away: its older counter is taken once") func deferredAuthorization()
        async throws
    {
        let bench = try Bench()
        func deferred(_ order: String, atc: UInt16) async throws -> String {
            let request = AuthorizationRequest(
                orderID: try OrderID(order), processing: .deferred, amount: try Money(parsing: "10.00 EUR"),
                timestamp: Timestamp(secondsSince1970: 0), terminalID: "BENCH001",
                card: .captured(try TestCard().captured(atc: atc)))
            return try await bench.host.authorize(request).issuer.responseCode
        }
        #expect(
            try await bench.host.authorize(request("o1", "10.00", .captured(TestCard().captured(atc: 7)))).issuer
                .responseCode == "00")
        #expect(try await deferred("o2", atc: 5) == "00")
        #expect(try await deferred("o3", atc: 5) == "63")
        #expect(try await deferred("o4", atc: 7) == "63")
        #expect(
            try await bench.host.authorize(request("o5", "10.00", .captured(TestCard().captured(atc: 6)))).issuer
                .responseCode == "63")
        #expect(
            try await bench.host.authorize(request("o6", "10.00", .captured(TestCard().captured(atc: 8)))).issuer
                .responseCode == "00")
    }

    @Test("A43 A44: by order, reference, state, kind, period and phrase, sorted and in pages") func transactions()
        async throws
    {
        let bench = try Bench()
        for (index, (amount, pan)) in [
            ("30.00", "4111111111111111"), ("10.00", "5555555555554444"), ("20.05", "5555555555554444"),
            ("5.00", "4111111111111111"),
        ].enumerated() {
            _ = try await bench.host.authorize(
                AuthorizationRequest(
                    orderID: OrderID("o\(index)"), purpose: index == 3 ? .preAuthorization : .sale,
                    amount: Money(parsing: amount, in: .euro),
                    timestamp: Timestamp(secondsSince1970: 1000 + Int64(index), utcOffset: 3600),
                    terminalID: "BENCH001",
                    card: .keyed(details(pan), cvv: nil)))
        }
        func found(_ query: TransactionQuery) async throws -> [String] {
            try await bench.host.transactions(query).map(\.orderID.text)
        }
        #expect(try await found(TransactionQuery()) == ["o3", "o2", "o1", "o0"])
        #expect(try await found(TransactionQuery(isAscending: true)) == ["o0", "o1", "o2", "o3"])
        #expect(try await found(TransactionQuery(order: .amount)) == ["o0", "o2", "o1", "o3"])
        #expect(try await found(TransactionQuery(order: .amount, isAscending: true, page: 1, pageSize: 3)) == ["o0"])
        #expect(try await found(TransactionQuery(orderID: OrderID("o1"))) == ["o1"])
        let reference = try #require(try await bench.host.transactions(TransactionQuery(orderID: OrderID("o2"))).first)
            .uniqueReference
        #expect(try await found(TransactionQuery(uniqueReference: reference)) == ["o2"])
        #expect(try await found(TransactionQuery(states: [.declined])) == ["o2"])
        #expect(
            try await found(TransactionQuery(states: [.declined, .approved], kinds: [.sale])) == ["o2", "o1", "o0"])
        #expect(try await found(TransactionQuery(period: 1001..<1003)) == ["o2", "o1"])
        #expect(try await found(TransactionQuery(phrase: "1111")) == ["o3", "o0"], "the end of the card number")
        #expect(try await found(TransactionQuery(phrase: "2005")) == ["o2"], "the amount in cents")
        #expect(try await found(TransactionQuery(phrase: "o1")) == ["o1"])
        #expect(try await found(TransactionQuery(phrase: reference)) == ["o2"])
        #expect(try await found(TransactionQuery(phrase: "%")).isEmpty, "nothing is a pattern")
        let order = try #require(try await bench.orders().first)
        #expect(order.timestamp == Timestamp(secondsSince1970: 1003, utcOffset: 3600))
        for query in [TransactionQuery(pageSize: 0), TransactionQuery(pageSize: 101), TransactionQuery(page: -1)] {
            let error = await #expect(throws: HostError.self) { try await bench.host.transactions(query) }
            #expect(error?.code == .refused(.invalidRequest))
        }
    }

    @Test("A12: a terminal gets its settings, and the host enforces them") func settings() async throws {
        let settings = HostSettings(merchantName: "Corner Shop", terminalID: "BENCH001", currencies: [.usDollar])
        let bench = try Bench(issuer: TestIssuer(profiles: []), settings: settings)
        #expect(try await bench.host.settings() == settings)
        let error = await #expect(throws: HostError.self) {
            try await bench.host.authorize(request("o1", "10.00", .keyed(details(), cvv: nil)))
        }
        #expect(error?.code == .refused(.invalidRequest))
    }
}
