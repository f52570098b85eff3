import Bytes
import Foundation
import TLV
import Testing

/// ISO/IEC 8859, parts 1 to 10, against Vectors/iso-8859: Python's codecs, held against iconv's by
/// the script that lies beside them.
@Suite struct CodeTableTests {
    private struct Row: Hashable {
        let part: Int
        let byte: UInt8
        /// Nil where the byte is not a character.
        let codePoint: UInt32?
    }

    private func rows() throws -> [Row] {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let text = try String(contentsOf: package.appending(path: "Vectors/iso-8859/code-tables.tsv"), encoding: .utf8)
        return try text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
            let fields = line.split(separator: "\t")
            try #require(fields.count == 3)
            let codePoint = UInt32(fields[2], radix: 16)
            #expect((codePoint == nil) == (fields[2] == "-"))
            return Row(
                part: try #require(Int(fields[0])), byte: try #require(UInt8(fields[1], radix: 16)),
                codePoint: codePoint)
        }
    }

    @Test func everyByteOfEveryPart() throws {
        let rows = try rows()
        #expect(rows.count == 10 * 256)
        #expect(Set(rows.map { [$0.part, Int($0.byte)] }).count == rows.count)
        for row in rows {
            let table = try #require(CodeTable(rawValue: row.part))
            #expect(table.character(row.byte)?.value == row.codePoint, "part \(row.part), byte \([row.byte].hex)")
        }
    }

    @Test("The other way: the table's byte for each character above the controls, and nothing for one that it has not")
    func bytesOfText()
        throws
    {
        for row in try rows() where row.byte >= 0x20 {
            guard let scalar = row.codePoint.flatMap(Unicode.Scalar.init) else { continue }
            #expect(CodeTable(rawValue: row.part)?.bytes(String(Character(scalar))) == [row.byte])
        }
        // LATIN SMALL LETTER E WITH ACUTE stands in part 1 and not in part 5; GREEK SMALL LETTER
        // ALPHA the other way round in part 7.
        #expect(CodeTable(rawValue: 1)?.bytes("Caf\u{E9}") == [0x43, 0x61, 0x66, 0xE9])
        #expect(CodeTable(rawValue: 5)?.bytes("Caf\u{E9}") == nil)
        #expect(CodeTable(rawValue: 7)?.bytes("\u{3B1}") == [0xE1])
        #expect(CodeTable(rawValue: 1)?.bytes("\u{3B1}") == nil)
    }

    @Test("EMV 4.4 Book 4, annex B: what all parts share, and no part has more of it") func commonCharacterSet() throws
    {
        let parts = Dictionary(grouping: try rows(), by: \.byte)
        for (byte, rows) in parts where byte < 0xA0 {
            let codePoints = Set(rows.map(\.codePoint))
            #expect(codePoints == [CommonCharacterSet.character(byte)?.value], "byte \([byte].hex)")
        }
        #expect((UInt8.min...UInt8.max).filter { CommonCharacterSet.character($0) != nil }.count == 95)
    }

    /// Tag 9F11 is two BCD digits (EMV 4.4 Book 3, annex C4, table 45).
    @Test func issuerCodeTableIndex() {
        let named = (UInt8.min...UInt8.max).compactMap { index in CodeTable(index: index).map { (index, $0.rawValue) } }
        #expect(named.map(\.0) == [0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x10])
        #expect(named.map(\.1) == Array(1...10))
    }

    @Test(
        "Each byte gives one character, so that the length of a name is known before it is shown",
        arguments: CodeTable.allCases)
    func text(_ table: CodeTable) {
        let all = (UInt8.min...UInt8.max).map(\.self)
        #expect(table.text(all).unicodeScalars.count == 256)
        #expect(table.text([0x1B, 0x41, 0x9B]) == " A ")
        #expect(table.text([]) == "")
    }
}
