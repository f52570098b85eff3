import JSONDocument
import PaymentTerminal
import TerminalMessages
import Testing

@Suite("What a till asks") struct TillRequestTests {
    private func request(_ text: String) throws(DocumentError) -> TillRequest {
        try TillRequest(parsing: Array(text.utf8))
    }

    @Test("The schema's requests are read, and what is not by the schema is refused") func schema() throws {
        var counts = (valid: 0, invalid: 0)
        for line in try SchemaPeer.lines("requests") {
            let parts = line.split(separator: "\t", maxSplits: 2)
            try #require(parts.count == 3)
            let isRead = (try? request(String(parts[2]))) != nil
            #expect(isRead == (parts[0] == "valid"), "\(parts[1]): \(parts[2])")
            if parts[0] == "valid" { counts.valid += 1 } else { counts.invalid += 1 }
        }
        #expect(counts.valid > 300)
        #expect(counts.invalid > 700)
    }

    @Test("A sale has everything that was written") func sale() throws {
        let text = """
            {"version": 1, "request": "sale", "id": "7", "order": "o-1", "key": "k-1", "amount": "12.34", "currency": "EUR",
             "token": "2967530000000000", "isPreAuthorization": true, "forcesOnline": true, "channel": "eCommerce",
             "tip": "1.00", "serviceCharge": "0.50", "taxes": [{"name": "VAT", "rate": 700, "amount": "0.81"}],
             "allowsTipAdjustment": true, "allowsPartialApproval": true, "duplicateCheck": "required", "descriptor": "SHOP 1",
             "externalID": "x-1", "billingAddress": {"street": "1 Main Street", "postalCode": "99999"},
             "customFields": [{"name": "Invoice", "value": "17"}],
             "secureCard": {"merchantReference": "customer-17", "operator": "Ann", "email": "a@example.com",
              "mobile": "+491", "city": "Bonn", "region": "NW", "country": "DE", "ipAddress": "::1",
              "customFields": [{"name": "Tier", "value": "1"}]}}
            """
        let request = try request(text)
        #expect(request.id == "7")
        guard case .sale(let sale) = request.content else { throw DocumentError("", ValueFault.missing) }
        #expect(sale.orderID == "o-1")
        #expect(sale.idempotencyKey?.text == "k-1")
        #expect(sale.amount == "12.34 EUR")
        guard case .secureCard(let token) = sale.source else { throw DocumentError("token", ValueFault.missing) }
        #expect(token.text == "2967530000000000")
        #expect(sale.isPreAuthorization)
        #expect(sale.forcesOnline)
        #expect(sale.terms.channel == .eCommerce)
        #expect(sale.terms.tip == "1.00 EUR")
        #expect(sale.terms.serviceCharge == "0.50 EUR")
        #expect(sale.terms.taxes == [TaxLine(name: "VAT", rate: 700, amount: "0.81 EUR")])
        #expect(sale.terms.allowsTipAdjustment)
        #expect(sale.terms.allowsPartialApproval)
        #expect(sale.terms.duplicateCheck == .required)
        #expect(sale.terms.descriptor?.text == "SHOP 1")
        #expect(sale.terms.externalID?.text == "x-1")
        #expect(sale.terms.billingAddress == BillingAddress(street: "1 Main Street", postalCode: "99999"))
        #expect(sale.terms.customFields == [CustomField(name: "Invoice", value: "17")])
        let card = try #require(sale.secureCard)
        #expect(card.merchantReference.text == "customer-17")
        var details = SecureCard.Details()
        details.operatorName = "Ann"
        details.email = "a@example.com"
        details.mobileNumber = "+491"
        details.city = "Bonn"
        details.region = "NW"
        details.country = "DE"
        details.ipAddress = "::1"
        details.customFields = [CustomField(name: "Tier", value: "1")]
        #expect(card.details == details)
    }

    @Test("A sale without more is one of the card in the reader, by default terms") func smallest() throws {
        guard
            case .sale(let sale) = try request(
                #"{"request": "sale", "order": "o-1", "amount": "1234", "currency": "JPY"}"#
            ).content
        else { throw DocumentError("", ValueFault.missing) }
        #expect(sale.amount == Money(minorUnits: 1234, currency: .yen))
        guard case .reader = sale.source else { throw DocumentError("token", ValueFault.missing) }
        #expect(!sale.isPreAuthorization)
        #expect(sale.terms == PaymentTerms())
        #expect(sale.secureCard == nil)
        #expect(sale.idempotencyKey == nil)
    }

    @Test("Refunds, captures, secure cards and queries have what was written") func others() throws {
        guard
            case .refund(let refund) = try request(
                #"{"request": "refund", "order": "o-2", "key": "k", "amount": "5.00", "currency": "EUR", "transaction": "U1", "operator": "Ann", "reason": "broken"}"#
            ).content, case .transaction(let original) = refund.target
        else { throw DocumentError("", ValueFault.missing) }
        #expect(original == "U1")
        #expect(refund.operatorName == "Ann")
        #expect(refund.reason == "broken")
        #expect(refund.idempotencyKey?.text == "k")
        guard
            case .capture(let capture) = try request(
                #"{"request": "capture", "order": "o-3", "amount": "5.00", "currency": "EUR", "transaction": "U2", "operator": "Bob"}"#
            ).content
        else { throw DocumentError("", ValueFault.missing) }
        #expect(capture.original == "U2")
        #expect(capture.operatorName == "Bob")
        #expect(capture.amount == "5.00 EUR")
        guard
            case .editSecureCard(let card, let key) = try request(
                #"{"request": "editSecureCard", "merchantReference": "c-1", "token": "T1", "key": "k", "keepsCard": true, "email": "b@example.com"}"#
            ).content, case .unchanged? = card.tokenMethod
        else { throw DocumentError("", ValueFault.missing) }
        #expect(card.cardReference?.text == "T1")
        #expect(card.details.email == "b@example.com")
        #expect(key?.text == "k")
        guard
            case .transactions(let query) = try request(
                #"{"request": "transactions", "order": "o-1", "transaction": "U1", "states": ["approved"], "kinds": ["sale"], "from": 5, "to": 9, "phrase": "p", "sortedBy": "amount", "isAscending": true, "page": 2, "pageSize": 7, "continuation": "c"}"#
            ).content
        else { throw DocumentError("", ValueFault.missing) }
        var expected = TransactionQuery(
            orderID: "o-1", uniqueReference: "U1", states: [.approved], kinds: [.sale], period: 5..<9, phrase: "p",
            order: .amount, isAscending: true, page: 2, pageSize: 7)
        expected.continuation = "c"
        #expect(query == expected)
    }

    @Test(
        "What is wrong is named by its place and its cure, and no card number is repeated",
        arguments: [
            (
                #"{"request": "sale", "order": "o", "amount": "12.3", "currency": "EUR"}"#,
                "amount: an amount in EUR needs 2 decimals, as in 12.00"
            ),
            (
                #"{"request": "sale", "order": "o", "amount": "12.34", "currency": "JPY"}"#,
                "amount: an amount in JPY has no decimals: write it as 1234"
            ),
            (
                #"{"request": "sale", "order": "o", "amount": 12.34, "currency": "EUR"}"#,
                "amount: a text is required, not a number with a fraction or an exponent"
            ),
            (#"{"request": "sale", "order": "o", "amount": "1.00", "currency": "XXX"}"#, "currency: unknown currency"),
            (
                #"{"request": "sale", "order": "4761739001010119", "amount": "1.00", "currency": "EUR"}"#,
                "order: the reference contains a card number: choose another"
            ),
            (
                #"{"request": "sale", "order": "o", "amount": "1.00", "currency": "EUR", "secureCard": {}}"#,
                "secureCard.merchantReference: missing"
            ),
            (
                #"{"request": "refund", "order": "o", "amount": "1.00", "currency": "EUR", "token": "T", "transaction": "U"}"#,
                "token: give this or transaction"
            ),
            (#"{"request": "transactions", "from": 9, "to": 5}"#, "to: the period ends before it begins"),
            (
                #"{"request": "answer", "question": 1}"#,
                "one of signature, isGenuine, approvalCode, choice, refused is required"
            ),
            (
                #"{"request": "answer", "question": 1, "signature": [[[0, 101], [1, 1]]]}"#,
                "signature: strokes of points"
            ),
            (#"{"request": "sale", "order": "o", "order": "p"}"#, "order: the object has this key already"),
            (#"{"request": "sale" "order": "o"}"#, "a comma is missing"),
        ]) func wrong(_ text: String, _ expected: String) throws
    {
        let error = try #require(throws: DocumentError.self) { _ = try request(text) }
        #expect(error.description.contains(expected), "\(error)")
        #expect(error.position != nil)
        #expect(!error.description.contains("4761739001010119"))
    }
}
