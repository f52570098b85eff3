import JSONDocument
import PaymentTerminal
import Testing

@testable import WorldNet

/// The gateway's list of transactions, as strangers may write it.
@Suite struct RESTListTests {
    private func page(_ text: String) throws -> TransactionQuery.Page {
        try RESTTransactions.page(JSON(parsing: Array(text.utf8)))
    }

    private func record(
        _ order: String, _ amount: String, date: String = "\"2026-03-09T12:05:09Z\"", status: String = "READY"
    ) -> String {
        #"{"uniqueReference": "U-\#(order)", "orderId": "\#(order)", "type": "SALE", "status": "\#(status)", "currency": "EUR", "#
            + #""amount": \#(amount), "dateTime": \#(date)}"#
    }

    @Test(
        "A record that cannot be read is named by its order, and hides no other",
        arguments: [
            #""12.34""#, "1.234E1", "12.345", "true", "[]", "12,34",
        ])
    func amounts(_ amount: String) throws {
        guard amount != "12,34" else {
            #expect(throws: JSONError.self) { try page(#"{"data": [\#(record("o1", amount))]}"#) }
            return
        }
        let list = try page(
            #"{"data": [\#(record("o1", "1.00")), \#(record("o2", amount)), \#(record("o3", "3.00"))]}"#)
        #expect(list.records.map(\.orderID.text) == ["o1", "o3"])
        #expect(list.unreadable.map { $0?.text } == ["o2"])
    }

    @Test("So are another status, another date and an order id that is not one") func otherFields() throws {
        let list = try page(
            #"{"data": [\#(record("o1", "1.00", status: "NEW")), \#(record("o2", "1.00", date: "\"yesterday\"")), {}, \#(record("", "1.00"))]}"#
        )
        #expect(list.records.isEmpty)
        #expect(list.unreadable.map { $0?.text } == ["o1", "o2", nil, nil])
    }

    @Test("An absent amount, and a refund's with its sign, are read") func signs() throws {
        let list = try page(
            #"{"data": [{"uniqueReference": "U1", "orderId": "o1", "type": "REFUND", "status": "READY", "currency": "EUR", "amount": -5.00},"#
                + #"{"uniqueReference": "U2", "orderId": "o2", "type": "SALE", "status": "DECLINED", "amount": null}]}"#
        )
        #expect(list.unreadable.isEmpty)
        #expect(list.map { $0.amount?.decimal } == ["5.00", nil])
    }

    @Test(
        "The continuation is the gateway's own, or that of its link",
        arguments: [
            (#""abc""#, "abc"), (#""2""#, "2"),
            (#""https://gateway.example/transactions?terminal=1&next=a%2Bb%3D&pageSize=100""#, "a+b="),
            (#""https://gateway.example/transactions?next=%zz""#, "https://gateway.example/transactions?next=%zz"),
            ("null", nil),
        ])
    func continuation(_ next: String, _ expected: String?) throws {
        #expect(try page(#"{"data": [], "next": \#(next)}"#).next == expected)
    }

    @Test("A continuation goes back as it came, without our extensions, too", arguments: [true, false])
    func continued(_ hasExtensions: Bool) throws {
        var query = TransactionQuery(pageSize: 100)
        query.continuation = "a+b="
        let parameters = try RESTTransactions.parameters(query, terminalID: "T1", hasExtensions: hasExtensions)
        #expect(parameters.filter { $0.name == "next" }.map(\.value) == ["a+b="])
    }

    /// The amount of an answer: only an approval of the whole amount may leave it out.
    @Test(
        "An amount that cannot be read is not the requested one",
        arguments: [
            ("A", nil, 1234), ("A", "null", 1234), ("A", "5.00", 500), ("D", nil, 1234), ("P", nil, nil),
            ("P", "5.00", 500),
            ("A", #""5.00""#, nil), ("A", "1.0E7", nil), ("A", "5.005", nil), ("A", "99.00", nil), ("D", #""0""#, nil),
            ("A", "{}", nil),
        ] as [(String, String?, Int64?)])
    func authorizedAmount(_ code: String, _ amount: String?, _ minorUnits: Int64?) throws {
        let member = amount.map { #", "authorizedAmount": \#($0)"# } ?? ""
        let document = try JSON(
            parsing: Array(
                #"{"uniqueReference": "U1", "order": {"orderId": "o1"}, "transactionResult": {"currency": "EUR", "resultCode": "\#(code)"\#(member)}}"#
                    .utf8))
        let answer = try? AuthorizationResponse(
            answer: document, orderID: "o1", requested: Money(minorUnits: 1234, currency: .euro))
        #expect(answer?.authorizedAmount.minorUnits == minorUnits)
    }
}
