import Bytes
import TLV
import Testing

/// Values that cannot be read as those of their tags, by the tables and formats of EMV 4.4 Book 3,
/// 4.3, 5.4, 10.2, 10.5 and annex A1, and what each needs.
@Suite struct ValueFaultTests {
    private func fault(_ tag: TLV.Tag, _ hex: String, _ rid: [UInt8]? = nil) throws -> String? {
        ValueFault.text(tag, try [UInt8](hex: hex), in: ValueContext(rid: rid))
    }

    @Test(
        "A value that cannot be read says what it needs",
        arguments: [
            // Amounts X and Y are 8 bytes, rules pairs; an entry of a list is a tag and a length.
            (0x8E, "00000000000000", "not a CVM list"), (0x8E, "0000000000000000420300", "not a CVM list"),
            (0x8C, "9F02", "not a data object list: "),
            (0x8D, "9F0206DF", "not a data object list: "), (0x9F38, "9F66", "not a data object list: "),
            (0x9F49, "9F37049F", "not a data object list: "),
            (0x97, "9F", "not a data object list: "), (0x9F4A, "9F", "not a list of tags"),
            // Without D; with A in a number; a PAN of 20 digits; a service code that is cut off.
            (0x57, "4761739001010119", "a D behind the PAN"), (0x57, "476A739001010119D22122011F", "19 digits"),
            (0x57, "47617390010101190000D2212201", "19 digits"), (0x57, "4761739001010119D2212F", "service code"),
            // SFI 0 and 31, first record 0, last before first, three signed of two, half an entry.
            (0x94, "00010100", "file locator"), (0x94, "F8010100", "file locator"), (0x94, "08000100", "file locator"),
            (0x94, "08020100", "file locator"), (0x94, "08010203", "file locator"), (0x94, "080101", "file locator"),
            (0x9F34, "1F00", "not CVM results"), (0x95, "8000", "not 5 bytes long"), (0x82, "7D", "not 2 bytes long"),
            (0x9A, "26AB21", "not a date"), (0x9A, "2611", "not 3 bytes long"), (0x9F21, "1A0000", "not a time"),
            (0x5F24, "26AB21", "not a date"),
            (0x9F02, "00000000123A", "not decimal"), (0x9F02, "1234", "not 6 bytes long"),
            (0x9F36, "000102", "not 2 bytes long"),
            (0x9F27, "8000", "not 1 byte long"), (0x9F35, "31", "not a terminal type"),
            (0x5F2A, "0001", "not a currency"),
            (0x9F1A, "0999", "not a country"), (0x9F15, "54", "not a merchant category code"),
            (0x9F33, "E0", "not 3 bytes long"),
            (0x88, "1F", "not a short file identifier"), (0x5F36, "0A", "not a digit"),
            (0x5A, "476173900101011A", "not decimal"),
            (0x5A, "4761F39001010119", "not decimal"), (0x5A, "4761739001010119000000", "not 0 to 10 bytes long"),
            (0x5F34, "0A", "not decimal"),
            (0x9F10, "06" + String(repeating: "00", count: 32), "bytes long"), (0x8A, "30", "not 2 bytes long"),
            (0x9F37, "010203", "not 4 bytes long"),
            (0x9F26, "01", "not 8 bytes long"), (0x5F30, "2A01", "not decimal"),
        ] as [(UInt32, String, String)])
    func unreadable(_ tag: UInt32, _ hex: String, _ need: String) throws {
        let text = try fault(TLV.Tag(rawValue: tag), hex)
        #expect(text?.contains(need) == true, "\(String(tag, radix: 16)) \(hex): \(text ?? "none")")
        #expect(text?.contains("4761") != true)
    }

    @Test(
        "A value that can be read has no fault",
        arguments: [
            (0x8E, "0000000000000000"), (0x8E, "000003E800000000440602035E031F00"), (0x8C, "9F02069F3704"), (0x8C, ""),
            (0x9F4A, "82"),
            (0x57, "4761739001010119D22122011143878089"), (0x57, "4761739001010119D2212201"),
            (0x94, "0801020118010300"),
            (0x9F34, "1F0302"), (0x9A, "261127"), (0x9A, "261340"), (0x9F21, "235959"), (0x9F02, "000000001234"),
            (0x5A, "4761739001010119"),
            (0x5A, "476173900101011FFF"), (0x9F36, "0001"), (0x9F35, "22"), (0x5F2A, "0978"), (0x9F1A, "0276"),
            (0x50, "56495341"),
            (0x9F10, "06010A03A00000"), (0xDF01, "00"), (0x9F6E, "20700000"), (0x9F6E, "0276000030300001"),
            (0x9F66, "0E70"),
            (0x9F66, "26000080"), (0x5F20, "20202F"),
            (0x8A, "3030"),
        ] as [(UInt32, String)])
    func readable(_ tag: UInt32, _ hex: String) throws {
        let text = try fault(TLV.Tag(rawValue: tag), hex)
        #expect(text == nil, "\(String(tag, radix: 16)) \(hex): \(text ?? "")")
    }

    /// Form factor indicator (4 bytes, EMV Contactless Book C-3) and third party data (5 to 32,
    /// Book C-2) have one tag.
    @Test("A payment system's own value has its system's length") func systems() throws {
        #expect(try fault(0x9F6E, "207000", [0xA0, 0, 0, 0, 3]) == "not 4 bytes long")
        #expect(try fault(0x9F6E, "20700000", [0xA0, 0, 0, 0, 4]) == "not 5 to 32 bytes long")
    }
}
