import Bytes
import SmartCard
import Testing

@Suite("Blocks of ISO/IEC 14443-4") struct ISODEPBlockTests {
    /// Table 7 to 9 of 7.1.1.1.
    private static let blocks: [(String, ISODEPBlock)] = [
        ("0200A40400", .information(number: 0, more: false, [0x00, 0xA4, 0x04, 0x00])),
        ("03", .information(number: 1, more: false, [])),
        ("12AA", .information(number: 0, more: true, [0xAA])), ("13BB", .information(number: 1, more: true, [0xBB])),
        ("A2", .acknowledged(number: 0)), ("A3", .acknowledged(number: 1)), ("B2", .refused(number: 0)),
        ("B3", .refused(number: 1)),
        ("C2", .deselect), ("F201", .waitingTimeExtension(1)), ("F23B", .waitingTimeExtension(59)),
    ]

    @Test("Blocks are encoded and decoded as in the tables") func codes() throws {
        for (text, block) in Self.blocks {
            #expect(block.bytes.hex == text)
            #expect(try ISODEPBlock(parsing: [UInt8](hex: text)) == block)
        }
    }

    @Test("7.3: the answer to a request for time has the power level's bits clear") func powerLevel() throws {
        let block = try ISODEPBlock(parsing: [0xF2, 0xC5])
        #expect(block == .waitingTimeExtension(5))
        #expect(block.bytes == [0xF2, 0x05])
    }

    @Test(
        "what is not a block of ours is named",
        arguments: [
            ("", .empty), ("0A01", .cardIdentifier), ("AA01", .cardIdentifier), ("CA01", .cardIdentifier),
            ("FA0101", .cardIdentifier),
            ("0600", .nodeAddress), ("0000", .control(0x00)), ("2200", .control(0x22)), ("E2", .control(0xE2)),
            ("D2", .control(0xD2)),
            ("A0", .control(0xA0)), ("C3", .control(0xC3)), ("F001", .control(0xF0)), ("A200", .length(2)),
            ("C200", .length(2)),
            ("F2", .length(1)), ("F20101", .length(3)), ("F200", .multiplier(0)), ("F2C0", .multiplier(0)),
            ("F23C", .multiplier(60)),
            ("F23F", .multiplier(63)),
        ] as [(String, ISODEPBlock.Malformation)])
    func malformed(_ text: String, _ expected: ISODEPBlock.Malformation) throws {
        let bytes = try [UInt8](hex: text)
        #expect(throws: expected) { try ISODEPBlock(parsing: bytes) }
    }

    @Test("A frame of 256 bytes has 254 before its CRC") func length() throws {
        let longest = [0x02] + [UInt8](repeating: 0, count: 253)
        #expect(
            try ISODEPBlock(parsing: longest) == .information(number: 0, more: false, Wiped(Array(longest.dropFirst())))
        )
        #expect(throws: ISODEPBlock.Malformation.tooLong(255)) { try ISODEPBlock(parsing: longest + [0]) }
    }

    @Test("every first byte with every length ends as a block that codes back, or as an error") func everyByte() {
        for control in UInt8.min...UInt8.max {
            for tail in [[], [1], [0x3B, 0], [UInt8](repeating: 9, count: 253)] as [[UInt8]] {
                guard let block = try? ISODEPBlock(parsing: [control] + tail) else { continue }
                #expect(block.bytes == [control] + tail)
            }
        }
    }
}
