import Bytes
import CardModels
import SmartCard
import Testing

/// ISO/IEC 7816-3:2006, 11.3.
@Suite struct T1BlockTests {
    /// Blocks as they are seen in traces: what PCB says by tables of 11.3.2.2, the check byte the
    /// exclusive or of the rest (computed by hand).
    @Test(
        "blocks are encoded and parsed",
        arguments: [
            ("00C10120E0", .supervisory(.informationFieldSize, isResponse: false), "20"),
            ("00E10120C0", .supervisory(.informationFieldSize, isResponse: true), "20"),
            ("00C000C0", .supervisory(.resynchronisation, isResponse: false), ""),
            ("00E000E0", .supervisory(.resynchronisation, isResponse: true), ""),
            ("00C200C2", .supervisory(.abort, isResponse: false), ""),
            ("00E200E2", .supervisory(.abort, isResponse: true), ""),
            ("00C30101C3", .supervisory(.waitingTimeExtension, isResponse: false), "01"),
            ("00E30101E3", .supervisory(.waitingTimeExtension, isResponse: true), "01"),
            ("00800080", .receiveReady(number: 0, .none), ""),
            ("00900090", .receiveReady(number: 1, .none), ""),
            ("00810081", .receiveReady(number: 0, .checksumOrParity), ""),
            ("00920092", .receiveReady(number: 1, .other), ""),
            ("0000029000" + "92", .information(number: 0, more: false), "9000"),
            ("0060016A" + "0B", .information(number: 1, more: true), "6A"),
            ("00400040", .information(number: 1, more: false), ""),
        ] as [(String, T1Block.Control, String)])
    func blocks(_ hex: String, _ control: T1Block.Control, _ field: String) throws {
        let bytes = try [UInt8](hex: hex)
        let field = try [UInt8](hex: field)
        let block = T1Block(control, field)
        #expect(try T1Block(parsing: bytes, .lrc) == block)
        #expect(block.bytes(.lrc) == bytes)
    }

    /// The register's check value of the catalogue of parametrised CRC algorithms (CRC-16/IBM-SDLC,
    /// ISO/IEC 13239): "123456789" gives 906E, low byte first.
    @Test func cyclicRedundancyCheck() throws {
        #expect(frameCheckSequence(Array("123456789".utf8)) == [0x6E, 0x90])
        for count in 0...40 {
            let block = T1Block(
                .information(number: UInt8(count & 1), more: count > 20),
                (0..<count).map { UInt8(($0 * 37 + count) & 0xFF) })
            let bytes = block.bytes(.crc)
            #expect(bytes.suffix(2) == frameCheckSequence(Array(bytes.dropLast(2)))[...])
            #expect(try T1Block(parsing: bytes, .crc) == block)
        }
    }

    @Test("Every changed bit is found, by either check; so is every cut and every added byte") func damage() throws {
        for checksum in [CardParameters.Checksum.lrc, .crc] {
            let bytes = T1Block(.information(number: 1, more: false), [0x6A, 0x82]).bytes(checksum)
            for index in bytes.indices {
                for bit in 0..<8 {
                    var flipped = bytes
                    flipped[index] ^= 1 << UInt8(bit)
                    #expect(throws: T1Block.ParsingError.self) { try T1Block(parsing: flipped, checksum) }
                }
                #expect(throws: T1Block.ParsingError.self) {
                    try T1Block(parsing: Array(bytes.prefix(index)), checksum)
                }
            }
            #expect(throws: T1Block.ParsingError.other) { try T1Block(parsing: bytes + [0], checksum) }
        }
    }

    /// Another node address, LEN FF, PCBs that are reserved, fields of the wrong length: each with
    /// the right check byte.
    @Test(
        arguments: [
            "120000", "00FF00", "00C400", "00A000", "008300", "001000", "00C100", "00C1022020", "00C300", "00C00101",
            "00C20101", "00800101",
        ])
    func blocksThatCannotBe(_ hex: String) throws {
        let body = try [UInt8](hex: hex)
        #expect(throws: T1Block.ParsingError.other) { try T1Block(parsing: body + [body.reduce(0, ^)], .lrc) }
        let long = [0, 0, 0xFF] + [UInt8](repeating: 0xAA, count: 255)
        #expect(throws: T1Block.ParsingError.other) { try T1Block(parsing: long + [long.reduce(0, ^)], .lrc) }
    }
}
