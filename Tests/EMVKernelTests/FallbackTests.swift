import EMVKernel
import KernelDoubles
import SmartCard
import TLV
import Testing

/// EMV 4.4 Book 4, 6.6.2: the stripe is for chips that cannot be used, before they were asked for a
/// cryptogram.
@Suite("The stripe is for chips that cannot be used") struct FallbackTests {
    private func end(_ card: any CardChannel, emptyList: Fallback.EntryMode = .stripeAfterChip) async -> Outcome {
        let kernel = ContactKernel(
            TerminalConfiguration(
                capabilities: [.contactChip, .noCVM], additionalCapabilities: [.goods], countryCode: 276,
                applications: [ApplicationConfiguration(aid: [0xA0, 0, 0, 0, 3, 0x10, 0x10], versions: [1])],
                caKeys: [],
                usesPaymentSystemEnvironment: false, emptyCandidateListEntryMode: emptyList))
        return await kernel.perform(
            TransactionRequest(amount: 100, currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0, 0, 0]), card: card,
            cardholder: FirstChoice(),
            issuer: FixedIssuer.unreachable, environment: FixedEnvironment(number: [1, 2, 3, 4], percentage: 50))
    }

    /// Some payment systems take it as a fallback, some as any swipe (Elavon viaConex, EMV
    /// integration guide, 5): the terminal's configuration says.
    @Test(arguments: [Fallback.EntryMode.stripeAfterChip, .magneticStripe])
    func chipWithoutCommonApplication(_ entryMode: Fallback.EntryMode) async {
        let outcome = await end(AlwaysAnswering(.answer(ResponseAPDU(status: .fileNotFound))), emptyList: entryMode)
        #expect(outcome.decision == .terminated(.emptyCandidateList))
        #expect(outcome.allowsFallback)
        #expect(outcome.fallback == Fallback(.emptyCandidateList, entryMode: entryMode))
    }

    @Test(
        "ISO 8583:1987, field 22: 80 is the stripe after the chip failed, 90 the stripe",
        arguments: [CardChannelError.timedOut, .malformedAnswer(.noStatusWord), .readerFailed(.cardMute)])
    func silentChip(_ error: CardChannelError) async {
        let outcome = await end(AlwaysAnswering(.failure(error)), emptyList: .magneticStripe)
        #expect(outcome.decision == .terminated(.channel(error)))
        #expect(outcome.fallback?.reason == .technical)
        #expect(outcome.fallback?.entryMode.rawValue == 0x80)
    }

    @Test(arguments: [CardChannelError.cardRemoved, .cancelled]) func removalAndCancelAreNoReason(
        _ error: CardChannelError
    ) async {
        #expect(await !end(AlwaysAnswering(.failure(error))).allowsFallback)
    }

    @Test func blockedCardIsNoReason() async {
        let outcome = await end(AlwaysAnswering(.answer(ResponseAPDU(status: .functionNotSupported))))
        #expect(outcome.decision == .terminated(.cardBlocked))
        #expect(!outcome.allowsFallback)
    }

    /// A card that answers all but GENERATE AC, and times out there.
    @Test func failureAfterTheCryptogramWasAskedFor() async throws {
        let outcome = await end(UntilCryptogram())
        #expect(outcome.decision == .terminated(.channel(.timedOut)))
        #expect(!outcome.allowsFallback)
    }
}

private struct AlwaysAnswering: CardChannel {
    enum Behavior: Sendable {
        case answer(ResponseAPDU)
        case failure(CardChannelError)
    }

    let behavior: Behavior
    init(_ behavior: Behavior) { self.behavior = behavior }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        switch behavior {
        case .answer(let response): return response
        case .failure(let error): throw error
        }
    }
}

private struct UntilCryptogram: CardChannel {
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        switch command.instruction {
        case .select:
            return ResponseAPDU(
                tlv(
                    .fciTemplate,
                    tlv(.dfName, [0xA0, 0, 0, 0, 3, 0x10, 0x10])
                        + tlv(.fciProprietaryTemplate, tlv(.applicationLabel, [0x41]))))
        case .getProcessingOptions: return ResponseAPDU(tlv(.responseTemplate1, [0x00, 0x00, 0x08, 0x01, 0x01, 0x00]))
        case .readRecord:
            let contents =
                tlv(.applicationPAN, [0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x01, 0x19])
                + tlv(.applicationExpirationDate, [0x49, 0x12, 0x31])
                + tlv(.cdol1, [0x9C, 0x01]) + tlv(.cdol2, [0x9C, 0x01])
            return ResponseAPDU(tlv(.recordTemplate, contents))
        default: throw .timedOut
        }
    }
}
