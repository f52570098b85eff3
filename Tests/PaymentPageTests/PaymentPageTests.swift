import Bytes
import FormDocument
import Foundation
import PaymentTerminal
import PeerPrograms
import Testing

@testable import PaymentPage

@Suite("The payment page as Python's HTML parser reads it") struct PaymentPageTests {
    private static let nonce = [UInt8](repeating: 0xAB, count: 16)

    /// An element as the parser has it.
    private struct Element: Decodable {
        let tag: String
        let attributes: [String: String]
        let text: String
    }

    /// The elements in their order. An attribute that is there twice is an error.
    private func read(_ page: PaymentPage.Rendered) throws -> [Element] {
        let script = """
            import sys, json
            from html.parser import HTMLParser
            class Reader(HTMLParser):
                found = []
                def handle_starttag(self, tag, attributes):
                    assert len(dict(attributes)) == len(attributes), attributes
                    self.found.append({'tag': tag, 'attributes': {k: v or '' for k, v in attributes}, 'text': ''})
                def handle_data(self, data):
                    if self.found: self.found[-1]['text'] += data
            reader = Reader()
            reader.feed(sys.stdin.read())
            print(json.dumps(reader.found))
            """
        let printed = try PeerProgram.python(script, input: Data(page.body.utf8))
        return try JSONDecoder().decode([Element].self, from: Data(printed.utf8))
    }

    private func content(_ language: PageLanguage = .english, merchant: String = "Corner Shop") -> PaymentPage.Content {
        PaymentPage.Content(
            merchantName: merchant, amount: "23.45 EUR", action: "/pay", session: "s-1", language: language)
    }

    private func header(_ page: PaymentPage.Rendered, _ name: String) -> String {
        page.headers.first { $0.name == name }?.value ?? ""
    }

    @Test("labels, purposes and keyboards of the fields, in each language", arguments: PageLanguage.allCases)
    func fields(_ language: PageLanguage) throws {
        let elements = try read(PaymentPage().form(content(language), nonce: Self.nonce))
        #expect(elements.first { $0.tag == "html" }?.attributes["lang"] == language.rawValue)
        let inputs = elements.filter { $0.tag == "input" && $0.attributes["type"] != "hidden" }
        // WCAG 2.2, 1.3.5: HTML's autofill tokens.
        #expect(inputs.map { $0.attributes["autocomplete"] } == ["cc-number", "cc-exp", "cc-csc", "cc-name"])
        #expect(inputs.map { $0.attributes["inputmode"] } == ["numeric", "numeric", "numeric", "text"])
        #expect(inputs.allSatisfy { $0.attributes["type"] == "text" })
        #expect(inputs.allSatisfy { $0.attributes["required"] != nil })
        let ids = Set(elements.compactMap { $0.attributes["id"] })
        for input in inputs {
            let label = try #require(
                elements.first { $0.tag == "label" && $0.attributes["for"] == input.attributes["id"] })
            #expect(!label.text.isEmpty)
            for id in (input.attributes["aria-describedby"] ?? "").split(separator: " ") {
                #expect(ids.contains(String(id)))
            }
        }
        let button = try #require(elements.first { $0.tag == "button" })
        #expect(button.text.hasSuffix("23.45 EUR\n"))
        #expect(!elements.contains { $0.tag == "script" })
        #expect(!elements.contains { $0.attributes.keys.contains { $0.hasPrefix("on") } })
        #expect(!elements.contains { $0.attributes["src"] != nil })
        #expect(!elements.contains { $0.attributes["style"] != nil })
    }

    @Test("each language has words of its own, and all of them") func words() {
        func words(_ language: PageLanguage) -> [String] {
            Mirror(reflecting: PageTexts(language)).children.compactMap { $0.value as? String }
        }
        for language in PageLanguage.allCases {
            #expect(words(language).count == 17)
            #expect(words(language).allSatisfy { !$0.isEmpty })
            for other in PageLanguage.allCases where other != language { #expect(words(other) != words(language)) }
        }
        #expect(PageLanguage(code: "DE") == .german)
        #expect(PageLanguage(code: "xx") == .english)
    }

    @Test("after a fault only the name comes back, tied to the field, the summary in focus") func faults() throws {
        let form = try FormFields(
            parsing: Array(
                "card-number=4111+1111+1111+1112&card-expiry=1%2F99&card-code=987&card-name=A+Holder".utf8))
        var found: [CardEntry.Field] = []
        do { _ = try CardEntry(form, year: 2026, month: 11) } catch { found = error.fields }
        #expect(found == [.number, .expiry])
        let page = try PaymentPage().form(
            content(), faults: found, name: form["card-name"] ?? "", nonce: Self.nonce)
        for secret in ["4111", "1112", "987", "1/99"] { #expect(!page.body.contains(secret)) }
        let elements = try read(page)
        let inputs = elements.filter { $0.tag == "input" && $0.attributes["type"] != "hidden" }
        #expect(inputs.map { $0.attributes["value"] } == ["", "", "", "A Holder"])
        #expect(inputs.map { $0.attributes["aria-invalid"] } == ["true", "true", nil, nil])
        let summary = try #require(elements.first { $0.attributes["role"] == "alert" })
        #expect(summary.attributes["autofocus"] != nil)
        #expect(summary.attributes["tabindex"] == "-1")
        #expect(elements.filter { $0.tag == "a" }.map { $0.attributes["href"] } == ["#card-number", "#card-expiry"])
    }

    @Test("the policy allows the page's own style and form, and nothing else") func policy() throws {
        var content = content()
        content.frameAncestors = ["https://shop.example", "http://evil.example", "https://a b"]
        let page = try PaymentPage().form(content, nonce: Self.nonce)
        let nonce = Self.nonce.text(in: .standard)
        #expect(
            header(page, "Content-Security-Policy")
                == "default-src 'none'; style-src 'nonce-\(nonce)'; form-action 'self'; "
                + "frame-ancestors https://shop.example; base-uri 'none'")
        #expect(try read(page).first { $0.tag == "style" }?.attributes["nonce"] == nonce)
        #expect(header(page, "Cache-Control") == "no-store")
        #expect(header(page, "Referrer-Policy") == "no-referrer")
        #expect(header(page, "X-Content-Type-Options") == "nosniff")
        #expect(
            header(try PaymentPage().form(self.content(), nonce: Self.nonce), "Content-Security-Policy")
                .contains("frame-ancestors 'none'"))
    }

    /// A quotation mark with a combining mark behind it is one character, and another one than the
    /// quotation mark.
    @Test(
        "texts of merchants and customers stay texts",
        arguments: [
            "<script>alert(1)</script>", "\" onfocus=\"x", "\"\u{301} onfocus=x ", "'\u{338}<\u{338}b>", "a & b",
            "{{nonce}}", "</style><b>", "=`",
        ])
    func escaping(_ text: String) throws {
        var content = content(merchant: text)
        content.session = text
        content.theme.merchantText = text
        let elements = try read(PaymentPage().form(content, name: text, nonce: Self.nonce))
        #expect(!elements.contains { $0.tag == "script" || $0.tag == "b" })
        #expect(!elements.contains { $0.attributes.keys.contains { $0.hasPrefix("on") } })
        #expect(elements.first { $0.attributes["name"] == "session" }?.attributes["value"] == text)
        #expect(elements.first { $0.attributes["id"] == "card-name" }?.attributes["value"] == text)
        #expect(elements.first { $0.tag == "h1" }?.text == text + "\n")
    }

    @Test("the way to a challenge posts to its own address only") func challenge() throws {
        let page = try #require(
            try PaymentPage().challenge(
                content(), url: "https://acs.example:8443/c?a=1", request: "creq", sessionData: "\"data",
                nonce: Self.nonce))
        #expect(header(page, "Content-Security-Policy").contains("form-action https://acs.example:8443;"))
        let elements = try read(page)
        #expect(elements.first { $0.tag == "form" }?.attributes["action"] == "https://acs.example:8443/c?a=1")
        #expect(elements.first { $0.attributes["name"] == "creq" }?.attributes["value"] == "creq")
        #expect(elements.first { $0.attributes["name"] == "threeDSSessionData" }?.attributes["value"] == "\"data")
        for url in [
            "http://acs.example", "javascript:alert(1)", "https://", "https://a;script-src *", "https://a b", "",
        ] {
            #expect(
                try PaymentPage().challenge(
                    content(), url: url, request: "", sessionData: "", nonce: Self.nonce) == nil)
        }
    }

    @Test("any color of a merchant is legible", arguments: 0..<64) func contrast(_ step: Int) {
        let values: [UInt8] = [0, 85, 119, 255]
        let color = PageColor(red: values[step % 4], green: values[step / 4 % 4], blue: values[step / 16])
        #expect(color.contrast(color.background) >= 4.5)
    }

    /// WCAG 2.2: black on white is 21:1, and #767676 on white 4.54:1.
    @Test("known contrast ratios") func ratios() {
        #expect(PageColor.black.contrast(.white) == 21)
        let gray = PageColor(red: 0x76, green: 0x76, blue: 0x76).contrast(.white)
        #expect(abs(gray - 4.54) < 0.01)
    }

    @Test("the colors of both themes", arguments: [true, false]) func themeColors(_ isDark: Bool) throws {
        var theme = PageTheme()
        theme.isDark = isDark
        let style = Templates.style(theme)
        func color(_ text: some StringProtocol) throws -> PageColor {
            let bytes = try [UInt8](hex: text)
            return PageColor(red: bytes[0], green: bytes[1], blue: bytes[2])
        }
        let body = try #require(style.firstMatch(of: /body{.*color:#(\w{6});background:#(\w{6})/))
        let input = try #require(
            style.firstMatch(of: /input{.*color:#(\w{6});background:#(\w{6});border:1px solid #(\w{6})/))
        let fault = try #require(style.firstMatch(of: /\.fault,\.faults a{color:#(\w{6})/))
        let background = try color(body.2)
        #expect(try color(body.1).contrast(background) >= 4.5)
        #expect(try color(fault.1).contrast(background) >= 4.5)
        #expect(try color(input.1).contrast(color(input.2)) >= 4.5)
        #expect(try color(input.3).contrast(color(input.2)) >= 3)
    }

    @Test("I22: eight font families") func fonts() {
        #expect(
            PageFont.allCases.map(\.rawValue) == [
                "caros", "lato", "montseratt", "opensans", "raleway", "roboto", "robotoSlab", "sfProDisplay",
            ])
    }
}
