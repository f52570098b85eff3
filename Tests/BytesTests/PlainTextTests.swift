import Testing

@testable import Bytes

@Suite("Texts of strangers on one line") struct PlainTextTests {
    /// Unicode's general categories Cc, Cf, Zl and Zp: what moves a cursor, opens a drawer (ESC p),
    /// turns the direction of writing or hides.
    @Test(
        "what steers a terminal, a printer or the direction of writing is a space",
        arguments: [
            ("Miura 515", "Miura 515"), ("a\nb\rc\td", "a b c d"), ("\u{1B}[2J", " [2J"), ("\u{1B}p\u{0}", " p "),
            ("a\u{7F}b\u{9B}c", "a b c"),
            ("a\u{202E}b\u{200B}c\u{2028}d\u{2029}e\u{FEFF}", "a b c d e "), ("Zahl ß é 漢", "Zahl ß é 漢"), ("", ""),
        ])
    func onOneLine(text: String, expected: String) {
        #expect(text.onOneLine() == expected)
        #expect(text.hasSteeringCharacters == (text != expected))
    }

    @Test("a text is cut after its limit, in Unicode scalars") func limit() {
        #expect(String(repeating: "é", count: 300).onOneLine(atMost: 248).unicodeScalars.count == 248)
    }
}
