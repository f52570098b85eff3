import Bytes
import TLV
import Testing

/// What is shown of texts and values. The numbers are published test numbers.
@Suite("Masking of card numbers in texts and values") struct MaskingTests {
    /// Groups and what parts them, wherever on the line.
    @Test(
        arguments: [
            "4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", "4111.1111.1111.1111",
            "4111_1111_1111_1111",
            "4111 - 1111 - 1111 - 1111", "41 11 11 11 11 11 11 11", "411111.1111111111",
            "4111\u{A0}1111\u{2013}1111\u{2011}1111",
            "4111\u{200B}1111\u{200B}1111\u{200B}1111", "4111\t1111\t1111\t1111", "\u{FF14}111111111111111",
            "4111:1111:1111:1111", "4111/1111/1111/1111", "4111, 1111, 1111, 1111", "41111111:11111111",
            "4111     1111     1111     1111", "4/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1", "41,11,11,11,11,11,11,11",
            "4111 :  1111  :  1111  :  1111", "00004111111111111111", "41111111111111112512101",
            "99994111111111111111251210100000", "x4111111111111111=2512",
        ], ["", "card ", "no. 17, "])
    func aNumberInAnyGroups(_ number: String, _ before: String) {
        let shown = Masking.text(before + number + " end")
        let digits = shown.unicodeScalars.filter { $0.properties.numericType == .decimal }.count
        #expect(shown.hasPrefix(before))
        #expect(shown.hasSuffix(" end"))
        #expect(shown.contains("*"))
        #expect(digits <= before.count(where: \.isNumber) + number.count(where: \.isNumber) - 6, "\(shown)")
        #expect(!shown.filter { $0.isNumber }.contains("4111111111111111"))
    }

    @Test(arguments: [
        "5555555555554444", "378282246310005", "3782 822463 10005", "6011111111111117", "3530111333300000",
        "30569309025904", "6759649826438453", "2223003122003222",
    ])
    func everyPaymentSystem(_ number: String) {
        let digits = number.filter { $0 != " " }
        for text in [number, "00\(digits)00000000", digits.map(String.init).joined(separator: "_")] {
            #expect(!Masking.text(text).filter(\.isNumber).contains(digits), "\(Masking.text(text))")
        }
    }

    @Test(arguments: [
        "1234567890123", "2026-11-22 16:47:36", "A0000000031010", "12.34 EUR, 5 of 17", "0000000000000000",
        "order 20261122164736", "4111111111111112", "30/05/2026 10:38:23", "50:12:34:56:78:90", "4,111,111,111,111,111",
        "4111:1111:1111:1112",
    ])
    func whatIsNoCardNumber(_ text: String) { #expect(Masking.text(text) == text) }

    /// As a reader's log and an answer to reset have them (ISO/IEC 7816-4, 12.1.1: historical
    /// bytes).
    @Test(arguments: [
        "3B9F95813FC7A0\(Self.hexDigits)9000", "ATR: 3B 9F 95 81 3F C7 A0 \(Self.spaced(" ")) 90 00",
        "3b:9f:\(Self.spaced(":")):90",
        Self.hexDigits,
    ])
    func aNumberInHexadecimalDigitsOfCharacters(_ text: String) {
        let digits = Masking.text(text).filter { !" :".contains($0) }
        #expect(!digits.contains("3431313131313131313131313131"))
        #expect(digits.contains("**"))
        #expect(digits.contains("343131313131"))
        #expect(Masking.text("3B9F95813FC7A000000000000000000000000000") == "3B9F95813FC7A000000000000000000000000000")
    }

    private static let hexDigits = "34" + ones(15)
    private static func spaced(_ separator: String) -> String {
        (["34"] + Array(repeating: "31", count: 15)).joined(separator: separator)
    }

    @Test func nothingSteersATerminal() {
        let text = "a\u{1B}[31mb\u{9B}2Jc\u{07}d\re\nf\u{202E}g\u{2028}h\u{7F}"
        #expect(Masking.text(text) == "a [31mb 2Jc d e f g h ")
        #expect(Masking.plain(text) == Masking.text(text))
    }

    /// As BCD, shifted by a digit, with other digits around, and as characters with and without
    /// spaces.
    @Test(
        arguments: [TLV.Tag(rawValue: 0x9F10), 0x9F24, 0x5F53, 0xDF01, 0xC1, 0x9F7C],
        [
            ["4111111111111111", "411111******1111"],
            ["04111111111111111F", "0411111******1111F"],
            ["0F4111111111111111D25120", "0F411111******1111D25120"],
            ["99941111111111111112250000", "999411111******11112250000"],
            ["20" + "34" + ones(15) + "0A", "20" + "34" + ones(5) + stars(6) + ones(4) + "0A"],
            [
                "34" + ones(3) + "20" + ones(4) + "20" + ones(4) + "20" + ones(4),
                "34" + ones(3) + "20" + ones(2) + stars(2) + "20" + stars(4) + "20" + ones(4),
            ],
        ])
    func aNumberInAValue(_ tag: TLV.Tag, _ value: [String]) throws {
        #expect(Masking.hex(tag, try [UInt8](hex: value[0])) == value[1])
    }

    /// Twelve digits with a right check digit that no payment system issues: an AFL and an AIP, and
    /// an IAD.
    @Test func luckyStructures() throws {
        for (tag, value) in [
            (TLV.Tag.responseTemplate1, "1800080101009000"), (.responseTemplate1, "180008010100"),
            (0x9F10, "180008010100"),
        ] {
            #expect(Masking.hex(tag, try [UInt8](hex: value)) == value)
        }
        let digits = try [UInt8](hex: "180008010100")
        #expect(Masking.hex(0xDF01, digits) == "********0100")
    }

    /// VISA CREDIT in characters has 22 digits and no letter, among them what looks like the number
    /// of a card.
    @Test func textsAndNamesAreNoNumbers() throws {
        for (tag, value) in [
            (TLV.Tag.applicationLabel, "5649534120435245444954"), (.dfName, "A0000000031010"),
            (.dfName, "D27600002545500100"),
        ] {
            #expect(Masking.hex(tag, try [UInt8](hex: value)) == value)
        }
        #expect(Masking.hex(.applicationLabel, try [UInt8](hex: "5555555555554444")) == "555555******4444")
    }

    @Test("values in templates are masked") func templates() throws {
        let record = try [UInt8](hex: "7018" + "9F2408" + "4111111111111111" + "5A08" + "4761739001010119" + "9F0200")
        #expect(Masking.hex(tlv: record) == "70189F2408411111******11115A08476173******01199F0200")
        #expect(Masking.hex(tlv: [0x5A, 0x09, 0x47]) == "******")
    }
}

/// The character 1 in bytes, as hexadecimal digits.
private func ones(_ count: Int) -> String { String(repeating: "31", count: count) }
/// Hidden bytes.
private func stars(_ count: Int) -> String { String(repeating: "**", count: count) }
