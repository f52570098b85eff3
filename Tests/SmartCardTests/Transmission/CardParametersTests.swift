import Bytes
import SmartCard
import Testing

@Suite struct CardParametersTests {
    private func parameters(_ hex: String, requested: CardParameters.TransmissionProtocol? = nil) throws
        -> CardParameters?
    {
        CardParameters(try AnswerToReset(parsing: [UInt8](hex: hex)), requested: requested)
    }

    @Test("The answers that smartcard-atr.apdu.fr explains byte by byte, as in `AnswerToResetTests`")
    func publishedAnswers() throws {
        let bank = try #require(try parameters("3BE900FF8131FE45434C6169726533203628"))
        #expect(bank.transmissionProtocol == .t1)
        #expect(bank.rate == .initial)
        #expect(bank.extraGuardTime == 255)
        #expect(bank.informationFieldSize == 254)
        #expect(bank.blockWaitingInteger == 4)
        #expect(bank.characterWaitingInteger == 5)
        #expect(bank.checksum == .lrc)
        #expect(bank.convention == .direct)

        let identity = "3BFE1800008031FE45803180664090A4162A00830F9000EF"
        let zero = try #require(try parameters(identity))
        // TA1 is an offer only: the card is spoken to as every card is at first.
        #expect(zero.transmissionProtocol == .t0)
        #expect(zero.rate == .initial)
        #expect(zero.waitingInteger == 10)
        #expect(zero.extraGuardTime == 0)
        let one = try #require(try parameters(identity, requested: .t1))
        #expect(one.informationFieldSize == 254)
        #expect(one.blockWaitingInteger == 4)
        #expect(one.characterWaitingInteger == 5)

        let cash = try #require(try parameters("3B2A00806524B0000200829000"))
        #expect(cash.transmissionProtocol == .t0)
        #expect(try parameters("3B2A00806524B0000200829000", requested: .t1) == nil)
    }

    /// ISO/IEC 7816-3:2006, 8.3: with TA2 the card's rate counts at once, unless its bit 5 leaves
    /// the rate to what the reader knows.
    @Test("With TA2 the card's rate counts at once") func specificMode() throws {
        let fast = try #require(CardParameters(try checkedATR("3BF0130000910131FE45")))
        #expect(fast.transmissionProtocol == .t1)
        #expect(fast.rate.adjustment == 4)
        #expect(fast.rate.clockRateConversion == 372)
        let implicit = try #require(CardParameters(try checkedATR("3BF0130000911131FE45")))
        #expect(implicit.rate == .initial)
        // T=1 is kept to, so T=0 cannot be had, even though it is named first.
        let kept = try checkedATR("3BF0130000900131FE45")
        #expect(CardParameters(kept)?.transmissionProtocol == .t1)
        #expect(CardParameters(kept, requested: .t0) == nil)
    }

    /// Without the bytes: WI 10, IFSC 32, CWI 13, BWI 4, LRC (10.2, 11.2 and 11.4). Values that are
    /// reserved count as these.
    @Test("absent interface bytes have their default values") func defaults() throws {
        let bare = try #require(CardParameters(try checkedATR("3B8001")))
        #expect(bare.transmissionProtocol == .t1)
        #expect(bare.informationFieldSize == 32)
        #expect(bare.checksum == .lrc)
        #expect(bare.blockWaitingInteger == 4)
        #expect(bare.characterWaitingInteger == 13)
        #expect(bare.clockStop == 0)
        #expect(CardParameters(try checkedATR("3B80811100"))?.informationFieldSize == 32)
        #expect(CardParameters(try checkedATR("3B808111FF"))?.informationFieldSize == 32)
        #expect(try parameters("3B80400C")?.waitingInteger == 12)
        #expect(try parameters("3B804000")?.waitingInteger == 10)
    }

    /// The first TC of T=1 says which check bytes; the bytes of T=15 are not those of T=1, wherever
    /// they stand.
    @Test func bytesOfTheirProtocol() throws {
        #expect(CardParameters(try checkedATR("3B80814101"))?.checksum == .crc)
        let first = try #require(CardParameters(try checkedATR("3B8081B1FE451FC7")))
        #expect(first.informationFieldSize == 254)
        #expect(first.clockStop == 3)
        let twice = try #require(CardParameters(try checkedATR("3B808191401120")))
        #expect(twice.informationFieldSize == 0x40)
    }

    @Test("A card that offers other protocols only is not used") func otherProtocols() throws {
        #expect(CardParameters(try checkedATR("3B8002")) == nil)
        #expect(CardParameters(try checkedATR("3B80820F")) == nil)
        #expect(CardParameters(try checkedATR("3B808201"))?.transmissionProtocol == .t1)
    }
}
