import JSONDocument
import PaymentTerminal
import Testing

@testable import Basket

@Suite("Baskets") struct BasketTests {
    private static func basket(
        _ items: [BasketItem] = [], _ prices: Basket.Prices = .gross, rates: [Int] = [700, 1900]
    ) throws -> Basket {
        var basket = try Basket(
            currency: .euro, prices: prices, taxes: rates.map { try TaxRate("VAT", hundredths: $0) })
        for item in items { try basket.add(item) }
        return basket
    }

    // 3 x 0.33 at 7 % and 10.00 at 19 %: 0.99 · 7/107 = 0.0648, 10.00 · 19/119 = 1.5966.
    @Test("A31: Gross prices: the sum of the lines is charged, and taxes are within it") func gross() throws {
        let totals = try Self.basket(
            [BasketItem("Roll", quantity: 3, price: 33, taxRate: 700), BasketItem("Cup", price: 1000, taxRate: 1900)]
        ).totals()
        #expect(totals.total == "10.99 EUR")
        #expect(totals.rates.map(\.amount) == ["0.06 EUR", "1.60 EUR"])
        #expect(totals.rates.map(\.net) == ["0.93 EUR", "8.40 EUR"])
        #expect(totals.tip == nil)
        #expect(totals.discount == nil)
    }

    // 3 x 0.33 at 7 %: 0.0693 over the sum; line by line it would be 3 x 0.02.
    @Test("Net prices: tax is rounded once for each rate, and added") func net() throws {
        let roll = try BasketItem("Roll", price: 33, taxRate: 700)
        let totals = try Self.basket([roll, roll, roll], .net).totals()
        #expect(totals.rates.map(\.amount) == ["0.07 EUR"])
        #expect(totals.total == "1.06 EUR")
    }

    // 0.50 at 5 % is 0.025.
    @Test("A half is rounded up") func half() throws {
        let totals = try Self.basket([BasketItem("Pin", price: 50, taxRate: 500)], .net, rates: [500]).totals()
        #expect(totals.total == "0.53 EUR")
    }

    @Test("A32: Tip and service charge are parts of the sale, and no discount lessens them") func extras() throws {
        var basket = try Self.basket([
            BasketItem("Dinner", quantity: 2, price: 2000, taxRate: 1900),
            BasketItem("Service", kind: .serviceCharge, price: 400, taxRate: 1900),
            BasketItem("Tip", kind: .tip, price: 500),
        ])
        try basket.setDiscount(1000)
        let sale = try basket.sale(orderID: "sale-17")
        #expect(sale.amount == "39.00 EUR")
        #expect(sale.terms.tip == "5.00 EUR")
        #expect(sale.terms.serviceCharge == "4.00 EUR")
        // 34.00 · 19/119 = 5.4286.
        #expect(sale.terms.taxes == [TaxLine(name: "VAT", rate: 1900, amount: "5.43 EUR")])
        #expect(
            try basket.lines() == [
                Receipt.Line.sum("2 x Dinner", "40.00 EUR"), .sum("Service", "4.00 EUR"), .sum("Tip", "5.00 EUR"),
                .sum("Discount", Money(minorUnits: -1000, currency: .euro)), .gap, .sum("Subtotal", "30.00 EUR"),
                .sum("Service charge", "4.00 EUR"), .sum("Tip", "5.00 EUR"), .amount("39.00 EUR"),
                .sum("Net 19 %", "28.57 EUR"), .sum("VAT 19 %", "5.43 EUR"), .sum("Without tax", "5.00 EUR"),
            ])
    }

    @Test("Ten thousand items are added up, and one more is refused") func tenThousand() throws {
        let item = try BasketItem("Bolt", quantity: 3, price: 7, taxRate: 1900)
        var basket = try Self.basket(Array(repeating: item, count: Basket.maximumItems))
        #expect(try basket.totals().total == "2100.00 EUR")
        #expect(throws: BasketError.tooManyItems) { try basket.add(item) }
        #expect(try Basket(parsing: basket.json.document) == basket)
    }

    @Test("Sums beyond 12 digits, and beyond 64 bits, are refused") func tooLarge() throws {
        let largest = try BasketItem("Ship", price: Basket.maximumPrice)
        #expect(try Self.basket([largest]).totals().total.minorUnits == Basket.maximumPrice)
        let two = try Self.basket([largest, largest])
        #expect(throws: BasketError.tooLarge) { try two.totals() }
        let fleet = try BasketItem("Fleet", quantity: BasketItem.maximumQuantity, price: Basket.maximumPrice)
        let fleets = try Self.basket(Array(repeating: fleet, count: 20))
        #expect(throws: BasketError.tooLarge) { try fleets.totals() }
        let taxed = try Self.basket([BasketItem("Ship", price: Basket.maximumPrice, taxRate: 700)], .net)
        #expect(throws: BasketError.tooLarge) { try taxed.totals() }
        #expect(throws: BasketError.tooLarge) { try BasketItem("Ship", price: .max) }
    }

    @Test("Faulty items are refused") func faultyItems() throws {
        #expect(throws: BasketError.negativePrice) { try BasketItem("Return", price: -1) }
        #expect(throws: BasketError.quantityOutOfRange) { try BasketItem("None", quantity: 0, price: 1) }
        for note in ["", "two\nlines", "\u{202E}evil", String(repeating: "x", count: 201), "4111 1111 1111 1111"] {
            #expect(throws: BasketError.invalidNote) { try BasketItem(note, price: 1) }
        }
        #expect(throws: BasketError.unknownRate(1600, known: [700, 1900])) {
            try Self.basket([BasketItem("Old", price: 1, taxRate: 1600)])
        }
        #expect(throws: BasketError.doubledRate(700)) { try Self.basket(rates: [700, 700]) }
        #expect(throws: BasketError.invalidRate) { try TaxRate("VAT", hundredths: 10_000) }
        #expect(
            "\(BasketError.unknownRate(1600, known: [700, 1900]))"
                == "the rate 1600 is unknown; the basket has 700, 1900")
    }

    @Test("Faulty baskets are refused") func faultyBaskets() throws {
        #expect(throws: BasketError.empty) { try Self.basket().totals() }
        let gift = try Self.basket([BasketItem("Gift", price: 0)])
        #expect(throws: BasketError.nothingToCharge) { try gift.sale(orderID: "o") }
        let tip = try Self.basket([BasketItem("Tip", kind: .tip, price: 1)])
        #expect(throws: BasketError.nothingBesideExtras) { try tip.sale(orderID: "o") }
        var cheap = try Self.basket([BasketItem("Pin", price: 10), BasketItem("Tip", kind: .tip, price: 100)])
        try cheap.setDiscount(11)
        #expect(throws: BasketError.discountAboveItems) { try cheap.totals() }
        #expect(throws: BasketError.discountOutOfRange) { try cheap.setDiscount(-1) }
    }

    @Test("A basket's lines are printable text of a receipt; items leave by their place") func removing() throws {
        var basket = try Self.basket([BasketItem("Roll", price: 33), BasketItem("Cup", price: 100)])
        #expect(basket.removeItem(at: 0)?.note == "Roll")
        #expect(basket.removeItem(at: 1) == nil)
        #expect(try basket.lines() == [Receipt.Line.sum("Cup", "1.00 EUR"), .gap, .amount("1.00 EUR")])
    }

    @Test(
        "A faulty document is refused, with the place of the fault",
        arguments: [
            (#""version": 1"#, #""version": 2"#, "1:13: version: this release reads version 1"),
            (#""price": "2.50""#, #""price": "2.5""#, "items[0].price: an amount in EUR needs 2 decimals"),
            (#""price": "2.50""#, #""price": "-2.50""#, "items[0].price: a price is not negative"),
            (#""price": "2.50""#, #""price": 2.50"#, "items[0].price: a text is required"),
            (#""quantity": 2"#, #""quantity": 1000000"#, "items[0].quantity: a number from 1 to 999999, got 1000000"),
            (#""taxRate": 700"#, #""taxRate": 800"#, "items[0]: the rate 800 is unknown; the basket has 700"),
            (#""NORMAL""#, #""GIFT""#, "items[0].type: one of NORMAL, TIP, SERVICE_CHARGE, got 'GIFT'"),
            (#""EUR""#, #""EURO""#, "currency: unknown currency"),
            (#""latitude": 53349805"#, #""latitude": 93349805"#, "place.latitude: a number from -90000000 to 90000000"),
            (#""discount": "0.50""#, #""discount": "99999999999.00""#, "discount: a discount is from 0 to"),
            (#""note": "Coffee""#, #""note": "Cof\nfee""#, "items[0]: a note is one line"),
            (#""prices""#, #""price""#, "price: unknown key"),
        ])
    func faultyDocument(_ part: String, _ fault: String, _ message: String) throws {
        let document = """
            {"version": 1, "currency": "EUR", "prices": "gross", "taxes": [{"name": "VAT", "rate": 700}],
             "items": [{"type": "NORMAL", "note": "Coffee", "quantity": 2, "price": "2.50", "taxRate": 700}],
             "discount": "0.50", "place": {"latitude": 53349805, "longitude": -6260310}, "note": "Table 7"}
            """
        let basket = try Basket(parsing: Array(document.utf8))
        #expect(try basket.totals().total == "4.50 EUR")
        #expect(basket.place == GeographicPoint(latitude: 53_349_805, longitude: -6_260_310))
        let error = #expect(throws: DocumentError.self) {
            try Basket(parsing: Array(document.replacing(part, with: fault).utf8))
        }
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    @Test("Baskets in memory are kept by name") func memory() throws {
        let baskets = MemoryBaskets()
        let basket = try Self.basket([BasketItem("Cup", price: 100)])
        baskets.keep(basket, as: try BasketName("Table 7"))
        #expect(baskets.basket(try BasketName("Table 7")) == basket)
        #expect(try baskets.names() == [BasketName("Table 7")])
        baskets.forget(try BasketName("Table 7"))
        #expect(baskets.basket(try BasketName("Table 7")) == nil)
    }
}
