import Bytes
import SmartCard
import Testing

/// Bytes are put together from the tables of ISO/IEC 14443-3:2011 and 14443-4:2008, which each test
/// names.
@Suite("Answers by which contactless cards are activated") struct ActivationTests {
    private func answer(_ text: String) throws -> AnswerToSelect { try AnswerToSelect(parsing: [UInt8](hex: text)) }

    @Test("The answer with which nfcpy stands in for a card: FSCI 8; TA 80; FWI 7, SFGI 0; TC 02") func answerToSelect()
        throws
    {
        let answer = try answer("0578807002")
        #expect(answer.bitRates == 0x80)
        #expect(answer.parameters.cardFrameSize == 256)
        #expect(answer.historicalBytes == [])
        #expect(answer.takesCardIdentifier)
        #expect(!answer.takesNodeAddress)
        #expect(answer.parameters.guardTime == .zero)
    }

    @Test(
        "5.2.5: 256 · 16 / 13.56 MHz · 2^FWI, and 49152 periods of grace",
        arguments: [(0, 302_065), (4, 4_833_040), (14, 4_949_032_960)])
    func waitingTime(_ integer: UInt8, _ nanoseconds: Int) throws {
        let answer = try AnswerToSelect(parsing: [3, 0x28, integer << 4])
        #expect(answer.parameters.waitingTime == .nanoseconds(nanoseconds + 3_624_779))
    }

    @Test(
        "5.2.3: FSCI 0 to 8; longer frames are not used",
        arguments: [16, 24, 32, 40, 48, 64, 96, 128, 256, 256, 256].enumerated().map { $0 })
    func frameSize(_ integer: Int, _ size: Int) throws {
        #expect(try AnswerToSelect(parsing: [2, UInt8(integer)]).parameters.cardFrameSize == size)
    }

    @Test("5.2.2: without T0 the card has FSCI 2, FWI 4, SFGI 0 and TC 02") func defaults() throws {
        let answer = try answer("01")
        #expect(answer.parameters == ISODEPParameters(frameSizeInteger: 2, frameWaitingInteger: 4, guardInteger: 0))
        #expect(answer.parameters.cardFrameSize == 32)
        #expect(answer.takesCardIdentifier)
        #expect(!answer.takesNodeAddress)
    }

    @Test("5.2.5: FWI 15 counts as 4, SFGI 15 as 0") func valuesForFutureUse() throws {
        let parameters = try answer("0328FF").parameters
        #expect(parameters == ISODEPParameters(frameSizeInteger: 8, frameWaitingInteger: 4, guardInteger: 0))
        #expect(parameters.guardTime == .zero)
    }

    @Test("5.1: FSDI in the upper half, card identifier 0") func request() {
        #expect(AnswerToSelect.request(frameSizeInteger: 8).hex == "E080")
        #expect(AnswerToSelect.request(frameSizeInteger: 5).hex == "E050")
    }

    @Test func readersWithShorterFrames() throws {
        let parameters = try answer("0578807002").parameters
        #expect(parameters.limited(toBlocksOf: 98).cardFrameSize == 100)
        #expect(parameters.limited(toBlocksOf: 300) == parameters)
        #expect(parameters.limited(toBlocksOf: 98).waitingTime == parameters.waitingTime)
    }

    @Test func interfaceBytesThatAreAbsent() throws {
        let answer = try answer("0A20 4E 73C0210000FFEE")
        #expect(answer.bitRates == nil)
        #expect(answer.historicalBytes == [0x73, 0xC0, 0x21, 0x00, 0x00, 0xFF, 0xEE])
        #expect(answer.parameters.guardTime == .nanoseconds(302_065 << 14) + .nanoseconds(3_624_779))
    }

    @Test(
        "malformed answers to select are named",
        arguments: [
            ("", .empty), ("05788070", .length(named: 5, received: 4)), ("0478807002", .length(named: 4, received: 5)),
            ("00", .length(named: 0, received: 1)),
            ("0270", .truncated), ("0370 80", .truncated), ("0478 8070", .truncated),
        ] as [(String, AnswerToSelect.Malformation)])
    func malformed(_ text: String, _ expected: AnswerToSelect.Malformation) throws {
        let bytes = try [UInt8](hex: text)
        #expect(throws: expected) { try AnswerToSelect(parsing: bytes) }
        #expect(!"\(expected)".isEmpty)
    }

    /// ISO/IEC 14443-3, 7.9: PUPI, application data, protocol information: 106 kbit/s, FSCI 8 and
    /// type 1, FWI 7.
    @Test func answerToRequestB() throws {
        let answer = try AnswerToRequestB(parsing: [UInt8](hex: "50 01020304 00000000 808171"))
        #expect(answer.identifier == [1, 2, 3, 4])
        #expect(answer.applicationData == [0, 0, 0, 0])
        #expect(answer.parameters == ISODEPParameters(frameSizeInteger: 8, frameWaitingInteger: 7, guardInteger: 0))
        #expect(answer.selection(frameSizeInteger: 8).hex == "1D0102030400080100")
    }

    @Test(
        "malformed answers to a request are named",
        arguments: [
            ("", .length(0)), ("50 01020304 00000000 8081", .length(11)),
            ("50 01020304 00000000 808171 0000", .length(14)),
            ("51 01020304 00000000 808171", .firstByte(0x51)), ("50 01020304 00000000 808071", .protocolNotSupported),
            ("50 01020304 00000000 808971", .protocolNotSupported),
        ] as [(String, AnswerToRequestB.Malformation)])
    func malformedB(_ text: String, _ expected: AnswerToRequestB.Malformation) throws {
        let bytes = try [UInt8](hex: text)
        #expect(throws: expected) { try AnswerToRequestB(parsing: bytes) }
        #expect(!"\(expected)".isEmpty)
    }

    @Test("ISO/IEC 14443-3, 7.11: MBLI, and card identifier 0") func answerToAttribution() {
        #expect(AnswerToRequestB.maximumBufferLengthIndex([0x00]) == 0)
        #expect(AnswerToRequestB.maximumBufferLengthIndex([0xB0, 1, 2]) == 11)
        #expect(AnswerToRequestB.maximumBufferLengthIndex([0x01]) == nil)
        #expect(AnswerToRequestB.maximumBufferLengthIndex([]) == nil)
    }
}
