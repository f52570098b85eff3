import Bytes
import SmartCard
import TLV
import Testing

@testable import EMVKernel

private let visa = CardImage.aid
private let pse = "00A404000E315041592E5359532E444446303100"

/// SELECT by name, with P2 02 for the next one (EMV 4.4 Book 1, tables 42 and 43).
private func select(_ aid: String, next: Bool = false) -> String {
    let count = aid.count / 2
    return "00A404" + (next ? "02" : "00") + [UInt8(count)].hex + aid + "00"
}

/// An entry of the payment system directory (EMV 4.4 Book 1, table 47).
private func entry(_ aid: String, priority: String? = nil) -> String {
    object("61", object("4F", aid) + object("50", "56495341") + (priority.map { object("87", $0) } ?? ""))
}

private func image(_ pairs: [(String, String)]) -> CardImage {
    var image = CardImage()
    image.pairs = pairs
    return image
}

private func bench(_ aids: String..., partially: Bool = true, pse: Bool = false) -> KernelBench {
    var bench = KernelBench()
    bench.configuration.usesPaymentSystemEnvironment = pse
    bench.configuration.applications = aids.map {
        ApplicationConfiguration(aid: bytes($0), matchesPartially: partially, versions: [0x96], floorLimit: 50_00)
    }
    bench.configuration.cardholderSelectsApplication = false
    return bench
}

extension KernelBench.Run {
    /// The names of the candidates, in their order.
    fileprivate var candidates: [String]? {
        for case .candidatesFound(let list) in events { return list.map(\.name.hex) }
        return nil
    }

    fileprivate var selected: [String] {
        events.compactMap { if case .applicationSelected(let candidate) = $0 { candidate.name.hex } else { nil } }
    }
}

/// EMV 4.4 Book 1, 12.3.2.
@Suite struct PaymentSystemEnvironmentTests {
    private let directory = object("6F", object("84", "315041592E5359532E4444463031") + object("A5", object("88", "02"))) + "9000"

    @Test func readsTheDirectoryUntil6A83() async {
        let card = image([
            (pse, directory), ("00B2011400", object("70", entry(visa, priority: "01") + entry("A0000000041010")) + "9000"),
            ("00B2021400", object("70", entry("A000000003101001", priority: "02")) + "9000"), ("00B2031400", "6A83"),
        ]).card()
        let run = await bench("A000000003", pse: true).run(card)
        #expect(run.candidates == [visa, "A000000003101001"], "the terminal does not have A000000004")
        #expect(await card.sent.prefix(5) == [pse, "00B2011400", "00B2021400", "00B2031400", select(visa)])
    }

    /// Step 1 and figure 15: any error throws the directory away and the list of AIDs is used.
    @Test(arguments: [
        "6A82", "6283", "6F009000", "9000",
        // SFI 11 is none for a directory, and neither is none at all.
        "6F15840E315041592E5359532E4444463031A50388010B9000", "6F12840E315041592E5359532E4444463031A5009000",
        // The FCI names another file.
        "6F0E8407A0000000031010A5038801019000",
    ])
    func fallsBackToTheListOfAIDs(_ fci: String) async {
        var card = CardImage()
        card.pairs = [(pse, fci)]
        let (run, sent) = await bench(visa, pse: true).run(card, sent: "00A404")
        #expect(sent == [pse, select(visa), select(visa)], "the list, and final selection")
        #expect(run.decision == .approved(.offline))
    }

    /// Step 4: a record that cannot be read, or is none, ends the directory for good, whatever it held before.
    @Test(arguments: ["6985", "9000", "70039000", "61009000", "70054F07A00000009000"])
    func clearsCandidatesOfADirectoryThatFails(_ second: String) async {
        let other = "A000000003101001"
        let card = image([(pse, directory), ("00B2011400", object("70", entry(other)) + "9000"), ("00B2021400", second)]).card()
        let run = await bench(visa, pse: true).run(card)
        #expect(run.candidates == [visa], "of the list, not of the directory")
        #expect(await card.sent.prefix(4) == [pse, "00B2011400", "00B2021400", select(visa)])
    }

    /// Step 5: a directory without a common application leads to the list of AIDs too.
    @Test func fallsBackWhereNothingMatches() async {
        let card = image([(pse, directory), ("00B2011400", object("70", entry("A0000000041010")) + "9000"), ("00B2021400", "6A83")]).card()
        let run = await bench(visa, pse: true).run(card)
        #expect(run.candidates == [visa])
        #expect(await card.sent[3] == select(visa))
    }

    @Test func directoryWithoutEndIsBounded() async {
        let card = image([(pse, directory), ("00B2", object("70", entry(visa)) + "9000")]).card()
        let run = await bench(visa, pse: true).run(card)
        #expect(run.candidates == [visa])
        #expect(await card.sent.count <= 20)
    }

    /// Step 1: 6A81 says that the card is blocked, or knows no SELECT: the session ends.
    @Test func cardBlocked() async {
        let run = await bench(visa, pse: true).run(image([(pse, "6A81")]))
        #expect(run.decision == .terminated(.cardBlocked))
        #expect(Termination.cardBlocked.isChipFailure == false)
    }
}

/// EMV 4.4 Book 1, 12.3.3, step by step.
@Suite struct ListOfAIDsTests {
    private let partial = "A000000003"
    private let first = "A0000000031010"
    private let second = "A0000000032010"

    @Test func partialSelectionWithSelectNext() async {
        let card = image([
            (select(partial), fci(first)), (select(partial, next: true), fci(second)), (select(partial, next: true), "6A82"),
            (select(second), fci(second)),
        ]).card()
        let run = await bench(partial).run(card)
        #expect(run.candidates == [first, second])
        #expect(await card.sent.prefix(4) == [select(partial), select(partial, next: true), select(partial, next: true), select(first)])
        #expect(run.outcome.data.terminal[.applicationIdentifierTerminal] == bytes(first), "12.4: tag 9F06 is the DF name")
    }

    /// Step 4: an identical name is not followed by SELECT next.
    @Test func exactNameNeedsNoNext() async {
        let (run, sent) = await bench(visa).run(CardImage(), sent: "00A404")
        #expect(sent == [select(visa), select(visa)])
        #expect(run.decision == .approved(.offline))
    }

    /// Steps 6 and 7: a longer name than the indicator allows is passed over, and SELECT next goes on to the exact one.
    @Test func exactMatchOnlyGoesOnToNext() async {
        let longer = visa + "01"
        let card = image([
            (select(visa), fci(longer)), (select(visa, next: true), fci(visa)), (select(visa), fci(visa)),
        ]).card()
        let run = await bench(visa, partially: false).run(card)
        #expect(run.candidates == [visa])
        #expect(run.decision == .approved(.offline))
        let never = await bench(visa, partially: false).run(image([(select(visa), fci(longer)), (select(visa, next: true), "6A82")]))
        #expect(never.decision == .terminated(.noApplication))
    }

    /// Steps 6 and 7: a blocked application is not added, and SELECT next goes on behind it.
    @Test func blockedApplicationIsPassedOver() async {
        let card = image([
            (select(partial), fci(first, status: "6283")), (select(partial, next: true), fci(second)),
            (select(partial, next: true), "6A82"),
            (select(second), fci(second)),
        ])
        let run = await bench(partial).run(card)
        #expect(run.candidates == [second])
        #expect(run.decision == .approved(.offline))
    }

    @Test func onlyBlockedApplications() async {
        let run = await bench(visa).run(image([(select(visa), fci(visa, status: "6283"))]))
        #expect(run.decision == .terminated(.applicationBlocked))
        #expect(Termination.applicationBlocked.isChipFailure == false)
    }

    /// Step 2 is about the first SELECT; step 3 has every other status, later, lead to the next AID.
    @Test func functionNotSupported() async {
        let blocked = await bench(visa, "A0000000041010").run(image([(select(visa), "6A81")]))
        #expect(blocked.decision == .terminated(.cardBlocked))
        let later = await bench("A0000000041010", "A0000000651010", visa).run(
            image([(select("A0000000041010"), "6A82"), (select("A0000000651010"), "6A81")]))
        #expect(later.candidates == [visa])
    }

    @Test(arguments: ["6A82", "6985", "6E00", "9000", "6F009000", "6F0A84FF9000", "FF9000"])
    func noUsableAnswerIsNoApplication(_ answer: String) async {
        let run = await bench(visa).run(image([(select(visa), answer)]))
        #expect(run.decision == .terminated(.noApplication))
        #expect(Termination.noApplication.isChipFailure)
    }

    /// Tag 84 is 5 to 16 bytes (Book 1, table 45; Book 3, annex A).
    @Test(arguments: ["A0000000", "A00000000310100102030405060708090A"])
    func nameOfWrongLength(_ name: String) async {
        let run = await bench("A000000003").run(image([(select("A000000003"), fci(name))]))
        #expect(run.decision == .terminated(.noApplication))
    }

    /// An application found under one AID is not offered again under another; what follows it is.
    @Test func overlappingAIDs() async {
        let card = image([
            (select(partial), fci(first)), (select(partial, next: true), fci(second)), (select(partial, next: true), "6A82"),
        ])
        let run = await bench(first, partial).run(card)
        #expect(run.candidates == [first, second])
    }

    /// A card that answers whatever is selected with its own FCI has no application of the terminal's.
    @Test func cardThatAnswersEverySelect() async {
        let own = fci("A0000009990101")
        let card = Tap(FunctionCard { _ in ResponseAPDU(bytes: bytes(own))! })
        let run = await bench(visa, "A0000000041010", "A000000025", pse: true).run(card)
        #expect(run.decision == .terminated(.noApplication))
        #expect(await card.commands.count <= 10)
    }

    @Test func sameApplicationAgainAndAgain() async {
        let card = image([(select(partial), fci(first)), (select(partial, next: true), fci(first))]).card()
        let run = await bench(partial).run(card)
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
        let run = await bench(partial, partially: partially).run(card)
        #expect((run.candidates?.count ?? 0) <= ContactKernel.maximumCandidates)
        #expect(await card.commands.count <= 3 * ContactKernel.maximumCandidates)
        if case .terminated = run.decision {} else { Issue.record("no transaction came about") }
    }
}

/// EMV 4.4 Book 1, 12.4, and table 48 for the priority indicator.
@Suite struct FinalSelectionTests {
    private let names = ["A000000003101001", "A000000003101002", "A000000003101003"]

    /// The card of `names` with the priority indicators given, found through the terminal's partial name.
    private func image(_ priorities: [String]) -> CardImage {
        var pairs: [(String, String)] = []
        for (index, priority) in priorities.enumerated() {
            let answer = fci(names[index], ("87", priority))
            pairs.append((select(visa, next: index > 0), answer))
            pairs.append((select(names[index]), answer))
        }
        pairs.append((select(visa, next: true), "6A82"))
        var image = CardImage()
        image.pairs = pairs
        return image
    }

    /// 1 is the highest; 0 is no priority and comes last.
    @Test func ordersByPriority() async {
        let run = await bench(visa).run(image(["00", "02", "01"]))
        #expect(run.candidates == [names[2], names[1], names[0]])
        #expect(run.selected == [names[2]])
    }

    /// A terminal that cannot ask takes the highest that needs no confirmation, and none if all need it.
    @Test func confirmationWithoutCardholder() async {
        #expect(await bench(visa).run(image(["81", "02", "03"])).selected == [names[1]])
        let all = await bench(visa).run(image(["81", "82"]))
        #expect(all.selected.isEmpty)
        #expect(all.decision == .terminated(.noApplication))
    }

    @Test func cardholderChoosesAmongSeveral() async {
        var asking = bench(visa)
        asking.configuration.cardholderSelectsApplication = true
        asking.cardholder.choice = 1
        let run = await asking.run(image(["03", "01", "02"]))
        #expect(await asking.cardholder.asked.names == [[names[1], names[2], names[0]]])
        #expect(run.selected == [names[2]])
    }

    @Test func singleApplicationWithConfirmation() async {
        var asking = bench(visa)
        asking.configuration.cardholderSelectsApplication = true
        asking.cardholder.choice = 0
        #expect(await asking.run(image(["81"])).selected == [names[0]])
        #expect(await asking.cardholder.asked.names == [[names[0]]])

        asking.cardholder = TestCardholder()
        #expect(await asking.run(image(["81"])).decision == .terminated(.cancelledByCardholder))
        #expect(Termination.cancelledByCardholder.isChipFailure == false)

        asking.cardholder = TestCardholder()
        #expect(await asking.run(image(["01"])).selected == [names[0]], "without bit 8 nobody is asked")
        #expect(await asking.cardholder.asked.names.isEmpty)
    }

    @Test(arguments: [1, -1, Int.max])
    func choiceOutsideTheListIsACancel(_ choice: Int) async {
        var asking = bench(visa)
        asking.configuration.cardholderSelectsApplication = true
        asking.cardholder.choice = choice
        #expect(await asking.run(image(["81"])).decision == .terminated(.cancelledByCardholder))
    }

    /// A final SELECT that fails, or brings another application, strikes it off.
    @Test(arguments: ["6A82", "6283", "9000", "6F128408A000000003101009A5069F38039F35019000"])
    func finalSelectFails(_ answer: String) async {
        var card = image(["01", "02"])
        card.pairs.removeAll { $0.0 == select(names[0]) }
        card.pairs.append((select(names[0]), answer))
        let run = await bench(visa).run(card)
        #expect(run.selected == [names[1]])
        #expect(run.decision == .approved(.offline))
    }

    /// Book 3, 10.1: 6985 to GET PROCESSING OPTIONS takes the application out and the choice is made again.
    @Test func conditionsOfUseNotSatisfied() async {
        var card = image(["01", "02"])
        card.pairs += [("80A8", "6985"), ("80A8", object("77", object("82", "0000") + object("94", "08010100")) + "9000")]
        let run = await bench(visa).run(card)
        #expect(run.selected == [names[0], names[1]])
        #expect(run.decision == .approved(.offline))

        card.pairs.removeAll { $0.0 == "80A8" }
        card.pairs.append(("80A8", "6985"))
        let none = await bench(visa).run(card)
        #expect(none.selected == [names[0], names[1]])
        #expect(none.decision == .terminated(.noApplication))
    }

    /// Nothing of an application that was struck off may count for the next one.
    @Test func forgetsTheApplicationStruckOff() async {
        var card = image(["01", "02"])
        card.pairs.removeAll { $0.0 == select(names[0]) }
        card.pairs.append((select(names[0]), fci(names[0], ("9F38", "9F3501"))))
        card.pairs.append(("80A80000038301", "6985"))
        card.pairs.append(("80A8000002830000", object("77", object("82", "0000") + object("94", "08010100")) + "9000"))
        let channel = card.card()
        let run = await bench(visa).run(channel)
        #expect(await channel.sent.filter { $0.hasPrefix("80A8") } == ["80A800000383012200", "80A8000002830000"])
        #expect(run.decision == .approved(.offline))
    }
}
