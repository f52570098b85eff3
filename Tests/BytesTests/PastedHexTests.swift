import Bytes
import Testing

/// Hexadecimal text as it is pasted from terminals, C, Python, Java, Wireshark and web pages.
@Suite("Pasted hexadecimal text") struct PastedHexTests {
    @Test(arguments: [
        "6F068404A0000102", "6f 06 84 04 a0 00 01 02", "6F:06:84:04:A0:00:01:02", "6F, 06, 84, 04, A0, 00, 01, 02",
        "0x6F, 0x06, 0x84, 0x4, 0xA0, 0x0, 0x1, 0x2", "{0x6F,0x06,0x84,0x04,0xA0,0x00,0x01,0x02};",
        "0x6F068404A0000102", "[6F 06 84 04 A0 00 01 02]", "[0x6f, 0x06, 0x84, 0x04, 0xa0, 0x00, 0x01, 0x02]",
        "\\x6F\\x06\\x84\\x04\\xA0\\x00\\x01\\x02",
        "b'\\x6f\\x06\\x84\\x04\\xa0\\x00\\x01\\x02'".replacing("b'", with: "'"), "6F-06-84-04-A0-00-01-02",
        "6F06\n8404\nA0000102\n",
        "\"6F068404A0000102\"", "0x6F0x060x840x040xA00x000x010x02", "6F.06.84.04.A0.00.01.02", "6 F0 68 404A0000102",
    ]) func isRead(_ text: String) throws {
        #expect(try [UInt8](pastedHex: text) == [0x6F, 0x06, 0x84, 0x04, 0xA0, 0x00, 0x01, 0x02])
    }

    @Test("A character that is no digit is named by its place in the text") func place() {
        #expect(throws: HexError.notADigit(character: "G", offset: 7)) { try [UInt8](pastedHex: "6F:06:8G") }
        #expect(throws: HexError.notADigit(character: "y", offset: 7)) { try [UInt8](pastedHex: "0x6F, 0y06") }
    }

    @Test("A megabyte without separators is read in one pass") func megabyte() throws {
        for part in ["0x6F", "\\x6F", "6F:"] {
            let bytes = try [UInt8](pastedHex: String(repeating: part, count: 250_000))
            #expect(bytes.count == 250_000)
            #expect(bytes.allSatisfy { $0 == 0x6F })
        }
    }

    @Test(arguments: ["6F 06 8", "0x6F 0xG0", "6F/06", "x6F", "hello"]) func isRefused(_ text: String) {
        #expect(throws: HexError.self) { try [UInt8](pastedHex: text) }
    }
}
