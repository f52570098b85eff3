import Foundation
import PeerPrograms
import Printing
import Testing

@Suite("Code tables") struct CodeTableTests {
    /// By Python's names: cp858, iso8859_15, cp1252.
    private static func codec(_ table: CodeTable) -> String {
        table.name.hasPrefix("windows-")
            ? "cp" + table.name.dropFirst(8) : table.name.replacing("iso-8859-", with: "iso8859_")
    }

    @Test("Every byte is the character of Python's codec", arguments: CodeTable.all)
    func codecs(_ table: CodeTable) throws {
        let characters = try PeerProgram.python(file: "code-table.py", input: Data(Self.codec(table).utf8)).split(
            separator: "\n")
        #expect(characters.count == 224)
        for (byte, text) in zip(0x20...0xFF as ClosedRange<UInt8>, characters) {
            let expected = text == "-" ? nil : Unicode.Scalar(UInt32(text, radix: 16)!).map(Character.init)
            #expect(table.character(for: byte) == expected, "byte \(byte)")
            if let expected { #expect(table.byte(for: expected) == byte) }
        }
        for byte in 0x00...0x1F as ClosedRange<UInt8> { #expect(table.character(for: byte) == nil) }
    }

    /// The table of counter facts: python's codecs, checked with the printers' own lists.
    @Test(
        "The euro sign is where each table has it",
        arguments: [
            ("cp858", 0xD5), ("windows-1250", 0x80), ("windows-1252", 0x80), ("windows-1251", 0x88),
            ("iso-8859-15", 0xA4), ("iso-8859-7", 0xA4), ("cp437", nil), ("cp850", nil), ("cp852", nil), ("cp866", nil),
        ] as [(String, UInt8?)])
    func euro(_ name: String, _ byte: UInt8?) throws {
        #expect(try #require(CodeTable.all.first { $0.name == name }).byte(for: "€") == byte)
    }

    @Test("A letter of two scalars is that of the table, and a control character is in none") func characters() throws {
        let table = try #require(CodeTable.all.first { $0.name == "cp858" })
        #expect(table.byte(for: "e\u{301}") == table.byte(for: "é"))
        for character in ["\u{0}", "\u{7}", "\n", "\r\n", "\u{10}", "\u{1B}", "\u{7F}", "\u{9B}"] as [Character] {
            #expect(table.byte(for: character) == nil)
        }
    }
}
