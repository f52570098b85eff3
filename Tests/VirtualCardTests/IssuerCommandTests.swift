import CardCryptography
import SmartCard
import TLV
import Testing
import VirtualCard

/// What only the issuer may command (EMV 4.4 Book 3, 6.5.1 to 6.5.3 and 6.5.10; PUT DATA and UPDATE
/// RECORD of ISO/IEC 7816-4).
@Suite struct IssuerCommandTests {
    private static let aid: [UInt8] = [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10]
    private static let begin: [CommandAPDU] = [.select(aid), .getProcessingOptions([0x83, 0x00])]
    private static let cdol1 = [UInt8](repeating: 0, count: 29)
    private static let cdol2 = [0x30, 0x30] + cdol1

    private static let applicationBlock: [UInt8] = [0x84, 0x1E, 0, 0]
    private static let applicationUnblock: [UInt8] = [0x84, 0x18, 0, 0]
    private static let cardBlock: [UInt8] = [0x84, 0x16, 0, 0]
    private static let pinUnblock: [UInt8] = [0x84, 0x24, 0, 0]

    private func card(_ change: (inout CardProfile) -> Void = { _ in }) throws -> VirtualCard {
        VirtualCard(try .shared(change))
    }

    /// Begins a transaction that wants the issuer.
    private func goOnline(_ card: VirtualCard) async throws -> BookScript {
        for command in Self.begin { _ = try await card.transmit(command) }
        return try BookScript(try await card.transmit(.generateAC(0x80, Self.cdol1)))
    }

    private func status(_ card: VirtualCard, _ command: CommandAPDU) async throws -> StatusWord {
        try await card.transmit(command).status
    }

    /// Tag 9F27 and tag 9F10 of a GENERATE AC.
    private func cryptogram(_ card: VirtualCard, _ control: UInt8, _ values: [UInt8]) async throws -> (
        type: UInt8?, cvr: [UInt8]
    ) {
        let elements = try DataElements(parsing: try await card.transmit(.generateAC(control, values)).data)
        return (
            elements[.cryptogramInformationData]?.first, Array((elements[.issuerApplicationData] ?? []).dropFirst(3))
        )
    }

    private func verify(_ card: VirtualCard, _ pin: [UInt8]) async throws -> StatusWord {
        try await status(card, .verify(qualifier: 0x80, [0x24] + pin + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF]))
    }

    // MARK: Secure messaging

    @Test(
        "A command with a wrong code of authentication is refused",
        arguments: [[0x84, 0x1E, 0, 0], [0x84, 0x18, 0, 0], [0x84, 0x16, 0, 0], [0x84, 0x24, 0, 0]] as [[UInt8]])
    func protection(_ header: [UInt8]) async throws {
        let card = try card()
        let script = try await goOnline(card)
        let right = try script.command(header)
        #expect(try await status(card, CommandAPDU(cla: 0x84, ins: header[1])) == .secureMessagingDataMissing)
        #expect(
            try await status(card, CommandAPDU(cla: 0x84, ins: header[1], data: [1, 2, 3, 4]))
                == .secureMessagingDataMissing)
        #expect(try await status(card, CommandAPDU(cla: 0x80, ins: header[1])) == .secureMessagingDataMissing)
        #expect(try await status(card, CommandAPDU(cla: 0x8C, ins: header[1], data: right.data)) == .classNotSupported)
        for index in right.data.indices {
            var wrong = right
            wrong.data[index] ^= 0x80
            #expect(try await status(card, wrong) == .secureMessagingDataIncorrect)
        }
        #expect(try await status(card, script.command([0x84, header[1], 0x00, 0x05])) == .incorrectP1P2)
        #expect(try await status(card, script.command(header, [0x55])) == .wrongLength)
        #expect(try await status(card, right) == .success)
    }

    /// The MAC holds for one transaction only, and there is none before its first cryptogram.
    @Test func belongsToATransaction() async throws {
        let card = try card()
        let command = try (try await goOnline(card)).command(Self.applicationBlock)
        await card.reset()
        #expect(try await status(card, command) == .conditionsNotSatisfied)
        for begin in Self.begin { _ = try await card.transmit(begin) }
        #expect(try await status(card, command) == .conditionsNotSatisfied)
        _ = try await card.transmit(.generateAC(0x80, Self.cdol1))
        #expect(try await status(card, command) == .secureMessagingDataIncorrect)
    }

    /// A command that the profile leaves out is none that the card knows (6.3.5: SW 6D00),
    /// protected or not; the others stay.
    @Test func commandsOfTheProfile() async throws {
        let card = try card { $0.issuerCommands = [.applicationBlock] }
        let script = try await goOnline(card)
        #expect(try await status(card, script.command(Self.cardBlock)) == .instructionNotSupported)
        #expect(try await status(card, script.command(Self.pinUnblock)) == .instructionNotSupported)
        #expect(try await status(card, script.command(Self.applicationBlock)) == .success)
    }

    // MARK: Blocking

    @Test("6.5.1: SELECT answers 6283 and only AACs are given, until it is unblocked (6.5.2); the block lasts")
    func applicationBlock()
        async throws
    {
        let card = try card()
        let script = try await goOnline(card)
        #expect(try await status(card, script.command(Self.applicationBlock)) == .success)
        #expect(try await cryptogram(card, 0x40, Self.cdol2).type == 0x00)
        await card.reset()
        let selection = try await card.transmit(.select(Self.aid))
        #expect(selection.status == .selectedFileInvalidated)
        #expect(selection.data.first == 0x6F)
        #expect(try await status(card, .getProcessingOptions([0x83, 0x00])) == .conditionsNotSatisfied)
    }

    @Test("6.5.2, 6.5.1.5: the issuer takes the block back in the same transaction; doing either twice is not an error")
    func applicationUnblock() async throws {
        let card = try card()
        let script = try await goOnline(card)
        for header in [Self.applicationBlock, Self.applicationBlock, Self.applicationUnblock, Self.applicationUnblock] {
            #expect(try await status(card, script.command(header)) == .success)
        }
        #expect(try await cryptogram(card, 0x40, Self.cdol2).type == 0x40)
        #expect(try await status(card, .select(Self.aid)) == .success)
    }

    /// 6.5.1.1: a blocked application that begins a transaction answers each request with an AAC;
    /// over it the issuer unblocks.
    @Test func unblocksOverAnAAC() async throws {
        let card = try card {
            $0.applications[0].isBlocked = true
            $0.beginsTransactionsWhenBlocked = true
        }
        for command in Self.begin { _ = try await card.transmit(command) }
        let answer = try await card.transmit(.generateAC(0x80, Self.cdol1))
        #expect(try DataElements(parsing: answer.data)[.cryptogramInformationData] == [0x00])
        #expect(try await status(card, BookScript(answer).command(Self.applicationUnblock)) == .success)
        #expect(try await status(card, .select(Self.aid)) == .success)
        _ = try await card.transmit(Self.begin[1])
        #expect(try await cryptogram(card, 0x40, Self.cdol1).type == 0x40)
    }

    /// One application of two is blocked, the other works.
    @Test func blocksTheSelectedApplicationOnly() async throws {
        let other: [UInt8] = [0xA0, 0, 0, 0, 0x03, 0x20, 0x10]
        let card = try card { $0.applications.append(CardApplication(aid: other, label: "OTHER")) }
        let script = try await goOnline(card)
        #expect(try await status(card, script.command(Self.applicationBlock)) == .success)
        #expect(try await status(card, .select(Self.aid)) == .selectedFileInvalidated)
        #expect(try await status(card, .select(other)) == .success)
    }

    @Test("6.5.3: every SELECT ends with 6A81, for ever, and nothing else is done") func cardBlock() async throws {
        let card = try card()
        let script = try await goOnline(card)
        #expect(try await status(card, script.command(Self.cardBlock)) == .success)
        #expect(try await cryptogram(card, 0x40, Self.cdol2).type == 0x00)
        await card.reset()
        for name in [Self.aid, Array("1PAY.SYS.DDF01".utf8), [0xA0, 0, 0, 0, 0x04]] {
            let answer = try await card.transmit(.select(name))
            #expect(answer.status == .functionNotSupported)
            #expect(answer.data.isEmpty)
        }
        #expect(try await status(card, .getProcessingOptions([0x83, 0x00])) == .conditionsNotSatisfied)
    }

    // MARK: PIN

    @Test("6.5.10.1: the try counter goes to its limit, the PIN stays") func pinUnblock() async throws {
        let card = try card()
        _ = try await card.transmit(Self.begin[0])
        _ = try await card.transmit(Self.begin[1])
        for _ in 1...3 { _ = try await verify(card, [0x99, 0x99]) }
        #expect(try await verify(card, [0x12, 0x34]) == .authenticationMethodBlocked)
        let script = try BookScript(try await card.transmit(.generateAC(0x80, Self.cdol1)))
        #expect(try await status(card, script.command(Self.pinUnblock)) == .success)
        #expect(await card.pinTriesLeft == 3)
        #expect(try await verify(card, [0x12, 0x34]) == .success)
    }

    @Test("6.5.10.1: a new PIN, and the try counter to its limit; it lasts over a power-down") func pinChange()
        async throws
    {
        let card = try card()
        let script = try await goOnline(card)
        _ = try await verify(card, [0x99, 0x99])
        #expect(try await status(card, script.pinChange([0x56, 0x78])) == .success)
        #expect(await card.pinTriesLeft == 3)
        await card.reset()
        for command in Self.begin { _ = try await card.transmit(command) }
        #expect(try await verify(card, [0x12, 0x34]) == .counter(2))
        #expect(try await verify(card, [0x56, 0x78]) == .success)
    }

    /// A block that holds no PIN changes nothing; neither does one that was made for P2 01.
    @Test func brokenPINBlocks() async throws {
        let card = try card()
        let script = try await goOnline(card)
        #expect(try await status(card, script.pinChange([0xAB, 0xCD])) == .wrongData)
        #expect(try await status(card, script.pinChange([0x56, 0x78], qualifier: 0x01)) == .wrongData)
        let noise = try script.command([0x84, 0x24, 0, 0x02], [UInt8](repeating: 0, count: 16))
        #expect(try await status(card, noise) == .secureMessagingDataIncorrect)
        #expect(try await status(card, script.command([0x84, 0x24, 0, 0x03])) == .incorrectP1P2)
        #expect(try await verify(card, [0x12, 0x34]) == .success)
    }

    @Test func cardWithoutPIN() async throws {
        let card = try card { $0.pin = nil }
        let script = try await goOnline(card)
        #expect(try await status(card, script.command(Self.pinUnblock)) == .conditionsNotSatisfied)
    }

    // MARK: Data

    @Test("PUT DATA changes the counters and limits that the issuer may change") func putData() async throws {
        let card = try card { $0.consecutiveOfflineLimits = 1...2 }
        let script = try await goOnline(card)
        #expect(try await card.transmit(.getData(0x9F14)).data == [0x9F, 0x14, 0x01, 0x01])
        #expect(try await status(card, script.command([0x04, 0xDA, 0x9F, 0x14], [0x05])) == .success)
        #expect(try await status(card, script.command([0x04, 0xDA, 0x9F, 0x23], [0x09])) == .success)
        #expect(try await status(card, script.command([0x04, 0xDA, 0x9F, 0x23], [0x09, 0x09])) == .wrongData)
        for readOnly: [UInt8] in [[0x9F, 0x36], [0x9F, 0x13], [0x9F, 0x17]] {
            #expect(try await status(card, script.command([0x04, 0xDA] + readOnly, [0x01])) == .conditionsNotSatisfied)
        }
        #expect(try await status(card, script.command([0x04, 0xDA, 0xDF, 0x01], [0x01])) == .referencedDataNotFound)
        #expect(
            try await status(card, CommandAPDU(cla: 0x00, ins: 0xDA, p1: 0x9F, p2: 0x14, data: [0x05]))
                == .secureMessagingDataMissing)
        await card.reset()
        _ = try await card.transmit(.select(Self.aid))
        #expect(try await card.transmit(.getData(0x9F14)).data == [0x9F, 0x14, 0x01, 0x05])
        #expect(try await card.transmit(.getData(0x9F23)).data == [0x9F, 0x23, 0x01, 0x09])
    }

    @Test("UPDATE RECORD changes a record") func updateRecord() async throws {
        let card = try card()
        let script = try await goOnline(card)
        let record: [UInt8] = [0x70, 0x05, 0x5F, 0x20, 0x02, 0x41, 0x2F]
        #expect(try await status(card, script.command([0x04, 0xDC, 0x01, 0x0C], record)) == .success)
        #expect(try await status(card, script.command([0x04, 0xDC, 0x02, 0x0C], record)) == .recordNotFound)
        #expect(try await status(card, script.command([0x04, 0xDC, 0x01, 0x4C], record)) == .fileNotFound)
        #expect(try await status(card, script.command([0x04, 0xDC, 0x00, 0x0C], record)) == .incorrectP1P2)
        #expect(try await status(card, script.command([0x04, 0xDC, 0x01, 0x0C], record + [0])) == .wrongData)
        #expect(try await status(card, script.command([0x04, 0xDC, 0x01, 0x0C], [0x77, 0x00])) == .wrongData)
        await card.reset()
        _ = try await card.transmit(.select(Self.aid))
        #expect(try await card.transmit(.readRecord(1, sfi: 1)).data == record)
    }

    // MARK: Card verification results

    /// The next ARQC tells how many commands the card carried out, and that one failed: Visa's CVR,
    /// byte 4, bits 8 to 5 and 4 (openemv/emv-utils, `emv_fields.h`). A transaction in which the
    /// issuer does not show itself changes nothing.
    @Test func theIssuerReceivesTheScriptResults() async throws {
        let card = try card()
        let script = try await goOnline(card)
        #expect(try await status(card, script.command(Self.pinUnblock)) == .success)
        #expect(try await status(card, script.command(Self.applicationUnblock)) == .success)
        #expect(try await cryptogram(card, 0x40, Self.cdol2).cvr == [0x03, 0x60, 0x00, 0x20])
        var wrong = try script.command(Self.pinUnblock)
        wrong.data[0] ^= 1
        #expect(try await status(card, wrong) == .secureMessagingDataIncorrect)
        for _ in 1...2 {
            await card.reset()
            for command in Self.begin { _ = try await card.transmit(command) }
            #expect(try await cryptogram(card, 0x80, Self.cdol1).cvr == [0x03, 0xA0, 0x00, 0x28])
        }
    }
}
