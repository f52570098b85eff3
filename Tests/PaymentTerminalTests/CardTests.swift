import Bytes
import PaymentTerminal
import Testing

@Suite("What is shown of a card") struct CardTests {
    @Test("G8: the expiry date is MMYY, 1218 is December 2018") func expiry() throws {
        let date = try #require(ExpiryDate(mmyy: "1218"))
        #expect((date.month, date.year) == (12, 18))
        #expect((date.mmyy, date.yymm) == ("1218", "1812"))
        #expect(ExpiryDate(yymm: "1812") == date)
        for text in ["1318", "0018", "121", "12180", "12a8", "١٢١٨"] { #expect(ExpiryDate(mmyy: text) == nil) }
    }

    @Test(arguments: [
        ("4111111111111111", CardBrand.visa), ("5555555555554444", .mastercard), ("2223000048400011", .mastercard),
        ("374245455400126", .americanExpress), ("6011111111111117", .discover), ("3530111333300000", .jcb),
        ("30569309025904", .dinersClub), ("6759649826438453", .maestro), ("6212345678901232", .unionPay),
    ])
    func brandFollowsFromTheNumber(_ pan: String, _ brand: CardBrand) throws {
        let card = try CardDetails(pan: SecretBytes(pan.utf8), expiry: #require(ExpiryDate(mmyy: "1231")))
        #expect(CardSummary(card).brand == brand)
    }

    @Test func refusesWrongNumbers() throws {
        let expiry = try #require(ExpiryDate(mmyy: "1231"))
        for pan in ["4111111111111112", "41111111", "4111 1111 1111 1111", ""] {
            #expect(throws: CardDetailsError.cardNumber) { try CardDetails(pan: SecretBytes(pan.utf8), expiry: expiry) }
        }
    }

    @Test func printsNothingOfACard() throws {
        let card = try keyedCard()
        let secure = SecureCard(
            merchantReference: try MerchantReference("c1"), card: CardSummary(card),
            tokenMethod: .keyed(card, cvv: SecretBytes("737".utf8))
        )
        var dumped = ""
        dump(card, to: &dumped)
        dump(secure, to: &dumped)
        dump(TokenMethod.keyed(card, cvv: SecretBytes("737".utf8)), to: &dumped)
        for text in ["\(card)", "\(secure)", String(reflecting: card), String(reflecting: secure), dumped] {
            #expect(!text.contains("5555555555554444"))
            #expect(!text.contains("JANE"))
            #expect(!text.contains("737"))
            #expect(!text.contains("1231"))
        }
    }
}
