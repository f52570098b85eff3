import Bytes
import CardCryptography
import FormDocument
import OpenSSLKeys
import PaymentTerminal
import Testing

@testable import IPG

@Suite("Requests of a merchant") struct RequestTests {
    private func payment(_ purpose: HostedPayment.Purpose, _ amount: Money = "23.45 EUR") throws -> HostedPayment {
        try HostedPayment(
            purpose, orderID: #require(IPGOrderID("A-1")), amount: amount, customerIP: "127.0.0.1",
            successURL: "https://shop.example/ok", cancelURL: "https://shop.example/cancel",
            notifyURL: "https://shop.example/notify")
    }

    @Test("a purchase: 15 digits of MID, amount with a point, numeric currency") func purchase() throws {
        let form = try account(.urlEncoded).request(payment(.purchase))
        #expect(
            form.all.dropLast().map { "\($0.name)=\($0.value)" } == [
                "IPGmethod=IPGPurchase", "KeyIndex=1", "KeyIndexResp=1", "IPGVersion=3.4", "Language=en",
                "Originator=33", "BannerIndex=1", "MID=000000000000123", "MIDName=Test Shop", "Amount=23.45",
                "Currency=978", "CustomerIP=127.0.0.1", "OrderID=A-1", "URL_OK=https://shop.example/ok",
                "URL_Cancel=https://shop.example/cancel", "URL_Notify=https://shop.example/notify",
            ])
    }

    @Test("storing a card, alone and with a purchase") func store() throws {
        let alone = try account(.sorted).request(payment(.storeCard, "0.00 EUR"))
        #expect(alone["IPGmethod"] == "IPGStoreCard")
        #expect(alone["Amount"] == "0.00")
        let both = try account(.sorted).request(payment(.storeCardAndPurchase))
        #expect(both["IPGmethod"] == "IPGStoreCard")
        #expect(both["Amount"] == "23.45")
    }

    @Test("a stored card's token: in clear in 4.5, enciphered before", arguments: SignatureGeneration.allCases)
    func token(_ generation: SignatureGeneration) throws {
        let form = try account(generation).request(payment(.storedCardPurchase(token: "D747458899DFC43D5")))
        guard generation != .sorted else {
            #expect(form["CardToken"] == "D747458899DFC43D5")
            return
        }
        #expect(form["CardToken"] == nil)
        let openssl = try OpenSSL()
        try openssl.write("key", try TestKey.gateway().privateKey)
        try openssl.write("cryptogram", #require([UInt8](.standard, form["Token"] ?? "")))
        try #require(
            try openssl.run("pkeyutl", "-decrypt", "-inkey", "key", "-in", "cryptogram", "-out", "token") == 0)
        #expect(try openssl.read("token") == Array("D747458899DFC43D5".utf8))
    }

    @Test("a refund, a reversal and a question") func backOffice() throws {
        let reference = try #require(TransactionReference("20210716141055303234"))
        let order = try #require(IPGOrderID("R-1"))
        let refund = try account(.sorted).refund(reference, "1.00 EUR", orderID: order)
        #expect(refund["IPGmethod"] == "IPGRefund")
        #expect(refund["IPG_Trnref"] == reference.text)
        #expect(refund["Amount"] == "1.00")
        #expect(refund["OutputFormat"] == "json")
        #expect(try account(.sorted).reversal(reference, orderID: order)["OrderID"] == "R-1")
        #expect(try account(.urlEncoded).reversal(reference, orderID: order)["OrderID"] == nil)
        #expect(try account(.urlEncoded).status(of: order, format: .xml)["IPGmethod"] == "IPGGetTxnStatus")
    }

    @Test("what no gateway takes") func refuses() throws {
        #expect(throws: IPGRequestError.amount) { try payment(.purchase, "0.00 EUR") }
        #expect(throws: IPGRequestError.amount) { try payment(.storeCard, "1.00 EUR") }
        #expect(throws: IPGRequestError.currency(.euro)) {
            try account(.sorted).request(payment(.purchase, "1.00 USD"))
        }
        #expect(throws: IPGRequestError.amountTooLarge) {
            try account(.sorted).request(payment(.purchase, "100000000.00 EUR"))
        }
        #expect(throws: IPGRequestError.token) {
            try account(.urlEncoded).request(
                payment(.storedCardPurchase(token: String(repeating: "a", count: 118))))
        }
        #expect(MerchantID("1234567890123456") == nil)
        #expect(MerchantID("12a") == nil)
        #expect(IPGOrderID(String(repeating: "a", count: 51)) == nil)
        #expect(IPGOrderID("a\u{202E}b") == nil)
    }

    @Test("keys that do not fit an account") func keys() throws {
        func make(_ version: String, _ key: [UInt8], _ keys: [Int: [UInt8]]) throws -> IPGAccount {
            try IPGAccount(
                version: version, originator: 33, merchantID: #require(MerchantID("112")), merchantName: "Shop",
                currency: .euro, key: SecretBytes(key), gatewayKeys: keys)
        }
        let (own, gateway) = (try TestKey.merchant(), try TestKey.gateway())
        #expect(throws: IPGAccountError.unknownVersion) { try make("4.4", own.privateKey, [1: gateway.publicKey]) }
        #expect(throws: IPGAccountError.noGatewayKey(index: 1)) {
            try make("4.5", own.privateKey, [2: gateway.publicKey])
        }
        #expect(throws: IPGAccountError.key(.notAKey)) { try make("4.5", own.publicKey, [1: gateway.publicKey]) }
        #expect(throws: IPGAccountError.gatewayKey(.notAKey, index: 1)) { try make("4.5", own.privateKey, [1: [0x30]]) }
    }

    @Test("I20 and I21: sixteen states and nine brands by name") func names() {
        #expect(
            OperationStatus.allCases.map(\.rawValue) == [
                "completedSuccessfull", "technicalIssue", "invalidRequest", "rejectedByPaymentGatewayRiskAssesment",
                "rejectedByIssuer", "statusInsufficientFunds", "rejectedByIssuerRiskAssesment", "invalidCard",
                "invalidAmount", "failed3DS", "threeDSUserInputTimerOut", "noCustomerInputOr3DSResponse",
                "cancelledByTheCustomerNo3DSResponse", "reversed", "internalError", "notFound",
            ])
        #expect(
            IPGCardBrand.allCases.map(\.rawValue) == [
                "cardTypeMastercard", "cardTypeMaestro", "cardTypeVisa", "cardTypeElectron", "cardTypeVpay",
                "cardTypeJcb", "cardTypeBanContact", "cardTypeAmericanExpress", "cardTypeUnionPay",
            ])
        #expect(IPGCardBrand(messageName: "MasterCard") == .mastercard)
        #expect(IPGCardBrand(messageName: "American Express") == .americanExpress)
        #expect(IPGCardBrand(messageName: "Discover") == nil)
        for code in 0...10_000 {
            let isPending = IPGResultCode(rawValue: code).isPending
            #expect((OperationStatus(IPGResultCode(rawValue: code)) == nil) == isPending)
        }
    }
}
