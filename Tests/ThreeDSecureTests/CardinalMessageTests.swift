import Bytes
import PaymentTerminal
import PeerPrograms
import Testing
import XMLDocument

@testable import ThreeDSecure

@Suite("cmpi messages") struct CardinalMessageTests {
    private func account() throws -> CardinalAccount {
        try CardinalAccount(identifier: "test-identifier", organization: "test-unit", key: SecretBytes(testKey.utf8))
    }

    private func card() throws -> CardDetails {
        try CardDetails(pan: SecretBytes("4000000000001091".utf8), expiry: #require(ExpiryDate(mmyy: "0130")))
    }

    private func text(_ message: XMLElement, _ name: String) -> String? {
        message.children.first { $0.name == name }?.text
    }

    /// By Python's `hashlib` and `base64`.
    @Test("signatures that another program has computed") func signatures() throws {
        #expect(
            try account().signature(timestamp: "1471014492129", .sha256)
                == "pQO6I4j3Xaav+iltyVrFLONVIrPGc9P0/ZDTgFc7IQU=")
        #expect(
            try account().signature(timestamp: "1471014492129", .sha512)
                == "CWrEKg1Ga8Xz025M8Zz70RrbLiW7UGNNNW+ky3mgqdiA+ax0qcVnDB35OH9Z4GFt9pey801j4NOkOtC79J0dNw==")
    }

    @Test("C4: a lookup of an app, dated 10 s in the past, in minor units") func app() throws {
        let request = LookupRequest(
            orderNumber: "A-1", amount: "23.45 EUR", card: try card(), channel: .app(referenceID: "s-1"))
        let message = try account().lookup(request, now: 1_471_014_502_129)
        #expect(message.name == "CardinalMPI")
        let fields = message.children.map { "\($0.name)=\($0.text)" }
        #expect(
            fields == [
                "MsgType=cmpi_lookup", "Version=1.7", "Algorithm=SHA-256", "Identifier=test-identifier",
                "OrgUnit=test-unit", "Timestamp=1471014492129",
                "Signature=pQO6I4j3Xaav+iltyVrFLONVIrPGc9P0/ZDTgFc7IQU=", "TransactionType=C", "OrderNumber=A-1",
                "Amount=2345", "CurrencyCode=978", "CardNumber=", "CardExpMonth=01", "CardExpYear=2030",
                "DeviceChannel=SDK", "DFReferenceId=s-1",
            ])
        // The number is only in what is posted.
        let read = try XMLElement(parsing: message.document)
        #expect(text(read, "CardNumber") == "4000000000001091")
    }

    @Test("a lookup of a browser") func browser() throws {
        let browser = BrowserData(
            acceptHeader: "text/html", userAgent: "Test & Co", ipAddress: "192.0.2.1", language: "en",
            isJavaEnabled: false, colorDepth: 24, screenHeight: 900, screenWidth: 1440, timeZone: -60)
        var request = LookupRequest(
            orderNumber: "A-1", amount: "500 JPY", card: try card(), channel: .browser(browser, referenceID: "s-1"))
        request.email = "a@example.com"
        let message = try account().lookup(request, now: 0, .sha512)
        #expect(text(message, "Amount") == "500")
        #expect(text(message, "CurrencyCode") == "392")
        #expect(text(message, "DeviceChannel") == "browser")
        #expect(text(message, "BrowserTimeZone") == "-60")
        #expect(text(message, "Algorithm") == "SHA-512")
        #expect(text(message, "Email") == "a@example.com")
    }

    @Test("Python's urllib and ElementTree read the posted form") func form() throws {
        let request = LookupRequest(
            orderNumber: "A & 1", amount: "23.45 EUR", card: try card(), channel: .app(referenceID: "s-1"))
        let body = try account().lookup(request, now: 1_471_014_502_129).cardinalForm.revealed()
        let read = try PeerProgram.python(
            """
            import sys, urllib.parse, xml.etree.ElementTree as tree
            form = urllib.parse.parse_qs(sys.argv[1], strict_parsing=True)
            root = tree.fromstring(form['cmpi_msg'][0])
            print(root.tag, root.find('OrderNumber').text, root.find('CardNumber').text, len(form))
            """, [String(decoding: body, as: UTF8.self)])
        #expect(read == "CardinalMPI A & 1 4000000000001091 1")
    }

    private func answer(_ fields: String) throws -> CardinalAnswer {
        try CardinalAnswer(parsing: Array("<CardinalMPI>\(fields)</CardinalMPI>".utf8))
    }

    @Test("an answer, its names in any case, numbers as lists") func answers() throws {
        let read = try answer(
            """
            <ErrorNo>0, 1001,2</ErrorNo><ErrorDesc>a&#x202E;b</ErrorDesc><TransactionId>tx-1</TransactionId>\
            <ENROLLED>Y</ENROLLED><PAResStatus>N</PAResStatus><Cavv>AAABAWFlmQAAAABjRWWZEEFgFz8=</Cavv>\
            <EciFlag>07</EciFlag><StatusReason>01</StatusReason><CardholderInfo>Call your bank</CardholderInfo>\
            <ACSUrl>http://acs.example</ACSUrl><Payload>x</Payload><ThreeDSVersion>2.2.0</ThreeDSVersion>
            """)
        #expect(read.errorNumber.rawValue == 1001)
        #expect(read.errorDescription == "a b")
        #expect(read.values.enrolled == .yes)
        #expect(read.values.status == .denied)
        #expect(read.values.authenticationValue != nil)
        #expect(read.values.reason?.description == "01, card authentication failed")
        #expect(read.values.cardholderInfo == "Call your bank")
        #expect(read.challengeURL == nil)
    }

    @Test(
        "answers that are none",
        arguments: [
            "", "<A/>", "<CardinalMPI><ErrorNo>x</ErrorNo></CardinalMPI>", "<html></html>",
            "<CardinalMPI><Enrolled>Y</Enrolled><enrolled>N</enrolled></CardinalMPI>",
            "<CardinalMPI><A><B/></A></CardinalMPI>",
        ])
    func refuses(_ text: String) {
        #expect(throws: CardinalMessageError.self) { try CardinalAnswer(parsing: Array(text.utf8)) }
    }

    @Test("a result is asked for by the transaction's id") func authenticate() throws {
        let message = try account().authenticate("tx-1", now: 1_471_014_502_129)
        #expect(text(message, "MsgType") == "cmpi_authenticate")
        #expect(text(message, "TransactionId") == "tx-1")
    }

    @Test("values of 20 bytes, and nothing else") func values() {
        #expect(AuthenticationValue(rawValue: "AAABAWFlmQAAAABjRWWZEEFgFz8=") != nil)
        #expect(AuthenticationValue(rawValue: "AAABAWFlmQAAAABjRWWZEEFgFz+=") != nil)
        for text in ["", "AAABAWFlmQAAAABjRWWZEEFgFz8", "AAABAWFlmQAAAABjRWWZEEFgFz88", "AAABAWFlmQAAAABjRWWZEEFg=z8="]
        {
            #expect(AuthenticationValue(rawValue: text) == nil)
        }
    }

    @Test(
        "the indicators of the brands",
        arguments: [
            ("05", CardBrand.visa, ECommerceIndicator.Meaning.authenticated), ("06", .americanExpress, .attempted),
            ("07", .jcb, .notAuthenticated), ("02", .mastercard, .authenticated), ("01", .mastercard, .attempted),
            ("00", .mastercard, .notAuthenticated), ("04", .mastercard, .dataOnly), ("05", .mastercard, nil),
            ("02", .visa, nil), ("99", .visa, nil),
        ] as [(String, CardBrand, ECommerceIndicator.Meaning?)])
    func indicators(_ text: String, _ brand: CardBrand, _ meaning: ECommerceIndicator.Meaning?) {
        #expect(ECommerceIndicator(rawValue: text)?.meaning(brand) == meaning)
    }
}
