import Bytes
import SmartCard
import Testing

@testable import CardCapture
@testable import CardReaders

/// USB CCID 1.1, chapter 6, byte by byte.
@Suite(.serialized) struct CCIDMessageTests {
    private func hex(_ command: CCIDCommand, slot: UInt8 = 0, sequence: UInt8 = 0) -> String {
        command.bytes(slot: slot, sequence: sequence).hex
    }

    @Test("bMessageType, dwLength, bSlot, bSeq, three bytes of the message's own, data (6.1.1 to 6.1.13)")
    func commands() {
        #expect(hex(.powerOn(.automatic)) == "62000000000000000000")
        #expect(hex(.powerOn(.five), slot: 2, sequence: 7) == "62000000000207010000")
        #expect(hex(.powerOn(.three)) == "62000000000000020000")
        #expect(hex(.powerOn(.eighteenTenths)) == "62000000000000030000")
        #expect(hex(.powerOff, sequence: 255) == "630000000000FF000000")
        #expect(hex(.slotStatus, slot: 1) == "65000000000100000000")
        #expect(
            hex(.transfer([0x00, 0xA4, 0x04, 0x00, 0x00], waitingTimes: 3, level: 0x0102)) == "6F050000000000030201"
                + "00A4040000")
        #expect(hex(.escape([0x1F, 0x01])) == "6B0200000000000000001F01")
        #expect(hex(.abort, slot: 1, sequence: 9) == "72000000000109000000")
        let long = CCIDCommand.transfer([UInt8](repeating: 0xAA, count: 0x10203), waitingTimes: 0, level: 0).bytes(
            slot: 0, sequence: 0)
        #expect(Array(long[1..<5]) == [0x03, 0x02, 0x01, 0x00])
        #expect(long.count == 10 + 0x10203)
    }

    @Test("6.1.7: bProtocolNum and abProtocolDataStructure, five bytes for T=0 and seven for T=1") func parameters()
        throws
    {
        let zero = try #require(CardParameters(try AnswerToReset(parsing: [0x3B, 0x80, 0x40, 0x0C])))
        #expect(hex(.setParameters(zero)) == "61050000000000000000" + "1100000C00")
        let inverse = try #require(CardParameters(try AnswerToReset(parsing: [0x3F, 0x40, 0x05])))
        #expect(hex(.setParameters(inverse)) == "61050000000000000000" + "1102050A00")
        var one = try #require(CardParameters(try AnswerToReset(parsing: EmulatedCard.t1)))
        #expect(hex(.setParameters(one)) == "61070000000000010000" + "11100045" + "00FE00")
        one.rate = try #require(BitRate(code: 0x95))
        one.checksum = .crc
        one.clockStop = 3
        #expect(hex(.setParameters(one)) == "61070000000000010000" + "95110045" + "03FE00")
    }

    @Test("answers of a reader are parsed") func answers() throws {
        let data = try #require(CCIDAnswer([0x80, 2, 0, 0, 0, 1, 9, 0x00, 0x00, 0x03, 0x90, 0x00]))
        #expect(data.kind == .data)
        #expect(data.slot == 1)
        #expect(data.sequence == 9)
        #expect(data.card == .active)
        #expect(data.result == .done)
        #expect(data.parameter == 3)
        #expect(data.data == [0x90, 0x00])
        let failed = try #require(CCIDAnswer([0x80, 0, 0, 0, 0, 0, 0, 0x41, 0xFE, 0]))
        #expect(failed.card == .inactive)
        #expect(failed.result == .failed(0xFE))
        let waits = try #require(CCIDAnswer([0x80, 0, 0, 0, 0, 0, 0, 0x80, 0x05, 0]))
        #expect(waits.result == .moreTime(5))
        #expect(waits.card == .active)
        #expect(CCIDAnswer([0x81, 0, 0, 0, 0, 0, 0, 0x02, 0, 0])?.card == .absent)
        for (type, kind) in [(0x82, CCIDAnswer.Kind.parameters), (0x83, .escape), (0x84, .rate)]
            as [(UInt8, CCIDAnswer.Kind)]
        {
            #expect(CCIDAnswer([type, 0, 0, 0, 0, 0, 0, 0, 0, 0])?.kind == kind)
        }
    }

    @Test(
        "Too short, of an unknown type, of a state that is reserved, with fewer data than it says",
        arguments: [
            "", "80", "800000000000000000", "7F000000000000000000", "80000000000000030000", "8001000000000000000000FF",
        ])
    func whatIsNone(_ hex: String) throws {
        let bytes = try [UInt8](hex: hex)
        #expect(CCIDAnswer(bytes) == nil || hex.count == 24)
        #expect(CCIDAnswer([0x80, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0]) == nil)
        #expect(CCIDAnswer([0x80, 1, 0, 0, 0, 0, 0, 0, 0, 0]) == nil)
    }

    @Test("Two bits a slot: a card is there, and that changed (6.3.1)") func notifications() {
        #expect(CCIDNotification([0x50, 0b11], slotCount: 1) == .slots([0: true]))
        #expect(CCIDNotification([0x50, 0b10], slotCount: 1) == .slots([0: false]))
        #expect(CCIDNotification([0x50, 0b01], slotCount: 1) == .slots([:]))
        #expect(CCIDNotification([0x50, 0b1000_0011, 0b10], slotCount: 5) == .slots([0: true, 3: false, 4: false]))
        #expect(CCIDNotification([0x50, 0b11], slotCount: 6) == .slots([0: true]))
        #expect(CCIDNotification([0x51, 2, 0, 1], slotCount: 3) == .hardwareError(slot: 2))
        #expect(CCIDNotification([0x51], slotCount: 1) == nil)
        #expect(CCIDNotification([], slotCount: 1) == nil)
        #expect(CCIDNotification([0x40, 1], slotCount: 1) == nil)
        #expect(CCIDNotification([0x50], slotCount: 1) == .slots([:]))
    }

    /// The formats are those that the middleware of Belgium's identity card gives for the same
    /// block: 89, 47, 04; 6.1.11 has the order, without the second time out and the length that
    /// PC/SC part 10 puts in between.
    @Test("PC_to_RDR_Secure") func pinEntry() {
        let verify = PINPadEntry(operation: .verify(qualifier: 0x80), timeout: 30)
        let block = "20FFFFFFFFFFFFFF"
        #expect(verify.bytes().hex == "001E8947040C040201090400" + "000000" + "0020008008\(block)")
        #expect(
            verify.bytes(prologue: [0, 0x40, 13]).hex == "001E8947040C040201090400" + "00400D" + "0020008008\(block)")
        let change = PINPadEntry(operation: .change(qualifier: 0x80, confirms: true), timeout: 0, digits: 4...6)
        #expect(change.bytes().hex == "0100894704000806040302030904000102" + "000000" + "0024008010\(block)\(block)")
        #expect(PINPadEntry(operation: .change(qualifier: 0x80, confirms: false)).bytes()[9] == 0x02)
        #expect(verify.answerTimeout == .seconds(90))
        #expect(PINPadEntry(operation: .verify(qualifier: 0x80), timeout: 200).answerTimeout == .seconds(210))
    }

    @Test func errorsHaveTheirWords() {
        let codes: [UInt8] = [
            0xFF, 0xFE, 0xFD, 0xFC, 0xFB, 0xF8, 0xF7, 0xF6, 0xF5, 0xF4, 0xF3, 0xF2, 0xF0, 0xEF, 0xE0, 0x00,
        ]
        for code in codes {
            #expect(!CCIDError(code).description.contains("byte") || code == 0xF4)
            #expect(!CCIDError(code).description.contains("own"))
        }
        #expect(CCIDError(7).description.contains("byte 7"))
        #expect(CCIDError(0x90).description.contains("144"))
    }
}
