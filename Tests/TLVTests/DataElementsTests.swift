import Bytes
import TLV
import Testing

@Suite struct DataElementsTests {
    @Test func indexesThePrimitivesOfARecord() throws {
        let record = try [UInt8](hex: "7012 5A0847613400000000505F34010082021900")
        let data = try DataElements(parsing: record)
        #expect(data.tags == [.applicationPAN, .panSequenceNumber, .applicationInterchangeProfile])
        #expect(data[.applicationPAN] == [0x47, 0x61, 0x34, 0, 0, 0, 0, 0x50])
        #expect(data[.recordTemplate] == nil, "templates are not kept")
        #expect(data.integer(.applicationInterchangeProfile) == 0x1900)
        #expect(data.number(.panSequenceNumber) == 0)
    }

    @Test func reportsWhatCameTwice() throws {
        var data = try DataElements(parsing: [0x5A, 1, 0x11])
        let repeated = try data.append(parsing: [0x5F, 0x34, 1, 1, 0x5A, 1, 0x22])
        #expect(repeated == [.applicationPAN])
        #expect(data[.applicationPAN] == [0x22])
    }

    @Test func keepsNothingOfWhatDoesNotParse() {
        var data = DataElements()
        #expect(throws: TLVError.self) { try data.append(parsing: [0x5A, 1, 0x11, 0x57, 9, 0]) }
        #expect(data.count == 0)
    }

    @Test func replacesAndRemoves() {
        var data = DataElements()
        data[.transactionType] = [0x00]
        data[.transactionType] = [0x20]
        #expect(data[.transactionType] == [0x20])
        #expect(data.count == 1)
        data[.transactionType] = nil
        #expect(!data.contains(.transactionType))
    }

    @Test func takesTheValuesOfOthersInThePlaceOfItsOwn() {
        var data = DataElements()
        data[.transactionType] = [0x00]
        data[.terminalCountryCode] = [0x02, 0x76]
        var later = DataElements()
        later.append(.transactionType, [0x01])
        later.append(.amountOther, [0, 0, 0, 0, 0, 0])
        later.append(.transactionType, [0x20])
        data.update(with: later)
        #expect(data.tags == [.terminalCountryCode, .amountOther, .transactionType])
        #expect(data[.transactionType] == [0x20])
        #expect(data[.terminalCountryCode] == [0x02, 0x76])
        #expect(data[.amountOther] == [0, 0, 0, 0, 0, 0])
    }

    @Test("Each of 120 tags has its value, with others of its hash added, repeated and removed")
    func manyTagsShareAHash() throws {
        let tags = (0..<120).map { TLV.Tag(rawValue: 0x9F00 + $0) }
        var data = DataElements()
        for (number, tag) in tags.enumerated() { data.append(tag, bigEndian: UInt64(number), count: 2) }
        for (number, tag) in tags.enumerated() { #expect(data.integer(tag) == UInt64(number)) }
        for tag in (120..<240).map({ TLV.Tag(rawValue: 0x9F00 + $0) }) { #expect(!data.contains(tag)) }
        // The second data object is truncated: the first must not stay in its chain.
        #expect(throws: TLVError.self) { try data.append(parsing: [0x9F, 0x05, 1, 0xAA, 0x9F, 0x06, 2, 0]) }
        #expect(data.integer(tags[5]) == 5)
        data.append(tags[7], [0x07])
        #expect(data.integer(tags[7]) == 7 && data.count(of: tags[7]) == 1, "the last of two values")
        data[tags[7]] = [0x08]
        #expect(data.count == 120, "one value in the place of both")
        data[tags[9]] = nil
        for (number, tag) in tags.enumerated() where number != 7 {
            #expect(data.integer(tag) == (number == 9 ? nil : UInt64(number)))
        }
        #expect(data[tags[7]] == [0x08])
    }

    @Test func takesAValueOfAnother() {
        var data = DataElements()
        data[.transactionType] = [0x00]
        data[.amountOther] = [0x01]
        var other = DataElements()
        other[.transactionType] = [0x20]
        for tag in [TLV.Tag.transactionType, .amountOther, .terminalType] { data.set(tag, from: other) }
        #expect(data[.transactionType] == [0x20])
        #expect(data.tags == [.transactionType], "what the other has not is removed")
    }

    @Test(
        "A text is padded with zeros or truncated",
        arguments: [("AB", [0x41, 0x42, 0, 0] as [UInt8]), ("ABCDE", [0x41, 0x42, 0x43, 0x44]), ("", [0, 0, 0, 0])])
    func textsHaveAFixedLength(_ text: String, _ bytes: [UInt8]) {
        var data = DataElements()
        data.append(.terminalIdentification, text, count: 4)
        #expect(data[.terminalIdentification] == bytes)
    }

    @Test func neverPrintsValues() {
        var data = DataElements()
        data[.applicationPAN] = Array("CANARY".utf8)
        var dumped = ""
        dump(data, to: &dumped)
        for text in ["\(data)", String(reflecting: data), dumped] {
            #expect(!text.contains("CANARY"))
            #expect(!text.contains("43414E"))
            #expect(!text.contains("67"))
        }
        data.wipe()
        #expect(data.count == 0)
    }
}

@Suite struct DOLTests {
    private var data: DataElements {
        var data = DataElements()
        data[.amountAuthorised] = [0, 0, 0, 0, 0x12, 0x34]
        data[.terminalCountryCode] = [0x02, 0x76]
        data[.applicationPAN] = [0x47, 0x61, 0x73]
        data[.unpredictableNumber] = [1, 2, 3, 4]
        return data
    }

    /// CDOL1 of the Visa test card in Vectors/traces: eight entries, 29 bytes.
    @Test func readsTagsAndLengths() throws {
        let dol = try DOL(parsing: [UInt8](hex: "9F02069F03069F1A0295055F2A029A039C019F3704"))
        #expect(dol.entries.map(\.tag) == [0x9F02, 0x9F03, 0x9F1A, 0x95, 0x5F2A, 0x9A, 0x9C, 0x9F37])
        #expect(dol.dataLength == 29)
    }

    /// EMV 4.4 Book 3, 5.4: steps 2 a to d.
    @Test func bringsValuesToTheLengthThatIsAsked() throws {
        func built(_ hex: String) throws -> String { try DOL(parsing: [UInt8](hex: hex)).concatenate(data).hex }
        #expect(try built("9F0206 9F1A02") == "000000001234" + "0276")
        #expect(try built("9F0202") == "1234", "n loses its leftmost bytes")
        #expect(try built("9F0208") == "0000000000001234", "n gets leading zeros")
        #expect(try built("5A05") == "476173FFFF", "cn gets trailing FF")
        #expect(try built("9F3702") == "0102", "b loses its rightmost bytes")
        #expect(try built("9F3706") == "010203040000", "b gets trailing zeros")
        #expect(try built("9F2103 DF4102") == "0000000000", "what is absent or unknown is zeros")
        #expect(try built("7002") == "0000", "a template is zeros")
    }

    @Test func refusesAListThatEndsEarly() throws {
        #expect(throws: TLVError.truncatedLength(offset: 2)) { try DOL(parsing: [0x9F, 0x02]) }
        #expect(throws: TLVError.truncatedTag(offset: 0)) { try DOL(parsing: [0x9F]) }
    }

    @Test func splitsWhatATerminalSent() throws {
        let dol = try DOL(parsing: [UInt8](hex: "9F0206 9C01"))
        #expect(dol.split([0, 0, 0, 0, 0x10, 0, 0x20])?[.transactionType] == [0x20])
        #expect(dol.split([0]) == nil)
    }
}

/// More data objects than a card has: the same answers, in a time that grows with them and not with
/// their square.
@Suite struct ManyDataElementsTests {
    /// Distinct tags of three bytes, `DF8101` to `DFFF7F`, each with its number as the value.
    private static func object(_ number: Int) -> [UInt8] {
        [0xDF, UInt8(0x81 + number / 0x7F), UInt8(number % 0x7F + 1), 2, UInt8(number >> 8), UInt8(number & 0xFF)]
    }

    private static func tag(_ number: Int) -> TLV.Tag {
        TLV.Tag(rawValue: 0xDF0000 | UInt32(0x81 + number / 0x7F) << 8 | UInt32(number % 0x7F + 1))
    }

    @Test(arguments: [127, 128, 129, 130, 1000, 8000]) func everyValueIsFound(_ count: Int) throws {
        var data = try DataElements(parsing: (0..<count).flatMap(Self.object))
        #expect(data.count == count)
        #expect(!data.contains(.applicationPAN))
        for number in 0..<count { #expect(data[Self.tag(number)] == [UInt8(number >> 8), UInt8(number & 0xFF)]) }
        // A second value counts, a removed one is gone, and the others stay.
        #expect(try data.append(parsing: Self.object(3).dropLast(2) + [9, 9]) == [Self.tag(3)])
        #expect(data[Self.tag(3)] == [9, 9])
        data[Self.tag(5)] = nil
        #expect(!data.contains(Self.tag(5)))
        #expect(data[Self.tag(6)] == [0, 6])
        var others = DataElements()
        others.append(Self.tag(7), [1])
        others.append(Self.tag(7), [2])
        data.update(with: others)
        #expect(data[Self.tag(7)] == [2])
        #expect(data.tags.filter { $0 == Self.tag(7) }.count == 1)
    }

    /// What does not parse leaves nothing behind, with the table too.
    @Test(arguments: [100, 127, 128, 500]) func aPartThatDoesNotParseIsTakenBack(_ count: Int) throws {
        var data = try DataElements(parsing: (0..<count).flatMap(Self.object))
        let broken = (count - 5..<count + 60).flatMap(Self.object) + [0x9F]
        #expect(throws: TLVError.self) { try data.append(parsing: broken) }
        #expect(data.count == count)
        #expect(!data.contains(Self.tag(count)))
        #expect(data[Self.tag(count - 1)]?.last == UInt8((count - 1) & 0xFF))
        #expect(try data.append(parsing: Self.object(count)).isEmpty)
        #expect(data[Self.tag(count)] == [UInt8(count >> 8), UInt8(count & 0xFF)])
    }

    /// 8000 tags in 64 parts, half of which fail: with a scan for each tag this takes a thousand
    /// times as long as it may.
    @Test(.timeLimit(.minutes(20))) func manyPartsTakeNoSquare() throws {
        let tags = (0..<8000).flatMap(Self.object)
        var data = DataElements()
        for _ in 0..<64 {
            try data.append(parsing: tags)
            _ = try? data.append(parsing: tags + [0x9F])
        }
        #expect(data.count == 64 * 8000)
    }
}
