import Bytes
import CardCryptography
import FormDocument
import JSONDocument
import Testing

@testable import IPG

@Suite("What is signed, by generation") struct SignedTextTests {
    private func text(_ values: [(String, String)], _ generation: SignatureGeneration) throws -> String {
        let fields = try FormFields(values.map { FormFields.Field($0.0, $0.1) })
        return String(decoding: SignedText.text(over: fields, generation), as: UTF8.self)
    }

    /// The example of the 4.5 documentation, and its SHA-256.
    private static let published =
        "amount:1.00;bannerindex:1;boolexample:1;currency:975;customeridentifier:SZ-1868;customerip:127.0.0.1;"
        + "emptyexample:;ipgmethod:IPGPurchase;ipgversion:4.5;keyindex:1;keyindexresp:1;language:en;"
        + "mid:000000000000113;midname:IPG TEST 4.5;orderid:8A540554-1551-4533-B246-42CAD55EE8DE;originator:33"

    @Test("4.5: the published example, from an object in another order") func publishedExample() throws {
        let document = try JSON(
            parsing: Array(
                """
                {"IPGmethod":"IPGPurchase","KeyIndex":1,"KeyIndexResp":1,"IPGVersion":"4.5","Language":"en",\
                "Originator":33,"BannerIndex":1,"MID":"000000000000113","MIDName":"IPG TEST 4.5","Amount":"1.00",\
                "Currency":975,"CustomerIP":"127.0.0.1","OrderID":"8A540554-1551-4533-B246-42CAD55EE8DE",\
                "CustomerIdentifier":"SZ-1868","BoolExample":true,"EmptyExample":"","EmptyArray":[]}
                """.utf8))
        guard case .object(let members) = document else { throw Missing() }
        let text = try #require(SignedText.text(over: members, .sorted))
        #expect(String(decoding: text, as: UTF8.self) == Self.published)
        #expect(text.count == 289)
        #expect(
            SHA256.hash(text).hex.lowercased() == "d9dca2083978842f2bd07d7d88fba9acff7c5b3c4e68bd54a656eba45cefe2b2")
    }

    @Test("4.5: paths of values in values, and indexes in natural order") func paths() throws {
        let list = (0...11).map { "{\"Code\":\($0)}" }.joined(separator: ",")
        let document = try JSON(parsing: Array("{\"Errors\":[\(list)],\"A\":{\"B\":false,\"C\":null}}".utf8))
        guard case .object(let members) = document else { throw Missing() }
        let expected = "a:b:0;a:c:;" + (0...11).map { "errors:\($0):code:\($0)" }.joined(separator: ";")
        #expect(SignedText.text(over: members, .sorted) == Array(expected.utf8))
        #expect(SignedText.text(over: members, .concatenated) == nil)
        #expect(SignedText.text(over: [.init("A", .text("1")), .init("a", .text("2"))], .sorted) == nil)
    }

    /// The fields of one request. Base64 and hashes by Python's `base64` and `hashlib`, the
    /// URL-encoding as PHP's by `urllib.parse.quote_plus`.
    private static let request = [
        ("IPGmethod", "IPGPurchase"), ("KeyIndex", "1"), ("KeyIndexResp", "1"), ("IPGVersion", "4.1"),
        ("Language", "en"), ("Originator", "33"), ("BannerIndex", "001"), ("MID", "000000000000112"),
        ("MIDName", "Test"), ("Amount", "23.45"), ("Currency", "978"), ("CustomerIP", "127.0.0.1"),
        ("OrderID", "A-1"),
    ]

    @Test("4.1: base64 of the values in their order") func concatenated() throws {
        let text = try text(Self.request, .concatenated)
        #expect(text == "SVBHUHVyY2hhc2UxMTQuMWVuMzMwMDEwMDAwMDAwMDAwMDAxMTJUZXN0MjMuNDU5NzgxMjcuMC4wLjFBLTE=")
        #expect(
            SHA256.hash(Array(text.utf8)).hex.lowercased()
                == "a672f701686279781f908222361730ff156995cf740f2dbb47653ffc6eff8508")
    }

    @Test("3.x: SHA-1 in hexadecimal of the values URL-encoded") func urlEncoded() throws {
        var fields = Self.request
        fields[3].1 = "3.2"
        fields[8].1 = "Test Shop"
        let text = try text(fields, .urlEncoded)
        #expect(text == "aefe7eb1c37f0df5a18d73195b010a0a4b870d97")
        #expect(SHA1.hash(Array(text.utf8)).hex.lowercased() == "de8c4c6ecc2d5169ec46ec345539881cbc6cb7da")
    }

    /// PHP's manual: `stripslashes` removes backslashes, and `urlencode` keeps `-_.` alone.
    @Test(
        "3.x: PHP's stripslashes and urlencode",
        arguments: [
            ("it\\'s", "it%27s"), ("a\\\\b", "a%5Cb"), ("a~b-_.", "a%7Eb-_."), ("é*", "%C3%A9%2A"), ("x\\", "x"),
        ])
    func phpEncoding(_ value: String, _ encoded: String) throws {
        #expect(try text([("A", value)], .urlEncoded) == SHA1.hash(Array(encoded.utf8)).hex.lowercased())
    }

    @Test(
        "the generation of a version",
        arguments: [
            ("1.0", .urlEncoded), ("3.2", .urlEncoded), ("3.4", .urlEncoded), ("4.1", .concatenated),
            ("4.3", .concatenated), ("4.5", .sorted), ("4.4", nil), ("5.0", nil), ("", nil), ("4", nil), ("4.5.1", nil),
        ] as [(String, SignatureGeneration?)])
    func generationOfVersion(_ version: String, _ generation: SignatureGeneration?) {
        #expect(SignatureGeneration(version: version) == generation)
    }

    private struct Missing: Error {}
}
