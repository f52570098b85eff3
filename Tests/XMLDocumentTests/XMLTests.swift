import Testing
import XMLDocument

@Suite("Parsing of XML") struct DocumentTests {
    private func xml(_ text: String) throws -> XMLElement { try XMLElement(parsing: Array(text.utf8)) }

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
        #expect(throws: XMLError.self) { try xml(text) }
    }

    @Test(
        "no document types, no entities of their own, no processing instructions",
        arguments: [
            "<!DOCTYPE A [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><A>&x;</A>", "<A><?php x ?></A>",
            "<a:A xmlns:a='x'/>",
        ])
    func unsupportedXML(_ text: String) {
        #expect(throws: XMLError.self) { try xml(text) }
    }

    @Test("A document is bounded in depth and size") func bounds() {
        #expect(throws: XMLError.tooDeep) { try xml(String(repeating: "<A>", count: 9)) }
        #expect(throws: XMLError.tooLarge) { try XMLElement(parsing: [UInt8](repeating: 0x20, count: 65_537)) }
        #expect(throws: XMLError.notUTF8) {
            try XMLElement(parsing: Array("<A>".utf8) + [0xFF] + Array("</A>".utf8))
        }
    }

    @Test("nothing of a document is printed") func descriptions() throws {
        let element = try xml("<A><CARDNUMBER>4111111111111111</CARDNUMBER></A>")
        var printed = "\(element)"
        dump(element, to: &printed)
        #expect(!printed.contains("4111"))
    }
}
