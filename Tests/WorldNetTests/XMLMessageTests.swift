import Bytes
import CardCapture
import PaymentTerminal
import Testing
import XMLDocument

@testable import WorldNet

@Suite struct XMLMessageTests {
    private func read(_ document: String) throws -> XMLMessage {
        try XMLMessage(XMLElement(parsing: Array(document.utf8)), among: XMLForm.exchanges.map(\.request))
    }

    private let payment = """
        <PAYMENT><ORDERID>o1</ORDERID><TERMINALID>6003</TERMINALID><AMOUNT>10.50</AMOUNT><DATETIME>10-12-2016:12:00:00:000</DATETIME>\
        <CARDNUMBER>4111111111111111</CARDNUMBER><CARDTYPE>VISA</CARDTYPE><CARDEXPIRY>1231</CARDEXPIRY><HASH>00</HASH>\
        <CURRENCY>USD</CURRENCY><TERMINALTYPE>1</TERMINALTYPE><TRANSACTIONTYPE>4</TRANSACTIONTYPE>\
        <CUSTOMFIELD NAME="InvoiceNumber">7</CUSTOMFIELD><CUSTOMFIELD NAME="Note">x</CUSTOMFIELD></PAYMENT>
        """

    @Test("a payment and what it asks for") func readsPayment() throws {
        let request = try AuthorizationRequest(read(payment))
        #expect(request.orderID.text == "o1")
        #expect(request.amount.description == "10.50 USD")
        #expect(request.terminalID == "6003")
        #expect(request.purpose == .sale)
        #expect(request.terms.channel == .mailOrTelephone)
        #expect(
            request.terms.customFields == [
                CustomField(name: "InvoiceNumber", value: "7"), CustomField(name: "Note", value: "x"),
            ])
        guard case .keyed(let card, nil) = request.card else {
            Issue.record("not keyed")
            return
        }
        #expect(card.pan == SecretBytes("4111111111111111".utf8))
        #expect(card.expiry.mmyy == "1231")
    }

    @Test("elements are in the order of the schema; unknown ones are passed over") func order() throws {
        #expect(try read(payment.replacing("<CURRENCY>", with: "<NEWFIELD>1</NEWFIELD><CURRENCY>"))[.currency] == "USD")
        #expect(throws: XMLMessageError.missing(.amount)) {
            try read(payment.replacing("<AMOUNT>10.50</AMOUNT>", with: ""))
        }
        #expect(throws: XMLMessageError.self, "amount before the terminal") {
            try read(
                payment.replacing("<AMOUNT>10.50</AMOUNT>", with: "").replacing(
                    "<TERMINALID>", with: "<AMOUNT>10.50</AMOUNT><TERMINALID>"))
        }
        #expect(throws: XMLMessageError.order, "the same element twice") {
            try read(payment.replacing("</PAYMENT>", with: "<CURRENCY>EUR</CURRENCY></PAYMENT>"))
        }
        #expect(throws: XMLMessageError.unknownMessage) { try read("<PAYMENTRESPONSE/>") }
    }

    @Test(
        "fields that are not as they must be",
        arguments: [
            ("10.50</AMOUNT>", "10.5</AMOUNT>"), ("10.50</AMOUNT>", "ten</AMOUNT>"),
            ("USD</CURRENCY>", "XXX</CURRENCY>"),
            ("1231</CARDEXPIRY>", "1331</CARDEXPIRY>"), ("4111111111111111", "4111111111111112"),
            (">VISA<", ">PLASTIC<"),
            ("10-12-2016", "10-13-2016"), (">o1<", ">4111111111111111<"),
        ])
    func invalid(_ good: String, _ bad: String) {
        let error = #expect(throws: HostError.self) {
            try AuthorizationRequest(read(payment.replacing(good, with: bad)))
        }
        #expect(error?.code == .refused(.invalidRequest))
        #expect(error?.message.contains("4111") == false)
    }

    /// The refused message is recorded in the gem worldnet_tps (payment/credit_card/failed.yml);
    /// the codes are the gateway's published ones.
    @Test(
        "errors come with status 200",
        arguments: [
            (nil, "Order Already Processed", HostError.Code.refused(.orderAlreadyProcessed)),
            ("E08", "INVALID MERCHANTREF", .refused(.secureCardUnknown)),
            ("E13", "INVALID HASH", .refused(.notAuthorized)), ("E14", "CVV FAILURE", .refused(.validationFailed)),
            ("E32", "ALREADY EXISTS", .refused(.secureCardExists)),
            ("E01", "SYSTEM", .failed(.noAnswer)), ("E99", "NEW", .failed(.answerNotGenuine)),
            (nil, "Declined", .failed(.answerNotGenuine)),
            ("", "", .failed(.answerNotGenuine)), ("e13", "INVALID HASH", .failed(.answerNotGenuine)),
            ("E43", "APPROVED, NOT VALIDATED", .failed(.answerNotGenuine)),
            ("CP_TOO_MANY_REQUESTS", "", .failed(.unreachable)),
            ("CP_INVALID_REQUEST", "the amount must be above zero", .refused(.invalidRequest)),
        ])
    func errors(_ code: String?, _ words: String, _ meaning: HostError.Code) throws {
        let document =
            "<ERROR>\(code.map { "<ERRORCODE>\($0)</ERRORCODE>" } ?? "")<ERRORSTRING>\(words)</ERRORSTRING></ERROR>"
        let error = try XMLMessage(XMLElement(parsing: Array(document.utf8)), among: [.error]).hostError(
            movesMoney: true)
        #expect(error?.code == meaning)
    }

    @Test(
        "an answer that contradicts itself says nothing",
        arguments: [
            ("A", "05", nil), ("E", nil, nil), ("E", "05", nil), ("D", "00", nil), ("X", nil, nil),
            ("A", "00", "10.51"),
            ("A", "00", "ten"), ("P", "10", nil),
            ("P", "10", "1e1"), ("A", "00", "1.0E1"), ("A", "00", "10.505"), ("A", "00", "-10.50"),
        ])
    func contradictions(_ code: String, _ bank: String?, _ amount: String?) {
        var answer = XMLMessage(.paymentResponse)
        answer[.responseCode] = code
        answer[.bankResponseCode] = bank
        answer[.authorizedAmount] = amount
        let error = #expect(throws: HostError.self) {
            try answer.response(requested: Money(minorUnits: 1050, currency: .usDollar))
        }
        #expect(error?.code == .failed(.answerNotGenuine))
    }

    @Test("what the XML interface has no message for is said, not guessed") func notSupported() throws {
        let card = try CardDetails(
            pan: SecretBytes("4111111111111111".utf8), expiry: #require(ExpiryDate(mmyy: "1231")))
        func request(
            _ purpose: AuthorizationRequest.Purpose = .sale, _ processing: AuthorizationRequest.Processing = .online
        ) throws -> AuthorizationRequest {
            AuthorizationRequest(
                orderID: OrderID("o1"), purpose: purpose, processing: processing,
                amount: Money(minorUnits: 100, currency: .euro),
                timestamp: Timestamp(secondsSince1970: 0), terminalID: "T", card: .keyed(card, cvv: nil))
        }
        for refused in [try request(.accountVerification), try request(.sale, .deferred)] {
            let error = #expect(throws: HostError.self) { try XMLMessage(refused) }
            #expect(error?.code == .refused(.notSupported))
        }
        #expect(try XMLMessage(request())[.cardType] == "VISA")
    }
}
