import Bytes
import SmartCard
import Testing

@Suite struct CommandAPDUTests {
    /// ISO/IEC 7816-4, 5.1, table 1: the cases 1, 2, 3 and 4, short and extended.
    @Test(arguments: [
        "00820000", "0084000000", "00B2010C10", "0082000003112233", "00A4040007A000000003101000",
        "00B20104000000", "00B20104000200", "00DA9F58000100" + String(repeating: "AB", count: 256),
        "00880000000101" + String(repeating: "CD", count: 257) + "0000",
    ])
    func readsAndWritesEveryCase(hex: String) throws {
        let bytes = try [UInt8](hex: hex)
        let command = try #require(CommandAPDU(bytes))
        #expect(command.bytes == bytes)
    }

    @Test func lengthsMeanWhatTheStandardSays() throws {
        #expect(CommandAPDU(try [UInt8](hex: "00B2010C00"))?.expectedLength == 256)
        #expect(CommandAPDU(try [UInt8](hex: "00B20104000000"))?.expectedLength == 65536)
        #expect(CommandAPDU(try [UInt8](hex: "0082000003112233"))?.expectedLength == nil)
        #expect(CommandAPDU(try [UInt8](hex: "00A4040007A000000003101000"))?.data.hex == "A0000000031010")
    }

    @Test(arguments: ["", "00A404", "00A40400051122", "00A4040002112233445566", "008800000001011122"])
    func refusesLengthsThatDoNotFit(hex: String) throws {
        #expect(CommandAPDU(try [UInt8](hex: hex)) == nil)
    }

    @Test func neverPrintsItsData() {
        let verify = CommandAPDU.verify(qualifier: 0x80, [0x24, 0x12, 0x34, 0xFF])
        var dumped = ""
        dump(verify, to: &dumped)
        #expect(verify.description == "00200080, 4 bytes of data")
        #expect(!dumped.contains("18"))
        #expect(!dumped.contains("0x12"))
    }
}

@Suite struct ResponseAPDUTests {
    @Test func splitsDataAndStatus() throws {
        let response = try #require(ResponseAPDU(bytes: [0x70, 0x00, 0x90, 0x00]))
        #expect(response.data == [0x70, 0x00])
        #expect(response.status == .success)
        #expect(ResponseAPDU(bytes: [0x90]) == nil)
        #expect(StatusWord(rawValue: 0x63C2).counter == 2)
        #expect(StatusWord(rawValue: 0x6300).counter == nil)
        #expect(StatusWord(rawValue: 0x6300).isWarning)
    }
}

/// Answers commands in order from a list.
actor ListedCard: CardChannel {
    private var answers: [ResponseAPDU]
    private(set) var commands: [CommandAPDU] = []
    init(_ answers: [ResponseAPDU]) { self.answers = answers }
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        commands.append(command)
        return answers.count > 1 ? answers.removeFirst() : answers[0]
    }
}

@Suite struct ProcedureByteHandlingTests {
    @Test func collectsWhatTheCardHolds() async throws {
        let card = ListedCard([ResponseAPDU(status: 0x6102), ResponseAPDU([1, 2], status: 0x6101), ResponseAPDU([3])])
        let response = try await ProcedureByteHandling(card).transmit(.select([0xA0]))
        #expect(response == ResponseAPDU([1, 2, 3]))
        #expect(await card.commands.dropFirst().map(\.bytes.hex) == ["00C0000002", "00C0000001"])
    }

    @Test func repeatsWithTheLengthTheCardNames() async throws {
        let card = ListedCard([ResponseAPDU(status: 0x6C05), ResponseAPDU([1, 2, 3, 4, 5])])
        let response = try await ProcedureByteHandling(card).transmit(.readRecord(1, sfi: 1))
        #expect(response.data.count == 5)
        #expect(await card.commands.last?.bytes.hex == "00B2010C05")
    }

    /// EMV Contact Interface Specification, annex A7: 62xx or 63xx to a command with data both
    /// ways, GET RESPONSE, 6Cxx, GET RESPONSE; the data come with the warning.
    @Test(arguments: [[0x6286 as UInt16, 0x6C03], [0x6286], [0x6300, 0x6103]]) func aWarningIsFollowedByGetResponse(
        _ statuses: [UInt16]
    )
        async throws
    {
        let card = ListedCard(
            statuses.map { ResponseAPDU(status: StatusWord(rawValue: $0)) } + [ResponseAPDU([1, 2, 3])])
        let response = try await ProcedureByteHandling(card).transmit(.select([0xA0]))
        #expect(response == ResponseAPDU([1, 2, 3], status: StatusWord(rawValue: statuses[0])))
        #expect(await card.commands[1].bytes.hex == "00C0000000")
    }

    /// A card that has no data keeps its warning; a command without data both ways is not followed.
    @Test func aWarningWithoutData() async throws {
        let card = ListedCard([ResponseAPDU(status: 0x6283), ResponseAPDU(status: 0x6985)])
        #expect(try await ProcedureByteHandling(card).transmit(.select([0xA0])) == ResponseAPDU(status: 0x6283))
        let pin = ListedCard([ResponseAPDU(status: 0x63C2)])
        #expect(
            try await ProcedureByteHandling(pin).transmit(.verify(qualifier: 0x80, [1])) == ResponseAPDU(status: 0x63C2)
        )
        #expect(await pin.commands.count == 1)
    }

    /// ISO/IEC 7816-4:2020, table 7.
    @Test(arguments: [
        (0x6286 as UInt16, "no input data from a sensor on the card"), (0x6600, "security-related issue"),
        (0x6881, "logical channel not supported"), (0x6882, "secure messaging not supported"),
        (0x6883, "last command of the chain expected"), (0x6884, "command chaining not supported"),
        (0x6900, "command not allowed"),
        (0x6981, "command incompatible with the file structure"),
        (0x6986, "command not allowed: no current elementary file"),
        (0x6A84, "not enough memory space in the file"), (0x6A85, "length Lc inconsistent with the TLV structure"),
        (0x6A87, "length Lc inconsistent with P1-P2"), (0x6A89, "file already exists"),
        (0x6A8A, "DF name already exists"),
        (0x6B00, "wrong parameters P1-P2"), (0x6F00, "no precise diagnosis"), (0x6581, "memory failure"),
        (0x1234, "not a status of ISO/IEC 7816-4"),
    ]) func statusesOfISO(_ status: UInt16, _ words: String) { #expect(StatusWord(rawValue: status).summary == words) }

    @Test(arguments: [StatusWord(rawValue: 0x6100), StatusWord(rawValue: 0x6C00)])
    func givesUpOnACardThatNeverEnds(status: StatusWord) async throws {
        let card = ListedCard([ResponseAPDU([], status: status)])
        let response = try await ProcedureByteHandling(card).transmit(.readRecord(1, sfi: 1))
        #expect(response.status == status)
        #expect(await card.commands.count == 1 + ProcedureByteHandling.maximumRounds)
    }

    /// 61xx and 6Cxx in turn, each with data: a command ends after the same number of rounds, and
    /// what was collected is bounded with it.
    @Test func givesUpOnACardThatAlternates() async throws {
        let storm = (0..<100).map { ResponseAPDU([1, 2, 3], status: $0.isMultiple(of: 2) ? 0x6103 : 0x6C03) }
        let card = ListedCard(storm)
        let response = try await ProcedureByteHandling(card).transmit(.select([0xA0]))
        #expect(await card.commands.count == 1 + ProcedureByteHandling.maximumRounds)
        #expect(response.data.count <= 3 * (1 + ProcedureByteHandling.maximumRounds))
        #expect(response.status != .success)
    }
}
