import Bytes
import Testing

@Suite struct Base64Tests {
    /// RFC 4648, section 10.
    @Test(
        "the vectors of RFC 4648",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(_ plain: String, _ text: String) {
        #expect(Array(plain.utf8).text(in: .standard) == text)
        #expect([UInt8](.standard, text) == Array(plain.utf8))
        let bare = text.filter { $0 != "=" }
        #expect(Array(plain.utf8).text(in: .url) == bare)
        #expect([UInt8](.url, bare) == Array(plain.utf8))
    }

    @Test("the last two digits differ between the alphabets") func alphabets() {
        #expect([0xFB, 0xFF].text(in: .standard) == "+/8=")
        #expect([0xFB, 0xFF].text(in: .url) == "-_8")
        #expect([UInt8](.url, "+/8") == nil)
        #expect([UInt8](.standard, "-_8=") == nil)
    }

    @Test(
        "texts that are no base64",
        arguments: ["Z", "Zg", "Zg=", "Zg===", "Z===", "====", "Zg==Zg==", "Zh==", "Zm9=", "Zm9v\n", "Zm 9v", "Zm9vé"])
    func refuses(_ text: String) {
        #expect([UInt8](.standard, text) == nil)
    }

    /// A value printed by a vendor, whose last digit has a bit too many.
    @Test("unused bits may be set if the caller says so") func lenient() {
        #expect([UInt8](.standard, "AAABAWFlmQAAAABjRWWZEEFgFz+=") == nil)
        #expect([UInt8](.standard, "AAABAWFlmQAAAABjRWWZEEFgFz+=", isLenient: true)?.count == 20)
    }
}
