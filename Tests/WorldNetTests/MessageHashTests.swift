import Bytes
import PaymentTerminal
import Testing
import XMLDocument

@testable import WorldNet

/// Messages recorded between the Ruby gem worldnet_tps and the gateway's sandbox in December 2016
/// (github.com/didww/worldnet_tps, spec/fixtures), whose terminal 6003 had the secret `sandboxUSD`.
@Suite struct MessageHashTests {
    private let hash = MessageHash(secret: SecretBytes("sandboxUSD".utf8), algorithm: .legacyMD5)

    private func message(_ document: String) throws -> XMLMessage {
        try XMLMessage(
            XMLElement(parsing: Array(document.utf8)), among: XMLForm.exchanges.flatMap { [$0.request, $0.answer] })
    }

    static let recorded: [(request: String, answer: String)] = [
        (
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <SECURECARDREGISTRATION>
              <MERCHANTREF>worldnet_tps.gem</MERCHANTREF>
              <TERMINALID>6003</TERMINALID>
              <DATETIME>10-12-2016:12:00:00:000</DATETIME>
              <CARDNUMBER>4000060000000006</CARDNUMBER>
              <CARDEXPIRY>1234</CARDEXPIRY>
              <CARDTYPE>VISA</CARDTYPE>
              <CARDHOLDERNAME>John Doe</CARDHOLDERNAME>
              <HASH>df102e46715a34a05fb26db102a0e7b6</HASH>
              <CVV>111</CVV>
            </SECURECARDREGISTRATION>
            """,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<SECURECARDREGISTRATIONRESPONSE><MERCHANTREF>worldnet_tps.gem</MERCHANTREF>"
                + "<CARDREFERENCE>2967539209767734</CARDREFERENCE><DATETIME>15-12-2016:14:51:47:012</DATETIME>"
                + "<HASH>82059a68d09cf803a78631a076a9752e</HASH></SECURECARDREGISTRATIONRESPONSE>"
        ),
        (
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <PAYMENT>
              <ORDERID>TXN-124-59</ORDERID>
              <TERMINALID>6003</TERMINALID>
              <AMOUNT>10.50</AMOUNT>
              <DATETIME>10-12-2016:12:00:00:000</DATETIME>
              <CARDNUMBER>4000060000000006</CARDNUMBER>
              <CARDTYPE>VISA</CARDTYPE>
              <CARDEXPIRY>1223</CARDEXPIRY>
              <CARDHOLDERNAME>John Doe</CARDHOLDERNAME>
              <HASH>80949a2820234af449af8320196493bc</HASH>
              <CURRENCY>USD</CURRENCY>
              <TERMINALTYPE>2</TERMINALTYPE>
              <TRANSACTIONTYPE>7</TRANSACTIONTYPE>
              <EMAIL>john.doe@gmail.com</EMAIL>
              <CVV>111</CVV>
              <ADDRESS1>100 MAIN ST</ADDRESS1>
              <ADDRESS2>SEATTLE WA</ADDRESS2>
              <POSTCODE>98104</POSTCODE>
              <PHONE>2064960114</PHONE>
              <CITY>SEATTLE</CITY>
              <COUNTRY>US</COUNTRY>
            </PAYMENT>
            """,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<PAYMENTRESPONSE><UNIQUEREF>EP8Q218WK1</UNIQUEREF><RESPONSECODE>A</RESPONSECODE>"
                + "<RESPONSETEXT>APPROVAL</RESPONSETEXT><APPROVALCODE>475318</APPROVALCODE><DATETIME>2016-12-16T13:20:44</DATETIME>"
                + "<AVSRESPONSE></AVSRESPONSE><CVVRESPONSE>M</CVVRESPONSE><HASH>ca2854cc92cf181fb7e28920bb621b6a</HASH></PAYMENTRESPONSE>\n"
        ),
        (
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <REFUND>
              <UNIQUEREF>KR3XSVSZ41</UNIQUEREF>
              <TERMINALID>6003</TERMINALID>
              <AMOUNT>10.50</AMOUNT>
              <DATETIME>10-12-2016:12:00:00:000</DATETIME>
              <HASH>fba32e08517da7ed1969ce846c078c44</HASH>
              <OPERATOR>John</OPERATOR>
              <REASON>Product is defective</REASON>
            </REFUND>
            """,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<REFUNDRESPONSE><RESPONSECODE>A</RESPONSECODE><RESPONSETEXT>SUCCESS</RESPONSETEXT>"
                + "<UNIQUEREF>KR3XSVSZ41</UNIQUEREF><DATETIME>16-12-2016:12:21:07:583</DATETIME>"
                + "<HASH>d9bd5a99d3ac0ee89b91e1bf864e51aa</HASH></REFUNDRESPONSE>\n"
        ),
        (
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <SECURECARDREMOVAL>
              <MERCHANTREF>worldnet_tps.gem</MERCHANTREF>
              <CARDREFERENCE>2967539209767734</CARDREFERENCE>
              <TERMINALID>6003</TERMINALID>
              <DATETIME>10-12-2016:12:00:00:000</DATETIME>
              <HASH>ae1630b7d812045f0023d1085f028df5</HASH>
            </SECURECARDREMOVAL>
            """,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<SECURECARDREMOVALRESPONSE><MERCHANTREF>worldnet_tps.gem</MERCHANTREF>"
                + "<DATETIME>15-12-2016:15:27:05:755</DATETIME><HASH>aa42c8d0e7510bf19dd9f4772386f265</HASH></SECURECARDREMOVALRESPONSE>"
        ),
        (
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <SECURECARDSEARCH>
              <MERCHANTREF>secure_card_search</MERCHANTREF>
              <TERMINALID>6003</TERMINALID>
              <DATETIME>10-12-2016:12:00:00:000</DATETIME>
              <HASH>8d9d5953e4990066b4a5b984b4ed69f4</HASH>
            </SECURECARDSEARCH>
            """,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<SECURECARDSEARCHRESPONSE><MERCHANTREF>secure_card_search</MERCHANTREF>"
                + "<CARDREFERENCE>2967534155322758</CARDREFERENCE><CARDTYPE>Visa Credit</CARDTYPE><CARDEXPIRY>1234</CARDEXPIRY>"
                + "<CARDHOLDERNAME>John Doe</CARDHOLDERNAME><DATETIME>15-12-2016:16:53:29:830</DATETIME>"
                + "<HASH>a4182243666de17582b649302ac9f638</HASH></SECURECARDSEARCHRESPONSE>"
        ),
    ]

    @Test("recorded messages and their hashes, both ways", arguments: recorded.indices)
    func recordedExchange(_ index: Int) throws {
        let request = try message(Self.recorded[index].request)
        let answer = try message(Self.recorded[index].answer)
        #expect(request.isGenuine(hash))
        #expect(answer.isGenuine(answering: request, hash))
        let other = MessageHash(secret: SecretBytes("sandboxEUR".utf8), algorithm: .legacyMD5)
        #expect(!request.isGenuine(other))
        #expect(!answer.isGenuine(answering: request, other))
        #expect(
            !request.isGenuine(MessageHash(secret: SecretBytes("sandboxUSD".utf8))),
            "MD5 is not valid where SHA-512 is required")
    }

    @Test("what we write of a recorded message is the same message, hash included", arguments: recorded.indices)
    func written(_ index: Int) throws {
        let request = try message(Self.recorded[index].request)
        let written = try XMLElement(parsing: request.element(hash).document)
        let recorded = try XMLElement(parsing: Array(Self.recorded[index].request.utf8))
        let known = Set(recorded.children.filter { request.form.has($0.name) }.map(\.name))
        #expect(written.children == recorded.children.filter { known.contains($0.name) })
    }

    /// The values are the example of the gateway's page "Special Fields and Parameters", which
    /// leaves the digest out; it was computed with Python.
    @Test("SHA-512: values joined with colons") func published() {
        let hash = MessageHash(secret: SecretBytes("x4n35c32RT".utf8))
        let values = ["678002", "300145858", "325.56", "15-3-2006:10:43:01:673"].map { SecretBytes($0.utf8) }
        let expected =
            "5b39821025c33a3c37560196f36af68668e46e82afc4017434d72e62dbc4c067"
            + "81afc6364e992d5594656fb185c901ece65adf85e8822832b8985f602e533eba"
        #expect(hash.value(over: values) == expected)
        #expect(hash.isRight(expected.uppercased(), over: values))
        #expect(!hash.isRight(String(expected.dropLast()), over: values))
        #expect(!hash.isRight("", over: values))
    }

    /// The gateway's sample code puts the currency of a terminal with several currencies before the
    /// amount, of payments and their answers. The digests were computed with Python's hashlib.
    @Test("the hash of a terminal with several currencies covers the currency") func severalCurrencies() throws {
        let hash = MessageHash(secret: SecretBytes("SandboxSecret001".utf8), coversCurrency: true)
        var request = XMLMessage(.payment)
        request[.terminalID] = "36001"
        request[.orderID] = "o-17"
        request[.currency] = "EUR"
        request[.amount] = "12.34"
        request[.dateTime] = "15-03-2026:10:43:01:673"
        request[.hash] =
            "0faef6bee3570dc205d74ca992a772b9d336f6fa104ca815219301be0f74e8f2"
            + "7e56230bf4c42c4010a2d423cab37d1e82b62d4ef067557773a04d5203ce2271"
        #expect(request.isGenuine(hash))
        #expect(!request.isGenuine(MessageHash(secret: SecretBytes("SandboxSecret001".utf8))))
        var answer = XMLMessage(.paymentResponse)
        answer[.uniqueReference] = "ABCDEF1234"
        answer[.dateTime] = "15-03-2026:10:43:02:001"
        answer[.responseCode] = "A"
        answer[.responseText] = "APPROVAL"
        answer[.hash] =
            "4327a69b264a0a4b01afe1c78cdb39e208cebd4760bc17a414e25f3dba364d48"
            + "025cf37e18e050790d690428ff7da8511339c358b22de2c23146e20158e43cf8"
        #expect(answer.isGenuine(answering: request, hash))
        request[.currency] = "JPY"
        #expect(!request.isGenuine(hash))
        #expect(!answer.isGenuine(answering: request, hash))
        var capture = XMLMessage(.completion)
        capture[.terminalID] = "36001"
        capture[.uniqueReference] = "o-17"
        capture[.amount] = "12.34"
        capture[.dateTime] = "15-03-2026:10:43:01:673"
        capture[.hash] =
            "8626ad6b80a3c920790ae455c11fc7e48fc15dad4120fe077463e8fb123d9198"
            + "c8e918c140a13be57c13c712356d9ad735cbde75e2f8d67d039aa18c6f8fb79c"
        #expect(capture.isGenuine(hash), "it has no currency")
    }

    @Test("a value that is absent leaves no separator") func absent() throws {
        var message = XMLMessage(.unreferencedRefund)
        message[.terminalID] = "6003"
        message[.orderID] = "r1"
        message[.amount] = "1.00"
        message[.dateTime] = "10-12-2016:12:00:00:000"
        message[.cardReference] = "2967539209767734"
        let hash = MessageHash(secret: SecretBytes("secret".utf8))
        let element = message.element(hash)
        let found = element.children.first { $0.name == "HASH" }?.text
        #expect(
            found == hash.value(over: ["6003", "r1", "1.00", "10-12-2016:12:00:00:000"].map { SecretBytes($0.utf8) }))
    }
}
