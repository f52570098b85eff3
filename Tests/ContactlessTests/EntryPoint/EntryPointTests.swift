import Bytes
import Contactless
import EMVKernel
import KernelDoubles
import SmartCard
import TLV
import Testing

private let visa = "A0000000031010"
private let mastercard = "A0000000041010"

@Suite struct PreProcessingOfCombinationsTests {
    @Test func noCombinationIsAllowed() throws {
        var bench = EntryPointBench()
        bench.combinations = [
            .visa(TransactionLimits(transactionLimit: 10_00)), .mastercard(TransactionLimits(transactionLimit: 5_00)),
        ]
        let run = try bench.run([])
        #expect(run.outcome.status == .tryAnotherInterface)
        #expect(run.outcome.reason == .notAllowed)
        #expect(run.shown == [UserInterfaceRequest(.insertOrSwipe, .processingError)])
        #expect(run.polls.isEmpty)
        #expect(run.sent.isEmpty)
    }

    @Test func onlyCombinationsOfTheTransactionsType() throws {
        var bench = EntryPointBench()
        bench.combinations[0].transactionTypes = [.refund]
        let run = try bench.run([
            try PPSE.answer([PPSE.entry(visa), PPSE.entry(mastercard)]), PPSE.application(mastercard),
        ])
        #expect(run.selected == [mastercard])
    }

    @Test func whatPreProcessingRefusesIsNotSelected() throws {
        var bench = EntryPointBench()
        bench.combinations[0].limits.transactionLimit = 10_00
        let run = try bench.run([
            try PPSE.answer([PPSE.entry(visa), PPSE.entry(mastercard)]), PPSE.application(mastercard),
        ])
        #expect(run.selected == [mastercard])
    }

    @Test func aRequestThatIsNoneEndsBeforeTheField() throws {
        var bench = EntryPointBench()
        bench.request.amount = 1_000_000_000_000
        let run = try bench.run([])
        #expect(run.outcome.status == .endApplication)
        #expect(run.polls.isEmpty)
    }
}

@Suite struct CombinationSelectionTests {
    private func selected(_ entries: [String], _ combinations: [Combination] = [.visa(), .mastercard()]) throws
        -> [String]
    {
        var bench = EntryPointBench()
        bench.combinations = combinations
        return try bench.run([try PPSE.answer(entries), "6A82", "6A82", "6A82", "6A82"]).selected
    }

    @Test func prioritiesThenTheCardsOrder() throws {
        #expect(
            try selected([PPSE.entry(mastercard, priority: 2), PPSE.entry(visa, priority: 1)]) == [visa, mastercard])
        #expect(
            try selected([PPSE.entry(mastercard, priority: 1), PPSE.entry(visa, priority: 1)]) == [mastercard, visa])
        #expect(
            try selected([PPSE.entry(mastercard, priority: 0), PPSE.entry(visa, priority: 15)]) == [visa, mastercard])
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
        let other = Combination.visa(
            TransactionLimits(), ScriptedKernel(identifier: KernelIdentifier(international: 9)))
        #expect(try selected([PPSE.entry(visa, kernel: "00")], [.visa(), other]) == [visa, visa])
    }

    @Test(arguments: ["61024F00", "61064F04A0000000", "61124F07" + visa + "4F07" + visa, "6100"])
    func aBadEntryCostsTheOthersNothing(entry: String) throws {
        #expect(try selected([entry, PPSE.entry(visa)]) == [visa])
    }

    @Test func aDirectoryThatIsNotWellFormedIsNone() throws {
        #expect(try selected(["61024F09", PPSE.entry(visa)]) == [])
    }

    /// Book B 2.11 has tags `96`, `9F3E` and `9F3F` and a command by which the card is told of the
    /// reader before it is selected. Its course is known from one source: nothing of it is done,
    /// and a card that has a list for it is read as any other.
    @Test("A list for SEND POI INFORMATION in the directory changes nothing") func informationOfTheReader() throws {
        let entry = try PPSE.entry(visa)
        let list = tlv(0x9F3F, [0x96, 0x08, 0x9F, 0x3E, 0x02]).hex
        let run = try EntryPointBench().run([try PPSE.answer([list, entry]), PPSE.application(visa)])
        #expect(run.selected == [visa])
        #expect(run.outcome.status == .approved)
        #expect(run.sent.allSatisfy { $0.hasPrefix("00A40400") })
    }

    /// What is behind the FCI template is no part of it, as zeros are not.
    @Test(
        "Objects behind the template of an answer to SELECT are ignored",
        arguments: ["00", "9F360200A5", "6F00", "A503880101", "0000500100"])
    func behindTheTemplate(rest: String) throws {
        func padded(_ answer: String) -> String { String(answer.dropLast(4)) + rest + "9000" }
        let run = try EntryPointBench().run([
            padded(try PPSE.answer([PPSE.entry(visa)])), padded(try PPSE.application(visa)),
        ])
        #expect(run.selected == [visa])
        #expect(run.outcome.status == .approved)
    }

    @Test(
        "Before the template nothing may be, and what is cut off is no object", arguments: ["9F360200A5", ""],
        ["", "9F3602"])
    func aroundTheTemplate(before: String, behind: String) throws {
        guard before + behind != "" else { return }
        let answer = try PPSE.answer([PPSE.entry(visa)])
        #expect(try EntryPointBench().run([before + answer.dropLast(4) + behind + "9000"]).selected == [])
    }

    @Test("Extended selection appends its bytes if the reader supports it") func extendedSelection() throws {
        var bench = EntryPointBench()
        let directory = try PPSE.answer([PPSE.entry(visa, extended: "AABB")])
        #expect(try bench.run([directory, "6A82"]).selected == [visa])
        bench.combinations[0].supportsExtendedSelection = true
        #expect(try bench.run([directory, "6A82"]).selected == [visa + "AABB"])
    }

    @Test(
        "A card without a directory has an empty candidate list",
        arguments: ["6A82", "6283", "9000", "6F039000", "6F0A840820009000"])
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
        #expect(run.selected == [visa, mastercard])
        #expect(run.outcome.status == .approved)
        // Maestro under Mastercard's name is of the same system.
        let alike = try EntryPointBench().run([try PPSE.answer([PPSE.entry(mastercard)]), PPSE.application(maestro)])
        #expect(alike.outcome.status == .approved)
        var bench = EntryPointBench()
        bench.combinations[0].kernel = ScriptedKernel(identifier: .kernel8)
        let anySystem = try bench.run([try PPSE.answer([PPSE.entry(visa, kernel: "08")]), PPSE.application(maestro)])
        #expect(anySystem.selected == [visa])
        #expect(anySystem.outcome.status == .approved)
    }

    @Test func theKernelGetsTheTerminalsData() throws {
        var bench = EntryPointBench()
        bench.combinations[0].limits.cvmRequiredLimit = 10_00
        bench.combinations[0].kernel = ScriptedKernel(identifier: .kernel3) { activation in
            var outcome = ContactlessOutcome(.endApplication)
            for tag: TLV.Tag in [
                .terminalTransactionQualifiers, .unpredictableNumber, .pointOfServiceEntryMode,
                .applicationIdentifierTerminal,
            ] {
                outcome.discretionaryData[tag] = activation.data[tag]
            }
            return outcome
        }
        let data = try bench.run([try PPSE.answer([PPSE.entry(visa)]), PPSE.application(visa)]).outcome
            .discretionaryData
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
            #expect(outcome.status == .endApplication)
            #expect(outcome.reason == .termination(.channel(error)))
        }
    }

    @Test func anAnswerThatIsTooLongIsNone() throws {
        let long = String(repeating: "00", count: 257) + "9000"
        let run = try EntryPointBench().run([long] + answers([visa]))
        #expect(run.polls.count == 2)
        #expect(run.outcome.status == .approved)
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
