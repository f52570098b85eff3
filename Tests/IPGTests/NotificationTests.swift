import Bytes
import FormDocument
import JSONDocument
import PaymentTerminal
import Testing

@testable import IPG

@Suite("Notifications as the gateway sends them") struct NotificationTests {
    private static let older: [SignatureGeneration] = [.urlEncoded, .concatenated]

    private func read(_ form: FormFields, _ generation: SignatureGeneration) throws -> IPGNotification {
        guard case .notification(let read) = try IPGNotice(parsing: form.body, for: account(generation)) else {
            throw IPGMessageError.unknownMessage
        }
        return read
    }

    @Test("I16: a purchase", arguments: older) func purchase(_ generation: SignatureGeneration) throws {
        let read = try read(gatewayForm(Published.purchase, generation), generation)
        #expect(read.outcome == .succeeded)
        #expect(read.method == .purchase)
        #expect(read.orderID.text == "1854")
        #expect(read.amount == "23.45 EUR")
        #expect(read.reference?.text == "20210716141055303234")
        #expect(read.approval == "MSQI258")
        #expect(read.card.brand == .mastercard)
        #expect(read.card.lastDigits == "4567")
        #expect(read.card.expiry?.mmyy == "1221")
        #expect(read.time == "2021-07-16 14:10:55")
    }

    @Test("I17: a rollback, which is of a purchase or of a store", arguments: older)
    func rollback(_ generation: SignatureGeneration) throws {
        let read = try read(gatewayForm(Published.rollback, generation), generation)
        #expect(read.outcome == .rolledBack)
        #expect(read.method == nil)
        #expect(read.reference == nil)
    }

    @Test("I18: a stored card, with the two names that have a space", arguments: older)
    func store(_ generation: SignatureGeneration) throws {
        let read = try read(gatewayForm(Published.store, generation), generation)
        #expect(read.method == .storeCard)
        #expect(read.card.cardholderName == "Dimitar Dimitrov")
        #expect(read.card.customName == "My VISA card from iCard")
        #expect(read.card.token == "D747458899D….FC43D5")
    }

    @Test("names without regard to case") func cases() throws {
        let fields = Published.purchase.map { ($0.0.uppercased(), $0.1) }
        #expect(try read(gatewayForm(fields, .urlEncoded), .urlEncoded).orderID.text == "1854")
    }

    @Test("a field that the gateway adds, and signs, is passed over") func additions() throws {
        let fields = Published.purchase + [("CustomerIdentifier", "SZ-1")]
        #expect(try read(gatewayForm(fields, .concatenated), .concatenated).orderID.text == "1854")
    }

    /// The text that is signed has the values alone: whoever holds a signed notification could
    /// name them anew, or add empty ones.
    @Test("names that are exchanged, renamed or added around signed values", arguments: older)
    func renamed(_ generation: SignatureGeneration) throws {
        func read(_ change: (inout [FormFields.Field]) -> Void) throws -> IPGNotification {
            var fields = try gatewayForm(Published.purchase, generation).all
            change(&fields)
            return try self.read(FormFields(fields), generation)
        }
        func rename(_ place: Int, _ name: String, _ fields: inout [FormFields.Field]) {
            fields[place] = FormFields.Field(name, fields[place].value)
        }
        #expect(throws: IPGMessageError.misplaced("IPG_Trnref")) {
            try read { fields in
                rename(9, "RequestSTAN", &fields)
                rename(11, "Approval", &fields)
            }
        }
        #expect(throws: IPGMessageError.missing("Amount")) { try read { rename(3, "Sum", &$0) } }
        #expect(throws: IPGMessageError.missing("IPG_Trnref")) { try read { rename(10, "Note", &$0) } }
        #expect(throws: IPGMessageError.misplaced("Note")) {
            try read { $0.insert(FormFields.Field("Note", ""), at: 4) }
        }
        #expect(throws: IPGMessageError.doubled) {
            // IPGTrnref and IPG_Trnref are one name.
            try read { $0.insert(FormFields.Field("IPGTrnref", $0.remove(at: 11).value), at: 11) }
        }
    }

    @Test(
        "values that the gateway does not write",
        arguments: [
            ("Amount", "23.4", IPGMessageError.invalid("Amount")), ("Amount", "-1.00", .invalid("Amount")),
            ("Amount", "23,45", .invalid("Amount")), ("Currency", "EUR", .invalid("Currency")),
            ("Currency", "000", .invalid("Currency")), ("MID", "123", .invalid("MID")),
            ("MID", "000000000000124", .otherMerchant), ("Pan", "45671", .invalid("Pan")),
            ("ExpdtYYMM", "2113", .invalid("ExpdtYYMM")), ("OrderID", "", .missing("OrderID")),
            ("IPGmethod", "IPGRefund", .unknownMessage), ("IPGmethod", "IPGPurchaseOK", .unknownMessage),
        ])
    func values(_ name: String, _ value: String, _ error: IPGMessageError) throws {
        let fields = Published.purchase.map { $0.0 == name ? (name, value) : $0 }
        let form = try gatewayForm(fields, .urlEncoded)
        #expect(throws: error) { try read(form, .urlEncoded) }
    }

    @Test(
        "a currency without decimals, and one with three",
        arguments: [("2345", "392", 2345), ("23.456", "414", 23456)])
    func exponents(_ amount: String, _ currency: String, _ minorUnits: Int64) throws {
        let fields = Published.rollback.map {
            $0.0 == "Amount" ? ($0.0, amount) : $0.0 == "Currency" ? ($0.0, currency) : $0
        }
        #expect(try read(gatewayForm(fields, .urlEncoded), .urlEncoded).amount.minorUnits == minorUnits)
    }

    @Test(
        "bodies that are no form",
        arguments: [
            "", "a", "=1", "a=%4", "a=%zz", "a=b&a=c", "a=1&A=2", "a=\u{1}", String(repeating: "a", count: 70_000),
        ])
    func bodies(_ body: String) {
        #expect(throws: IPGMessageError.self) { try IPGNotice(parsing: Array(body.utf8), for: account(.urlEncoded)) }
    }

    @Test("a rule for each generation") func rules() {
        let old = NotificationRule(.urlEncoded)
        #expect(old.isTaken(status: 200, body: Array("OK".utf8)))
        for body in ["OK\n", "ok", " OK", "\"OK\"", "", "OK<!-- -->"] {
            #expect(!old.isTaken(status: 200, body: Array(body.utf8)), "\(body)")
        }
        #expect(!old.isTaken(status: 500, body: Array("OK".utf8)))
        #expect(!old.isTaken(status: nil, body: []))
        #expect(old.retryDelays.isEmpty)
        let new = NotificationRule(.sorted)
        #expect(new.isTaken(status: 200, body: []))
        #expect(!new.isTaken(status: 204, body: []))
        #expect(new.retryDelays.count == 53)
        #expect(new.retryDelays.reduce(0, +) == 86_400)
        #expect(NotificationRule(.concatenated) == .okOrReversal)
    }
}
