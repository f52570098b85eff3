import Bytes
import SmartCard
import TLV
import Testing

@testable import EMVKernel

/// EMV 4.4 Book 1, 12.3.3, step by step.
@Suite struct ListOfAIDsTests {
    private let partial = "A000000003"
    private let first = "A0000000031010"
    private let second = "A0000000032010"

    @Test func partialSelectionWithSelectNext() async {
        let card = cardImage([
            (selectCommand(partial), fci(first)), (selectCommand(partial, next: true), fci(second)),
            (selectCommand(partial, next: true), "6A82"),
            (selectCommand(second), fci(second)),
        ]).card()
        let run = await selectionBench(partial).run(card)
        #expect(run.candidates == [first, second])
        #expect(
            await card.sent.prefix(4) == [
                selectCommand(partial), selectCommand(partial, next: true), selectCommand(partial, next: true),
                selectCommand(first),
            ])
        #expect(
            run.outcome.data.terminal[.applicationIdentifierTerminal] == bytes(first), "12.4: tag 9F06 is the DF name")
    }

    /// Step 4: an identical name is not followed by SELECT next.
    @Test func exactNameNeedsNoNext() async {
        let (run, sent) = await selectionBench(visaAID).run(CardImage(), sent: "00A404")
        #expect(sent == [selectCommand(visaAID), selectCommand(visaAID)])
        #expect(run.decision == .approved(.offline))
    }

    /// Step 6: where the terminal wants an exact match, a longer name is not added and the next AID
    /// is tried, without SELECT next.
    @Test func exactMatchOnly() async {
        let longer = visaAID + "01"
        let card = cardImage([
            (selectCommand(visaAID), fci(longer)), (selectCommand(visaAID, next: true), fci(visaAID)),
        ]).card()
        let run = await selectionBench(visaAID, "A0000000041010", partially: false).run(card)
        #expect(run.decision == .terminated(.emptyCandidateList))
        #expect(await card.sent == [selectCommand(visaAID), selectCommand("A0000000041010")])
    }

    /// 12.3.1: each AID has an indicator of its own.
    @Test func indicatorOfEachAID() async {
        var bench = selectionBench("A000000003", "A000000004", partially: false)
        bench.configuration.applications[1].matchesPartially = true
        let card = cardImage([
            (selectCommand("A000000003"), fci(first)), (selectCommand("A000000004"), fci("A0000000041010")),
            (selectCommand("A000000004", next: true), "6A82"),
        ])
        #expect(await bench.run(card).candidates == ["A0000000041010"])
    }

    /// Steps 6 and 7: a blocked application is not added, and SELECT next goes on behind it.
    @Test func blockedApplicationIsPassedOver() async {
        let card = cardImage([
            (selectCommand(partial), fci(first, status: "6283")), (selectCommand(partial, next: true), fci(second)),
            (selectCommand(partial, next: true), "6A82"),
            (selectCommand(second), fci(second)),
        ])
        let run = await selectionBench(partial).run(card)
        #expect(run.candidates == [second])
        #expect(run.decision == .approved(.offline))
    }

    @Test(
        "With the FCI, or without: SW 6283 alone tells that something is blocked, and then the stripe is not a way around it",
        arguments: [fci(CardImage.aid, status: "6283"), "6283"]) func onlyBlockedApplications(_ answer: String) async
    {
        let run = await selectionBench(visaAID).run(cardImage([(selectCommand(visaAID), answer)]))
        #expect(run.decision == .terminated(.applicationBlocked))
        #expect(run.outcome.fallback == nil)
    }

    /// A blocked application that is not the terminal's says nothing about the terminal's.
    @Test func blockedApplicationOfOthers() async {
        let run = await selectionBench(visaAID, partially: false).run(
            cardImage([(selectCommand(visaAID), fci(visaAID + "01", status: "6283"))]))
        #expect(run.decision == .terminated(.emptyCandidateList))
    }

    @Test(
        "Step 7: 62xx and 63xx lead back to step 3, and there only 9000 and 6283 count; anything else ends this AID",
        arguments: ["6200", "6300", "63C1", "6282", "6A81", "6A82", "6985"]) func selectNextEnds(_ status: String) async
    {
        let card = cardImage([
            (selectCommand(partial), fci(first)), (selectCommand(partial, next: true), fci(second, status: status)),
            (selectCommand("A0000000041010"), fci("A0000000041010")),
        ]).card()
        let run = await selectionBench(partial, "A0000000041010").run(card)
        #expect(run.candidates == [first, "A0000000041010"])
        #expect(await card.sent.filter { $0 == selectCommand(partial, next: true) }.count == 1)
    }

    @Test("Step 2 is about the first SELECT; step 3 has every other status, later, lead to the next AID")
    func functionNotSupported() async {
        let blocked = await selectionBench(visaAID, "A0000000041010").run(cardImage([(selectCommand(visaAID), "6A81")]))
        #expect(blocked.decision == .terminated(.cardBlocked))
        let later = await selectionBench("A0000000041010", "A0000000651010", visaAID).run(
            cardImage([(selectCommand("A0000000041010"), "6A82"), (selectCommand("A0000000651010"), "6A81")]))
        #expect(later.candidates == [visaAID])
    }

    /// Step 3: another status, an FCI that lacks what table 10 makes mandatory (but for the label,
    /// 12.2.4), or one that is malformed.
    @Test(arguments: [
        "6A82", "6985", "6E00", "9000", "6F009000", "6F0A84FF9000", "FF9000",
        // Without the name, without the proprietary template, with either twice, with one within
        // the other.
        object("6F", object("A5", "")) + "9000",
        object("6F", object("84", visaAID)) + "9000",
        object("6F", object("84", visaAID) + object("84", visaAID) + object("A5", "")) + "9000",
        object("6F", object("84", visaAID) + object("A5", "") + object("A5", "")) + "9000",
        object("6F", object("A5", object("84", visaAID))) + "9000",
        // A label that ends too early, a priority of two bytes, a second template.
        object("6F", object("84", visaAID) + object("A5", "5004564953")) + "9000",
        object("6F", object("84", visaAID) + object("A5", object("87", "0102"))) + "9000",
        object("6F", object("84", visaAID) + object("A5", "")) + "6F009000",
    ])
    func noUsableAnswerIsNoApplication(_ answer: String) async {
        let run = await selectionBench(visaAID).run(cardImage([(selectCommand(visaAID), answer)]))
        #expect(run.decision == .terminated(.emptyCandidateList))
        #expect(run.outcome.fallback?.reason == .emptyCandidateList)
    }

    /// Tag 84 is 5 to 16 bytes (Book 1, annex B1).
    @Test(arguments: ["A0000000", "A00000000310100102030405060708090A"])
    func nameOfWrongLength(_ name: String) async {
        let run = await selectionBench("A000000003").run(cardImage([(selectCommand("A000000003"), fci(name))]))
        #expect(run.decision == .terminated(.emptyCandidateList))
    }

    /// An application found under one AID is not offered again under another; what follows it is.
    @Test func overlappingAIDs() async {
        let card = cardImage([
            (selectCommand(partial), fci(first)), (selectCommand(partial, next: true), fci(second)),
            (selectCommand(partial, next: true), "6A82"),
        ])
        let run = await selectionBench(first, partial).run(card)
        #expect(run.candidates == [first, second])
    }

    /// A card that answers each SELECT with its own FCI has no application of the terminal's.
    @Test func cardThatAnswersEverySelect() async {
        let own = fci("A0000009990101")
        let card = Tap(FunctionCard { _ in ResponseAPDU(bytes: bytes(own))! })
        let run = await selectionBench(visaAID, "A0000000041010", "A000000025", pse: true).run(card)
        #expect(run.decision == .terminated(.emptyCandidateList))
        #expect(await card.commands.count <= 10)
    }

    /// 11.3.4: padding is not allowed, and is accepted. 12.2.4: nothing is asked of texts,
    /// languages and code table.
    @Test(arguments: [
        "00" + object("6F", "00" + object("84", visaAID) + "00" + object("A5", "00") + "00") + "00009000",
        fci(visaAID, ("50", ""), ("9F12", "0001020304050607080910111213141516"), ("9F11", "99FF"), ("5F2D", "313233")),
    ])
    func toleratedFCI(_ answer: String) async {
        let run = await selectionBench(visaAID).run(cardImage([(selectCommand(visaAID), answer)]))
        #expect(run.candidates == [visaAID])
        #expect(run.decision == .approved(.offline))
    }

    /// 11.3.4: what tables 8 to 10 do not have where it stands is ignored, so a name, a priority or
    /// a PDOL in BF0C is none.
    @Test func ignoresWhatStandsElsewhere() async {
        let discretionary =
            object("84", "A0000000049999") + object("87", "81") + object("9F38", "9F3501") + object("9F4D", "0B0A")
        let card = cardImage([
            (
                selectCommand(visaAID),
                fci(visaAID, ("50", "56495341"), ("BF0C", discretionary), ("5A", "4761739001010010"))
            )
        ])
        let (run, sent) = await selectionBench(visaAID).run(card, sent: "80A8")
        #expect(run.candidates == [visaAID])
        #expect(sent == ["80A8000002830000"])
        #expect(run.outcome.data.card[.logEntry] == [0x0B, 0x0A])
        #expect(run.decision == .approved(.offline), "the PAN of the record is not there twice")
    }

    /// An FCI of templates within templates ends at the walker's limit and is malformed.
    @Test func deepFCI() async {
        let deep = (0..<12).reduce("5000") { inner, _ in object("BF0C", inner) }
        let run = await selectionBench(visaAID).run(
            cardImage([(selectCommand(visaAID), object("6F", object("84", visaAID) + object("A5", deep)) + "9000")]))
        #expect(run.decision == .terminated(.emptyCandidateList))
    }

    /// The terminal's AIDs are 5 to 16 bytes (annex B1): others are a fault of its configuration,
    /// and no command goes out.
    @Test(arguments: ["A0000000", "A00000000310100102030405060708090A"]) func configuredAIDOfWrongLength(_ aid: String)
        async
    {
        let (run, sent) = await selectionBench(aid).run(CardImage(), sent: "")
        guard case .terminated(.configuration) = run.decision else {
            Issue.record("\(run.decision)")
            return
        }
        #expect(sent.isEmpty)
        #expect(run.outcome.fallback == nil)
    }

    @Test func sameApplicationAgainAndAgain() async {
        let card = cardImage([(selectCommand(partial), fci(first)), (selectCommand(partial, next: true), fci(first))])
            .card()
        let run = await selectionBench(partial).run(card)
        #expect(run.candidates == [first])
        #expect(await card.sent.filter { $0.hasPrefix("00A40402") }.count == 1)
    }

    /// New names without end: the list stops at the kernel's limit, for blocked and unfit ones too.
    @Test(arguments: ["9000", "6283"], [true, false])
    func selectNextWithoutEnd(_ status: String, _ partially: Bool) async {
        let endless = FunctionCard { command in
            // Each SELECT next meets a name made of nothing but the time.
            let name = bytes("A000000003") + (0..<4).map { _ in UInt8.random(in: 0...255) }
            guard command.ins == 0xA4, command.data.count == 5 else { return ResponseAPDU(status: .fileNotFound) }
            return ResponseAPDU(bytes: bytes(fci(name.hex, status: status)))!
        }
        let card = Tap(endless)
        let run = await selectionBench(partial, partially: partially).run(card)
        #expect((run.candidates?.count ?? 0) <= ContactKernel.maximumCandidates)
        #expect(await card.commands.count <= 3 * ContactKernel.maximumCandidates)
        if case .terminated = run.decision {} else { Issue.record("the transaction must be terminated") }
    }
}
