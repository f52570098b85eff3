import BenchHost
import Bytes
import CardCapture
import PaymentTerminal
import Testing

@Suite struct ReferencedRequestTests {
    private func authorized(
        _ bench: Bench, _ order: String = "o1", _ amount: String = "10.00",
        purpose: AuthorizationRequest.Purpose = .sale
    ) async throws -> String {
        try await bench.host.authorize(request(order, amount, .keyed(details(), cvv: nil), purpose: purpose))
            .uniqueReference
    }

    private func record(_ bench: Bench, _ order: String) async throws -> TransactionRecord {
        try #require(try await bench.host.transactions(TransactionQuery(orderID: OrderID(order))).first)
    }

    private func code(_ body: () async throws -> Void) async throws -> HostError.Code? {
        do {
            try await body()
            return nil
        } catch let error as HostError {
            return error.code
        }
    }

    @Test("A39 I13: refunds, one after the other, until nothing is left") func refunds() async throws {
        let bench = try Bench()
        let sale = try await authorized(bench)
        let answer = try await bench.host.refund(referenced("r1", of: sale, "4.00"))
        #expect(answer.issuer.responseCode == "00")
        #expect(answer.authorizedAmount.description == "4.00 EUR")
        #expect(answer.card?.maskedPAN == "555555******4444")
        _ = try await bench.host.refund(referenced("r2", of: sale, "5.99"))
        #expect(try await record(bench, "o1").refundedAmount?.description == "9.99 EUR")
        let tooMuch = await #expect(throws: HostError.self) {
            try await bench.host.refund(referenced("r3", of: sale, "0.02"))
        }
        #expect(tooMuch?.code == .refused(.notAllowed))
        #expect(tooMuch?.message.contains("0.01 EUR") == true)
        _ = try await bench.host.refund(referenced("r4", of: sale, "0.01"))
        let refund = try await record(bench, "r1")
        #expect(refund.kind == .refund)
        #expect(refund.original == sale)
        #expect(refund.state == .approved)
        #expect(
            try await code { _ = try await bench.host.refund(referenced("r4", of: sale, "0.01")) }
                == .refused(.orderAlreadyProcessed))
    }

    @Test("a refund that is declined or reversed gives nothing back") func refundsThatDoNotCount() async throws {
        let bench = try Bench()
        let sale = try await authorized(bench, "o1", "20.00")
        #expect(try await bench.host.refund(referenced("r1", of: sale, "10.05")).issuer.responseCode == "05")
        #expect(try await record(bench, "o1").refundedAmount == nil)
        _ = try await bench.host.refund(referenced("r2", of: sale, "20.00"))
        try await bench.host.advise(Advice(orderID: OrderID("r2"), result: .reversed(.noHostAnswer)))
        #expect(try await record(bench, "o1").refundedAmount == nil)
        _ = try await bench.host.refund(referenced("r3", of: sale, "20.00"))
    }

    @Test("nothing but an approved payment is refunded") func notRefundable() async throws {
        let bench = try Bench()
        #expect(
            try await code { _ = try await bench.host.refund(referenced("r1", of: "0000000000", "1.00")) }
                == .refused(.transactionUnknown))
        let declined = try await authorized(bench, "o1", "10.05")
        let reserved = try await authorized(bench, "o2", "10.00", purpose: .preAuthorization)
        let reversed = try await authorized(bench, "o3")
        try await bench.host.advise(Advice(orderID: OrderID("o3"), result: .reversed(.requested)))
        let refund = try await bench.host.refund(referenced("r2", of: authorized(bench, "o4"), "10.00")).uniqueReference
        for (index, reference) in [declined, reserved, reversed, refund].enumerated() {
            #expect(
                try await code { _ = try await bench.host.refund(referenced("x\(index)", of: reference, "1.00")) }
                    == .refused(.notAllowed))
        }
        #expect(try await bench.orders().count == 5, "a refused request is not an order")
    }

    @Test(
        "A29 A39: what was set aside is taken once, with a tip of at most a fifth, or less",
        arguments: [("12.00", true), ("12.01", false), ("10.00", true), ("0.01", true)])
    func capture(_ amount: String, _ isTaken: Bool) async throws {
        let bench = try Bench()
        let reserved = try await authorized(bench, purpose: .preAuthorization)
        #expect(try await record(bench, "o1").kind == .preAuthorization)
        guard isTaken else {
            #expect(
                try await code { _ = try await bench.host.capture(referenced("c1", of: reserved, amount)) }
                    == .refused(.notAllowed))
            return
        }
        _ = try await bench.host.capture(referenced("c1", of: reserved, amount))
        #expect(try await record(bench, "o1").state == .captured)
        let captured = try await record(bench, "c1")
        #expect(captured.kind == .capture)
        #expect(captured.original == reserved)
        #expect(captured.authorizedAmount?.decimal == amount)
        #expect(
            try await code { _ = try await bench.host.capture(referenced("c2", of: reserved, "0.01")) }
                == .refused(.notAllowed))
        let reversal = Advice(orderID: OrderID("o1"), result: .reversed(.requested))
        #expect(
            try await code { try await bench.host.advise(reversal) } == .refused(.notAllowed),
            "a captured one is refunded instead")
        _ = try await bench.host.refund(referenced("r1", of: reserved, amount))
        #expect(
            try await record(bench, "c1").refundedAmount?.decimal == amount, "a refund of either is one of the capture")
    }

    @Test("a capture that is undone can be made again; a sale cannot be captured") func captureUndone() async throws {
        let bench = try Bench()
        let reserved = try await authorized(bench, purpose: .preAuthorization)
        _ = try await bench.host.capture(referenced("c1", of: reserved, "10.00"))
        for _ in 0..<2 { try await bench.host.advise(Advice(orderID: OrderID("c1"), result: .reversed(.noHostAnswer))) }
        #expect(try await record(bench, "o1").state == .approved)
        _ = try await bench.host.capture(referenced("c2", of: reserved, "10.00"))
        let sale = try await authorized(bench, "o2")
        #expect(
            try await code { _ = try await bench.host.capture(referenced("c3", of: sale, "10.00")) }
                == .refused(.notAllowed))
    }

    @Test("a refund without a sale; amounts of nothing and other currencies are refused") func unreferenced()
        async throws
    {
        let bench = try Bench()
        let answer = try await bench.host.authorize(
            request("r1", "7.00", .keyed(details(), cvv: nil), purpose: .refund))
        #expect(answer.issuer.responseCode == "00")
        #expect(try await record(bench, "r1").kind == .refund)
        let card = PaymentCard.captured(try TestCard(type: 0x00).captured(atc: 1))
        #expect(
            try await bench.host.authorize(request("r2", "7.00", card, purpose: .refund)).issuer.responseCode == "00",
            "a card that is read for a refund only gives an AAC")
        #expect(
            try await code { _ = try await bench.host.authorize(request("o1", "0.00", card)) }
                == .refused(.invalidRequest))
        #expect(
            try await code { _ = try await bench.host.refund(referenced("r3", of: "1", "0.00")) }
                == .refused(.invalidRequest))
    }

    @Test(
        "A54: a reversal keeps its first reason, undoes the secure card that came with the sale, and does not touch what was refunded"
    )
    func reversal() async throws {
        let bench = try Bench()
        let card = PaymentCard.keyed(try details(), cvv: nil)
        _ = try await bench.host.authorize(request("o1", "10.00", card, registering: "c1"))
        for reason in [ReversalReason.noHostAnswer, .cardDeclined] {
            try await bench.host.advise(Advice(orderID: OrderID("o1"), result: .reversed(reason)))
        }
        #expect(try await record(bench, "o1").reversalReason == .noHostAnswer)
        #expect(
            try await code { _ = try await bench.host.retrieveSecureCard(MerchantReference("c1")) }
                == .refused(.secureCardUnknown))

        let sale = try await bench.host.authorize(request("o2", "10.00", card, registering: "c1"))
        try await bench.host.advise(Advice(orderID: OrderID("o2"), result: .reversed(.requested)))
        #expect(
            try await bench.host.retrieveSecureCard(MerchantReference("c1")).cardReference == sale.secureCardReference)

        let refunded = try await authorized(bench, "o3")
        _ = try await bench.host.refund(referenced("r1", of: refunded, "1.00"))
        let advice = Advice(orderID: OrderID("o3"), result: .reversed(.requested))
        #expect(try await code { try await bench.host.advise(advice) } == .refused(.notAllowed))
    }

    @Test(
        "AVS and CVV: what the issuer says of them",
        arguments: [
            ("1 Main Street", "10115", "123", "Y", "M"), ("1 Main Street", "99999", "999", "A", "N"),
            ("99 Main Street", "10115", "123", "Z", "M"),
            ("99 Main Street", "99999", "123", "N", "M"),
        ])
    func checks(_ street: String, postalCode: String, cvv: String, address: String, match: String) async throws {
        var terms = PaymentTerms(channel: .mailOrTelephone)
        terms.billingAddress = BillingAddress(street: street, postalCode: postalCode)
        let question = AuthorizationRequest(
            orderID: OrderID("o1"), amount: try Money(parsing: "10.00 EUR"), timestamp: Timestamp(secondsSince1970: 0),
            terminalID: "BENCH001", card: .keyed(try details(), cvv: SecretBytes(cvv.utf8)), terms: terms)
        #expect(try await Bench().host.authorize(question).checks == CardholderChecks(address: address, cvv: match))
    }
}
