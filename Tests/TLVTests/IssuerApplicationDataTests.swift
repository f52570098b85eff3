import Bytes
import TLV
import Testing

/// Tag 9F10 of the published captures, and bits set one by one from the tables.
@Suite struct IssuerApplicationDataTests {
    private func data(_ hex: String, _ rid: String? = nil) throws -> IssuerApplicationData? {
        IssuerApplicationData(try [UInt8](hex: hex), rid: try rid.map { try [UInt8](hex: $0) })
    }

    /// The ARQC of `Vectors/traces/visa-contact-online`: CVR 03 A4 B8 00. A4 is 10 10 0100, B8 is
    /// 1011 1000.
    @Test("Visa's issuer application data are read to the bit") func visa() throws {
        let read = try #require(try data("06010A03A4B8000F112233445566778899AABBCCDDEEFF", "A000000003"))
        #expect(read.format == "Visa, cryptogram version 10")
        #expect(read.fields.map(\.bytes.hex) == ["06", "01", "0A", "03A4B800", "0F112233445566778899AABBCCDDEEFF"])
        #expect(
            read.fields[3].meanings == [
                "Second GENERATE AC not requested", "First GENERATE AC returned ARQC",
                "Offline PIN verification performed", "Last online transaction not completed",
                "Velocity checking counters exceeded", "New card",
                "Issuer authentication failure on last online transaction", "0 issuer script commands processed",
            ])
    }

    /// The AAC of `Vectors/traces/mastercard-contact-online`: CVR 20 10 09 24 84 00; 20 is 00 10
    /// 0000, 24 is bits 6 and 3, 84 bits 8 and 3.
    @Test("Mastercard's issuer application data are read to the bit") func mastercard() throws {
        let read = try #require(try data("0110201009248400000000000000000029FF", "A000000004"))
        #expect(read.format == "Mastercard M/Chip, cryptogram version 10")
        #expect(
            read.fields[2].meanings == [
                "Second GENERATE AC returned AAC", "First GENERATE AC returned ARQC", "Issuer authentication performed",
                "Offline PIN verification not performed", "International transaction",
                "Lower consecutive offline (counter 1) limit exceeded",
                "Issuer authentication failed", "Script counter, low digit: 0", "PIN try counter, low digit: 9",
            ])
        let versions = try ["10", "11", "14", "15"].map {
            try data("01\($0)" + String(repeating: "0", count: 32), "A000000004")?.fields[1].meanings ?? []
        }
        #expect(
            versions.map(\.first) == [
                "Mastercard's session key", "Mastercard's session key", "EMV common session key",
                "EMV common session key",
            ])
        #expect(
            versions.map(\.last) == [
                "counters not in the cryptogram", "counters in the cryptogram", "counters not in the cryptogram",
                "counters in the cryptogram",
            ])
    }

    /// EMV 4.4 Book 3, tables CCD 9 and CCD 10: every bit that stands alone, from byte 1, bit 4 on;
    /// nil for a digit of a number or reserved.
    @Test("Each bit of Common Core's issuer application data has its meaning") func commonCore() throws {
        let meanings: [[String?]] = [
            [
                nil, nil, nil, nil, "CDA performed", "Offline DDA performed", "Issuer authentication not performed",
                "Issuer authentication failed",
            ],
            [
                nil, nil, nil, nil, "Offline PIN verification performed",
                "Offline PIN verification performed and PIN not successfully verified", "PIN try limit exceeded",
                "Last online transaction not completed",
            ],
            [
                "Lower offline transaction count limit exceeded", "Upper offline transaction count limit exceeded",
                "Lower cumulative offline amount limit exceeded", "Upper cumulative offline amount limit exceeded",
                "Issuer-discretionary bit 1", "Issuer-discretionary bit 2", "Issuer-discretionary bit 3",
                "Issuer-discretionary bit 4",
            ],
            [
                nil, nil, nil, nil, "Issuer script processing failed",
                "Offline data authentication failed on previous transaction",
                "Go online on next transaction was set", "Unable to go online",
            ],
            [nil, nil, nil, nil, nil, nil, nil, nil],
        ]
        let zero = Array(repeating: UInt8(0), count: 5)
        for byte in 0..<5 {
            for bit in 0..<8 {
                var results = zero
                results[byte] = 0x80 >> UInt8(bit)
                let value =
                    [0x0F, 0xA5, 0x01] + results + [UInt8](repeating: 0, count: 8) + [0x0F]
                    + [UInt8](repeating: 0, count: 15)
                let read = try #require(IssuerApplicationData(value))
                let flags = read.fields[3].meanings.dropFirst(2).dropLast(2)
                #expect(Array(flags) == [meanings[byte][bit]].compactMap { $0 }, "byte \(byte + 1), bit \(8 - bit)")
            }
        }
        let aes = try data("0FA601" + "6000000000" + "0000000000000000" + "0F" + String(repeating: "0", count: 30))
        #expect(
            aes?.format == "Common Core Definitions, format A, cryptogram version 6"
                && aes?.fields[1].meanings == ["AES"])
        // 60 is 01 10 0000.
        #expect(
            aes?.fields[3].meanings.prefix(2) == ["Second GENERATE AC returned TC", "First GENERATE AC returned ARQC"])
    }

    @Test("Issuer application data of other schemes are read") func others() throws {
        #expect(try data("07010103A0000001", "A000000333")?.fields.last?.meanings == ["triple DES"])
        #expect(
            try data("1F2201A000000000" + String(repeating: "0", count: 48), "A000000003")?.format
                == "Visa, format 2, cryptogram version 22")
        #expect(
            try data("150185" + String(repeating: "0", count: 38), "A000000277")?.format
                == "Interac, cryptogram version 133")
        #expect(try data("06010103A00000", "A000000025") == nil, "American Express does not publish its coding")
        #expect(try data("06010A03A00000")?.format == "Visa, cryptogram version 10", "no doubt even without an AID")
        for hex in ["", "06", "0601", "06010A03A400", "FF", "0F"] {
            #expect(try data(hex) == nil)
            #expect(try data(hex, "A000000003") == nil)
        }
    }
}
