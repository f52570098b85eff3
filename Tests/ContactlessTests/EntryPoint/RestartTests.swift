import Contactless
import EMVKernel
import KernelDoubles
import TLV
import Testing

private let visa = "A0000000031010"
private let mastercard = "A0000000041010"

/// Starts A to D after an online request (EMV Contactless Book A, 6.2; Book B, 3.1 to 3.5).
@Suite("Restarts of Entry Point after an outcome") struct RestartTests {
    /// Entry Point after an online request of the first of two candidates.
    private func ended(
        _ start: ContactlessOutcome.Start?, _ requested: ContactlessOutcome.OnlineResponse?, asksAgain: Bool = true
    ) throws -> EntryPoint {
        var bench = EntryPointBench()
        bench.combinations[0].supportsExtendedSelection = true
        bench.combinations[0].kernel = ScriptedKernel(identifier: .kernel3) { activation in
            guard activation.issuerResponse == nil else { return ContactlessOutcome(.approved) }
            var outcome = ContactlessOutcome(.onlineRequest, start: start)
            outcome.onlineResponse = requested
            if asksAgain { outcome.onRestart = UserInterfaceRequest(.presentCardAgain, .readyToRead) }
            outcome.fieldOff = 13
            return outcome
        }
        var entryPoint = bench.entryPoint()
        let run = try EntryPointBench.Run(
            &entryPoint, entryPoint.start(),
            [
                PPSE.answer([PPSE.entry(visa, priority: 1, extended: "AA"), PPSE.entry(mastercard, priority: 2)]),
                PPSE.application(visa),
            ])
        #expect(run.outcome.status == .onlineRequest)
        return entryPoint
    }

    private let update = IssuerResponse(responseCode: Array("00".utf8), authenticationData: [1, 2, 3, 4, 5, 6, 7, 8])
    private let plain = IssuerResponse(responseCode: Array("05".utf8))

    @Test func startBSelectsTheSameCombinationWithoutTheDirectory() throws {
        var entryPoint = try ended(.b, .emvData)
        let resumed = entryPoint.resume(with: update)
        let step = try #require(resumed)
        #expect(step.show == [UserInterfaceRequest(.presentCardAgain, .readyToRead)])
        let run = try EntryPointBench.Run(&entryPoint, step, [PPSE.application(visa)])
        #expect(run.sent == ["00A4040008" + visa + "AA00"])
        #expect(run.outcome.status == .approved)
    }

    /// 3.3.1: only authentication data or a script are for the combination that asked.
    @Test("Start B after any answer reads the directory if the answer has nothing for the card")
    func startBWithoutData() throws {
        var entryPoint = try ended(.b, .any)
        let resumed = entryPoint.resume(with: plain)
        let run = try EntryPointBench.Run(
            &entryPoint, try #require(resumed), [PPSE.answer([PPSE.entry(visa)]), "6A82"])
        #expect(run.polls == [13])
        #expect(run.sent.first == "00A404000E325041592E5359532E444446303100")
        #expect(run.outcome.reason == .termination(.emptyCandidateList), "the next candidate is looked for")
        var withData = try ended(.b, .any)
        let again = withData.resume(with: update)
        #expect(try EntryPointBench.Run(&withData, try #require(again), [PPSE.application(visa)]).sent.count == 1)
    }

    /// 3.3.3.5: End Application, message 1C, Ready to Read, no removal timeout.
    @Test func afterTheIssuersAnswerNoOtherApplicationIsTried() throws {
        var entryPoint = try ended(.b, .emvData)
        let resumed = entryPoint.resume(with: update)
        let step = try #require(resumed)
        let run = try EntryPointBench.Run(&entryPoint, step, ["6A82"])
        #expect(run.outcome.status == .endApplication)
        #expect(run.outcome.removalTimeout == 0)
        #expect(run.outcome.onOutcome == UserInterfaceRequest(.insertSwipeOrTryAnotherCard, .readyToRead))
    }

    @Test("Start A begins with pre-processing and the directory") func startA() throws {
        var entryPoint = try ended(.a, .any)
        let resumed = entryPoint.resume(with: plain)
        let step = try #require(resumed)
        #expect(step.show == [UserInterfaceRequest(.presentCardAgain, .readyToRead)])
        let run = try EntryPointBench.Run(
            &entryPoint, step, [PPSE.answer([PPSE.entry(mastercard)]), PPSE.application(mastercard)])
        #expect(run.polls == [13])
        #expect(run.selected == [mastercard])
        #expect(run.outcome.status == .approved)
    }

    @Test("Start C selects the best candidate of the list as it is, without a poll") func startC() throws {
        var entryPoint = try ended(.c, .any)
        let resumed = entryPoint.resume(with: plain)
        let step = try #require(resumed)
        #expect(step.show == [UserInterfaceRequest(.presentCardAgain, .readyToRead)])
        let run = try EntryPointBench.Run(&entryPoint, step, ["6A82", PPSE.application(mastercard)])
        #expect(run.polls.isEmpty)
        #expect(run.selected == [visa + "AA", mastercard])
        #expect(run.outcome.status == .approved)
    }

    @Test func startDGoesOnInTheKernel() throws {
        var entryPoint = try ended(.d, .any)
        let resumed = entryPoint.resume(with: plain)
        let step = try #require(resumed)
        #expect(step.show.first == UserInterfaceRequest(.presentCardAgain, .readyToRead))
        guard case .end(let outcome) = step.action else {
            Issue.record("it goes on")
            return
        }
        #expect(outcome.status == .declined)
    }

    /// 3.2.1: without a request of the kernel, message 15.
    @Test(
        "A restart without a message of its own asks for the card", arguments: [ContactlessOutcome.Start.a, .b, .c, .d])
    func message(start: ContactlessOutcome.Start) throws {
        var entryPoint = try ended(start, .any, asksAgain: false)
        let resumed = entryPoint.resume(with: update)
        #expect(try #require(resumed).show.first == UserInterfaceRequest(.presentCard, .readyToRead))
    }

    @Test("After a collision the message of the restart is shown again") func collision() throws {
        var entryPoint = try ended(.b, .any)
        _ = entryPoint.resume(with: update)
        _ = entryPoint.next(.severalCards)
        #expect(entryPoint.next(.fieldEmpty).show == [UserInterfaceRequest(.presentCardAgain, .readyToRead)])
    }

    @Test("A kernel that ends again and again is stopped", arguments: [ContactlessOutcome.Start.a, .b, .c])
    func endless(start: ContactlessOutcome.Start) throws {
        var bench = EntryPointBench()
        bench.maximumPresentations = 2
        bench.combinations[0].kernel = ScriptedKernel(identifier: .kernel3) { _ in
            ContactlessOutcome(.endApplication, start: start)
        }
        let tap = [try PPSE.answer([PPSE.entry(visa)]), try PPSE.application(visa)]
        let run = try bench.run(start == .c ? tap + [tap[1]] : tap + tap)
        #expect(run.outcome.reason == .presentedTooOften)
        #expect(run.selected == [visa, visa])
        #expect(run.messages.prefix(2) == [.presentCard, .presentCard])
    }

    @Test func anAnswerWithoutDataIsTheEnd() throws {
        var waiting = try ended(.b, .emvData)
        #expect(waiting.resume(with: plain) == nil)
        var final = try ended(nil, nil)
        #expect(final.resume(with: update) == nil)
    }
}
