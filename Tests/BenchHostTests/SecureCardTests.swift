import BenchHost
import Bytes
import CardCapture
import PaymentTerminal
import Testing

@Suite struct SecureCardTests {
    @Test("G3: the token is 296753, nine digits and a check digit, and stands for the card in a sale") func token()
        async throws
    {
        let bench = try Bench()
        let card = try await bench.host.registerSecureCard(registration("c1"))
        let token = try #require(card.cardReference)
        #expect(token.text.hasPrefix("296753"))
        #expect(token.text.count == 16)
        #expect(throws: ReferenceError.cardNumber, "the check digit is right") { try MerchantReference(token.text) }
        let approved = try await bench.host.authorize(request("o1", "10.00", .token(token)))
        #expect(approved.issuer.responseCode == "00")
        #expect(approved.card?.maskedPAN == "555555******4444")
        #expect(try await bench.host.authorize(request("o2", "10.51", .token(token))).issuer.responseCode == "51")
    }

    @Test("E32: the same merchant reference again already exists") func duplicate() async throws {
        let bench = try Bench()
        _ = try await bench.host.registerSecureCard(registration("c1"))
        let error = await #expect(throws: HostError.self) {
            try await bench.host.registerSecureCard(registration("c1", "4111111111111111"))
        }
        #expect(error?.code == .refused(.secureCardExists))
    }

    @Test("G24: retrieve gives brand, number, expiry, holder and details") func retrieve() async throws {
        let bench = try Bench()
        var personal = SecureCard.Details()
        personal.email = "jane@example.org"
        personal.customFields = [CustomField(name: "InvoiceNumber", value: "7")]
        let registered = try await bench.host.registerSecureCard(
            SecureCardRegistration(
                merchantReference: MerchantReference("c1"), details: personal,
                card: .captured(
                    CapturedCard(
                        entryMode: .magneticStripe, pan: SecretBytes("5555555555554444".utf8), expiry: "3112",
                        cardholderName: "JANE DOE")),
                readerName: "Reader 1"))
        let kept = try await bench.host.retrieveSecureCard(MerchantReference("c1"))
        #expect(kept.cardReference == registered.cardReference)
        #expect(kept.card == CardSummary(try details(name: "JANE DOE")))
        #expect(kept.card?.brand == .mastercard)
        #expect(kept.details == personal)
        #expect(kept.entryMode == .magneticStripe, "G4")
        #expect(kept.readerName == "Reader 1", "G4")
        let error = await #expect(throws: HostError.self) {
            try await bench.host.retrieveSecureCard(MerchantReference("c2"))
        }
        #expect(error?.code == .refused(.secureCardUnknown))
    }

    @Test("G22: an update replaces card and details and keeps the token") func update() async throws {
        let bench = try Bench()
        let registered = try await bench.host.registerSecureCard(registration("c1"))
        let updated = try await bench.host.updateSecureCard(registration("c1", "4111111111111111"))
        #expect(updated.cardReference == registered.cardReference)
        #expect(try await bench.host.retrieveSecureCard(MerchantReference("c1")).card?.maskedPAN == "411111******1111")
        #expect(try await bench.host.tokens(for: SecretBytes("5555555555554444".utf8)).isEmpty)
        #expect(try await bench.host.tokens(for: SecretBytes("4111111111111111".utf8)) == [registered.cardReference])
        await #expect(throws: HostError.self) { try await bench.host.updateSecureCard(registration("c2")) }
    }

    @Test("G27: a deleted token stays, pays no more, and frees its merchant reference") func delete() async throws {
        let bench = try Bench()
        let token = try #require(try await bench.host.registerSecureCard(registration("c1")).cardReference)
        await #expect(throws: HostError.self) {
            try await bench.host.deleteSecureCard(
                MerchantReference("c1"), token: SecureCardReference("2967530000000000"))
        }
        try await bench.host.deleteSecureCard(MerchantReference("c1"), token: token)
        let refused = await #expect(throws: HostError.self) {
            try await bench.host.authorize(request("o1", "10.00", .token(token)))
        }
        #expect(refused?.code == .refused(.secureCardDeleted))
        let unknown = await #expect(throws: HostError.self) {
            try await bench.host.retrieveSecureCard(MerchantReference("c1"))
        }
        #expect(unknown?.code == .refused(.secureCardUnknown))
        #expect(try await bench.host.tokens(for: SecretBytes("5555555555554444".utf8)).isEmpty)
        #expect(try await bench.host.registerSecureCard(registration("c1")).cardReference != token)
        #expect(try await bench.orders().isEmpty, "a refused request is not an order")
    }

    @Test("G2: a card whose CVV is wrong is not stored") func validation() async throws {
        let bench = try Bench()
        let error = await #expect(throws: HostError.self) {
            try await bench.host.registerSecureCard(registration("c1", cvv: "999"))
        }
        #expect(error?.code == .refused(.validationFailed))
        await #expect(throws: HostError.self) { try await bench.host.retrieveSecureCard(MerchantReference("c1")) }
    }

    @Test("only published test numbers are taken, unless the host is configured otherwise") func testCardsOnly()
        async throws
    {
        // Its check digit is right, and no card has it: 9999 stands for no country (ISO/IEC 7812-1,
        // major industry 9).
        let other = "9999999999999995"
        var anyCard = HostRules()
        anyCard.takesAnyCard = true
        let error = await #expect(throws: HostError.self) {
            try await Bench().host.registerSecureCard(registration("c1", other))
        }
        #expect(error?.code == .refused(.cardRefused))
        #expect(error?.message.contains(other) == false)
        #expect(try await Bench(rules: anyCard).host.registerSecureCard(registration("c1", other)).cardReference != nil)
        for pan in ["4761340000000050", "4000060000000006", "4111111111111111", "5555555555554444", "374245455400126"] {
            _ = try await Bench().host.registerSecureCard(registration("c1", pan))
        }
    }
}
