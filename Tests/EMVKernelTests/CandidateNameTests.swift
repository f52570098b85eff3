import TLV
import Testing

@testable import EMVKernel

/// EMV 4.4 Book 1, 12.2.4 and 12.4; Book 4, 11.3.
@Suite struct CandidateNameTests {
    private func candidate(label: String?, preferred: [UInt8]?, table: UInt8?) -> Candidate {
        var data = DataElements()
        data[.applicationLabel] = label.map { Array($0.utf8) }
        data[.applicationPreferredName] = preferred
        data[.issuerCodeTableIndex] = table.map { [$0] }
        return Candidate(name: [0xA0, 0, 0, 0, 3, 0x10, 0x10], from: data, application: 0)
    }

    @Test func showsWhatTheTerminalHasTheCharactersFor() {
        let preferred = Array("CARTE".utf8)
        #expect(candidate(label: "VISA", preferred: preferred, table: 1).displayName(.codeTable1) == "CARTE")
        #expect(
            candidate(label: "VISA", preferred: preferred, table: 5).displayName(.codeTable1) == "VISA", "another table"
        )
        #expect(
            candidate(label: "VISA", preferred: preferred, table: nil).displayName(.codeTable1) == "VISA",
            "no table named")
        #expect(candidate(label: nil, preferred: nil, table: nil).displayName([]) == "A0000000031010")
    }

    /// The same bytes are other letters in other parts of ISO/IEC 8859; part 10 is coded `10` (Book
    /// 3, annex C4).
    @Test(arguments: [
        (UInt8(0x01), AdditionalTerminalCapabilities.codeTable1, "Ðé"), (0x02, .codeTable2, "Đé"),
        (0x05, .codeTable5, "ащ"),
        (0x07, .codeTable7, "Πι"), (0x09, .codeTable9, "Ğé"), (0x10, .codeTable10, "Ðé"),
    ])
    func convertsFromTheCardsTable(_ index: UInt8, _ capability: AdditionalTerminalCapabilities, _ name: String) {
        #expect(candidate(label: "VISA", preferred: [0xD0, 0xE9], table: index).displayName(capability) == name)
    }

    @Test(
        "A value that names no table counts as absent (Book 1, 12.2.4)", arguments: [0x00, 0x0A, 0x11, 0xFF] as [UInt8])
    func noSuchTable(
        _ index: UInt8
    ) {
        let every: AdditionalTerminalCapabilities = AdditionalTerminalCapabilities.meanings.reduce(into: []) {
            $0.insert($1.0)
        }
        #expect(candidate(label: "VISA", preferred: [0x41], table: index).displayName(every) == "VISA")
    }

    /// Control characters, C1 and what a part leaves free become spaces; nothing of a label is
    /// taken beyond the common character set.
    @Test func nothingControlsTheScreen() {
        #expect(
            candidate(label: nil, preferred: [0x1B, 0x5B, 0x9B, 0x41, 0x7F, 0x42], table: 1).displayName(.codeTable1)
                == " [ A B")
        #expect(candidate(label: nil, preferred: [0x41, 0xA1, 0x42], table: 8).displayName(.codeTable8) == "A B")
        #expect(candidate(label: "V\u{1B}ISA\u{7F}X\n", preferred: nil, table: nil).displayName([]) == "V ISA X")
        #expect(
            candidate(label: "É", preferred: nil, table: nil).displayName(.codeTable1) == "A0000000031010",
            "two bytes, neither common")
        for byte in UInt8.min...UInt8.max {
            for table in CodeTable.allCases {
                #expect(table.text([byte]).unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
            }
            #expect(CommonCharacterSet.text([byte]).utf8.allSatisfy { (0x20...0x7E).contains($0) })
        }
    }

    /// A name that is empty, blank or too long is none.
    @Test func malformedNamesCountAsAbsent() {
        for name in [[], Array("     ".utf8), [UInt8](repeating: 0, count: 16), [UInt8](repeating: 0x41, count: 17)] {
            #expect(candidate(label: "VISA", preferred: name, table: 1).displayName(.codeTable1) == "VISA")
        }
        #expect(candidate(label: "", preferred: nil, table: nil).displayName([]) == "A0000000031010")
        #expect(candidate(label: "VISA  \0\0", preferred: nil, table: nil).displayName([]) == "VISA", "padding")
    }
}
