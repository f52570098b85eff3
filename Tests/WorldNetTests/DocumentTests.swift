import Testing

@testable import WorldNet

@Suite("Parsing of the gateway's XML and JSON") struct DocumentTests {
    private func xml(_ text: String) throws -> XMLElement { try XMLElement(parsing: Array(text.utf8)) }
    private func json(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }

    @Test("XML 1.0: references, CDATA, comments, attributes, line ends") func readsXML() throws {
        let root = try xml(
            "\u{FEFF}<?xml version='1.0'?><!-- a --><A><B NAME=\"x &quot;y\" N2='1'>a&amp;b&#65;&#x42;<![CDATA[<c>&]]>\r\nd</B><C/></A>\n"
        )
        #expect(root.children.map(\.name) == ["B", "C"])
        #expect(root.children[0].text == "a&bAB<c>&\nd")
        #expect(root.children[0].attributes == ["NAME": "x \"y", "N2": "1"])
    }

    @Test("texts survive the way out and back", arguments: ["", "a < b && c > \"d\"", "Grüße, 日本\r\n\tx", "]]>"])
    func roundTrip(_ text: String) throws {
        #expect(try XMLElement(parsing: XMLElement("A", attributes: ["N": text], text: text).document).text == text)
        #expect(try JSON(parsing: JSON.text(text).document) == .text(text))
    }

    @Test(
        "what is not a message",
        arguments: [
            "", "<A>", "<A></B>", "<A", "<A>&unknown;</A>", "<A>&#0;</A>", "<A>&#xD800;</A>", "<A/><B/>",
            "<A a='1' a='2'/>", "text",
            "<A>x<B/></A>", "<A a=1/>", "<A>\u{1}</A>", "<A><![CDATA[\u{B}]]></A>", "<A><![CDATA[x]]</A>", "<1/>",
            "<A>&#+65;</A>",
        ])
    func refusesXML(_ text: String) {
        #expect(throws: DocumentError.self) { try xml(text) }
    }

    @Test(
        "no document types, no entities of their own, no processing instructions",
        arguments: [
            "<!DOCTYPE A [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><A>&x;</A>", "<A><?php x ?></A>",
            "<a:A xmlns:a='x'/>",
        ])
    func unsupportedXML(_ text: String) {
        #expect(throws: DocumentError.self) { try xml(text) }
    }

    @Test("A document is bounded in depth and size") func bounds() {
        #expect(throws: DocumentError.tooDeep) { try xml(String(repeating: "<A>", count: 9)) }
        #expect(throws: DocumentError.tooDeep) { try json(String(repeating: "[", count: 33)) }
        #expect(throws: DocumentError.tooLarge) { try XMLElement(parsing: [UInt8](repeating: 0x20, count: 65_537)) }
        #expect(throws: DocumentError.tooLarge) { try JSON(parsing: [UInt8](repeating: 0x20, count: 1_048_577)) }
        #expect(throws: DocumentError.notUTF8) {
            try XMLElement(parsing: Array("<A>".utf8) + [0xFF] + Array("</A>".utf8))
        }
        #expect(throws: DocumentError.notUTF8) { try JSON(parsing: [0x22, 0xC0, 0x80, 0x22]) }
    }

    @Test("RFC 8259: values, escapes, surrogates; numbers as they are written") func readsJSON() throws {
        let value = try json(" {\"a\": [1, -0.50, 2e3, true, false, null], \"b\\u00e9\\uD83D\\uDE00\\n\\/\": \"x\"} ")
        #expect(value["a"]?.list == [.number("1"), .number("-0.50"), .number("2e3"), .flag(true), .flag(false), .null])
        #expect(value["bé😀\n/"]?.text == "x")
    }

    @Test(
        "what is no JSON",
        arguments: [
            "", "{", "[1,]", "{\"a\":1,}", "{\"a\" 1}", "{a:1}", "01", "1.", ".5", "+1", "1e", "-", "nul", "\"\\x\"",
            "\"\\uD800\"",
            "\"\\u12\"",
            "\"a", "\"\t\"", "{} {}", "{\"a\":1,\"a\":2}", "'a'", "\"\\u+123\"",
        ])
    func refusesJSON(_ text: String) {
        #expect(throws: DocumentError.self) { try json(text) }
    }

    @Test("nothing of a document is printed") func descriptions() throws {
        let element = try xml("<A><CARDNUMBER>4111111111111111</CARDNUMBER></A>")
        let value = try json("{\"cardNumber\": \"4111111111111111\"}")
        var printed = "\(element) \(value)"
        dump((element, value), to: &printed)
        #expect(!printed.contains("4111"))
    }
}
