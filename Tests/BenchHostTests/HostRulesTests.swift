import BenchHost
import Bytes
import CardCapture
import Foundation
import PaymentTerminal
import TLV
import Testing

@Suite struct HostRulesTests {
    private func code(_ bench: Bench, _ request: AuthorizationRequest) async throws -> String {
        try await bench.host.authorize(request).issuer.responseCode
    }

    private func sale(_ order: String, _ amount: String, at seconds: Int64 = 1000, pan: String = "5555555555554444")
        throws
        -> AuthorizationRequest
    {
        AuthorizationRequest(
            orderID: try OrderID(order), amount: try Money(parsing: amount, in: .euro),
            timestamp: Timestamp(secondsSince1970: seconds),
            terminalID: "BENCH001", card: .keyed(try details(pan), cvv: nil))
    }

    /// Above 100.00 the rule of the gateway's own sandbox, as its testing guide has it.
    @Test(
        "amounts choose the answer",
        arguments: [
            ("10.00", "00"), ("10.02", "02"), ("10.04", "04"), ("10.05", "05"), ("10.10", "10"), ("10.14", "00"),
            ("100.00", "00"),
            ("100.14", "14"), ("1000.57", "57"), ("100.11", "11"), ("101.05", "05"), ("101.14", "00"), ("123.45", "00"),
            ("110.00", "00"),
        ])
    func amounts(_ amount: String, _ expected: String) async throws {
        #expect(try await code(Bench(), sale("o1", amount)) == expected)
    }

    @Test("a limit of payments with one card in a time") func velocity() async throws {
        var rules = HostRules()
        rules.velocity = HostRules.Velocity(count: 2, seconds: 600)
        let bench = try Bench(rules: rules)
        #expect(try await code(bench, sale("o1", "1.00", at: 1000)) == "00")
        #expect(try await code(bench, sale("o2", "1.05", at: 1100)) == "05", "what was declined does not count")
        #expect(try await code(bench, sale("o3", "2.00", at: 1200)) == "00")
        #expect(try await code(bench, sale("o4", "3.00", at: 1300)) == "65")
        #expect(try await code(bench, sale("o5", "3.00", at: 1300, pan: "4111111111111111")) == "00", "another card")
        #expect(try await code(bench, sale("o6", "3.00", at: 1601)) == "00", "the first was long ago")
    }

    @Test("the same payment twice within minutes, before and after; a refund is none") func duplicates() async throws {
        var rules = HostRules()
        rules.duplicateWindow = 300
        let bench = try Bench(rules: rules)
        var other = HostSettings.bench
        other.terminalID = "BENCH002"
        try await bench.host.save(BenchTerminal(settings: other, secret: SecretBytes("x".utf8)))
        func twin(_ order: String, _ amount: String, at seconds: Int64, of terminalID: String? = nil) throws
            -> AuthorizationRequest
        {
            let plain = try sale(order, amount, at: seconds)
            return AuthorizationRequest(
                orderID: plain.orderID, amount: plain.amount, timestamp: plain.timestamp,
                terminalID: terminalID ?? plain.terminalID,
                card: plain.card,
                terms: PaymentTerms(duplicateCheck: .required))
        }
        #expect(try await code(bench, twin("o1", "9.00", at: 1000)) == "00")
        #expect(try await code(bench, twin("o2", "9.00", at: 1300)) == "94")
        #expect(
            try await code(bench, twin("o2", "9.00", at: 1300, of: "BENCH002")) == "00", "another terminal's is none")
        #expect(try await code(bench, twin("o3", "9.00", at: 700)) == "94")
        #expect(try await code(bench, twin("o4", "9.00", at: 1301)) == "00")
        try await bench.host.advise(Advice(orderID: OrderID("o4"), result: .reversed(.requested)))
        try await bench.host.advise(Advice(orderID: OrderID("o1"), result: .reversed(.requested)))
        #expect(try await code(bench, twin("o5", "9.00", at: 1200)) == "00", "what was reversed does not count")
    }

    @Test("E7: duplicates are declined unless the merchant says that there may be some; goods that are gone are paid")
    func duplicatesByDefault() async throws {
        var rules = HostRules()
        rules.duplicateWindow = 300
        let bench = try Bench(rules: rules)
        func code(
            _ order: String, _ check: PaymentTerms.DuplicateCheck? = nil,
            _ processing: AuthorizationRequest.Processing = .online
        ) async throws -> String {
            var terms = PaymentTerms()
            if let check { terms.duplicateCheck = check }
            let plain = try sale(order, "9.00", at: 1000)
            return try await bench.host.authorize(
                AuthorizationRequest(
                    orderID: plain.orderID, processing: processing, amount: plain.amount, timestamp: plain.timestamp,
                    terminalID: plain.terminalID, card: plain.card, terms: terms)
            ).issuer.responseCode
        }
        #expect(try await code("o1") == "00")
        #expect(try await code("o2") == "94", "the default")
        #expect(try await code("o3", .off) == "00")
        #expect(try await code("o4", .required) == "94")
        #expect(try await code("o5", nil, .deferred) == "00", "the goods were handed over")
        #expect(try await code("o6", .required, .deferred) == "94")
    }

    @Test("E6: an external id names one order of a terminal, until the order is purged") func externalIDs() async throws
    {
        let bench = try Bench()
        func request(_ order: String, _ amount: String = "9.00", of terminal: String? = nil) throws
            -> AuthorizationRequest
        {
            let plain = try sale(order, amount, at: 1000)
            return AuthorizationRequest(
                orderID: plain.orderID, amount: plain.amount, timestamp: plain.timestamp,
                terminalID: terminal ?? plain.terminalID, card: plain.card,
                terms: PaymentTerms(externalID: try ExternalID("invoice-7")))
        }
        #expect(try await bench.host.authorize(request("o1", "9.05")).issuer.responseCode == "05")
        let error = await #expect(throws: HostError.self) { try await bench.host.authorize(request("o2")) }
        #expect(error?.code == .refused(.invalidRequest))
        #expect(try await bench.orders().map(\.orderID.text) == ["o1"])
        var other = HostSettings.bench
        other.terminalID = "BENCH002"
        try await bench.host.save(BenchTerminal(settings: other, secret: SecretBytes("x".utf8)))
        #expect(try await bench.host.authorize(request("o2", of: "BENCH002")).issuer.responseCode == "00")
        #expect(try await bench.host.purge(before: 2000) == 1)
        #expect(try await bench.host.authorize(request("o3")).issuer.responseCode == "00")
    }

    @Test("the maximum amount of a payment; a chip gets the refusal with an ARPC") func maximum() async throws {
        var settings = HostSettings.bench
        settings.maximumAmount = try Money(parsing: "9.99 EUR")
        let bench = try Bench()
        try await bench.host.save(BenchTerminal(settings: settings, secret: SecretBytes("x".utf8)))
        #expect(try await code(bench, sale("o1", "9.99")) == "00")
        let response = try await bench.host.authorize(request("o2", "10.00", .captured(TestCard().captured(atc: 1))))
        #expect(response.issuer.responseCode == "61")
        #expect(response.issuer.issuerAuthenticationData != nil)
    }

    @Test("G7: a custom field must be declared for the terminal") func customFields() async throws {
        let bench = try Bench()
        var personal = SecureCard.Details()
        personal.customFields = [CustomField(name: "Undeclared", value: "1")]
        let error = await #expect(throws: HostError.self) {
            try await bench.host.registerSecureCard(registration("c1", details: personal))
        }
        #expect(error?.code == .refused(.invalidRequest))
        var settings = HostSettings.bench
        settings.customFields = ["Undeclared"]
        try await bench.host.save(BenchTerminal(settings: settings, secret: SecretBytes("x".utf8)))
        #expect(
            try await bench.host.registerSecureCard(registration("c1", details: personal), of: "BENCH001").cardReference
                != nil)
    }

    @Test("G2: a validation is an authorisation of 0.00 which is voided; a failed one is kept, its card is not")
    func validation()
        async throws
    {
        let bench = try Bench()
        _ = try await bench.host.registerSecureCard(registration("c1", cvv: "123"))
        _ = try? await bench.host.registerSecureCard(registration("c2", cvv: "999"))
        _ = try await bench.host.registerSecureCard(registration("c3"))
        let orders = try await bench.orders()
        #expect(orders.map(\.kind) == [.accountVerification, .accountVerification])
        #expect(Set(orders.map(\.state)) == [.voided, .declined])
        #expect(
            try await bench.host.closeBatch(of: "BENCH001", at: Timestamp(secondsSince1970: 0)) == nil,
            "it never settles")
    }

    @Test("a closed batch: what settles, its totals, and that nothing in it is reversed") func settlement() async throws
    {
        let bench = try Bench()
        let first = try await bench.host.authorize(sale("o1", "10.00")).uniqueReference
        _ = try await bench.host.authorize(sale("o2", "5.05"))
        _ = try await bench.host.refund(referenced("r1", of: first, "2.50"))
        let reserved = try await bench.host.authorize(
            request("p1", "20.00", .keyed(details(), cvv: nil), purpose: .preAuthorization))
        let batch = try #require(try await bench.host.closeBatch(of: "BENCH001", at: Timestamp(secondsSince1970: 2000)))
        #expect(batch.transactions == 2)
        #expect(batch.totals.map(\.description) == ["7.50 EUR"])
        let error = await #expect(throws: HostError.self) {
            try await bench.host.advise(Advice(orderID: OrderID("o1"), result: .reversed(.requested)))
        }
        #expect(error?.code == .refused(.notAllowed))
        _ = try await bench.host.refund(referenced("r2", of: first, "7.50"))
        _ = try await bench.host.capture(referenced("c1", of: reserved.uniqueReference, "20.00"))
        let second = try #require(
            try await bench.host.closeBatch(of: "BENCH001", at: Timestamp(secondsSince1970: 3000)))
        #expect(second.number == batch.number + 1)
        #expect(second.totals.map(\.description) == ["12.50 EUR"])
        #expect(try await bench.host.closeBatch(of: "OTHER", at: Timestamp(secondsSince1970: 3000)) == nil)
        #expect(try await bench.host.purge(before: 1001) == 2, "o1 and the declined o2; the rest is younger")
    }

    @Test("terminals and keys: a secret is kept sealed, a key hashed, another terminal's key is refused")
    func terminals() async throws {
        let bench = try Bench()
        let secret = SecretBytes("SECRETCANARY".utf8)
        try await bench.host.save(BenchTerminal(settings: .bench, secret: secret))
        #expect(try await bench.host.terminal("BENCH001")?.secret == secret)
        #expect(try await bench.host.terminals().map(\.settings) == [.bench])
        let key = try await bench.host.makeAPIKey(alias: "till", terminals: ["BENCH001"])
        #expect(key.count == 64)
        let account = try await bench.host.account(of: key)
        #expect(account?.alias == "till")
        #expect(account?.terminals == ["BENCH001"])
        let next = try await bench.host.makeAPIKey(alias: "till", terminals: [])
        #expect(try await bench.host.account(of: key) == nil, "the new key takes the place of the old one")
        #expect(try await bench.host.account(of: next)?.terminals == [])
        let bytes = try bench.bytes
        for canary in [secret.revealed(), key.revealed(), next.revealed()] {
            #expect(bytes.range(of: Data(canary)) == nil)
        }
    }

    @Test("faults can be switched off; in process they are what a terminal would see", arguments: HostFault.allCases)
    func faults(_ fault: HostFault) async throws {
        let amount = Money(minorUnits: fault.rawValue, currency: .euro).decimal
        var rules = HostRules()
        rules.playsFaults = false
        #expect(try await code(Bench(rules: rules), sale("o1", amount)) == "00")
        let bench = try Bench()
        do {
            let response = try await bench.host.authorize(sale("o1", amount))
            #expect(fault == .late)
            #expect(response.issuer.responseCode == "00")
        } catch let error as HostError {
            #expect(error.leavesOutcomeUnknown)
            #expect(fault != .late)
        }
        #expect(try await bench.orders().isEmpty == (fault == .closedBeforeCommit))
    }
}
