import CardCryptography
import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard

/// EMV 4.4 Book 3, 10.5 and 6.5.12.
@Suite struct CardholderVerificationTests {
    private func run(_ code: CVMCode, pins: [String], tries: UInt8 = 3) async throws -> (
        outcome: Outcome, card: VirtualCard
    ) {
        let card = VirtualCard(
            try .shared {
                $0.cvmList = CVMList(rules: [CVMRule(code: code, continuesIfUnsuccessful: false, condition: .always)])
                $0.pinTryLimit = tries
            })
        var bench = Bench(card.card)
        bench.configuration.capabilities.insert(.encipheredOfflinePINByRSA)
        bench.cardholder.pinPad = TestPINPad(pins)
        return (await bench.run(card, issuer: BookIssuer(.approve)).outcome, card)
    }

    @Test(arguments: [CVMCode.plaintextPIN, .encipheredPIN])
    func rightPIN(_ code: CVMCode) async throws {
        let (outcome, card) = try await run(code, pins: ["1234"])
        #expect(outcome.decision == .approved(.offline))
        #expect(outcome.cvmResults.bytes == [code.rawValue, 0x00, 0x02])
        #expect(await card.pinTriesLeft == 3)
    }

    @Test(arguments: [CVMCode.plaintextPIN, .encipheredPIN])
    func wrongThenRightPIN(_ code: CVMCode) async throws {
        let (outcome, card) = try await run(code, pins: ["9999", "1234"])
        #expect(outcome.decision == .approved(.offline))
        #expect(outcome.tvr == [])
        #expect(await card.pinTriesLeft == 3)
    }

    /// The limit passed: TVR byte 3, bits 8 and 6; IAC online sends the transaction to the issuer.
    @Test(arguments: [CVMCode.plaintextPIN, .encipheredPIN])
    func blockedPIN(_ code: CVMCode) async throws {
        let (outcome, card) = try await run(code, pins: ["9999", "9998", "1234"], tries: 2)
        #expect(outcome.tvr == [.cardholderVerificationFailed, .pinTryLimitExceeded])
        #expect(outcome.cvmResults.bytes == [code.rawValue, 0x00, 0x01])
        #expect(outcome.decision == .approved(.online))
        #expect(await card.pinTriesLeft == 0)
    }

    @Test func bypassedPIN() async throws {
        let (outcome, card) = try await run(.plaintextPIN, pins: [])
        #expect(outcome.tvr == [.cardholderVerificationFailed, .pinNotEntered])
        #expect(await card.pinTriesLeft == 3)
    }
}
