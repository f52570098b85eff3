import BenchHost
import Bytes
import CardCapture
import CardCryptography
import PaymentTerminal
import TLV
import Testing

@Suite struct TestIssuerTests {
    private func arqc(_ card: CapturedCard) throws -> [UInt8] {
        try #require(card.chip?.elements[.applicationCryptogram])
    }

    @Test("a right ARQC is approved with an ARPC of method 2: four bytes and the CSU that says so") func method2()
        async throws
    {
        let bench = try Bench()
        let card = try TestCard().captured(atc: 7)
        let response = try await bench.host.authorize(request("o1", "10.00", .captured(card)))
        #expect(response.issuer.responseCode == "00")
        #expect(response.message == "APPROVAL")
        #expect(response.issuer.approvalCode?.count == 6)
        #expect(response.uniqueReference.count == 10)
        let data = try #require(response.issuer.issuerAuthenticationData)
        #expect(data.suffix(4) == [0, 0x80, 0, 0])
        #expect(
            Array(data.prefix(4))
                == Array(try TestCard().sessionKey(atc: 7).mac(arqc(card) + [0, 0x80, 0, 0]).prefix(4)))
    }

    @Test("an ARPC of method 1: eight bytes and the response code") func method1() async throws {
        let profile = CryptogramVersion(
            masterKeyDerivation: .optionB, sessionKeyDerivation: .common, padding: .method2, issuerPart: .whole,
            responseMethod: .method1,
            responseKey: .sessionKey)
        let bench = try Bench(cryptogram: profile)
        let card = try TestCard().captured(atc: 7)
        let response = try await bench.host.authorize(request("o1", "10.00", .captured(card)))
        let data = try #require(response.issuer.issuerAuthenticationData)
        var block = try arqc(card)
        block[0] ^= 0x30
        block[1] ^= 0x30
        #expect(try TDESKey(TestCard().sessionKey(atc: 7).bytes).decryptECB(Array(data.prefix(8))) == block)
        #expect(data.suffix(2) == Array("00".utf8)[...])
    }

    @Test("a wrong ARQC is declined with 88 and gets no ARPC") func wrongARQC() async throws {
        let bench = try Bench()
        for (order, tag, value) in [
            ("o1", TLV.Tag.applicationCryptogram, [1, 2, 3, 4, 5, 6, 7, 8]),
            ("o2", .unpredictableNumber, [0, 0, 0, 0]),
            ("o3", .issuerApplicationData, [0x06, 0x01, 0x12, 0x03, 0xA0, 0, 1]),
            ("o4", .applicationTransactionCounter, [0, 8]),
        ] as [(String, TLV.Tag, [UInt8])] {
            var card = try TestCard().captured(atc: 7)
            card.chip?.elements[tag] = value
            let response = try await bench.host.authorize(request(order, "10.00", .captured(card)))
            #expect(response.issuer.responseCode == "88")
            #expect(response.issuer.issuerAuthenticationData == nil)
            #expect(response.issuer.approvalCode == nil)
        }
        let response = try await bench.host.authorize(request("o5", "10.00", .captured(TestCard().captured(atc: 7))))
        #expect(response.issuer.responseCode == "00", "wrong cryptograms do not move the counter")
    }

    @Test(
        "a cryptogram over another amount, and one that is no ARQC, is wrong",
        arguments: [
            TestCard(amount: "000000000100"), TestCard(type: 0x40), TestCard(type: 0x00),
        ])
    func otherCryptogram(_ card: TestCard) async throws {
        let response = try await Bench().host.authorize(request("o1", "10.00", .captured(card.captured(atc: 7))))
        #expect(response.issuer.responseCode == "88")
    }

    @Test(
        "C-3, 5.6: a reader sends a TC online; an AAC and a TC over another amount are wrong",
        arguments: [
            (TestCard(type: 0x40), "00"), (TestCard(amount: "000000000100", type: 0x40), "88"),
            (TestCard(type: 0x00), "88"),
        ])
    func tapped(_ card: TestCard, _ code: String) async throws {
        var captured = try card.captured(atc: 7)
        captured.entryMode = .contactlessChip
        let response = try await Bench().host.authorize(request("o1", "10.00", .captured(captured)))
        #expect(response.issuer.responseCode == code)
    }

    @Test(
        "an element of another length than the standard's is a wrong cryptogram",
        arguments: [
            (TLV.Tag.cryptogramInformationData, "0100"), (.cryptogramInformationData, "FFFFFFFFFFFFFFFF"),
            (.applicationTransactionCounter, "FFFFFFFFFFFFFFFF"),
            (.applicationTransactionCounter, "FFFFFFFFFFFFFFFFFF"),
        ])
    func otherLength(_ tag: TLV.Tag, _ value: String) async throws {
        var card = try TestCard().captured(atc: 7)
        card.chip?.elements[tag] = try [UInt8](hex: value)
        let response = try await Bench().host.authorize(request("o1", "10.00", .captured(card)))
        #expect(response.issuer.responseCode == "88")
        #expect(response.issuer.issuerAuthenticationData == nil)
    }

    @Test("an ARQC whose counter does not go up is a replay: 63, no ARPC; a later one is good") func replay()
        async throws
    {
        let bench = try Bench()
        for (order, atc, code) in [("o1", 7, "00"), ("o2", 7, "63"), ("o3", 6, "63"), ("o4", 8, "00")]
            as [(String, UInt16, String)]
        {
            let response = try await bench.host.authorize(
                request(order, "10.00", .captured(TestCard().captured(atc: atc))))
            #expect(response.issuer.responseCode == code)
            #expect(response.message.contains("COUNTER") == (code != "00"), "the host says why")
            #expect((response.issuer.issuerAuthenticationData == nil) == (code != "00"))
        }
    }

    @Test("a card that begins again has one of its first four counters and a new cryptogram; an old one stays a replay")
    func beginsAgain() async throws {
        let bench = try Bench()
        func code(_ order: String, atc: UInt16, _ amount: String, _ bench: Bench) async throws -> String {
            let card = TestCard(amount: String(repeating: "0", count: 8) + amount.replacing(".", with: ""))
            return try await bench.host.authorize(request(order, amount, .captured(card.captured(atc: atc)))).issuer
                .responseCode
        }
        for atc in 1...9 as ClosedRange<UInt16> { #expect(try await code("a\(atc)", atc: atc, "10.00", bench) == "00") }
        #expect(try await code("b1", atc: 1, "10.00", bench) == "63", "seen before")
        #expect(try await code("b2", atc: 5, "20.00", bench) == "63", "not one of the first")
        #expect(try await code("c1", atc: 2, "20.00", bench) == "00", "the first transaction ended without the issuer")
        #expect(try await code("c2", atc: 2, "20.00", bench) == "63")
        #expect(try await code("c3", atc: 3, "10.00", bench) == "63", "of the card's earlier life")
        #expect(try await code("c4", atc: 3, "20.00", bench) == "00", "it goes on from there")
        try await bench.host.advise(Advice(orderID: OrderID("a1"), result: .reversed(.requested)))
        #expect(try await code("c5", atc: 1, "10.00", bench) == "63", "a reversed order keeps its cryptogram")
        let tapped = try TestCard(amount: "000000003000", type: 0x40).captured(atc: 1)
        var tc = tapped
        tc.entryMode = .contactlessChip
        #expect(
            try await bench.host.authorize(request("d1", "30.00", .captured(tc))).issuer.responseCode == "63",
            "a TC does not begin")
        var rules = HostRules()
        rules.takesCardsThatBeganAgain = false
        let strict = try Bench(rules: rules)
        #expect(try await code("a1", atc: 7, "10.00", strict) == "00")
        #expect(try await code("b1", atc: 1, "20.00", strict) == "63")
    }

    @Test(
        "what the host was told of is no new payment: the card's approval, its decline, its last cryptogram; also after a purge"
    )
    func toldCryptograms() async throws {
        let bench = try Bench()
        func code(_ order: String, _ card: CapturedCard, _ processing: AuthorizationRequest.Processing = .online)
            async throws -> String
        {
            try await bench.host.authorize(request(order, "10.00", .captured(card), processing: processing)).issuer
                .responseCode
        }
        func card(_ atc: UInt16, _ type: UInt8 = 0x40) throws -> CapturedCard {
            var card = try TestCard(type: type).captured(atc: atc)
            card.entryMode = .contactlessChip
            return card
        }
        #expect(try await code("o1", card(7, 0x80)) == "00")
        _ = try await code("o2", card(8), .approvedOffline)
        #expect(try await code("o3", card(8)) == "63", "paid already")
        let declined = try request("o4", "10.00", .captured(card(9)))
        try await bench.host.advise(Advice(orderID: "o4", result: .declinedOffline(declined)))
        #expect(try await code("o5", card(9)) == "63", "declined by the card")
        let last = try #require(card(10).chip?.elements[.applicationCryptogram])
        try await bench.host.advise(
            Advice(orderID: "o1", result: .finished(chipData: tlv(.applicationCryptogram, last), signature: nil)))
        #expect(try await code("o6", card(10)) == "63", "the second cryptogram of a payment")
        #expect(try await code("o7", card(1, 0x80)) == "00", "begins again")
        _ = try await bench.host.closeBatch(of: "BENCH001", at: Timestamp(secondsSince1970: 1_773_057_999))
        #expect(try await bench.host.purge(before: 2_000_000_000) > 0)
        for atc in [1, 7, 8, 9, 10] as [UInt16] {
            #expect(try await code("p\(atc)", card(atc, 0x80)) == "63", "\(atc)")
        }
    }

    @Test("a deferred payment of the time before keeps no card of now from paying, and is taken once")
    func deferredOfEarlierLife()
        async throws
    {
        let bench = try Bench()
        func code(_ order: String, atc: UInt16, _ amount: String, isDeferred: Bool = false) async throws -> String {
            let card = TestCard(amount: String(repeating: "0", count: 8) + amount.replacing(".", with: ""))
            return try await bench.host.authorize(
                request(order, amount, .captured(card.captured(atc: atc)), processing: isDeferred ? .deferred : .online)
            ).issuer.responseCode
        }
        for atc in [18, 19, 20] as [UInt16] { #expect(try await code("a\(atc)", atc: atc, "10.00") == "00") }
        for atc in 1...5 as ClosedRange<UInt16> { #expect(try await code("b\(atc)", atc: atc, "20.00") == "00") }
        #expect(try await code("d1", atc: 21, "30.00", isDeferred: true) == "00")
        #expect(
            try await code("d2", atc: 4, "30.00", isDeferred: true) == "00",
            "its counter has come in the card's new time")
        #expect(try await code("d3", atc: 4, "30.00", isDeferred: true) == "63")
        #expect(try await code("d4", atc: 18, "10.00", isDeferred: true) == "63")
        for atc in 6...11 as ClosedRange<UInt16> { #expect(try await code("e\(atc)", atc: atc, "20.00") == "00") }
    }

    @Test(
        "the online PIN is the card's or the answer is 55",
        arguments: [("1234", "00"), ("1235", "55"), ("12345", "55")])
    func onlinePIN(_ pin: String, _ code: String) async throws {
        let card = try TestCard().captured(atc: 7, pin: TestPINPad.block(pin))
        let response = try await Bench().host.authorize(request("o1", "10.00", .captured(card)))
        #expect(response.issuer.responseCode == code)
        #expect(response.issuer.issuerAuthenticationData != nil, "the card knows the issuer in a decline too")
    }

    @Test("a PIN block that does not open is answered with 81") func brokenPINBlock() async throws {
        let bench = try Bench()
        for (order, ksn) in [("o1", "FFFF9876543210E00002"), ("o2", "0102")] {
            let block = EncipheredPINBlock(
                format: .iso0, block: try TestPINPad.block("1234").block, ksn: try [UInt8](hex: ksn))
            let card = try TestCard().captured(atc: order == "o1" ? 7 : 8, pin: block)
            #expect(
                try await bench.host.authorize(request(order, "10.00", .captured(card))).issuer.responseCode == "81")
        }
    }

    @Test(
        "the amount decides",
        arguments: [
            ("10.00", "00", "APPROVAL"), ("10.05", "05", "DO NOT HONOUR"), ("10.51", "51", "INSUFFICIENT FUNDS"),
            ("10.54", "54", "EXPIRED CARD"), ("10.61", "61", "EXCEEDS AMOUNT LIMIT"),
        ])
    func amountRule(_ amount: String, _ code: String, _ message: String) async throws {
        let response = try await Bench().host.authorize(request("o1", amount, .keyed(details(), cvv: nil)))
        #expect(response.issuer.responseCode == code)
        #expect(response.message == message)
    }

    @Test("a chip of an issuer without keys is answered with 15") func unknownIssuer() async throws {
        var card = try TestCard().captured(atc: 7)
        card.pan = SecretBytes("5413330089010434".utf8)
        #expect(try await Bench().host.authorize(request("o1", "10.00", .captured(card))).issuer.responseCode == "15")
    }

    @Test("a CVV of nines is wrong") func cvv() async throws {
        let bench = try Bench()
        for (order, cvv, code) in [("o1", "999", "N7"), ("o2", "737", "00"), ("o3", "73", "N7"), ("o4", "9999", "N7")] {
            let keyed = PaymentCard.keyed(try details(), cvv: SecretBytes(cvv.utf8))
            #expect(try await bench.host.authorize(request(order, "10.00", keyed)).issuer.responseCode == code)
        }
    }
}
