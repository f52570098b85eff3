import PaymentTerminal
import Testing

@Suite struct ReferenceRulesTests {
    @Test("E3: capitals of ASCII, a letter, no forbidden character, 22 of them") func descriptor() throws {
        #expect(try StatementDescriptor("Café Corner 24").text == "CAF CORNER 24")
        #expect(throws: ReferenceError.noLetter) { try StatementDescriptor("12345") }
        #expect(throws: ReferenceError.empty) { try StatementDescriptor("") }
        for forbidden in ["<", ">", "\\", "\"", "'"] {
            #expect(throws: ReferenceError.forbiddenCharacter) { try StatementDescriptor("SHOP\(forbidden)") }
        }
        #expect(throws: ReferenceError.tooLong(count: 23, limit: 22)) {
            try StatementDescriptor(String(repeating: "A", count: 23))
        }
    }

    @Test("E4: descriptor, asterisk, space and suffix fit together") func suffix() throws {
        let shop = try StatementDescriptor("CORNER SHOP")
        #expect(try shop.appending("order 17").text == "CORNER SHOP* ORDER 17")
        #expect(throws: ReferenceError.tooLong(count: 23, limit: 22)) { try shop.appending("order 1789") }
    }

    @Test("E6: an external id has at most 50 characters and is not a card number") func externalID() throws {
        #expect(try ExternalID(String(repeating: "x", count: 50)).text.count == 50)
        #expect(throws: ReferenceError.tooLong(count: 51, limit: 50)) {
            try ExternalID(String(repeating: "x", count: 51))
        }
        #expect(throws: ReferenceError.cardNumber) { try ExternalID("4111111111111111") }
    }

    @Test("G7: a custom field is declared on the terminal beforehand, and has at most 100 characters")
    func customFields() async throws {
        let host = FakeHost()
        let terminal = try await terminal(host) { $0.customFields = ["InvoiceNumber"] }
        var sale = Sale(orderID: OrderID("o1"), amount: try euros("1.00"), source: .secureCard(FakeHost.token))
        for field in [
            CustomField(name: "Other", value: "1"),
            CustomField(name: "InvoiceNumber", value: String(repeating: "x", count: 101)),
        ] {
            sale.terms.customFields = [field]
            let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale) }
            #expect(error?.code == .refused(.invalidRequest))
        }
        sale.terms.customFields = [CustomField(name: "InvoiceNumber", value: "17")]
        #expect(try await terminal.processSale(sale).outcome == .approved)
    }

    @Test("A32: a tip is a part of the amount, in its currency") func tip() async throws {
        let terminal = try await terminal(FakeHost())
        var sale = Sale(orderID: OrderID("o1"), amount: try euros("11.00"), source: .secureCard(FakeHost.token))
        for tip in [
            Money(minorUnits: 1100, currency: .euro), Money(minorUnits: 100, currency: .usDollar),
            Money(minorUnits: -1, currency: .euro),
        ] {
            sale.terms.tip = tip
            let error = await #expect(throws: TerminalError.self) { try await terminal.processSale(sale) }
            #expect(error?.code == .invalidAmount)
        }
        sale.terms.tip = Money(minorUnits: 100, currency: .euro)
        #expect(try await terminal.processSale(sale).receipt.tip == Money(minorUnits: 100, currency: .euro))
    }
    @Test("A32 A67: service charge and taxes are parts of the amount too, and a tax has a name and a rate") func parts()
        async throws
    {
        let terminal = try await terminal(FakeHost())
        func code(_ change: (inout PaymentTerms) throws -> Void) async throws -> TerminalError.Code? {
            var sale = Sale(orderID: OrderID("o1"), amount: try euros("11.00"), source: .secureCard(FakeHost.token))
            try change(&sale.terms)
            do throws(TerminalError) {
                _ = try await terminal.processSale(sale)
                return nil
            } catch { return error.code }
        }
        func tax(_ name: String = "VAT", _ rate: Int = 700, _ amount: String = "1.00") throws -> TaxLine {
            TaxLine(name: name, rate: rate, amount: try euros(amount))
        }
        #expect(try await code { $0.serviceCharge = try euros("11.00") } == .invalidAmount)
        #expect(
            try await code {
                $0.tip = try euros("6.00")
                $0.serviceCharge = try euros("5.00")
            } == .invalidAmount)
        #expect(
            try await code { $0.taxes = [try tax("VAT", 700, "6.00"), try tax("VAT", 1900, "5.00")] } == .invalidAmount)
        #expect(try await code { $0.taxes = [try tax("")] } == .refused(.invalidRequest))
        #expect(try await code { $0.taxes = [try tax("A tax with a long name")] } == .refused(.invalidRequest))
        #expect(try await code { $0.taxes = [try tax("VAT", -1)] } == .refused(.invalidRequest))
        #expect(try await code { $0.taxes = [try tax("VAT", 10_001)] } == .refused(.invalidRequest))
        #expect(
            try await code {
                $0.tip = try euros("5.00")
                $0.serviceCharge = try euros("5.00")
                $0.taxes = [try tax("VAT", 1900, "5.99"), try tax("VAT", 700, "5.00")]
            } == nil)
    }
}
