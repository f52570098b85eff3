import Bytes
import Contactless
import EMVKernel
import EntryPoint
import KernelDoubles
import SmartCard
import TLV
import Testing

/// Entry Point over a card of answers and a kernel that ends as a test wants it
/// (EMV Contactless Book B).
struct EntryPointBench {
    var combinations: [Combination] = [.visa(), .mastercard()]
    var request = TransactionRequest(amount: 10_00, currencyCode: 978, date: [0x26, 0x03, 0x09], time: [0x12, 0x00, 0x00])
    var terminalCountry: UInt16 = 250
    var maximumPresentations = 8

    func entryPoint() -> EntryPoint {
        let terminal = TerminalConfiguration(
            capabilities: [.signature, .noCVM], additionalCapabilities: [.goods], countryCode: terminalCountry, applications: [], caKeys: []
        )
        var configuration = EntryPointConfiguration(terminal: terminal, combinations: combinations)
        configuration.maximumPresentations = maximumPresentations
        return EntryPoint(configuration, request: request, environment: FixedEnvironment(number: [0x11, 0x22, 0x33, 0x44], percentage: 50))
    }

    /// Everything that was shown and sent until the end, with `answers` in their order.
    func run(_ answers: [String]) throws -> Run {
        var entryPoint = entryPoint()
        return try Run(&entryPoint, entryPoint.start(), answers)
    }

    struct Run {
        private(set) var shown: [UserInterfaceRequest] = []
        private(set) var sent: [String] = []
        private(set) var polls: [UInt32] = []
        private(set) var outcome: ContactlessOutcome

        /// - Parameter answers: Data and status word in hexadecimal, or "lost" for none.
        init(_ entryPoint: inout EntryPoint, _ first: EntryPoint.Step, _ answers: [String]) throws {
            var step = first
            var rest = answers[...]
            for _ in 0..<100 {
                shown += step.show
                switch step.action {
                case .poll(let fieldOff):
                    polls.append(fieldOff)
                    step = entryPoint.next(.cardPresent)
                case .waitForEmptyField: step = entryPoint.next(.fieldEmpty)
                case .transmit(let command):
                    sent.append(command.bytes.hex)
                    let next = rest.popFirst()
                    let answer = try #require(next, "no answer to \(command.bytes.hex)")
                    if answer == "lost" {
                        step = entryPoint.next(.failed(.cardRemoved))
                    } else {
                        let response = try #require(ResponseAPDU(bytes: try [UInt8](hex: answer)))
                        step = entryPoint.next(.answered(response, after: .zero))
                    }
                case .end(let outcome):
                    self.outcome = outcome
                    return
                }
            }
            throw Endless()
        }

        struct Endless: Error {}

        /// The AID of each SELECT of an application.
        var selected: [String] {
            sent.filter { $0.hasPrefix("00A40400") && !$0.contains("325041592E") }.map { String($0.dropFirst(10).dropLast(2)) }
        }
        var messages: [UserInterfaceRequest.Message] { shown.map(\.message) }
    }
}

/// A kernel of which a test says how it ends.
struct ScriptedKernel: KernelConfiguration {
    var identifier: KernelIdentifier
    var isAccepting = true
    /// One for each time that it is started, the last one for all later ones.
    var outcomes: @Sendable (KernelActivation) -> ContactlessOutcome = { _ in ContactlessOutcome(.approved) }
    /// Whether it sends a command before it ends.
    var sends: CommandAPDU?

    func accepts(_ application: ApplicationInformation) -> Bool { isAccepting }
    func kernel(for activation: KernelActivation) -> any ContactlessKernel { Run(configuration: self, activation: activation) }

    struct Run: ContactlessKernel {
        let configuration: ScriptedKernel
        let activation: KernelActivation

        mutating func start() -> KernelStep {
            configuration.sends.map { KernelStep(.transmit($0)) } ?? KernelStep(.end(configuration.outcomes(activation)))
        }
        mutating func take(_ answer: ResponseAPDU, after elapsed: Duration) -> KernelStep {
            KernelStep(.end(configuration.outcomes(activation)))
        }
        mutating func fail(_ error: CardChannelError) -> KernelStep {
            var outcome = ContactlessOutcome(.tryAgain, start: .b)
            outcome.onRestart = UserInterfaceRequest(.presentCardAgain, .readyToRead)
            outcome.fieldOff = 7
            return KernelStep(.end(outcome))
        }
        mutating func resume(with response: IssuerResponse) -> KernelStep {
            KernelStep(.end(ContactlessOutcome(response.responseCode == Array("00".utf8) ? .approved : .declined)))
        }
    }
}

extension Combination {
    static func visa(_ limits: TransactionLimits = TransactionLimits(), _ kernel: ScriptedKernel = .init(identifier: .kernel3)) -> Self {
        Combination(aid: [0xA0, 0, 0, 0, 0x03, 0x10, 0x10], limits: limits, qualifiers: [.emvMode], kernel: kernel)
    }
    static func mastercard(_ limits: TransactionLimits = TransactionLimits(), _ kernel: ScriptedKernel = .init(identifier: .kernel2))
        -> Self
    {
        Combination(aid: [0xA0, 0, 0, 0, 0x04, 0x10, 0x10], limits: limits, kernel: kernel)
    }
}

/// One entry of a directory, and directories of them.
enum PPSE {
    static func answer(_ entries: [String]) throws -> String {
        let contents = try entries.flatMap { try [UInt8](hex: $0) }
        let bytes = tlv(.fciTemplate) { fci in
            fci.append(.dfName, "2PAY.SYS.DDF01".utf8)
            fci.append(.fciProprietaryTemplate) { $0.append(.fciIssuerDiscretionaryData, contents) }
        }
        return bytes.hex + "9000"
    }

    static func entry(_ aid: String, priority: UInt8? = nil, kernel: String? = nil, extended: String? = nil) throws -> String {
        tlv(.applicationTemplate) { entry in
            entry.append(.adfName, (try? [UInt8](hex: aid)) ?? [])
            if let priority { entry.append(.applicationPriorityIndicator, [priority]) }
            if let kernel { entry.append(.kernelIdentifier, (try? [UInt8](hex: kernel)) ?? []) }
            if let extended { entry.append(.extendedSelection, (try? [UInt8](hex: extended)) ?? []) }
        }.hex
    }

    /// An FCI with a name alone.
    static func application(_ aid: String) throws -> String {
        tlv(.fciTemplate) { $0.append(.dfName, (try? [UInt8](hex: aid)) ?? []) }.hex + "9000"
    }
}

private let visa = "A0000000031010"
private let mastercard = "A0000000041010"

@Suite struct PreProcessingOfCombinationsTests {
    @Test func noCombinationIsAllowed() throws {
        var bench = EntryPointBench()
        bench.combinations = [.visa(TransactionLimits(transactionLimit: 10_00)), .mastercard(TransactionLimits(transactionLimit: 5_00))]
        let run = try bench.run([])
        #expect(run.outcome.status == .tryAnotherInterface)
        #expect(run.outcome.reason == .notAllowed)
        #expect(run.shown == [UserInterfaceRequest(.insertOrSwipe, .processingError)])
        #expect(run.polls.isEmpty && run.sent.isEmpty)
    }

    @Test func onlyCombinationsOfTheTransactionsType() throws {
        var bench = EntryPointBench()
        bench.combinations[0].transactionTypes = [.refund]
        let run = try bench.run([try PPSE.answer([PPSE.entry(visa), PPSE.entry(mastercard)]), PPSE.application(mastercard)])
        #expect(run.selected == [mastercard])
    }

    @Test func whatPreProcessingRefusesIsNotSelected() throws {
        var bench = EntryPointBench()
        bench.combinations[0].limits.transactionLimit = 10_00
        let run = try bench.run([try PPSE.answer([PPSE.entry(visa), PPSE.entry(mastercard)]), PPSE.application(mastercard)])
        #expect(run.selected == [mastercard])
    }

    @Test func aRequestThatIsNoneEndsBeforeTheField() throws {
        var bench = EntryPointBench()
        bench.request.amount = 1_000_000_000_000
        let run = try bench.run([])
        #expect(run.outcome.status == .endApplication && run.polls.isEmpty)
    }
}

@Suite struct CombinationSelectionTests {
    private func selected(_ entries: [String], _ combinations: [Combination] = [.visa(), .mastercard()]) throws -> [String] {
        var bench = EntryPointBench()
        bench.combinations = combinations
        return try bench.run([try PPSE.answer(entries), "6A82", "6A82", "6A82", "6A82"]).selected
    }

    @Test func prioritiesThenTheCardsOrder() throws {
        #expect(try selected([PPSE.entry(mastercard, priority: 2), PPSE.entry(visa, priority: 1)]) == [visa, mastercard])
        #expect(try selected([PPSE.entry(mastercard, priority: 1), PPSE.entry(visa, priority: 1)]) == [mastercard, visa])
        #expect(try selected([PPSE.entry(mastercard, priority: 0), PPSE.entry(visa, priority: 15)]) == [visa, mastercard])
        #expect(try selected([PPSE.entry(mastercard), PPSE.entry(visa, priority: 0x81)]) == [visa, mastercard])
        #expect(try selected([PPSE.entry(mastercard), PPSE.entry(visa, priority: 0)]) == [mastercard, visa])
    }

    @Test func namesThatBeginWithTheReaders() throws {
        #expect(try selected([PPSE.entry("A000000003101001")]) == ["A000000003101001"])
        #expect(try selected([PPSE.entry("A00000000310")]) == [])
        #expect(try selected([PPSE.entry("A0000000")]) == [])
    }

    @Test("The kernel identifier of an entry selects the kernel") func kernelIdentifiers() throws {
        #expect(try selected([PPSE.entry(visa, kernel: "")]) == [visa])
        #expect(try selected([PPSE.entry(visa, kernel: "03")]) == [visa])
        #expect(try selected([PPSE.entry(visa, kernel: "02")]) == [])
        // Short identifier 0: any kernel that is configured for the application.
        #expect(try selected([PPSE.entry(visa, kernel: "00")]) == [visa])
    }

    @Test("A domestic kernel is selected by its country and number") func domesticKernels() throws {
        let domestic = try #require(KernelIdentifier(domestic: [0x81, 0x08, 0x40]))
        let combination = Combination.visa(TransactionLimits(), ScriptedKernel(identifier: domestic))
        #expect(try selected([PPSE.entry(visa, kernel: "810840")], [combination]) == [visa])
        #expect(try selected([PPSE.entry(visa, kernel: "81084099")], [combination]) == [visa])
        #expect(try selected([PPSE.entry(visa, kernel: "C10840")], [combination]) == [])
        // Fewer than three bytes, and a short identifier of 0: the entry is skipped.
        #expect(try selected([PPSE.entry(visa, kernel: "8108")], [combination]) == [])
        #expect(try selected([PPSE.entry(visa, kernel: "800840")], [combination]) == [])
    }

    @Test func twoCombinationsForOneEntry() throws {
        let other = Combination.visa(TransactionLimits(), ScriptedKernel(identifier: KernelIdentifier(international: 9)))
        #expect(try selected([PPSE.entry(visa, kernel: "00")], [.visa(), other]) == [visa, visa])
    }

    @Test(arguments: ["61024F00", "61064F04A0000000", "61124F07" + visa + "4F07" + visa, "6100"])
    func aBadEntryCostsTheOthersNothing(entry: String) throws {
        #expect(try selected([entry, PPSE.entry(visa)]) == [visa])
    }

    @Test func aDirectoryThatIsNotWellFormedIsNone() throws {
        #expect(try selected(["61024F09", PPSE.entry(visa)]) == [])
    }

    /// Book B 2.11 has tags `96`, `9F3E` and `9F3F` and a command by which the card is told of the reader before it is selected. Its
    /// course is known from one source: nothing of it is done, and a card that has a list for it is read as any other.
    @Test("A list for SEND POI INFORMATION in the directory changes nothing") func informationOfTheReader() throws {
        let entry = try PPSE.entry(visa)
        let list = tlv(0x9F3F, [0x96, 0x08, 0x9F, 0x3E, 0x02]).hex
        let run = try EntryPointBench().run([try PPSE.answer([list, entry]), PPSE.application(visa)])
        #expect(run.selected == [visa] && run.outcome.status == .approved)
        #expect(run.sent.allSatisfy { $0.hasPrefix("00A40400") })
    }

    @Test("Extended selection appends its bytes if the reader supports it") func extendedSelection() throws {
        var bench = EntryPointBench()
        let directory = try PPSE.answer([PPSE.entry(visa, extended: "AABB")])
        #expect(try bench.run([directory, "6A82"]).selected == [visa])
        bench.combinations[0].supportsExtendedSelection = true
        #expect(try bench.run([directory, "6A82"]).selected == [visa + "AABB"])
    }

    @Test("A card without a directory has an empty candidate list", arguments: ["6A82", "6283", "9000", "6F039000", "6F0A840820009000"])
    func noDirectory(answer: String) throws {
        let run = try EntryPointBench().run([answer])
        #expect(run.outcome.status == .endApplication)
        #expect(run.outcome.reason == .termination(.emptyCandidateList))
        #expect(run.shown.last == UserInterfaceRequest(.insertSwipeOrTryAnotherCard, .readyToRead))
    }

    /// The directories of real cards (devnied/EMV-NFC-Paycard-Enrollment, Apache-2.0).
    @Test(arguments: [
        (
            "6F4D840E325041592E5359532E4444463031A53BBF0C3861164F07A0000000421010870101500243429F2803400200"
                + "611E4F07A0000000041010870102500A4D4153544552434152449F28034002009000", mastercard
        ),
        (
            "6F3B840E325041592E5359532E4444463031A529BF0C2661104F07A0000000421010500243428701016112"
                + "4F07A00000000310105004564953418701029000", visa
        ),
    ])
    func directoriesOfRealCards(answer: String, aid: String) throws {
        #expect(try EntryPointBench().run([answer, "6A82"]).selected == [aid])
    }
}

@Suite struct FinalSelectionTests {
    @Test func anApplicationThatIsNotGivenIsDropped() throws {
        let directory = try PPSE.answer([PPSE.entry(visa, priority: 1), PPSE.entry(mastercard, priority: 2)])
        for refusal in ["6A82", "6283", "6F04849000"] {
            let run = try EntryPointBench().run([directory, refusal, PPSE.application(mastercard)])
            #expect(run.selected == [visa, mastercard])
            #expect(run.outcome.status == .approved)
        }
    }

    @Test func anApplicationThatTheKernelDoesNotTakeIsDropped() throws {
        var bench = EntryPointBench()
        bench.combinations[0].kernel = ScriptedKernel(identifier: .kernel3, isAccepting: false)
        let run = try bench.run([try PPSE.answer([PPSE.entry(visa)]), PPSE.application(visa)])
        #expect(run.outcome.reason == .termination(.emptyCandidateList))
    }

    @Test("An application of another payment system under the name that was selected is dropped, but for kernel 8")
    func anApplicationOfAnotherSystem() throws {
        let maestro = "A0000000043060"
        let directory = try PPSE.answer([PPSE.entry(visa, priority: 1), PPSE.entry(mastercard, priority: 2)])
        let run = try EntryPointBench().run([directory, PPSE.application(maestro), PPSE.application(mastercard)])
        #expect(run.selected == [visa, mastercard] && run.outcome.status == .approved)
        // Maestro under Mastercard's name is of the same system.
        let alike = try EntryPointBench().run([try PPSE.answer([PPSE.entry(mastercard)]), PPSE.application(maestro)])
        #expect(alike.outcome.status == .approved)
        var bench = EntryPointBench()
        bench.combinations[0].kernel = ScriptedKernel(identifier: .kernel8)
        let anySystem = try bench.run([try PPSE.answer([PPSE.entry(visa, kernel: "08")]), PPSE.application(maestro)])
        #expect(anySystem.selected == [visa] && anySystem.outcome.status == .approved)
    }

    @Test func theKernelGetsTheTerminalsData() throws {
        var bench = EntryPointBench()
        bench.combinations[0].limits.cvmRequiredLimit = 10_00
        bench.combinations[0].kernel = ScriptedKernel(identifier: .kernel3) { activation in
            var outcome = ContactlessOutcome(.endApplication)
            for tag: TLV.Tag in [
                .terminalTransactionQualifiers, .unpredictableNumber, .pointOfServiceEntryMode, .applicationIdentifierTerminal,
            ] {
                outcome.discretionaryData[tag] = activation.data[tag]
            }
            return outcome
        }
        let data = try bench.run([try PPSE.answer([PPSE.entry(visa)]), PPSE.application(visa)]).outcome.discretionaryData
        #expect(data[.terminalTransactionQualifiers]?.hex == "20400000")
        #expect(data[.unpredictableNumber]?.hex == "11223344")
        #expect(data[.pointOfServiceEntryMode] == [0x07])
        #expect(data[.applicationIdentifierTerminal]?.hex == visa)
    }
}

@Suite struct OutcomeProcessingTests {
    private func bench(_ outcome: ContactlessOutcome) -> EntryPointBench {
        var bench = EntryPointBench()
        bench.combinations[0].kernel = ScriptedKernel(identifier: .kernel3) { _ in outcome }
        return bench
    }

    private func answers(_ aids: [String]) throws -> [String] {
        [try PPSE.answer(aids.map { try PPSE.entry($0) })] + (try aids.map { try PPSE.application($0) })
    }

    @Test func selectNextGoesOnWithTheNext() throws {
        let run = try bench(ContactlessOutcome(.selectNext, start: .c)).run(answers([visa, mastercard]))
        #expect(run.selected == [visa, mastercard])
        #expect(run.polls.count == 1)
        #expect(run.outcome.status == .approved)
    }

    @Test func selectNextWithNothingLeft() throws {
        let run = try bench(ContactlessOutcome(.selectNext, start: .c)).run(answers([visa]))
        #expect(run.outcome.reason == .termination(.emptyCandidateList))
    }

    @Test(arguments: [ContactlessOutcome.Status.tryAgain, .endApplication]) func aCardPresentedAgainWithoutEnd(
        status: ContactlessOutcome.Status
    ) throws {
        var outcome = ContactlessOutcome(status, start: .b)
        outcome.onOutcome = UserInterfaceRequest(.seePhone, .processingError)
        outcome.onRestart = UserInterfaceRequest(.presentCardAgain, .readyToRead)
        outcome.fieldOff = 13
        var bench = bench(outcome)
        bench.maximumPresentations = 3
        let run = try bench.run(Array(repeating: try answers([visa]), count: 3).flatMap(\.self))
        #expect(run.polls == [0, 13, 13])
        #expect(run.outcome.reason == .presentedTooOften)
        #expect(run.messages.prefix(3) == [.presentCard, .seePhone, .presentCardAgain])
    }

    @Test func aCardThatLeavesDuringSelection() throws {
        let run = try EntryPointBench().run(["lost"] + answers([visa]))
        #expect(run.polls.count == 2)
        #expect(run.outcome.status == .approved)
        let second = try EntryPointBench().run([try PPSE.answer([PPSE.entry(visa)]), "lost"] + answers([visa]))
        #expect(second.polls.count == 2)
        #expect(second.messages == [.presentCard, .presentCardAgain])
    }

    @Test func aKernelHearsOfALostAnswer() throws {
        var bench = EntryPointBench()
        bench.combinations[0].kernel = ScriptedKernel(identifier: .kernel3, sends: .getChallenge)
        let run = try bench.run(answers([visa]) + ["lost"] + answers([visa]) + ["9000"])
        #expect(run.polls == [0, 7])
        #expect(run.outcome.status == .approved)
    }

    @Test func aReaderThatFailsEndsIt() {
        var entryPoint = EntryPointBench().entryPoint()
        _ = entryPoint.start()
        _ = entryPoint.next(.cardPresent)
        for error in [CardChannelError.cancelled, .readerFailed(.cardMute)] {
            var copy = entryPoint
            guard case .end(let outcome) = copy.next(.failed(error)).action else {
                Issue.record("it goes on")
                return
            }
            #expect(outcome.status == .endApplication && outcome.reason == .termination(.channel(error)))
        }
    }

    @Test func anAnswerThatIsTooLongIsNone() throws {
        let long = String(repeating: "00", count: 257) + "9000"
        let run = try EntryPointBench().run([long] + answers([visa]))
        #expect(run.polls.count == 2 && run.outcome.status == .approved)
    }

    @Test func severalCardsAreWaitedFor() {
        var entryPoint = EntryPointBench().entryPoint()
        _ = entryPoint.start()
        let collision = entryPoint.next(.severalCards)
        #expect(collision.show == [UserInterfaceRequest(.presentOneCardOnly, .processingError)])
        guard case .waitForEmptyField = collision.action else {
            Issue.record("the field is not waited for")
            return
        }
        let again = entryPoint.next(.fieldEmpty)
        #expect(again.show == [UserInterfaceRequest(.presentCard, .readyToRead)])
        guard case .poll = again.action else {
            Issue.record("no card is waited for")
            return
        }
    }

    @Test func whatDoesNotFitEndsTheTransaction() {
        var entryPoint = EntryPointBench().entryPoint()
        _ = entryPoint.start()
        guard case .end(let outcome) = entryPoint.next(.fieldEmpty).action else {
            Issue.record("it goes on")
            return
        }
        #expect(outcome.status == .endApplication)
    }
}

@Suite("Restarts of Entry Point after an outcome") struct RestartTests {
    private func ended(_ start: ContactlessOutcome.Start?, _ requested: ContactlessOutcome.OnlineResponse?) throws -> EntryPoint {
        var bench = EntryPointBench()
        bench.combinations[0].supportsExtendedSelection = true
        bench.combinations[0].kernel = ScriptedKernel(identifier: .kernel3) { activation in
            guard activation.issuerResponse == nil else { return ContactlessOutcome(.approved) }
            var outcome = ContactlessOutcome(.onlineRequest, start: start)
            outcome.onlineResponse = requested
            outcome.onRestart = UserInterfaceRequest(.presentCardAgain, .readyToRead)
            return outcome
        }
        var entryPoint = bench.entryPoint()
        let run = try EntryPointBench.Run(
            &entryPoint, entryPoint.start(), [PPSE.answer([PPSE.entry(visa, extended: "AA")]), PPSE.application(visa)])
        #expect(run.outcome.status == .onlineRequest)
        return entryPoint
    }

    private let update = IssuerResponse(responseCode: Array("00".utf8), authenticationData: [1, 2, 3, 4, 5, 6, 7, 8])

    @Test func startBSelectsTheSameCombinationWithoutTheDirectory() throws {
        var entryPoint = try ended(.b, .emvData)
        let resumed = entryPoint.resume(with: update)
        let step = try #require(resumed)
        #expect(step.show == [UserInterfaceRequest(.presentCardAgain, .readyToRead)])
        let run = try EntryPointBench.Run(&entryPoint, step, [PPSE.application(visa)])
        #expect(run.sent == ["00A4040008" + visa + "AA00"])
        #expect(run.outcome.status == .approved)
    }

    @Test func afterTheIssuersAnswerNoOtherApplicationIsTried() throws {
        var entryPoint = try ended(.b, .emvData)
        let resumed = entryPoint.resume(with: update)
        let step = try #require(resumed)
        let run = try EntryPointBench.Run(&entryPoint, step, ["6A82"])
        #expect(run.outcome.status == .endApplication)
    }

    @Test func startDGoesOnInTheKernel() throws {
        var entryPoint = try ended(.d, .any)
        let resumed = entryPoint.resume(with: IssuerResponse(responseCode: Array("05".utf8)))
        let step = try #require(resumed)
        guard case .end(let outcome) = step.action else {
            Issue.record("it goes on")
            return
        }
        #expect(outcome.status == .declined)
    }

    @Test func anAnswerWithoutDataIsTheEnd() throws {
        let plain = IssuerResponse(responseCode: Array("00".utf8))
        var waiting = try ended(.b, .emvData)
        #expect(waiting.resume(with: plain) == nil)
        var final = try ended(nil, nil)
        #expect(final.resume(with: update) == nil)
    }
}
