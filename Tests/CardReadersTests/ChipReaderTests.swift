import Bytes
import CardCapture
import CardCryptography
import CardModels
import CardReaders
import EMVKernel
import KernelDoubles
import SmartCard
import TLV
import Testing
import VirtualCard

/// The chip reader over a virtual card: what of the kernel's outcome reaches the terminal.
@Suite(.serialized) struct ChipReaderTests {
    private static let onlinePIN = CVMList(rules: [
        CVMRule(code: .onlinePIN, continuesIfUnsuccessful: false, condition: .always)
    ])
    private static let signature = CVMList(rules: [
        CVMRule(code: .signature, continuesIfUnsuccessful: false, condition: .always)
    ])
    /// The first serial number and the base derivation key of ANSI X9.24-1:2009, annex A.4.
    private static let serialNumber: [UInt8] = [0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xE0, 0x00, 0x00]
    private static func baseDerivationKey() throws -> TDESKey {
        try TDESKey(SecretBytes([UInt8](hex: "0123456789ABCDEFFEDCBA9876543210")))
    }

    private let request = CaptureRequest(amount: 10_00, currencyCode: 840, sequenceCounter: 7, forcesOnline: true)

    private func card(_ cvmList: CVMList) throws -> PersonalizedCard {
        var profile = CardProfile.visaStyle()
        profile.cvmList = cvmList
        return try PersonalizedCard.make(profile)
    }

    private func reader(
        _ card: PersonalizedCard, channel: (any CardChannel)? = nil, pad: VirtualPINPad.Behavior = .fails,
        configure: (inout TerminalConfiguration) -> Void = { _ in }
    ) throws -> ChipReader {
        let serial = try #require(KeySerialNumber(Self.serialNumber))
        let initialKey = try TDESDUKPT.initialKey(baseDerivationKey: Self.baseDerivationKey(), serialNumber: serial)
        var configuration = TerminalConfiguration(
            capabilities: [.contactChip, .encipheredOnlinePIN, .signature, .dda], additionalCapabilities: [.goods],
            countryCode: 840,
            applications: card.profile.applications.map {
                ApplicationConfiguration(aid: $0.aid, versions: [0x0096], floorLimit: 500_00)
            },
            caKeys: card.caPublicKeys)
        configure(&configuration)
        return ChipReader(
            slot: VirtualReader(card: channel ?? VirtualCard(card)), kernel: ContactKernel(configuration),
            cardholder: FirstChoice(pinPad: VirtualPINPad(pad, initialKey: initialKey, serialNumber: serial)),
            environment: FixedEnvironment(), clock: { Timestamp(secondsSince1970: 1_795_262_400) })
    }

    @Test func adviceIsAskedFor() async throws {
        let personalized = try card(Self.signature)
        let outcome = try await reader(personalized, channel: AdvisingCard(VirtualCard(personalized))).capture(request)
        { _ in
            .unreachable
        }
        #expect(outcome.decision == .declinedOffline)
        #expect(outcome.requiresAdvice)
    }

    @Test(
        "The request says which answers approve, and not the kernel's own configuration",
        arguments: [
            (ResponseCodes(approving: ["00", "08"]), CaptureOutcome.Decision.approvedOnline),
            (ResponseCodes(approving: ["00"]), .declinedOnline),
        ])
    func responseCodes(_ codes: ResponseCodes, _ decision: CaptureOutcome.Decision) async throws {
        var request = request
        request.responseCodes = codes
        let outcome = try await reader(card(Self.signature)).capture(request) { _ in
            .answered(IssuerAnswer.Answer(responseCode: "08"))
        }
        #expect(outcome.decision == decision)
    }

    @Test func capturedCardWithOnlinePIN() async throws {
        let card = try card(Self.onlinePIN)
        let pin = try #require(PIN(ascii: "1234".utf8))
        let outcome = try await reader(card, pad: .enters(pin)).capture(request) { captured in
            #expect(captured.chip?.elements[.cryptogramInformationData] == [0x80])
            return .answered(IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"))
        }
        #expect(outcome.decision == .approvedOnline)
        #expect(!outcome.requiresSignature)
        #expect(!outcome.requiresReversal)
        let captured = try #require(outcome.card)
        #expect(captured.pan == card.profile.account.pan)
        #expect(captured.expiry == "4912")
        #expect(captured.panSequenceNumber == 1)
        #expect(captured.cardholderName == "TEST/CARDHOLDER")
        #expect(captured.chip?.elements[.cryptogramInformationData] == [0x40])

        // The host opens the block with the key of its serial number (ANSI X9.24-1:2009, A.4; ISO
        // 9564-1, format 0).
        let block = try #require(captured.pin)
        let serial = try #require(KeySerialNumber(block.ksn))
        #expect(serial.counter == 1)
        let transactionKey = try TDESDUKPT.transactionKey(
            baseDerivationKey: Self.baseDerivationKey(), serialNumber: serial)
        let clear = try TDESDUKPT.key(for: .pinEncryption, transactionKey: transactionKey).decryptECB(block.block)
        let pan = try #require(captured.pan)
        let number = try #require(AccountNumber(ascii: pan.revealed()))
        #expect(try PINBlock.format0(number).decode(SecretBytes(clear)) == pin)
    }

    /// What the events of a reader ask for during a transaction.
    private func instructions(of reader: ChipReader) async throws -> [ReaderEvent.Instruction] {
        let events = reader.events.stream()
        _ = try await reader.capture(request) { _ in .answered(.init(responseCode: "00")) }
        reader.events.send(.disconnected(.closed))
        var seen: [ReaderEvent.Instruction] = []
        for await event in events {
            if case .instruction(let instruction) = event { seen.append(instruction) }
            if event == .disconnected(.closed) { break }
        }
        return seen
    }

    @Test("A52: events say that a PIN is asked for, and that it was entered", .timeLimit(.minutes(20))) func pinSteps()
        async throws
    {
        let pin = try #require(PIN(ascii: "1234".utf8))
        let reader = try reader(card(Self.onlinePIN), pad: .enters(pin))
        #expect(try await instructions(of: reader) == [.enterPIN, .pinEntered, .removeCard])
    }

    @Test("A52: an event announces the last try before the card blocks its PIN", .timeLimit(.minutes(20)))
    func lastTry()
        async throws
    {
        let wrong = try #require(PIN(ascii: "9999".utf8))
        let plaintext = CVMList(rules: [CVMRule(code: .plaintextPIN, continuesIfUnsuccessful: true, condition: .always)]
        )
        let reader = try reader(card(plaintext), pad: .enters(wrong)) {
            $0.capabilities.insert(.plaintextOfflinePIN)
            $0.allowsPlaintextOfflinePIN = true
        }
        // The virtual card has three tries (PIN try counter, tag 9F17).
        let steps = try await instructions(of: reader)
        #expect(steps == [.enterPIN, .pinEntered, .enterPIN, .pinEntered, .enterPINLastTry, .pinEntered, .removeCard])
    }

    @Test("a signature is requested where the CVM results ask for one") func signature() async throws {
        let outcome = try await reader(card(Self.signature)).capture(request) { _ in
            .answered(.init(responseCode: "00"))
        }
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.requiresSignature)
    }

    @Test("Without the host the card declines offline") func unreachableHost() async throws {
        let outcome = try await reader(card(Self.signature)).capture(request) { _ in .unreachable }
        #expect(outcome.decision == .declinedOffline)
    }

    @Test("A virtual reader can wait for its card, and the wait can be cancelled", .timeLimit(.minutes(20)))
    func waiting() async throws {
        let slot = VirtualReader(waitsForCard: true)
        let cancelled = Task { try await slot.powerOn() }
        cancelled.cancel()
        await #expect(throws: CaptureError.cancelled) { _ = try await cancelled.value }
        let inserted = Task { try await slot.powerOn() }
        await slot.insert(VirtualCard(try card(Self.signature)))
        _ = try await inserted.value
        await #expect(throws: CaptureError.noCardPresented) { _ = try await VirtualReader().powerOn() }
    }

    @Test func cancelledAtThePINPad() async throws {
        let reader = try reader(card(Self.onlinePIN), pad: .cancels)
        await #expect(throws: CaptureError.cancelled) { _ = try await reader.capture(request) { _ in .unreachable } }
    }

    @Test(arguments: [VirtualPINPad.Behavior.bypasses, .fails])
    func noPINEntered(_ behavior: VirtualPINPad.Behavior) async throws {
        let outcome = try await reader(card(Self.onlinePIN), pad: behavior).capture(request) { captured in
            #expect(captured.pin == nil)
            return .answered(.init(responseCode: "05"))
        }
        #expect(outcome.decision == .declinedOnline)
    }

    @Test("Removed before the host knows of it, the card is simply gone; afterwards the approval must be reversed")
    func removal()
        async throws
    {
        let card = try card(Self.signature)
        let early = try reader(card, channel: FaultyCard(VirtualCard(card), CardFault(.removal, at: .step(3))))
        await #expect(throws: CaptureError.cardRemoved) { _ = try await early.capture(request) { _ in .unreachable } }

        let inserted = FaultyCard(VirtualCard(card))
        _ = try await reader(card, channel: inserted).capture(request) { _ in .answered(.init(responseCode: "00")) }
        let late = try reader(
            card, channel: FaultyCard(VirtualCard(card), CardFault(.removal, at: .step(await inserted.step))))
        let outcome = try await late.capture(request) { _ in .answered(.init(responseCode: "00")) }
        guard case .notPossible = outcome.decision else {
            Issue.record("\(outcome.decision)")
            return
        }
        #expect(outcome.requiresReversal)
    }

    /// The terminal learns how the stripe counts that is read instead; a card that was declined or
    /// removed is not swiped.
    @Test("the outcome says how the stripe counts as fallback") func fallback() async throws {
        let card = try card(Self.signature)
        let empty = try await reader(card, channel: ForeignCard()).capture(request) { _ in .unreachable }
        #expect(empty.decision == .notPossible(.kernel(.emptyCandidateList)))
        let fallback = try #require(empty.fallback)
        #expect(fallback.reason == .emptyCandidateList)
        #expect(CapturedCard.EntryMode(fallback) == .stripeFallback)
        #expect(CapturedCard.EntryMode(fallback).rawValue == "80")
        #expect(CapturedCard.EntryMode(Fallback(.emptyCandidateList, entryMode: .magneticStripe)) == .magneticStripe)
        let declined = try await reader(card).capture(request) { _ in .unreachable }
        #expect(declined.fallback == nil)
    }

    @Test("An empty slot has no card; the kernel runs once one is inserted") func emptySlot() async throws {
        let card = try card(Self.signature)
        let slot = VirtualReader()
        let reader = ChipReader(
            slot: slot,
            kernel: ContactKernel(
                TerminalConfiguration(
                    capabilities: [], additionalCapabilities: [], countryCode: 840, applications: [],
                    caKeys: card.caPublicKeys)),
            cardholder: FirstChoice(), environment: FixedEnvironment(),
            clock: { Timestamp(secondsSince1970: 1_795_219_200) })
        await #expect(throws: CaptureError.noCardPresented) {
            _ = try await reader.capture(request) { _ in .unreachable }
        }
        await slot.insert(VirtualCard(card))
        let outcome = try await reader.capture(request) { _ in .unreachable }
        guard case .notPossible = outcome.decision else {
            Issue.record("\(outcome.decision)")
            return
        }
    }
}

/// A card without any application.
private struct ForeignCard: CardChannel {
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        ResponseAPDU(status: .fileNotFound)
    }
}
