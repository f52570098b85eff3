import Bytes
import JSONDocument
import OpenSSLKeys
import PaymentTerminal
import Testing

@testable import IPG

@Suite("Callbacks of API 4.5") struct CallbackTests {
    /// The members that the documentation of 4.5 names, with values of tests.
    private func callback(
        status: String = "success", interface: String = "redirect", merchant: String = "000000000000123",
        amount: JSON = .text("23.45"), trn: String? = "20250416064251147276"
    ) -> JSON {
        .object([
            "Payment": .object([
                "OrderId": .text("1854"), "MID": .text(merchant), "Date": .text("2025-04-16 06:42:51"),
                "Type": .text("purchase"), "Context": .text("CardPay"), "Status": .text(status),
                "Interface": .text(interface), "Sum": .object(["Amount": amount, "Currency": .text("978")]),
                "Description": .text("Order 1854"),
            ]),
            "CardData": .object([
                "Pan": .text("400000***1000"), "Type": .text("Visa"), "CardholderName": .text("A Holder"),
                "ExpMonth": .text("01"), "ExpYear": .text("2028"),
                "CardToken": .text(String(repeating: "A", count: 64)),
            ]),
            "Operation": .object([
                "Type": .text("authorization"), "Status": .text(status),
                "Code": .number(status == "success" ? 0 : 1051),
                "Provider": .object(["Trn": trn.map { .text($0) }, "Approval": .text("123456")]),
            ]),
            "Errors": .list([]),
        ])
    }

    /// The callback, signed by openssl.
    private func signed(_ callback: JSON) throws -> [UInt8] {
        guard case .object(let members) = callback else { throw IPGMessageError.unknownMessage }
        let text = try #require(SignedText.text(over: members, .sorted))
        let signature = try OpenSSL().sign(String(decoding: text, as: UTF8.self), .gateway(), hash: "sha256")
        return JSON.object(members + [JSON.Member("Signature", .text(signature.text(in: .standard)))]).document
    }

    private func read(_ body: [UInt8]) throws -> IPGNotice { try IPGNotice(parsing: body, for: account(.sorted)) }

    @Test func success() throws {
        guard case .notification(let read) = try read(signed(callback())) else { throw IPGMessageError.unknownMessage }
        #expect(read.outcome == .succeeded)
        #expect(read.orderID.text == "1854")
        #expect(read.amount == "23.45 EUR")
        #expect(read.reference?.text == "20250416064251147276")
        #expect(read.approval == "123456")
        #expect(read.card.brand == .visa)
        #expect(read.card.lastDigits == "1000")
        #expect(read.card.expiry?.mmyy == "0128")
        #expect(read.card.token?.utf8.count == 64)
    }

    @Test(
        "an amount as a number, whose zeros are not written",
        arguments: [("23.5", 2350), ("23", 2300), ("23.45", 2345)])
    func numbers(_ digits: String, _ minorUnits: Int64) throws {
        let body = try signed(callback(amount: .number(digits)))
        guard case .notification(let read) = try read(body) else { throw IPGMessageError.unknownMessage }
        #expect(read.amount.minorUnits == minorUnits)
    }

    @Test func decline() throws {
        let body = try signed(callback(status: "declined", trn: nil))
        guard case .notification(let read) = try read(body) else { throw IPGMessageError.unknownMessage }
        #expect(read.outcome == .declined)
        #expect(read.status == .insufficientFunds)
        #expect(read.reference == nil)
    }

    @Test("an embedded payment's callback has no signature: it is only a hint") func hint() throws {
        #expect(try read(callback(interface: "embedded_checkout").document) == .hint(#require(IPGOrderID("1854"))))
        #expect(throws: IPGMessageError.signature(.unsigned)) { try read(callback().document) }
        #expect(throws: IPGMessageError.otherMerchant) {
            try read(callback(interface: "embedded_checkout", merchant: "000000000000124").document)
        }
    }

    @Test("members that are changed, added, removed or doubled behind the signature") func changes() throws {
        let body = String(decoding: try signed(callback()), as: UTF8.self)
        for (old, new) in [
            ("23.45", "23.46"), ("\"978\"", "\"840\""), ("redirect", "modal"), ("\"Errors\":[]", "\"Errors\":[1]"),
            ("\"Errors\":[]", "\"X\":\"\""), ("\"Description\":\"Order 1854\"", "\"Other\":\"Order 1854\""),
            ("\"Type\":\"purchase\",", ""),
        ] {
            try #require(body.contains(old))
            #expect(throws: IPGMessageError.signature(.wrong), "\(new)") {
                try read(Array(body.replacing(old, with: new).utf8))
            }
        }
        for double in ["\"errors\":[],", "\"payment\":{\"Status\":\"success\"},", "\"CARDDATA\":{},"] {
            #expect(throws: IPGMessageError.self, "\(double)") {
                try read(Array(("{" + double + body.dropFirst()).utf8))
            }
        }
        #expect(throws: IPGMessageError.doubled) { try read(Array(("{\"Errors\":[]," + body.dropFirst()).utf8)) }
    }

    @Test("another merchant's callback, and a success without a reference") func refuses() throws {
        #expect(throws: IPGMessageError.otherMerchant) { try read(signed(callback(merchant: "000000000000124"))) }
        #expect(throws: IPGMessageError.missing("Operation.Provider.Trn")) { try read(signed(callback(trn: nil))) }
        #expect(throws: IPGMessageError.invalid("Payment.Status")) { try read(signed(callback(status: "Success"))) }
    }
}
