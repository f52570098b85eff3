import Bytes
import CardCapture
import CardCryptography
import CardReaders
import Contactless
import EMVKernel
import Kernels
import SmartCard
import Synchronization
import TLV
import Testing
import VirtualCard

@Suite struct MastercardTapTests {
    @Test func approvedOfflineWithCDA() async throws {
        let run = try await TapBench.mastercard().run()
        #expect(run.outcome.decision == .approvedOffline)
        #expect(run.asked.isEmpty)
        #expect(!run.outcome.requiresSignature)
        let card = try #require(run.outcome.card)
        #expect(card.entryMode == .contactlessChip)
        #expect(card.maskedPAN == "541333******0119")
        #expect(card.expiry == "4912")
        #expect(card.chip?.elements[.cryptogramInformationData] == [0x40])
        #expect(run.commands.last == "80AE5000")
    }

    @Test func aboveTheFloorLimitTheIssuerIsAsked() async throws {
        var bench = try TapBench.mastercard { $0.approvesOfflineUpTo = 100_00 }
        bench.request.amount = 25_01
        let run = try await bench.run()
        #expect(run.outcome.decision == .approvedOnline)
        #expect(run.asked.count == 1)
        #expect(run.commands.last == "80AE9000")
        bench.answer = .answered(.init(responseCode: "05"))
        #expect(try await bench.run().outcome.decision == .declinedOnline)
    }

    @Test func verificationByTheCardsList() async throws {
        var bench = try TapBench.mastercard()
        bench.request.amount = 50_00
        #expect(try await bench.run().outcome.requiresSignature)
        bench.request.amount = 49_99
        #expect(try await !bench.run().outcome.requiresSignature)
        bench.request.amount = 50_00
        bench.pinPad = TapBench.Pad()
        let run = try await bench.run()
        #expect(run.asked.first?.pin?.block == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(!run.outcome.requiresSignature)
    }

    @Test(
        "A phone verifies its owner, or asks for it and is presented again",
        arguments: [ContactlessProfile.Device.verified, .locked])
    func aPhone(_ device: ContactlessProfile.Device) async throws {
        var bench = try TapBench.mastercard { $0.device = device }
        bench.request.amount = 200_00
        let run = try await bench.run()
        #expect(run.outcome.decision == .approvedOnline)
        #expect(!run.outcome.requiresSignature)
        #expect(run.asked.first?.chip?.elements[.cvmResults]?.hex == "010002")
        #expect(run.commands.count { $0.hasPrefix("80A8") } == (device == .locked ? 2 : 1))
    }

    @Test("The reader remembers codes that failed from one tap to the next") func failedCodes() async throws {
        var bench = try TapBench.mastercard { $0.mode = .magstripe }
        bench.channel = FaultyCard(
            bench.card,
            (1...2).map {
                CardFault(.status(.conditionsNotSatisfied), at: .command(.computeCryptographicChecksum, occurrence: $0))
            }
        ) { _ in }
        let reader = bench.reader()
        // From the second on, 100 ms between two looks at the field, which the last card must have
        // left.
        for waited in [300, 900 + 100, 900 + 200] {
            _ = try await reader.capture(bench.request) { _ in .answered(.init(responseCode: "00")) }
            #expect(bench.time.paused == .milliseconds(waited))
        }
    }

    @Test("A card's balance goes down with what it approves, and it approves nothing beyond it") func balance()
        async throws
    {
        var bench = try TapBench.mastercard { $0.offlineBalance = 15_00 }
        #expect(try await bench.run().outcome.decision == .approvedOffline)
        #expect(try await bench.card.transmit(.getData(0x9F50)).data.hex == "9F5006000000000500")
        #expect(try await bench.run().outcome.decision == .approvedOnline)
        #expect(try await bench.card.transmit(.getData(0x9F50)).data.hex == "9F5006000000000500")
        bench = try TapBench.mastercard()
        _ = try await bench.run()
        #expect(try await bench.card.transmit(.getData(0x9F50)).status.rawValue == 0x6A88)
    }

    @Test("The reader asks for the balance before and after what goes off it") func balanceByTheReader() async throws {
        var bench = try TapBench.mastercard { $0.offlineBalance = 15_00 }
        bench.readsBalance = true
        let answers = Mutex<[String]>([])
        let reader = bench.reader { exchange in
            guard exchange.command.instruction == .getData else { return }
            answers.withLock { $0.append(exchange.response.data.hex) }
        }
        let outcome = try await reader.capture(bench.request) { _ in .answered(.init(responseCode: "00")) }
        #expect(outcome.decision == .approvedOffline)
        #expect(answers.withLock { $0 } == ["9F5006000000001500", "9F5006000000000500"])
    }

    @Test("What the card has stored is with the captured card, and whether it was written") func dataStorage()
        async throws
    {
        var bench = try TapBench.mastercard {
            $0.dataStorage = MastercardContactlessProfile.DataStorage()
            $0.dataStorage?.scheme = 1
            $0.dataStorage?.envelopes = [6: Array("TICKET".utf8)]
        }
        let write = Kernel2Configuration.DataStorage.SlotWrite(
            info: .volatileSlot, cryptogram: .tc, instructions: .usableForARQC, operatorData: Array("POINTS".utf8))
        let envelope = try #require(Kernel2Configuration.DataStorage.EnvelopeWrite(0x9F75, Array("USED".utf8)))
        bench.dataStorage = Kernel2Configuration.DataStorage(
            operatorIdentifier: [1, 2, 3, 4, 5, 6, 7, 8], tagsToRead: [0x9F75]
        ) { _ in
            Kernel2Configuration.DataStorage.Writes(slot: write, afterCryptogram: [envelope])
        }
        let offline = try await bench.run()
        #expect(offline.outcome.decision == .approvedOffline)
        #expect(offline.commands.last == "80DA9F75")
        let first = try #require(offline.outcome.card?.chip?.elements)
        #expect(first[0x9F75] == Array("TICKET".utf8) && first[0xDF810B] == [0xC0] && first[0xDF810E] == [0x80])
        // The DS ID is the card number.
        #expect(!first.contains(0x9F5E))
        bench.request.amount = 30_00
        let online = try await bench.run()
        #expect(online.outcome.decision == .approvedOnline)
        #expect(online.commands.contains("80AE9000"))
        let second = try #require(online.asked.first?.chip?.elements)
        #expect(
            second[0x9F54] == Array("POINTS".utf8) && second[0x9F75] == Array("USED".utf8) && second[0xDF810B] == [0xC0]
        )
        // Nothing of it goes to the acquirer.
        let field55 = try DataElements(parsing: HostMessage.authorization.field55(second))
        #expect(field55.tags.allSatisfy { ![0x9F54, 0x9F5C, 0x9F5D, 0x9F75, 0x9F7D, 0xDF810B].contains($0) })
    }

    /// Mag-stripe mode: the tracks of this transaction, and nothing of a chip.
    @Test func tracksForTheHost() async throws {
        let run = try await TapBench.mastercard { $0.mode = .magstripe }.run()
        #expect(run.outcome.decision == .approvedOnline)
        #expect(run.commands.last == "802A8E80")
        let card = try #require(run.asked.first)
        #expect(card.entryMode == .contactlessStripe)
        #expect(card.chip == nil)
        #expect(card.maskedPAN == "541333******0119")
        #expect(card.expiry == "4912")
        #expect(card.cardholderName == "TEST/CARDHOLDER")
        #expect(card.panSequenceNumber == 1)
        let track2 = String(decoding: try #require(card.track2).revealed(), as: UTF8.self)
        // Counter 0001 and three digits each of number and code; the last digit is how many the
        // number has.
        #expect(track2.wholeMatch(of: /5413330089600119=4912201000100[0-9]{6}3/) != nil)
        #expect(
            card.track1.map { String(decoding: $0.revealed(), as: UTF8.self) }?.hasPrefix(
                "B5413330089600119^TEST/CARDHOLDER^4912201")
                == true)
    }

    @Test(arguments: [ContactlessProfile.Device.verified, .locked]) func aPhoneInMagstripeMode(
        _ device: ContactlessProfile.Device
    )
        async throws
    {
        var bench = try TapBench.mastercard {
            $0.mode = .magstripe
            $0.device = device
        }
        bench.request.amount = 200_00
        let run = try await bench.run()
        #expect(run.outcome.decision == .approvedOnline)
        #expect(!run.outcome.requiresSignature)
        // Three digits and five more: verified on the device.
        #expect(run.asked.first?.track2?.revealed().last == UInt8(ascii: "8"))
    }

    @Test func withoutAPINPadTheStripeIsSignedFor() async throws {
        var bench = try TapBench.mastercard { $0.mode = .magstripe }
        bench.request.amount = 50_00
        #expect(try await bench.run().outcome.requiresSignature)
        bench.pinPad = TapBench.Pad()
        #expect(try await bench.run().asked.first?.pin != nil)
    }
}

/// A card and a reader with relay resistance, and what is between them.
@Suite("Relays are resisted with virtual Mastercards") struct MastercardRelayResistanceTests {
    private func bench(delay: Int = 0, _ faults: CardFault...) throws -> TapBench {
        var bench = try TapBench.mastercard { $0.relayResistance = CardRelayResistance() }
        bench.relayResistance = RelayResistanceLimits()
        let all = [CardFault(.delay(milliseconds: delay), at: .every(.exchangeRelayResistanceData))] + faults
        bench.channel = FaultyCard(bench.card, all) { [time = bench.time] in time.advance(milliseconds: $0) }
        return bench
    }

    private func tvr(_ run: TapBench.Run) -> [UInt8]? { run.outcome.card?.chip?.elements[.terminalVerificationResults] }

    @Test("The card signs what was exchanged") func signed() async throws {
        let run = try await bench(delay: 7).run()
        #expect(run.outcome.decision == .approvedOffline)
        #expect(tvr(run) == [0, 0, 0, 0, 0x02])
        #expect(run.commands.count { $0 == "80EA0000" } == 1)
    }

    /// 5 ms are within the grace period of the book, 50 ms are not: the action codes decline.
    @Test("A relay of 5 ms passes, one of 50 ms is declined") func relayed() async throws {
        #expect(try await bench(delay: 5).run().outcome.decision == .approvedOffline)
        let run = try await bench(delay: 50).run()
        #expect(run.commands.count { $0 == "80EA0000" } == 3)
        #expect(run.commands.last == "80AE0000")
        guard case .notPossible = run.outcome.decision else {
            Issue.record("\(run.outcome.decision)")
            return
        }
        #expect(run.asked.isEmpty)
    }

    /// A relay that answers in the card's place: entropy, minimum, maximum and transmission time,
    /// from byte 2 on.
    @Test("A made-up answer is under no signature", arguments: [2, 5, 7, 9, 11]) func madeUp(_ index: Int) async throws
    {
        let fault = CardFault(.corruption(index: index, mask: 0x01), at: .every(.exchangeRelayResistanceData))
        let run = try await bench(delay: 7, fault).run()
        #expect(
            run.outcome.decision
                == .notPossible(.contactless(.dataAuthentication(.signature(.relayResistanceData)))))
    }

    /// The answer of an earlier exchange of the same card.
    @Test("A replayed answer is under no signature") func replayed() async throws {
        var bench = try bench(delay: 7)
        let first = Mutex<ResponseAPDU?>(nil)
        bench.channel = Relay(
            bench.card,
            change: { command, answer in
                guard command.ins == 0xEA else { return answer }
                return first.withLock { kept in
                    if kept == nil { kept = answer }
                    return kept ?? answer
                }
            })
        let one = try await bench.run()
        #expect(one.outcome.decision == .approvedOffline)
        let other = try await bench.run()
        #expect(
            other.outcome.decision == .notPossible(.contactless(.dataAuthentication(.signature(.relayResistanceData)))))
    }

    /// A torn transaction is judged by its own exchange.
    @Test("RECOVER AC answers for the exchange of the first tap") func torn() async throws {
        var bench = try TapBench.mastercard {
            $0.relayResistance = CardRelayResistance()
            $0.recoversTornTransactions = true
        }
        bench.relayResistance = RelayResistanceLimits()
        bench.channel = FaultyCard(bench.card, [CardFault(.silence, at: .command(.generateAC, occurrence: 1))]) { _ in }
        let run = try await bench.run()
        #expect(run.outcome.decision == .approvedOffline)
        #expect(run.commands.last == "80D00000")
        #expect(run.commands.count { $0 == "80EA0000" } == 2)
    }
}

/// A card that leaves at GENERATE AC, and comes back.
@Suite struct TornTransactionTests {
    /// - Parameter lost: How often an answer to GENERATE AC is lost.
    private func bench(recovers: Bool = true, lost: Int = 1) throws -> TapBench {
        var bench = try TapBench.mastercard { $0.recoversTornTransactions = recovers }
        let faults = (1...lost).map { CardFault(.silence, at: .command(.generateAC, occurrence: $0)) }
        bench.channel = FaultyCard(bench.card, faults) { _ in }
        return bench
    }

    /// GENERATE AC and RECOVER AC that were answered.
    private func cryptograms(_ run: TapBench.Run) -> [String] {
        run.commands.filter { $0.hasPrefix("80AE") || $0.hasPrefix("80D0") }.map { String($0.prefix(4)) }
    }

    @Test func theCardGivesItsAnswerAgain() async throws {
        let bench = try bench()
        let run = try await bench.run()
        #expect(run.outcome.decision == .approvedOffline)
        #expect(cryptograms(run) == ["80D0"])
        let elements = try #require(run.outcome.card?.chip?.elements)
        // The cryptogram is of the first tap's counter.
        #expect(elements[.applicationTransactionCounter] == [0x00, 0x01])
        #expect(elements[.cryptogramInformationData] == [0x40])
        #expect(await bench.card.applicationTransactionCounter == 2)
    }

    /// The issuer recomputes a recovered ARQC from the data of the first tap.
    @Test func aRecoveredARQCIsTheFirstTaps() async throws {
        var bench = try bench()
        bench.request.amount = 30_00
        let run = try await bench.run()
        let elements = try #require(run.asked.first?.chip?.elements)
        #expect(elements[.applicationTransactionCounter] == [0x00, 0x01])
        let keys = try MasterKeySet.testIssuerKeys.cardKeys(
            by: .optionA, pan: #require(AccountNumber(ascii: Array("5413330089600119".utf8))), panSequenceNumber: 1)
        let number = try #require(elements[.unpredictableNumber])
        let session = try CryptogramVersion.mastercard14.sessionKeyDerivation.sessionKey(
            from: keys.applicationCryptogram, atc: 1, unpredictableNumber: number)
        let (profile, issuerData) = (
            try #require(elements[.applicationInterchangeProfile]), try #require(elements[.issuerApplicationData])
        )
        let input = try CryptogramVersion.mastercard14.input(
            terminalData: DOL.cryptogramInput.concatenate(elements), applicationInterchangeProfile: profile, atc: 1,
            issuerApplicationData: issuerData)
        let cryptogram = try #require(elements[.applicationCryptogram])
        #expect(
            ApplicationCryptogram.isValid(
                cryptogram, for: input, sessionKey: session, padding: CryptogramVersion.mastercard14.padding))
    }

    @Test func aCardWithoutDRDOLMakesANewOne() async throws {
        let run = try await bench(recovers: false).run()
        #expect(run.outcome.decision == .approvedOffline)
        #expect(cryptograms(run) == ["80AE"])
    }

    @Test("The card does not have the answer any more: GENERATE AC in the same tap") func aRefusedRecovery()
        async throws
    {
        var bench = try bench()
        bench.channel = FaultyCard(
            bench.card,
            [
                CardFault(.silence, at: .command(.generateAC, occurrence: 1)),
                CardFault(.status(.conditionsNotSatisfied), at: .command(.recoverAC, occurrence: 1)),
            ]
        ) { _ in }
        let run = try await bench.run()
        #expect(run.outcome.decision == .approvedOffline)
        #expect(cryptograms(run) == ["80D0", "80AE"])
    }

    @Test("The answer to RECOVER AC is lost too: the record stays") func tornAgain() async throws {
        var bench = try bench()
        bench.channel = FaultyCard(
            bench.card,
            [
                CardFault(.silence, at: .command(.generateAC, occurrence: 1)),
                CardFault(.silence, at: .command(.recoverAC, occurrence: 1)),
            ]
        ) { _ in }
        let run = try await bench.run()
        #expect(cryptograms(run) == ["80D0"])
        #expect(run.outcome.decision == .approvedOffline)
        #expect(run.outcome.card?.chip?.elements[.applicationTransactionCounter] == [0x00, 0x01])
        #expect(await bench.card.applicationTransactionCounter == 3)
    }

    @Test("The recovered answer is judged by the signature, as any other") func aForgedRecovery() async throws {
        var bench = try bench()
        bench.channel = FaultyCard(
            bench.card,
            [
                CardFault(.silence, at: .command(.generateAC, occurrence: 1)),
                CardFault(.corruption(index: 40, mask: 0x01), at: .command(.recoverAC, occurrence: 1)),
            ]
        ) { _ in }
        let run = try await bench.run()
        guard case .notPossible = run.outcome.decision else {
            Issue.record("\(run.outcome.decision)")
            return
        }
        #expect(run.asked.isEmpty)
    }

    /// A record that is too old goes to the acquirer with the next card.
    @Test(
        "The next sale: the same payment takes the lost cryptogram up, another amount or a later time does not",
        arguments: [
            (UInt64(10_00), 60, true, false), (10_01, 60, false, false), (10_02, 301, false, true),
            (10_00, 86_400, false, true),
        ])
    func theNextSale(amount: UInt64, after seconds: Int, recovers: Bool, reports: Bool) async throws {
        var bench = try bench()
        bench.maximumPresentations = 1
        let now = Mutex(1_773_057_600)
        let commands = Mutex<[String]>([])
        bench.clock = { Timestamp(secondsSince1970: Int64(now.withLock { $0 })) }
        let reader = bench.reader { exchange in
            commands.withLock { $0.append(exchange.command.header.hex) }
        }
        let torn = try await reader.capture(bench.request) { _ in .answered(.init(responseCode: "00")) }
        guard case .notPossible = torn.decision else {
            Issue.record("\(torn.decision)")
            return
        }
        now.withLock { $0 += seconds }
        var request = bench.request
        request.amount = amount
        let next = try await reader.capture(request) { _ in .answered(.init(responseCode: "00")) }
        #expect(next.decision == .approvedOffline)
        #expect(commands.withLock { $0.contains { $0.hasPrefix("80D0") } } == recovers)
        let report = next.card?.chip?.elements[0xFF8101]
        #expect((report != nil) == reports)
        guard let report else { return }
        let record = try DataElements(parsing: report)
        #expect(record[.amountAuthorised] == [0x00, 0x00, 0x00, 0x00, 0x10, 0x00] && record[0xDF8114] == [0x50])
        // The unpredictable number of that sale; the sum of what leaves has no card number.
        #expect(record[.unpredictableNumber] != nil)
        #expect(record[.unpredictableNumber] != next.card?.chip?.elements[.unpredictableNumber])
        #expect(record[.applicationPAN] == nil)
        #expect(!report.hex.contains("5413330089600119"))
        // It is reported once.
        let third = try await reader.capture(request) { _ in .answered(.init(responseCode: "00")) }
        #expect(third.decision == .approvedOffline && third.card?.chip?.elements[0xFF8101] == nil)
    }
}

/// A relay between card and reader that changes what passes.
private actor Relay: RemovableCard {
    private let card: VirtualCard
    private let ask: @Sendable (CommandAPDU) -> CommandAPDU
    private let change: @Sendable (CommandAPDU, ResponseAPDU) -> ResponseAPDU

    init(
        _ card: VirtualCard, ask: @escaping @Sendable (CommandAPDU) -> CommandAPDU = { $0 },
        change: @escaping @Sendable (CommandAPDU, ResponseAPDU) -> ResponseAPDU = { $1 }
    ) {
        self.card = card
        self.ask = ask
        self.change = change
    }

    func reset() async { await card.reset() }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        change(command, try await card.transmit(ask(command)))
    }
}

extension ResponseAPDU {
    /// With `bytes` in the place of the first `found`.
    fileprivate func replacing(_ found: String, _ bytes: String) -> ResponseAPDU {
        guard let found = try? [UInt8](hex: found), let bytes = try? [UInt8](hex: bytes),
            let start = data.indices.first(where: { data[$0...].starts(with: found) })
        else { return self }
        var changed = self
        changed.data.replaceSubrange(start..<start + found.count, with: bytes)
        return changed
    }
}

@Suite struct MastercardRelayAttackTests {
    private func run(_ bench: TapBench, _ found: String, _ bytes: String, in instruction: UInt8) async throws
        -> TapBench.Run
    {
        var bench = bench
        bench.channel = Relay(
            bench.card,
            change: { command, answer in command.ins == instruction ? answer.replacing(found, bytes) : answer })
        return try await bench.run()
    }

    private func isRefused(_ run: TapBench.Run) -> Bool {
        if case .notPossible = run.outcome.decision { return run.asked.isEmpty }
        return run.outcome.decision == .declinedOffline && run.asked.isEmpty
    }

    /// A profile without CDA: the book's action codes decline it, so that nobody pays with an
    /// unsigned cryptogram.
    @Test func aProfileWithoutCDA() async throws {
        #expect(isRefused(try await run(TapBench.mastercard(), "82021980", "82021880", in: 0xA8)))
    }

    @Test("\"Verified on the device\" claimed for a card: the profile is under the card's certificate")
    func aClaimedDevice() async throws {
        var bench = try TapBench.mastercard()
        bench.request.amount = 200_00
        #expect(isRefused(try await run(bench, "82021980", "82021B80", in: 0xA8)))
    }

    /// A CVM list without PIN and signature: it is in a signed record.
    @Test func aChangedListOfMethods() async throws {
        var bench = try TapBench.mastercard()
        bench.request.amount = 200_00
        #expect(isRefused(try await run(bench, "8E0E00000000000000004203", "8E0E00000000000000001F03", in: 0xB2)))
    }

    @Test("An ARQC passed off as a TC, and a cryptogram over a smaller amount than the reader's")
    func aChangedCryptogram() async throws {
        let online = try TapBench.mastercard { $0.approvesOfflineUpTo = nil }
        #expect(isRefused(try await run(online, "9F270180", "9F270140", in: 0xAE)))
        var cheap = try TapBench.mastercard()
        cheap.channel = Relay(
            cheap.card,
            ask: { command in
                guard command.ins == 0xAE else { return command }
                return CommandAPDU(
                    cla: command.cla, ins: command.ins, p1: command.p1, p2: command.p2,
                    data: [0, 0, 0, 0, 0, 1] + command.data.dropFirst(6), expectedLength: 256)
            })
        #expect(isRefused(try await cheap.run()))
    }

    /// A Mastercard card passed off as a Visa card that needs no PIN (Basin, Sasse, Toro-Pozo:
    /// "Card Brand Mixup Attack", 2021): the card's own ARQC, in an answer as Visa's kernel takes
    /// it.
    @Test func aBrandMixUp() async throws {
        var bench = try TapBench.mastercard()
        bench.request.amount = 200_00
        bench.channel = BrandMixUp(bench.card)
        let run = try await bench.run()
        #expect(run.outcome.decision == .declinedOffline)
        #expect(run.asked.isEmpty)
        #expect(run.commands.contains { $0.hasPrefix("80A8") }, "Visa's kernel ran")
    }

    /// Without the relay resistance protocol a relay that changes nothing is not found out; the
    /// issuer sees that it was not looked for.
    @Test func aRelayThatChangesNothing() async throws {
        var bench = try TapBench.mastercard()
        bench.request.amount = 30_00
        bench.channel = Relay(bench.card)
        let run = try await bench.run()
        #expect(run.outcome.decision == .approvedOnline)
        let tvr = run.asked.first?.chip?.elements[.terminalVerificationResults]
        #expect(tvr.map { $0[4] & 0x03 } == 0x01)
    }
}

/// Speaks Visa's qVSDC with the reader and Mastercard's EMV mode with the card.
private actor BrandMixUp: RemovableCard {
    private let card: VirtualCard

    init(_ card: VirtualCard) { self.card = card }

    func reset() async { await card.reset() }

    private static let mastercard: [UInt8] = [0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10]
    private static let visa: [UInt8] = [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10]

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        switch command.ins {
        case 0xA4 where command.data == Self.visa:
            _ = try await card.transmit(.select(Self.mastercard))
            return ResponseAPDU(
                tlv(.fciTemplate) { template in
                    template.append(.dfName, Self.visa)
                    template.append(.fciProprietaryTemplate) { $0.append(.pdol, DOL.visaContactless.bytes) }
                })
        case 0xA4: return try await card.transmit(command).replacing("4F07A0000000041010", "4F07A0000000031010")
        case 0xA8: return try await quick(Array(command.data.dropFirst(2)))
        default: return ResponseAPDU(status: .recordNotFound)
        }
    }

    /// GET PROCESSING OPTIONS, READ RECORD and GENERATE AC of the card as one answer, with CTQ
    /// "verified on the device".
    private func quick(_ values: [UInt8]) async throws(CardChannelError) -> ResponseAPDU {
        _ = try await card.transmit(.getProcessingOptions([0x83, 0x00]))
        let record = try await card.transmit(.readRecord(1, sfi: 2))
        // Behind TTQ the data of a cryptogram, which CDOL1 has too, then CVM results and terminal
        // type.
        let answer = try await card.transmit(.generateAC(0x80, Array(values.dropFirst(4)) + [0x1F, 0x03, 0x02, 0x22]))
        guard let card = try? DataElements(parsing: record.data),
            let cryptogram = try? DataElements(parsing: answer.data)
        else {
            return ResponseAPDU(status: .conditionsNotSatisfied)
        }
        return ResponseAPDU(
            tlv(.responseTemplate2) { template in
                template.append(.applicationInterchangeProfile, [0x19, 0x80])
                for tag in [Tag.track2EquivalentData, .panSequenceNumber] { template.append(tag, card[tag] ?? []) }
                for tag in [
                    Tag.issuerApplicationData, .applicationCryptogram, .cryptogramInformationData,
                    .applicationTransactionCounter,
                ] { template.append(tag, cryptogram[tag] ?? []) }
                template.append(.cardTransactionQualifiers, [0x00, 0x80])
            })
    }
}
