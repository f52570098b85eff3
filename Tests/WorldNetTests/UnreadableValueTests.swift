import CardCapture
import JSONDocument
import PaymentTerminal
import Testing

@testable import WorldNet

/// A value that is there and cannot be read never counts as one that is not there.
@Suite struct UnreadableValueTests {
    private static let requested: Money = "12.34 EUR"

    private static func payment(_ code: String, _ amount: String?, more: String = "", type: String = "SALE") throws
        -> JSON
    {
        try JSON(
            parsing: Array(
                """
                {"uniqueReference": "U1", "order": {"orderId": "o1"}, "transactionResult": {"type": "\(type)", "currency": "EUR",
                "resultCode": "\(code)"\(amount.map { ", \"authorizedAmount\": \($0)" } ?? "")\(more)}}
                """.utf8))
    }

    private func amount(_ code: String, _ amount: String?, type: String = "SALE") throws -> Money? {
        let answer = try Self.payment(code, amount, type: type)
        do throws(HostError) {
            return try AuthorizationResponse(answer: answer, orderID: OrderID("o1"), requested: Self.requested)
                .authorizedAmount
        } catch {
            #expect(error.code == .failed(.answerNotGenuine))
            return nil
        }
    }

    @Test("absent with A, the amount is what was requested; absent with P it is not understood") func absent() throws {
        #expect(try amount("A", nil) == Self.requested)
        #expect(try amount("A", "null") == Self.requested)
        #expect(try amount("P", nil) == nil)
        #expect(try amount("D", nil) != nil)
        #expect(try amount("P", "5.00") == "5.00 EUR")
    }

    @Test(
        "an amount that cannot be read is not understood",
        arguments: [
            #""5.00""#, #""12.34""#, "1.0E7", "1e1", "12.345", "-12.34", "0", "0.00", "true", "{}", "[]", "12.35",
            "99999999999999999999",
        ], ["A", "P"])
    func unreadable(_ stated: String, _ code: String) throws { #expect(try amount(code, stated) == nil) }

    @Test("a refund's amount is negative, and a sale's is not") func sign() throws {
        #expect(try amount("A", "-12.34", type: "REFUND") == Self.requested)
        #expect(try amount("A", "-12.34", type: "SALE") == nil)
    }

    @Test(
        "the issuer's code, its data for the chip, and the parts of the answer are read or not understood",
        arguments: [
            (#""processorResultCode": 0"#, ""), ("", #", "emvTags": {}"#),
            ("", #", "emvTags": [{"hex": "91", "value": 7}]"#),
        ])
    func others(_ result: String, _ more: String) throws {
        let answer = try JSON(
            parsing: Array(
                """
                {"uniqueReference": "U1", "order": {"orderId": "o1"}, "transactionResult": {"currency": "EUR", "resultCode": "A"
                \(result.isEmpty ? "" : ", " + result)}\(more)}
                """.utf8))
        let error = #expect(throws: HostError.self) {
            try AuthorizationResponse(answer: answer, orderID: OrderID("o1"), requested: Self.requested)
        }
        #expect(error?.code == .failed(.answerNotGenuine))
    }

    // MARK: XML

    @Test("XML: a partial approval without an amount is not understood; A without one is what was requested") func xml()
        throws
    {
        var answer = XMLMessage(.paymentResponse)
        answer[.responseCode] = "P"
        #expect(throws: HostError.self) { try answer.response(requested: Self.requested) }
        answer[.authorizedAmount] = "5.00"
        #expect(try answer.response(requested: Self.requested).authorizedAmount == "5.00 EUR")
        answer[.authorizedAmount] = nil
        answer[.responseCode] = "A"
        #expect(try answer.response(requested: Self.requested).authorizedAmount == Self.requested)
        answer[.bankResponseCode] = "10"
        #expect(throws: HostError.self, "the issuer approved a part") { try answer.response(requested: Self.requested) }
        for stated in ["5", "5.0", "5,00", "1.0E7", "-5.00", "0.00", " "] {
            answer[.authorizedAmount] = stated
            let error = #expect(throws: HostError.self) { try answer.response(requested: Self.requested) }
            #expect(error?.code == .failed(.answerNotGenuine))
        }
    }

    @Test("XML: the status of an order with an unreadable amount is not a refusal of the question") func orderStatus() {
        for amount in [nil, "ten"] {
            var answer = XMLMessage(.orderStatusResponse)
            answer[.orderState] = "DECIDED"
            answer[.responseCode] = "A"
            answer[.currency] = "EUR"
            answer[.authorizedAmount] = amount
            let error = #expect(throws: HostError.self) { try answer.orderStatus() }
            #expect(error?.code == .failed(.answerNotGenuine))
        }
    }

    // MARK: The list

    private static func listed(_ changes: [String: String] = [:], without: String = "") throws -> JSON {
        var members = [
            "uniqueReference": #""U1""#, "orderId": #""o1""#, "type": #""SALE""#, "status": #""READY""#,
            "currency": #""EUR""#,
            "amount": "12.34", "dateTime": #""2026-03-09T12:05:09Z""#,
        ]
        members.merge(changes) { $1 }
        members[without] = nil
        let first = members.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ")
        let second = first.replacing("\"o1\"", with: "\"o2\"")
        return try JSON(parsing: Array("{\"data\": [{\(first)}, {\(second)}], \"next\": \"abc\"}".utf8))
    }

    @Test("a page of the list, and where the next one begins") func page() throws {
        let page = try RESTTransactions.page(Self.listed())
        #expect(page.records.map(\.orderID.text) == ["o1", "o2"])
        #expect(page.records.map(\.amount) == ["12.34 EUR", "12.34 EUR"])
        #expect(page.unreadable.isEmpty)
        #expect(page.next != nil)
        #expect(page.next == "abc")
    }

    @Test(
        "a record with a value that cannot be read keeps its order id, and hides no other record",
        arguments: [
            ("amount", #""12.34""#), ("amount", "1.0E7"), ("amount", "-12.34"), ("amount", "{}"), ("currency", "978"),
            ("currency", #""EURO""#), ("dateTime", "0"), ("dateTime", #""yesterday""#), ("status", #""NEW""#),
            ("type", "1"),
            ("uniqueReference", "1"), ("cardpresent", "1"), ("cardpresent", #"{"state": "gone"}"#),
            ("cardpresent", #"{"kind": 1}"#),
            ("cardpresent", #"{"amount": "12.34"}"#), ("cardpresent", #"{"authorizedAmount": 1.0E7}"#),
            ("cardpresent", #"{"refundedAmount": "1"}"#), ("cardpresent", #"{"reversalReason": "none"}"#),
        ])
    func unreadableRecord(_ name: String, _ value: String) throws {
        let document = try Self.listed([name: value])
        let page = try RESTTransactions.page(document)
        #expect(page.records.isEmpty)
        #expect(page.unreadable.map { $0?.text } == ["o1", "o2"])
    }

    @Test("a record whose order id cannot be read is counted, and the others are read") func unreadableOrder() throws {
        let page = try RESTTransactions.page(
            JSON(
                parsing: Array(
                    """
                    {"data": [{"orderId": 1}, {"uniqueReference": "U1", "orderId": "o2", "type": "SALE", "status": "READY"}, 7]}
                    """.utf8)))
        #expect(page.records.map(\.orderID.text) == ["o2"])
        #expect(page.unreadable == [nil, nil])
        #expect(page.next == nil)
    }

    @Test("an amount without a currency is not an absent amount") func amountWithoutCurrency() throws {
        let page = try RESTTransactions.page(Self.listed(without: "currency"))
        #expect(page.records.isEmpty)
    }

    @Test("where the next page begins is passed on as it came", arguments: [(#""p/2=""#, "p/2="), ("17", "17")])
    func cursor(_ stated: String, _ next: String) throws {
        let page = try RESTTransactions.page(JSON(parsing: Array(#"{"data": [], "next": \#(stated)}"#.utf8)))
        #expect(page.next == next)
        var query = TransactionQuery(page: 3)
        query.continuation = page.next
        for hasExtensions in [true, false] {
            if !hasExtensions { query.page = 0 }
            let parameters = try RESTTransactions.parameters(query, terminalID: "T1", hasExtensions: hasExtensions)
            #expect(parameters.filter { $0.name == "next" }.map(\.value) == [next])
        }
    }

    @Test("a next page that cannot be named is not the end of the list", arguments: ["{}", "[]", "true", #""""#])
    func unreadableCursor(_ stated: String) throws {
        let answer = try JSON(parsing: Array(#"{"data": [], "next": \#(stated)}"#.utf8))
        #expect(throws: HostError.self) { try RESTTransactions.page(answer) }
    }

    // MARK: Settings and requests

    @Test(
        "settings whose limit or currencies cannot be read are not understood",
        arguments: [
            #"{"currencies": "EUR"}"#, #"{"maximumAmount": {"amount": "1", "currency": "EUR"}}"#,
            #"{"maximumAmount": {"amount": 1, "currency": "EURO"}}"#, #"{"maximumAmount": 100}"#, "7",
        ])
    func settings(_ more: String) throws {
        let answer = try JSON(
            parsing: Array(
                #"{"terminalNumber": "T1", "merchantDetails": {"name": "Shop"}, "cardpresent": \#(more)}"#.utf8))
        #expect(throws: HostError.self) { try RESTTerminal.settings(answer) }
    }

    @Test(
        "a request with a value that cannot be read is refused",
        arguments: [
            #""autoCapture": "no""#, #""cardpresent": {"dateTime": "now"}"#,
            #""cardpresent": {"partialApproval": "true"}"#,
            #""cardpresent": {"verification": 1}"#,
            #""offlineProcessing": {"operation": "DEFERRED_AUTHORIZATION", "dateTime": 5}"#,
            #""credentialOnFile": {"tokenize": "yes"}"#,
        ])
    func request(_ more: String) throws {
        let document = try JSON(
            parsing: Array(
                """
                {"terminal": "T1", "order": {"orderId": "o1", "currency": "EUR", "totalAmount": 12.34}, "customerAccount":
                {"payloadType": "SECURE_CREDENTIALS", "secureCredentials": {"credentialsNumber": "2967539209767734"},
                "credentialsNumber": "2967539209767734"}, \(more)}
                """.utf8))
        let error = #expect(throws: HostError.self) {
            try AuthorizationRequest(payment: document, now: Timestamp(secondsSince1970: 0))
        }
        #expect(error?.code == .refused(.invalidRequest))
        let name = try #require(more.matches(of: /"([A-Za-z]+)":/).last).1
        #expect(error?.message == "Invalid \(name) field")
    }

    // MARK: Too many requests

    @Test("only a gateway's own document says that a request was not looked at; a bare 429 may come from a proxy")
    func tooMany() throws {
        let own = try JSON(
            parsing: Array(#"{"details": [{"errorCode": "X", "errorMessage": "Too many requests"}]}"#.utf8))
        #expect(RESTError.error(status: 429, own, movesMoney: true).code == .failed(.unreachable))
        let page = try JSON(parsing: Array(#"{"message": "slow down"}"#.utf8))
        for answer in [nil, page] {
            #expect(RESTError.error(status: 429, answer, movesMoney: true).code == .failed(.noAnswer))
        }
        let told = RESTError.document(HostError(.unreachable, "wait"), debugIdentifier: "1")
        #expect(RESTError.error(status: 429, told, movesMoney: true).code == .failed(.unreachable))
    }
}
