import CardCryptography
import SmartCard
import TLV
import Testing
import VirtualCard

/// What the card refuses, and with which status word (EMV 4.4 Book 3, 6.3.5 and 6.5; Book 1, 11).
@Suite("What the card refuses, and with which status word") struct CommandTests {
    private static let aid: [UInt8] = [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10]
    private static let begin: [CommandAPDU] = [.select(aid), .getProcessingOptions([0x83, 0x00])]
    /// CDOL1 as the default profile has it: 29 bytes.
    private static let cdol1 = [UInt8](repeating: 0, count: 29)

    /// The status word of the last of `commands`.
    private func status(_ commands: [CommandAPDU], _ change: (inout CardProfile) -> Void = { _ in }) async throws
        -> StatusWord
    {
        let card = VirtualCard(try .shared(change))
        var status = StatusWord.success
        for command in commands { status = try await card.transmit(command).status }
        return status
    }

    @Test func unknownCommandsAndClasses() async throws {
        #expect(try await status([CommandAPDU(ins: 0x02)]) == .instructionNotSupported)
        #expect(try await status([CommandAPDU(cla: 0x80, ins: 0xA4, p1: 4, data: Self.aid)]) == .classNotSupported)
    }

    @Test("SELECT finds applications by name and partial name") func selection() async throws {
        #expect(try await status([.select([0xA0, 0, 0, 0, 0x99])]) == .fileNotFound)
        #expect(try await status([.select(Array(Self.aid.prefix(5)))]) == .success)
        #expect(try await status([.select(Array(Self.aid.prefix(4)))]) == .wrongLength)
        #expect(try await status([.select(Self.aid), .select(Self.aid, next: true)]) == .fileNotFound)
        #expect(try await status([CommandAPDU(ins: 0xA4, p1: 0x00, data: Self.aid)]) == .incorrectP1P2)
        #expect(try await status([.select(Array("1PAY.SYS.DDF01".utf8)), .readRecord(1, sfi: 1)]) == .success)
        #expect(try await status([.select(Array("1PAY.SYS.DDF01".utf8)), .readRecord(2, sfi: 1)]) == .recordNotFound)
        #expect(
            try await status([.select(Array("1PAY.SYS.DDF01".utf8))]) { $0.hasPaymentSystemEnvironment = false }
                == .fileNotFound)
    }

    @Test("READ RECORD returns the records of the AFL") func records() async throws {
        #expect(try await status([.readRecord(1, sfi: 1)]) == .conditionsNotSatisfied)
        #expect(try await status([.select(Self.aid), .readRecord(1, sfi: 9)]) == .fileNotFound)
        #expect(try await status([.select(Self.aid), .readRecord(9, sfi: 1)]) == .recordNotFound)
        #expect(try await status([.select(Self.aid), .readRecord(0, sfi: 1)]) == .incorrectP1P2)
    }

    @Test("GET PROCESSING OPTIONS is accepted once, with the data of the PDOL") func processingOptions() async throws {
        #expect(try await status([.getProcessingOptions([0x83, 0x00])]) == .conditionsNotSatisfied)
        #expect(try await status(Self.begin) == .success)
        #expect(try await status(Self.begin + [.getProcessingOptions([0x83, 0x00])]) == .conditionsNotSatisfied)
        #expect(try await status([.select(Self.aid), .getProcessingOptions([0x83, 0x01, 0x00])]) == .wrongLength)
        #expect(try await status([.select(Self.aid), .getProcessingOptions([0x77, 0x00])]) == .wrongData)
        #expect(try await status(Self.begin) { $0.initialATC = .max } == .conditionsNotSatisfied)
    }

    @Test("GET DATA returns the card's counters") func data() async throws {
        #expect(try await status([.select(Self.aid), .getData(0x9F17)]) == .success)
        #expect(try await status([.select(Self.aid), .getData(0x9F4F)]) == .referencedDataNotFound)
        #expect(try await status([.select(Self.aid), .getData(0x9F17)]) { $0.pin = nil } == .referencedDataNotFound)
        let card = VirtualCard(try .shared { $0.initialATC = 0x0123 })
        for command in Self.begin { _ = try await card.transmit(command) }
        #expect(try await card.transmit(.getData(0x9F36)).data == [0x9F, 0x36, 0x02, 0x01, 0x24])
        #expect(try await card.transmit(.getData(0x9F13)).data == [0x9F, 0x13, 0x02, 0x00, 0x00])
    }

    @Test("GENERATE AC returns cryptograms") func cryptograms() async throws {
        #expect(try await status([.select(Self.aid), .generateAC(0x40, Self.cdol1)]) == .conditionsNotSatisfied)
        #expect(try await status(Self.begin + [.generateAC(0x40, Self.cdol1 + [0])]) == .wrongLength)
        #expect(try await status(Self.begin + [.generateAC(0x40, Array(Self.cdol1.dropLast()))]) == .wrongLength)
        #expect(try await status(Self.begin + [.generateAC(0xC0, Self.cdol1)]) == .incorrectP1P2)
        let complete = Self.begin + [.generateAC(0x40, Self.cdol1)]
        #expect(try await status(complete) == .success)
        #expect(try await status(complete + [.generateAC(0x40, Self.cdol1)]) == .conditionsNotSatisfied)
        let online = Self.begin + [.generateAC(0x80, Self.cdol1)]
        #expect(try await status(online + [.generateAC(0x40, Self.cdol1)]) == .wrongLength)
        #expect(try await status(online + [.generateAC(0x80, [0x30, 0x30] + Self.cdol1)]) == .conditionsNotSatisfied)
        let twice = online + [.generateAC(0x40, [0x30, 0x30] + Self.cdol1)]
        #expect(try await status(twice) == .success)
        #expect(try await status(twice + [.generateAC(0x00, [0x30, 0x30] + Self.cdol1)]) == .conditionsNotSatisfied)
    }

    @Test("EXTERNAL AUTHENTICATE is accepted once, after an ARQC") func externalAuthentication() async throws {
        let online = Self.begin + [.generateAC(0x80, Self.cdol1)]
        let wrong = CommandAPDU.externalAuthenticate([UInt8](repeating: 0x55, count: 8))
        #expect(try await status(Self.begin + [wrong]) == .conditionsNotSatisfied)
        #expect(try await status(online + [.externalAuthenticate([1, 2, 3])]) == .wrongLength)
        #expect(try await status(online + [wrong]) == .authenticationFailed)
        #expect(try await status(online + [wrong, wrong]) == .conditionsNotSatisfied)
    }

    @Test("VERIFY checks the PIN and counts tries") func verification() async throws {
        let wrong = CommandAPDU.verify(qualifier: 0x80, [0x24, 0x99, 0x99, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        let right = CommandAPDU.verify(qualifier: 0x80, [0x24, 0x12, 0x34, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(try await status(Self.begin + [right]) == .success)
        #expect(try await status(Self.begin + [wrong]) == .counter(2))
        #expect(try await status(Self.begin + [wrong, wrong, wrong]) == .counter(0))
        #expect(try await status(Self.begin + [wrong, wrong, wrong, right]) == .authenticationMethodBlocked)
        #expect(try await status(Self.begin + [wrong, right, wrong]) == .counter(2))
        #expect(try await status(Self.begin + [.verify(qualifier: 0x80, [0x24, 0x12])]) == .wrongLength)
        #expect(try await status(Self.begin + [.verify(qualifier: 0x81, [0x24, 0x12])]) == .incorrectP1P2)
        // Enciphered without a challenge, and with one that another command has spent.
        let noise = CommandAPDU.verify(qualifier: 0x88, [UInt8](repeating: 0, count: 128))
        // What cannot be deciphered: 6984 (Book 2, 7.2).
        #expect(try await status(Self.begin + [noise]) == .referencedDataInvalidated)
        #expect(try await status(Self.begin + [.getChallenge, .getData(0x9F17), noise]) == .referencedDataInvalidated)
    }

    @Test("INTERNAL AUTHENTICATE takes the data of the DDOL") func internalAuthentication() async throws {
        #expect(try await status(Self.begin + [.internalAuthenticate([1, 2, 3, 4])]) == .success)
        #expect(try await status(Self.begin + [.internalAuthenticate([1, 2, 3])]) == .wrongLength)
        #expect(try await status([.select(Self.aid), .internalAuthenticate([1, 2, 3, 4])]) == .conditionsNotSatisfied)
    }

    @Test("A card pulled and put in again remembers its counters, and nothing of the transaction") func reset()
        async throws
    {
        let card = VirtualCard(try .shared())
        for command in Self.begin { _ = try await card.transmit(command) }
        await card.reset()
        #expect(try await card.transmit(.generateAC(0x40, Self.cdol1)).status == .conditionsNotSatisfied)
        #expect(await card.applicationTransactionCounter == 1)
    }

    @Test("EMV 4.4 Book 3, annex D: the log lists the latest transaction first, in the format that GET DATA tells")
    func log() async throws {
        let card = VirtualCard(
            try .shared {
                $0.logFormat = DOL(entries: [
                    DOL.Entry(.applicationTransactionCounter, 2), DOL.Entry(.amountAuthorised, 6),
                ])
            })
        for amount in [UInt8(0x01), 0x02] {
            let values = [0, 0, 0, 0, 0, amount] + [UInt8](repeating: 0, count: 23)
            for command in Self.begin + [.generateAC(0x40, values)] { _ = try await card.transmit(command) }
        }
        #expect(
            try await card.transmit(.getData(0x9F4F)).data == [0x9F, 0x4F, 0x06, 0x9F, 0x36, 0x02, 0x9F, 0x02, 0x06])
        #expect(try await card.transmit(.readRecord(1, sfi: 11)).data == [0, 2, 0, 0, 0, 0, 0, 2])
        #expect(try await card.transmit(.readRecord(2, sfi: 11)).data == [0, 1, 0, 0, 0, 0, 0, 1])
        #expect(try await card.transmit(.readRecord(3, sfi: 11)).status == .recordNotFound)
    }
}
