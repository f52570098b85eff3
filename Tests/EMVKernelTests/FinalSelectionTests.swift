import Bytes
import SmartCard
import TLV
import Testing

@testable import EMVKernel

/// EMV 4.4 Book 1, 12.4, and table 13 for the priority indicator.
@Suite struct FinalSelectionTests {
    private let names = ["A000000003101001", "A000000003101002", "A000000003101003"]

    /// The card of `names` with the priority indicators given, found through the terminal's partial
    /// name.
    private func image(_ priorities: [String]) -> CardImage {
        var pairs: [(String, String)] = []
        for (index, priority) in priorities.enumerated() {
            let answer = fci(names[index], ("87", priority))
            pairs.append((selectCommand(visaAID, next: index > 0), answer))
            pairs.append((selectCommand(names[index]), answer))
        }
        pairs.append((selectCommand(visaAID, next: true), "6A82"))
        var image = CardImage()
        image.pairs = pairs
        return image
    }

    @Test("1 is the highest; 0 is not a priority and comes last") func ordersByPriority() async {
        let run = await selectionBench(visaAID).run(image(["00", "02", "01"]))
        #expect(run.candidates == [names[2], names[1], names[0]])
        #expect(run.selected == [names[2]])
    }

    @Test("A terminal that cannot ask takes the highest that needs no confirmation, and none if all need it")
    func confirmationWithoutCardholder() async {
        #expect(await selectionBench(visaAID).run(image(["81", "02", "03"])).selected == [names[1]])
        let all = await selectionBench(visaAID).run(image(["81", "82"]))
        #expect(all.selected.isEmpty)
        #expect(all.decision == .terminated(.confirmationNotPossible))
        #expect(all.outcome.fallback == nil)
    }

    @Test func cardholderChoosesAmongSeveral() async {
        var asking = selectionBench(visaAID)
        asking.configuration.cardholderSelectsApplication = true
        asking.cardholder.choice = 1
        let run = await asking.run(image(["03", "01", "02"]))
        #expect(await asking.cardholder.asked.names == [[names[1], names[2], names[0]]])
        #expect(run.selected == [names[2]])
    }

    @Test func singleApplicationWithConfirmation() async {
        var asking = selectionBench(visaAID)
        asking.configuration.cardholderSelectsApplication = true
        asking.cardholder.choice = 0
        #expect(await asking.run(image(["81"])).selected == [names[0]])
        #expect(await asking.cardholder.asked.names == [[names[0]]])

        asking.cardholder = RecordingCardholder()
        #expect(await asking.run(image(["81"])).decision == .terminated(.cancelledByCardholder))
        #expect(Termination.cancelledByCardholder.isChipFailure == false)

        asking.cardholder = RecordingCardholder()
        #expect(await asking.run(image(["01"])).selected == [names[0]], "without bit 8 nobody is asked")
        #expect(await asking.cardholder.asked.names.isEmpty)
    }

    @Test(arguments: [1, -1, Int.max])
    func choiceOutsideTheListIsACancel(_ choice: Int) async {
        var asking = selectionBench(visaAID)
        asking.configuration.cardholderSelectsApplication = true
        asking.cardholder.choice = choice
        #expect(await asking.run(image(["81"])).decision == .terminated(.cancelledByCardholder))
    }

    @Test(
        "A final SELECT that fails, or brings another application, strikes it off",
        arguments: ["6A82", "6283", "9000", "6F128408A000000003101009A5069F38039F35019000"])
    func finalSelectFails(_ answer: String) async {
        var card = image(["01", "02"])
        card.pairs.removeAll { $0.0 == selectCommand(names[0]) }
        card.pairs.append((selectCommand(names[0]), answer))
        let run = await selectionBench(visaAID).run(card)
        #expect(run.selected == [names[1]])
        #expect(run.decision == .approved(.offline))
    }

    /// Book 3, 10.1: 6985 to GET PROCESSING OPTIONS takes the application out and the choice is
    /// made again.
    @Test func conditionsOfUseNotSatisfied() async {
        var card = image(["01", "02"])
        card.pairs += [
            ("80A8", "6985"), ("80A8", object("77", object("82", "0000") + object("94", "08010100")) + "9000"),
        ]
        let run = await selectionBench(visaAID).run(card)
        #expect(run.selected == [names[0], names[1]])
        #expect(run.decision == .approved(.offline))

        card.pairs.removeAll { $0.0 == "80A8" }
        card.pairs.append(("80A8", "6985"))
        let none = await selectionBench(visaAID).run(card)
        #expect(none.selected == [names[0], names[1]])
        #expect(none.struckOff == [names[0], names[1]])
        #expect(none.decision == .terminated(.applicationRefused))
        #expect(none.outcome.fallback == nil, "the chip worked, and said no")
    }

    /// Nothing of an application that was struck off may count for the next one.
    @Test func forgetsTheApplicationStruckOff() async {
        var card = image(["01", "02"])
        card.pairs.removeAll { $0.0 == selectCommand(names[0]) }
        card.pairs.append((selectCommand(names[0]), fci(names[0], ("9F38", "9F3501"))))
        card.pairs.append(("80A80000038301", "6985"))
        card.pairs.append(("80A8000002830000", object("77", object("82", "0000") + object("94", "08010100")) + "9000"))
        let channel = card.card()
        let run = await selectionBench(visaAID).run(channel)
        #expect(await channel.sent.filter { $0.hasPrefix("80A8") } == ["80A800000383012200", "80A8000002830000"])
        #expect(run.decision == .approved(.offline))
    }

    @Test(
        "Book 4, 6.3.1: an application that answered 6985 is not selected again in this session. Each candidate has one try"
    )
    func everyApplicationRefuses() async {
        var pairs = names.enumerated().flatMap { index, name in
            [(selectCommand(visaAID, next: index > 0), fci(name)), (selectCommand(name), fci(name))]
        }
        pairs += [(selectCommand(visaAID, next: true), "6A82"), ("80A8", "6985")]
        let card = cardImage(pairs).card()
        let run = await selectionBench(visaAID).run(card)
        #expect(run.selected == names)
        #expect(await card.sent.filter { $0.hasPrefix("80A8") }.count == 3)
        #expect(run.decision == .terminated(.applicationRefused))
    }

    /// What the cardholder chose and the card then refused leads to confirmation even of a single
    /// application that asks for none.
    @Test func confirmationAfterAChoiceInVain() async {
        var card = image(["01", "02"])
        card.pairs += [
            ("80A8", "6985"), ("80A8", object("77", object("82", "0000") + object("94", "08010100")) + "9000"),
        ]
        var asking = selectionBench(visaAID)
        asking.configuration.cardholderSelectsApplication = true
        asking.cardholder.choice = 0
        let run = await asking.run(card)
        #expect(await asking.cardholder.asked.names == [[names[0], names[1]], [names[1]]])
        #expect(run.selected == [names[0], names[1]])
        #expect(run.decision == .approved(.offline))
    }

    @Test("Step by step without a card: what comes next, and how a list that has run empty is named")
    func whatComesNext() {
        let first = Candidate(name: bytes(names[0]), from: DataElements(), application: 0)
        let second = Candidate(name: bytes(names[1]), from: DataElements(), application: 0)
        var alone = FinalSelection([first], canAsk: true)
        #expect(alone.next() == .select(first))
        alone.strikeOff(first, .failed)
        #expect(alone.next() == .end(.applicationNotSelectable))

        var several = FinalSelection([first, second], canAsk: true)
        #expect(several.next() == .ask([first, second]))
        several.strikeOff(second, .blocked)
        #expect(several.next() == .ask([first]))
        several.strikeOff(first, .failed)
        #expect(several.next() == .end(.applicationBlocked))

        var mute = FinalSelection([first, second], canAsk: false)
        #expect(mute.next() == .select(first))
        mute.strikeOff(first, .failed)
        #expect(mute.next() == .select(second))
        mute.strikeOff(second, .refused)
        #expect(mute.next() == .end(.applicationRefused))

        var nothing = FinalSelection([], canAsk: true)
        #expect(nothing.next() == .end(.emptyCandidateList))
    }

    /// A card that offers applications and then selects no one of them has failed; the stripe may
    /// be tried.
    @Test(arguments: ["6A82", "9000", "6F128408A000000003101009A5069F38039F35019000"]) func noFinalSelectSucceeds(
        _ answer: String
    ) async {
        var card = image(["01"])
        card.pairs.removeAll { $0.0 == selectCommand(names[0]) }
        card.pairs.append((selectCommand(names[0]), answer))
        let run = await selectionBench(visaAID).run(card)
        #expect(run.decision == .terminated(.applicationNotSelectable))
        #expect(run.outcome.fallback == Fallback(.technical, entryMode: .stripeAfterChip))
    }

    @Test("Applications of the same priority stay in the order of the card, which 12.4 allows") func samePriority()
        async
    {
        #expect(
            await selectionBench(visaAID).run(image(["02", "02", "01"])).candidates == [names[2], names[0], names[1]])
    }
}
