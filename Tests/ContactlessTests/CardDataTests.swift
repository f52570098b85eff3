import Bytes
import Contactless
import EMVKernel
import SmartCard
import TLV
import Testing

@Suite struct ApplicationInformationTests {
    /// The answer of a real card (devnied/EMV-NFC-Paycard-Enrollment, VisaCardPpse3, Apache-2.0).
    @Test func readsNameListsAndProgram() throws {
        let answer = try [UInt8](
            hex: "6F288407A0000000421010A51D8701019F380C9F66049F02069F37045F2A02BF0C089F5A053108260826")
        let application = try #require(ApplicationInformation(parsing: answer))
        #expect(application.name?.hex == "A0000000421010")
        #expect(try application.pdol()?.contains(.terminalTransactionQualifiers) == true)
        #expect(application.data[.applicationProgramIdentifier]?.hex == "3108260826")
    }

    @Test(arguments: [
        ("", "empty"), ("6F05840412345678", "a length that ends early"), ("7003840112", "another template"),
        ("6F128407A00000000310108407A0000000031010", "a name twice"),
    ])
    func refusesWhatIsNoFCI(hex: String, why: Comment) throws {
        #expect(ApplicationInformation(parsing: try [UInt8](hex: hex)) == nil, why)
    }

    @Test func aNameOfAnotherLengthIsNone() throws {
        let application = try #require(ApplicationInformation(parsing: try [UInt8](hex: "6F068404A0000000")))
        #expect(application.name == nil)
    }
}

@Suite struct RecordReadingTests {
    /// AFL: SFI 3 record 3, SFI 2 records 1 and 2, the first of which is signed.
    private static let locator = "1803030010010201"

    private func read(_ locator: String, _ records: [String]) throws -> (
        sent: [String], card: DataElements, signed: Int
    ) {
        var reading = try RecordReading(try [UInt8](hex: locator), kernel: 3)
        var card = DataElements()
        var sent: [String] = []
        var rest = records[...]
        while let command = reading.command, let record = rest.popFirst() {
            sent.append(command.bytes.hex)
            try reading.take(ResponseAPDU(try [UInt8](hex: record)), into: &card)
        }
        #expect(reading.command == nil)
        #expect(rest.isEmpty)
        return (sent, card, reading.staticData.count)
    }

    @Test func readsInTheLocatorsOrderAndKeepsWhatIsSigned() throws {
        let run = try read(Self.locator, ["70045F340101", "70065F2403491231", "7000"])
        #expect(run.sent == ["00B2031C00", "00B2011400", "00B2021400"])
        #expect(run.card[.panSequenceNumber] == [0x01])
        #expect(run.card[.applicationExpirationDate] == [0x49, 0x12, 0x31])
        #expect(run.signed == 6)
    }

    @Test func anEmptyLocatorListsNothing() throws {
        #expect(try read("", []).sent.isEmpty)
    }

    /// Real cards pad records with zeros, and what is the terminal's or another kernel's does not
    /// count.
    @Test func leavesAsideWhatIsNoneOfTheCards() throws {
        let run = try read("08010100", ["700E5F340101009F0201559F6001FF00" + "0000"])
        #expect(run.card[.panSequenceNumber] == [0x01])
        #expect(!run.card.contains(.amountAuthorised))
        #expect(!run.card.contains(0x9F60))
    }

    @Test func recordsOfOtherFilesAreNotRead() throws {
        #expect(try read("58010100", ["70045F340101"]).card.count == 0)
    }

    @Test(arguments: ["0801", "00010100", "08020100", "08010103"]) func refusesLocatorsThatAreNone(locator: String)
        throws
    {
        let bytes = try [UInt8](hex: locator)
        #expect(throws: Termination.invalidData(.applicationFileLocator)) { try RecordReading(bytes, kernel: 3) }
    }

    @Test func refusesMoreRecordsThanItReads() throws {
        #expect(throws: Termination.tooManyRecords) { try RecordReading([0x08, 0x01, 0x41, 0x00], kernel: 3) }
    }

    @Test(arguments: [("70065F3401015F34", "ends early"), ("77045F340101", "another template"), ("", "empty")])
    func refusesRecordsThatAreNone(record: String, why: Comment) throws {
        #expect(throws: Termination.self, why) { try read("08010100", [record]) }
    }

    @Test func refusesADataObjectThatComesTwice() throws {
        #expect(throws: Termination.repeatedData(.panSequenceNumber)) {
            try read("08010200", ["70045F340101", "70045F340101"])
        }
    }
}

@Suite struct Track2EquivalentTests {
    @Test func readsNumberAndDate() throws {
        var card = DataElements()
        card[.track2EquivalentData] = try [UInt8](hex: "4761739001010010D221220111438444895F")
        #expect(card.pan?.revealed() == Array("4761739001010010".utf8))
        #expect(card.expiry == Array("2212".utf8))
    }

    @Test(arguments: [
        "", "4761739001010010", "4761D2212201", "4761739001010010D22", "47617390A1010010D2212201",
        "4761739001010010DA212",
    ])
    func refusesWhatIsNoTrack(hex: String) throws {
        var card = DataElements()
        card[.track2EquivalentData] = try [UInt8](hex: hex.count.isMultiple(of: 2) ? hex : hex + "F")
        #expect(card.pan == nil)
    }
}

@Suite struct KernelDictionaryTests {
    /// One tag, another thing with each kernel (EMV Contactless Books C-2 and C-3).
    @Test func tagsThatDifferBetweenKernels() {
        #expect(TagDictionary.definition(0x9F66, kernel: 3)?.source == .terminal)
        #expect(TagDictionary.definition(0x9F66, kernel: 2)?.source == .card)
        #expect(TagDictionary.definition(0x9F60, kernel: 3) == nil)
        #expect(TagDictionary.definition(.applicationPAN, kernel: 3)?.source == .card)
    }

    @Test(arguments: [
        ("A0000000031010", 3 as UInt8), ("A0000000041010", 2), ("A00000002501", 4), ("A0000000651010", 5),
        ("A0000001523010", 6),
        ("A0000003241010", 6), ("A000000333010101", 7),
    ])
    func kernelsOfInternationalSystems(aid: String, number: UInt8) throws {
        #expect(KernelIdentifier(ofApplication: try [UInt8](hex: aid)) == KernelIdentifier(international: number))
    }

    @Test func otherApplicationsNameNoKernel() throws {
        #expect(KernelIdentifier(ofApplication: try [UInt8](hex: "A0000000421010")) == nil)
    }
}
