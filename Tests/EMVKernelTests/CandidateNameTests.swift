import TLV
import Testing

@testable import EMVKernel

/// EMV 4.4 Book 4, 11.3: the preferred name is shown if the terminal has its code table, else the label; without either, the AID.
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
        #expect(candidate(label: "VISA", preferred: preferred, table: 5).displayName(.codeTable1) == "VISA", "another table")
        #expect(candidate(label: "VISA", preferred: preferred, table: nil).displayName(.codeTable1) == "VISA", "no table named")
        #expect(candidate(label: "VISA", preferred: [0xC9], table: 1).displayName(.codeTable1) == "VISA", "not converted from ISO 8859-1")
        #expect(candidate(label: nil, preferred: nil, table: nil).displayName([]) == "A0000000031010")
    }
}
