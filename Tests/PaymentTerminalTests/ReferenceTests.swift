import PaymentTerminal
import Testing

@Suite("Ids of orders and references of merchants") struct ReferenceTests {
    @Test("G20: a merchant reference is not empty and has at most 48 characters") func lengths() throws {
        #expect(throws: ReferenceError.empty) { try MerchantReference("") }
        #expect(throws: ReferenceError.tooLong(count: 49, limit: 48)) {
            try MerchantReference(String(repeating: "a", count: 49))
        }
        #expect(try MerchantReference(String(repeating: "é", count: 48)).text.count == 48)
        #expect(throws: ReferenceError.tooLong(count: 25, limit: 24)) { try OrderID(String(repeating: "7", count: 25)) }
        #expect(throws: ReferenceError.controlCharacter) { try OrderID(String("a\nb")) }
    }

    @Test(arguments: [
        "4111111111111111", "order 4111111111111111", "500000000009", "6304000000000000000", "4111 1111 1111 1111",
        "4111-1111-1111-1111", "x-3782 822463 10005",
    ])
    func aCardNumberIsNoReference(_ text: String) {
        #expect(throws: ReferenceError.cardNumber) { try MerchantReference(text) }
        if text.count <= 24 { #expect(throws: ReferenceError.cardNumber) { try OrderID(text) } }
    }

    @Test(arguments: [
        "4111111111111112", "41111111111", "41111111111111111111", "411111111111x1111", "4111  1111 1111 1111",
        "2026-11-21-0002", "41-11-11-11-11-11-11-11",
    ])
    func otherDigitsAre(_ text: String) throws {
        #expect(try MerchantReference(text).text == text)
    }

    @Test("G6: setting a nil or empty merchant reference is ignored") func emptyReferenceIsIgnored() throws {
        var card = SecureCard(merchantReference: try MerchantReference("customer-7"))
        try card.setMerchantReference(nil)
        try card.setMerchantReference("")
        #expect(card.merchantReference.text == "customer-7")
        #expect(throws: ReferenceError.cardNumber) { try card.setMerchantReference("5555555555554444") }
        try card.setMerchantReference("customer-8")
        #expect(card.merchantReference.text == "customer-8")
    }
}
