import Bytes
import SmartCard
import TLV
import Testing

@testable import EMVKernel

/// EMV 4.4 Book 1, 12.3.2.
@Suite struct PaymentSystemEnvironmentTests {
    @Test func readsTheDirectoryUntil6A83() async {
        let card = cardImage([
            (selectPSE, directoryFCI()),
            (
                "00B2011400",
                object("70", directoryEntry(visaAID, priority: "01") + directoryEntry("A0000000041010")) + "9000"
            ),
            ("00B2021400", object("70", directoryEntry("A000000003101001", priority: "02")) + "9000"),
            ("00B2031400", "6A83"),
        ]).card()
        let run = await selectionBench("A000000003", pse: true).run(card)
        #expect(run.candidates == [visaAID, "A000000003101001"], "the terminal does not have A000000004")
        #expect(
            await card.sent.prefix(5) == [selectPSE, "00B2011400", "00B2021400", "00B2031400", selectCommand(visaAID)])
    }

    /// Step 1 and figure 3: any error throws the directory away and the list of AIDs is used.
    @Test(arguments: [
        "6A82", "6283", "6F009000", "9000",
        // SFI 11 is none for a directory, and neither is none at all.
        "6F15840E315041592E5359532E4444463031A50388010B9000", "6F12840E315041592E5359532E4444463031A5009000",
        // The FCI names another file.
        "6F0E8407A0000000031010A5038801019000",
    ])
    func fallsBackToTheListOfAIDs(_ fci: String) async {
        var card = CardImage()
        card.pairs = [(selectPSE, fci)]
        let (run, sent) = await selectionBench(visaAID, pse: true).run(card, sent: "00A404")
        #expect(sent == [selectPSE, selectCommand(visaAID), selectCommand(visaAID)], "the list, and final selection")
        #expect(run.decision == .approved(.offline))
    }

    /// Step 4: a record that cannot be read, or is not a record, ends the directory for good,
    /// regardless of earlier records.
    @Test(arguments: ["6985", "9000", "70039000", "61009000", "70054F07A00000009000"])
    func clearsCandidatesOfADirectoryThatFails(_ second: String) async {
        let other = "A000000003101001"
        let card = cardImage([
            (selectPSE, directoryFCI()), ("00B2011400", object("70", directoryEntry(other)) + "9000"),
            ("00B2021400", second),
        ]).card()
        let run = await selectionBench(visaAID, pse: true).run(card)
        #expect(run.candidates == [visaAID], "of the list, not of the directory")
        #expect(await card.sent.prefix(4) == [selectPSE, "00B2011400", "00B2021400", selectCommand(visaAID)])
    }

    /// Step 5: a directory without a common application leads to the list of AIDs too.
    @Test func fallsBackWhereNothingMatches() async {
        let card = cardImage([
            (selectPSE, directoryFCI()), ("00B2011400", object("70", directoryEntry("A0000000041010")) + "9000"),
            ("00B2021400", "6A83"),
        ]).card()
        let run = await selectionBench(visaAID, pse: true).run(card)
        #expect(run.candidates == [visaAID])
        #expect(await card.sent[3] == selectCommand(visaAID))
    }

    /// A card that never says 6A83 keeps the terminal reading for 64 records, no longer, and what
    /// it offered counts.
    @Test func directoryWithoutEndIsBounded() async {
        let card = cardImage([(selectPSE, directoryFCI()), ("00B2", object("70", directoryEntry(visaAID)) + "9000")])
            .card()
        let run = await selectionBench(visaAID, pse: true).run(card)
        #expect(run.candidates == [visaAID])
        #expect(await card.sent.filter { $0.hasPrefix("00B2") && $0.hasSuffix("1400") }.count == 64)
    }

    @Test("Step 2 sets no limit of its own: the last of many records counts") func longDirectory() async {
        let others = (UInt8(1)...40).map {
            (readDirectory($0), object("70", directoryEntry("A0000000041010")) + "9000")
        }
        let card = cardImage(
            [(selectPSE, directoryFCI())] + others
                + [
                    (readDirectory(41), object("70", directoryEntry("A000000003101001")) + "9000"),
                    (readDirectory(42), "6A83"),
                ])
        #expect(await selectionBench(visaAID, pse: true).run(card).candidates == ["A000000003101001"])
    }

    @Test func candidatesWithoutEndAreBounded() async {
        let records = (UInt8(1)...200).map { number in
            (readDirectory(number), object("70", directoryEntry("A000000003" + [number].hex)) + "9000")
        }
        let card = cardImage([(selectPSE, directoryFCI())] + records).card()
        let run = await selectionBench("A000000003", pse: true).run(card)
        #expect(run.candidates?.count == ContactKernel.maximumCandidates)
    }

    @Test(
        "Step 2: a record without entries is passed over, and 6A83 to the first one leads to the list of AIDs (step 5)")
    func emptyRecords() async {
        let card = cardImage([
            (selectPSE, directoryFCI()), (readDirectory(1), "70009000"),
            (readDirectory(2), object("70", directoryEntry("A000000003101001")) + "9000"), (readDirectory(3), "6A83"),
        ])
        #expect(await selectionBench(visaAID, pse: true).run(card).candidates == ["A000000003101001"])
        let none = cardImage([(selectPSE, directoryFCI()), (readDirectory(1), "6A83")])
        #expect(await selectionBench(visaAID, pse: true).run(none).candidates == [visaAID])
    }

    /// Steps 2 to 4 and table 12: an entry without a name, or with a name or a priority of the
    /// wrong length, is an error as any other.
    @Test(
        "A malformed entry of the directory is ignored, the others count",
        arguments: [
            "6100", "61065004564953418701", object("61", object("4F", "A0000000")),
            object("61", object("4F", "A000000003" + "00010203040506070809AABB")),
            object("61", object("4F", "A000000003101001") + object("87", "")),
            object("61", object("4F", "A000000003101001") + object("87", "0102")),
        ])
    func malformedEntry(_ entry: String) async {
        let first = directoryEntry("A000000003101002")
        let card = cardImage([
            (selectPSE, directoryFCI()), (readDirectory(1), object("70", first + entry) + "9000"),
            (readDirectory(2), "6A83"),
        ])
        #expect(
            await selectionBench(visaAID, pse: true).run(card).candidates == [visaAID],
            "of the list, not of the directory")
    }

    /// 12.2.3: a directory has no entries for DDFs; a terminal may ignore one that comes, and no
    /// command goes to it.
    @Test func ignoresEntriesForDDFs() async {
        let ddf = object("61", object("9D", "325041592E5359532E4444463031"))
        let card = cardImage([
            (selectPSE, directoryFCI()),
            (readDirectory(1), object("70", ddf + directoryEntry("A000000003101001")) + "9000"),
            (readDirectory(2), object("70", ddf) + "9000"), (readDirectory(3), "6A83"),
            (selectCommand("A000000003101001"), fci("A000000003101001")),
        ]).card()
        let run = await selectionBench(visaAID, pse: true).run(card)
        #expect(run.candidates == ["A000000003101001"])
        #expect(await card.sent.filter { $0.hasPrefix("00A4") } == [selectPSE, selectCommand("A000000003101001")])
    }

    /// 12.2.3 and 12.5: what the discretionary template 73 holds, and what the terminal does not
    /// understand, is ignored.
    @Test func ignoresWhatBelongsToOthers() async {
        let template = object(
            "73", object("9F0A", "000104AABBCCDD") + object("4F", "A0000000039999") + object("87", "8F"))
        let card = cardImage([
            (selectPSE, directoryFCI()),
            (
                readDirectory(1),
                object(
                    "70",
                    object("DF01", "00") + directoryEntry(visaAID, priority: "03", ("DF02", "11")).inserting(template))
                    + "9000"
            ),
            (readDirectory(2), "6A83"),
        ])
        let run = await selectionBench("A000000003", pse: true).run(card)
        guard case .candidatesFound(let found) = run.events.first else {
            Issue.record("no candidates")
            return
        }
        #expect(found.map(\.name.hex) == [visaAID])
        #expect(found.map(\.priority) == [3])
        #expect(found.map(\.needsConfirmation) == [false])
    }

    /// 12.2.2: the code table and the languages in the PSE's FCI count for the entries, which have
    /// neither.
    @Test func codeTableAndLanguagesOfThePSE() async {
        let card = cardImage([
            (selectPSE, directoryFCI(("5F2D", "6672"), ("9F11", "05"))),
            (readDirectory(1), object("70", directoryEntry(visaAID, ("9F12", "BAD0E0E2D0"))) + "9000"),
            (readDirectory(2), "6A83"),
        ])
        let run = await selectionBench(visaAID, pse: true).run(card)
        guard case .candidatesFound(let found) = run.events.first, let candidate = found.first else {
            Issue.record("no candidates")
            return
        }
        // Python: "Карта".encode("iso8859_5").
        #expect(candidate.displayName(.codeTable5) == "Карта")
        #expect(candidate.languages.map(\.code) == ["fr"])
    }

    @Test("Step 1: 6A81 says that the card is blocked, or knows no SELECT: the session ends") func cardBlocked() async {
        let run = await selectionBench(visaAID, pse: true).run(cardImage([(selectPSE, "6A81")]))
        #expect(run.decision == .terminated(.cardBlocked))
        #expect(Termination.cardBlocked.isChipFailure == false)
    }
}

extension String {
    /// A directory entry with one data object more at its end.
    fileprivate func inserting(_ last: String) -> String {
        guard let contents = Template.contents(of: bytes(self), tag: .applicationTemplate) else {
            preconditionFailure("no entry: \(self)")
        }
        return object("61", contents.hex + last)
    }
}
