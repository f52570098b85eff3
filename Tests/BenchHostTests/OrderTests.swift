import BenchHost
import CardCapture
import MagneticStripe
import PaymentTerminal
import TLV
import Testing

@Suite("Orders at the bench host: payments, refunds, captures, reversals") struct OrderTests {
    @Test("The bench host has no keys of readers: it says so, and stores nothing") func encipheredCards() async throws {
        let bench = try Bench()
        let tracks = EncryptedTracks(
            cipher: .tdes, keyUse: .dataVariant, ksn: [UInt8](repeating: 1, count: 10),
            ciphertexts: [.two: [UInt8](repeating: 2, count: 40)])
        let card = CapturedCard(entryMode: .magneticStripe, pan: nil, expiry: nil, encryptedTracks: tracks)
        let question = try request("o1", "10.00", .captured(card))
        let error = await #expect(throws: HostError.self) { try await bench.host.authorize(question) }
        #expect(error?.code == .refused(.cardRefused))
        #expect(error?.message == CardDetailsError.enciphered.description)
        #expect(try await bench.orders().isEmpty)
    }

    @Test("an order is recorded with what may be shown of it") func record() async throws {
        let bench = try Bench()
        let response = try await bench.host.authorize(request("o1", "10.00", .keyed(details(), cvv: nil)))
        let order = try #require(try await bench.orders().first)
        #expect(order.orderID.text == "o1")
        #expect(order.state == .approved)
        #expect(order.amount?.description == "10.00 EUR")
        #expect(order.maskedPAN == "555555******4444")
        #expect(order.uniqueReference == response.uniqueReference)
        #expect(order.approvalCode == response.issuer.approvalCode)
        #expect(order.timestamp == Timestamp(secondsSince1970: 1_773_057_909))
        #expect(order.kind == .sale)
        #expect(order.authorizedAmount == order.amount)
    }

    @Test("I7: an order id is taken once, approved or declined") func duplicate() async throws {
        let bench = try Bench()
        for (order, amount) in [("o1", "10.00"), ("o2", "10.05")] {
            _ = try await bench.host.authorize(request(order, amount, .keyed(details(), cvv: nil)))
            let error = await #expect(throws: HostError.self) {
                try await bench.host.authorize(request(order, "10.00", .keyed(details(), cvv: nil)))
            }
            #expect(error?.code == .refused(.orderAlreadyProcessed))
        }
        #expect(try await bench.orders().map(\.orderID.text) == ["o2", "o1"])
    }

    @Test("G29 G30: a sale registers its card along if it is approved") func saleWithSecureCard() async throws {
        let bench = try Bench()
        let card = PaymentCard.keyed(try details(), cvv: nil)
        #expect(
            try await bench.host.authorize(request("o1", "10.05", card, registering: "c1")).secureCardReference == nil)
        let token = try await bench.host.authorize(request("o2", "10.00", card, registering: "c1")).secureCardReference
        #expect(try await bench.host.retrieveSecureCard(MerchantReference("c1")).cardReference == token)
        let error = await #expect(throws: HostError.self) {
            try await bench.host.authorize(request("o3", "10.00", card, registering: "c1"))
        }
        #expect(error?.code == .refused(.secureCardExists))
        #expect(try await bench.orders().map(\.orderID.text) == ["o2", "o1"], "nothing was charged for the third")
    }

    @Test("G2: an account verification is recorded as such and never as a sale") func verification() async throws {
        let bench = try Bench()
        let card = try TestCard(amount: "000000000000").captured(atc: 1)
        let response = try await bench.host.authorize(
            request("v1", "0.00", .captured(card), purpose: .accountVerification))
        #expect(response.issuer.responseCode == "00")
        let order = try #require(try await bench.orders().first)
        #expect(order.kind == .accountVerification)
        #expect(order.state == .voided)
    }

    @Test("advices: the last cryptogram, the reversal, the offline approval, and each again") func advices()
        async throws
    {
        let bench = try Bench()
        let card = try TestCard().captured(atc: 1)
        _ = try await bench.host.authorize(request("o1", "10.00", .captured(card)))
        for _ in 0..<2 {
            try await bench.host.advise(
                Advice(
                    orderID: OrderID("o1"),
                    result: .finished(chipData: tlv(.applicationCryptogram, [1, 2, 3, 4, 5, 6, 7, 8]), signature: nil)))
            _ = try await bench.host.authorize(request("o2", "10.00", .captured(card), processing: .approvedOffline))
        }
        var orders = try await bench.orders()
        #expect(orders.map(\.state) == [.approvedOffline, .approved])
        #expect(try await bench.host.finalCryptogram(of: OrderID("o1")) == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(try await bench.host.finalCryptogram(of: OrderID("o2")) == card.chip?.elements[.applicationCryptogram])
        for _ in 0..<2 { try await bench.host.advise(Advice(orderID: OrderID("o1"), result: .reversed(.cardDeclined))) }
        orders = try await bench.orders()
        #expect(orders.map(\.state) == [.approvedOffline, .reversed])
        #expect(orders.map(\.reversalReason) == [nil, .cardDeclined])
    }

    @Test("a reversal that overtakes its authorisation blocks it, however old it is") func overtakingReversal()
        async throws
    {
        let bench = try Bench()
        let orderID = OrderID("o1")
        try await bench.host.advise(Advice(orderID: orderID, result: .reversed(.noHostAnswer)))
        for _ in 0..<2 {
            let error = await #expect(throws: HostError.self) {
                try await bench.host.authorize(request("o1", "10.00", .keyed(details(), cvv: nil)))
            }
            #expect(error?.code == .refused(.orderAlreadyProcessed))
            guard case .reversed = try await bench.host.status(of: orderID) else {
                Issue.record("the reversal is not known any more")
                return
            }
            #expect(try await bench.host.purge(before: .max) == 0, "the order may still come")
        }
    }
}
