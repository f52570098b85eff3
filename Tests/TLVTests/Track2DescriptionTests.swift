import Bytes
import TLV
import Testing

/// EMV 4.4 Book 3, annex A1: PAN, D, YYMM, service code, discretionary data, F; codes of ISO/IEC
/// 7813. The card number is a published test number.
@Suite("Track 2 equivalent data are taken apart") struct Track2DescriptionTests {
    private func lines(_ tag: TLV.Tag, _ hex: String) throws -> [String] {
        ValueDescription.lines(tag, try [UInt8](hex: hex))
    }

    @Test("each field has a line", arguments: [0x57, 0x9F6B] as [TLV.Tag]) func fields(_ tag: TLV.Tag) throws {
        let lines = try lines(tag, "4012888888881881D2512201123456789F")
        #expect(lines.count == 4)
        #expect(lines.prefix(2) == ["PAN 4012888888881881", "expires 25/12 (YY/MM)"])
        #expect(lines[2].hasPrefix("service code 201: international, use the chip"))
        #expect(lines[3] == "discretionary data 123456789")
    }

    @Test("without discretionary data there is no line for them") func short() throws {
        #expect(try lines(0x57, "4012888888881881D2512101").map { $0.prefix(7) } == ["PAN 401", "expires", "service"])
    }

    @Test(
        "what is not coded so says why",
        arguments: [
            ("4012888888881881", "a D behind the PAN is required"), ("D2512101F0", "not a track 2"),
            ("40128888A8881881D2512101", "digits"),
            ("4012888888881881D251210F", "three of a service code"), ("", "a D behind the PAN is required"),
            ("40128888888818811234D2512101", "up to 19 digits"),
        ])
    func malformed(_ hex: String, why: String) throws {
        let lines = try lines(0x57, hex)
        #expect(lines.count == 1 && lines[0].contains(why))
    }

    @Test("a month that does not exist is named") func month() throws {
        #expect(try lines(0x57, "4012888888881881D2513101").contains("expires 25/13 (YY/MM), an impossible month"))
    }

    @Test("redacted, it is not described") func redacted() throws {
        let bytes = try [UInt8](hex: "570C4012888888881881D2512101")
        #expect(try TLVDescription.lines(bytes).count == 1)
        #expect(try TLVDescription.lines(bytes, isRedacted: false).count == 4)
    }

    /// Annex A1: "the implied position of the decimal point from the right"; four reference
    /// currencies have an exponent each.
    @Test(
        "numbers have words",
        arguments: [
            (.applicationCurrencyExponent, "02", ["amounts have 2 decimals"]),
            (.transactionCurrencyExponent, "00", ["amounts have no decimals"]),
            (0x9F3D, "01", ["amounts have 1 decimal"]),
            (0x9F43, "0203", ["amounts have 2 decimals", "amounts have 3 decimals"]),
            (.applicationCurrencyExponent, "0A", ["not a digit"]), (.transactionSequenceCounter, "00000042", ["42"]),
            (.amountReferenceCurrency, "000003E8", ["1000 minor units of the reference currency"]),
            (.shortFileIdentifier, "01", ["file 1"]), (.shortFileIdentifier, "0B", ["file 11, of the payment system"]),
            (.shortFileIdentifier, "1E", ["file 30, of the issuer"]),
            (.shortFileIdentifier, "1F", ["not a short file identifier"]),
        ] as [(TLV.Tag, String, [String])])
    func numbers(_ tag: TLV.Tag, hex: String, words: [String]) throws {
        #expect(try lines(tag, hex) == words)
    }
}
