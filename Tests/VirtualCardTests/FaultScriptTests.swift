import Bytes
import EMVKernel
import SmartCard
import Synchronization
import TLV
import Testing
import VirtualCard

/// Each effect of a fault script in a whole transaction, and the outcome that the books give it.
/// The terminal is below its floor limit, so that the undisturbed transaction ends approved offline
/// after CDA.
@Suite struct FaultScriptTests {
    private func run(
        _ effect: CardFault.Effect, at occasion: CardFault.Occasion,
        capabilities: TerminalCapabilities = [.sda, .dda, .cda],
        change: (inout CardProfile) -> Void = { _ in }
    ) async throws -> (outcome: Outcome, steps: Int) {
        let card = try PersonalizedCard.shared {
            $0.hasPaymentSystemEnvironment = false
            change(&$0)
        }
        var bench = Bench(card)
        bench.configuration.capabilities.subtract([.sda, .dda, .cda])
        bench.configuration.capabilities.formUnion(capabilities)
        let faulty = FaultyCard(VirtualCard(card), [CardFault(effect, at: occasion)])
        let outcome = await bench.run(ProcedureByteHandling(faulty)).outcome
        return (outcome, await faulty.step)
    }

    @Test("a script without a matching command changes nothing") func undisturbed() async throws {
        let (outcome, _) = try await run(.truncation(to: 0), at: .step(1000))
        #expect(outcome.decision == .approved(.offline))
        #expect(outcome.tvr == [])
    }

    /// The first command to an application after its selection is GET PROCESSING OPTIONS, of which
    /// there is one.
    @Test func removalAtACommand() async throws {
        let (outcome, _) = try await run(.removal, at: .command(.getProcessingOptions, occurrence: 1))
        #expect(outcome.decision == .terminated(.channel(.cardRemoved)))
        #expect(!outcome.allowsFallback)
        #expect(
            try await run(.removal, at: .command(.getProcessingOptions, occurrence: 2)).outcome.decision
                == .approved(.offline))
    }

    @Test("EMV 4.4 Book 3, 10.2: any other status word than 9000 to READ RECORD ends the transaction")
    func wrongStatusWord() async throws {
        let (outcome, _) = try await run(.status(0x6A83), at: .command(.readRecord, occurrence: 3))
        #expect(outcome.decision == .terminated(.commandFailed(.readRecord, 0x6A83)))
    }

    /// A reader gives up after its waiting time: no answer came, even if the card sent one.
    @Test func delayPastTheWaitingTime() async throws {
        let card = VirtualCard(try .shared())
        let waited = Mutex<[Int]>([])
        let faults = [CardFault(.delay(milliseconds: 1001), at: .command(.generateAC, occurrence: 1))]
        let faulty = FaultyCard(card, faults) { milliseconds in waited.withLock { $0.append(milliseconds) } }
        let outcome = await Bench(card.card).run(faulty).outcome
        #expect(outcome.decision == .terminated(.channel(.timedOut)))
        #expect(!outcome.allowsFallback, "the card was asked for a cryptogram")
        #expect(waited.withLock { $0 } == [1000])
    }

    @Test func delayWithinTheWaitingTime() async throws {
        let card = VirtualCard(try .shared())
        let waited = Mutex<[Int]>([])
        let faults = [
            CardFault(.delay(milliseconds: 999), at: .every(.readRecord)),
            CardFault(.delay(milliseconds: 7), at: .step(1)),
        ]
        let faulty = FaultyCard(card, faults) { milliseconds in waited.withLock { $0.append(milliseconds) } }
        #expect(await Bench(card.card).run(faulty).outcome.decision == .approved(.offline))
        #expect(waited.withLock { $0 }.first == 7)
        #expect(waited.withLock { $0 }.dropFirst().allSatisfy { $0 == 999 })
    }

    /// A byte of the issuer's certificate, the third record of the standard layout: the certificate
    /// is then not recovered (EMV 4.4 Book 2, 6.3, steps 1 to 3), and DDA has failed.
    @Test("A damaged issuer certificate fails data authentication") func corruptedCertificate() async throws {
        let (outcome, _) = try await run(
            .corruption(index: 100, mask: 0x01), at: .command(.readRecord, occurrence: 3), capabilities: .dda)
        #expect(outcome.tvr.contains(.ddaFailed))
        #expect(outcome.decision == .declined(.unableToGoOnline))
    }

    @Test("EMV 4.4 Book 3, 7.5: an answer that is not a well-formed template ends the transaction")
    func truncatedAnswer() async throws {
        let (outcome, _) = try await run(.truncation(to: 3), at: .command(.readRecord, occurrence: 2))
        guard case .terminated(.malformedAnswer(.readRecord, _)) = outcome.decision else {
            Issue.record("\(outcome.decision)")
            return
        }
        #expect(outcome.fallback != nil)
    }

    /// EMV 4.4 Book 3, 10.2: a record that comes twice repeats its data objects, which ends the
    /// transaction.
    @Test func recordOfTheCommandBefore() async throws {
        let (outcome, _) = try await run(.previousAnswer, at: .command(.readRecord, occurrence: 3))
        guard case .terminated(.repeatedData) = outcome.decision else {
            Issue.record("\(outcome.decision)")
            return
        }
    }

    @Test("The transport gives up, and what is left is a status word that no rule covers (EMV 4.4 Book 3, 6.3.5)")
    func chainingWithoutEnd()
        async throws
    {
        let (outcome, steps) = try await run(.endlessChaining, at: .command(.getProcessingOptions, occurrence: 1))
        #expect(outcome.decision == .terminated(.commandFailed(.getProcessingOptions, 0x6110)))
        #expect(steps < 20)
    }

    @Test func wrongLengthWithoutEnd() async throws {
        let (outcome, steps) = try await run(.endlessWrongLength, at: .command(.readRecord, occurrence: 1))
        guard case .terminated(.commandFailed(.readRecord, let status)) = outcome.decision else {
            Issue.record("\(outcome.decision)")
            return
        }
        #expect(status.sw1 == 0x6C)
        #expect(steps < 20)
    }

    /// EMV 4.4 Book 2, 6.6.2: the CID in the signature counts, and another one beside it makes CDA
    /// fail; a TC is then declined (Book 4, 6.3.2.1).
    @Test func wrongCryptogramInformationWithCDA() async throws {
        let (outcome, _) = try await run(.cryptogramInformation(0x40), at: .command(.generateAC, occurrence: 1)) {
            $0.riskRule = CardRiskRule(goesOnlineAbove: 1)
        }
        #expect(outcome.tvr.contains(.cdaFailed))
        guard case .declined = outcome.decision else {
            Issue.record("\(outcome.decision)")
            return
        }
    }

    @Test(
        "EMV 4.4 Book 3, 9.3: bits 8–7 = 11 are not a cryptogram that a card may give",
        arguments: [ResponseFormat.format1, .format2])
    func reservedCryptogramInformation(_ format: ResponseFormat) async throws {
        let (outcome, _) = try await run(
            .cryptogramInformation(0xC0), at: .command(.generateAC, occurrence: 1), capabilities: .dda
        ) {
            $0.responseFormat = format
        }
        #expect(outcome.decision == .terminated(.unexpectedCryptogram(requested: .tc, answered: 0xC0)))
    }

    /// S(WTX), ISO/IEC 14443-4:2008, 7.3. Readers grant 256 in a row
    /// (`ISODEPExchangeTests/timeWithoutEnd`).
    @Test("A card that asks for more time is waited for, 256 times at most", arguments: [1, 256, 257, nil] as [Int?])
    func moreTime(times: Int?) async throws {
        let waited = Mutex(0)
        let faults = [CardFault(.waitingTimeExtensions(times), at: .step(1))]
        let faulty = FaultyCard(VirtualCard(try .shared()), faults) { milliseconds in
            waited.withLock { $0 += milliseconds }
        }
        let isGranted = times.map { $0 <= 256 } ?? false
        do throws(CardChannelError) {
            _ = try await faulty.transmit(.select([0x01]))
            #expect(isGranted)
        } catch {
            #expect(!isGranted)
            #expect(error == .timedOut)
        }
        #expect(waited.withLock { $0 } == 77 * min(times ?? 256, 256))
    }

    /// Answers alike to every command.
    private actor Answering: CardChannel {
        private let answer: [UInt8]
        private(set) var commands: [CommandAPDU] = []

        init(_ answer: [UInt8]) { self.answer = answer }

        func transmit(_ command: CommandAPDU) -> ResponseAPDU {
            commands.append(command)
            return ResponseAPDU(answer)
        }
    }

    @Test(
        "A data object has another value, and the templates around it another length",
        arguments: [
            ("7709820220009F6C020000", "770A820220009F6C030080AA"),
            // In a template within a template, and twice.
            ("6F0AA508BF0C059F6C020000", "6F0BA509BF0C069F6C030080AA"),
            ("9F6C0100820220009F6C00", "9F6C030080AA820220009F6C030080AA"),
            // No such object, format 1, and no BER-TLV.
            ("770482022000", "770482022000"), ("80022000", "80022000"), ("77098202", "77098202"), ("", ""),
        ])
    func replacement(answer: String, changed: String) async throws {
        let faults = [CardFault(.replacement(0x9F6C, value: [0x00, 0x80, 0xAA]), at: .always)]
        let faulty = FaultyCard(Answering(try [UInt8](hex: answer)), faults)
        #expect(try await faulty.transmit(.getProcessingOptions([0x83, 0x00])).data.hex == changed)
    }

    @Test("Readers find an application under another name, and the card is selected by its own") func otherName()
        async throws
    {
        let own: [UInt8] = [0xA0, 0, 0, 0, 4, 0x10, 0x10]
        let name: [UInt8] = [0xA0, 0, 0, 0, 3, 0x10, 0x10]
        let card = Answering(try [UInt8](hex: "6F128407A00000000410104F07A0000000043060"))
        let faulty = FaultyCard(card, [CardFault(.otherName(name, insteadOf: own), at: .always)])
        let answer = try await faulty.transmit(.select(name))
        #expect(answer.data.hex == "6F128407A00000000310104F07A0000000043060")
        _ = try await faulty.transmit(.select([0x01]))
        #expect(await card.commands.map(\.data) == [own, [0x01]])
    }

    @Test("Another card is there at the first presentations, or at all") func secondCard() async throws {
        let twice = FaultyCard(VirtualCard(try .shared()), CardFault(.secondCard(presentations: 2), at: .always))
        var found: [Bool] = []
        for _ in 0..<4 { found.append(await twice.isAccompanied()) }
        #expect(found == [true, true, false, false])
        let always = FaultyCard(VirtualCard(try .shared()), CardFault(.secondCard(presentations: nil), at: .always))
        for _ in 0..<4 { #expect(await always.isAccompanied()) }
        #expect(await !FaultyCard(VirtualCard(try .shared())).isAccompanied())
    }
}
