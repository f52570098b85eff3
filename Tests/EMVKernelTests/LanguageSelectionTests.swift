import TLV
import Testing

@testable import EMVKernel

private func languages(_ codes: String...) -> [Language] { codes.compactMap { Language($0) } }

/// EMV 4.4 Book 4, 11.1.
@Suite struct LanguageSelectionTests {
    @Test func theFirstPreferenceThatTheTerminalHas() {
        var selection = LanguageSelection(supported: languages("de", "en", "fr"))
        #expect(selection.match(languages("it", "fr", "en"))?.code == "fr")
        #expect(selection.match(languages("fr")) == nil, "nothing new")
        #expect(!selection.isOpen)
    }

    @Test func theLocalLanguageWhereNothingMatches() {
        var selection = LanguageSelection(supported: languages("de", "en"))
        #expect(selection.match(languages("it")) == nil)
        #expect(selection.isOpen)
        #expect(selection.resolve(nil).code == "de")
        #expect(selection.match(languages("en"))?.code == "en", "a later word of the card counts before the default")
    }

    @Test func theCardholdersWordIsTheLast() {
        var selection = LanguageSelection(supported: languages("de", "en", "fr"))
        #expect(selection.resolve(Language("fr")).code == "fr")
        #expect(selection.match(languages("en")) == nil)
        var unknown = LanguageSelection(supported: languages("de", "en"))
        #expect(unknown.resolve(Language("ja")).code == "de", "a language that the terminal does not have")
    }

    @Test(arguments: [[], ["de"]]) func oneLanguageLeavesNothingToSelect(_ codes: [String]) {
        var selection = LanguageSelection(supported: codes.compactMap { Language($0) })
        #expect(!selection.isOpen)
        #expect(selection.match(languages("de")) == nil)
    }

    /// Tag 5F2D: 1 to 4 languages of two letters in either case (Book 1, annex B1); anything else
    /// is none (12.2.4).
    @Test(
        "only a valid language preference counts",
        arguments: [
            ("6465", ["de"]), ("6465656E", ["de", "en"]), ("444565664652", ["de", "ef", "fr"]),
            ("6465656E66726974", ["de", "en", "fr", "it"]),
            ("", []), ("64", []), ("646565", []), ("6465656E667269746573", []), ("3132", []), ("6465FF65", []),
            ("C3A9", []), ("6400", []),
        ])
    func preferences(_ value: String, _ codes: [String]) {
        #expect(LanguageSelection.preferences(bytes(value)).map(\.code) == codes)
        #expect(LanguageSelection.preferences(nil).isEmpty)
    }

    @Test("Texts that are not two letters are not a language", arguments: ["", "d", "deu", "d1", "éa", "@a", "[{"])
    func noLanguage(
        _ code: String
    ) {
        #expect(Language(code) == nil)
    }
}

/// When the kernel tells, and when it asks.
@Suite struct LanguageFlowTests {
    private func bench(_ codes: [String], pse: Bool = false) -> KernelBench {
        var bench = selectionBench(visaAID, pse: pse)
        bench.configuration.languages = codes.compactMap { Language($0) }
        return bench
    }

    private func card(_ proprietary: (String, String)...) -> CardImage {
        var card = CardImage()
        card.proprietary = objects(proprietary)
        return card
    }

    private func languages(_ run: KernelBench.Run) -> [String] {
        run.events.compactMap { if case .languageSelected(let language) = $0 { language.code } else { nil } }
    }

    /// Before GET PROCESSING OPTIONS at the latest, to the cardholder's side and as an event.
    @Test func tellsTheLanguageOfTheCard() async throws {
        let bench = bench(["de", "fr"])
        let run = await bench.run(card(("5F2D", "69746672")))
        #expect(languages(run) == ["fr"])
        #expect(await bench.cardholder.asked.languages == ["fr"])
        #expect(await bench.cardholder.asked.languageQuestions == 0)
        let language = try #require(run.events.firstIndex { if case .languageSelected = $0 { true } else { false } })
        let started = try #require(run.events.firstIndex { if case .processingOptions = $0 { true } else { false } })
        #expect(language < started)
        #expect(run.decision == .approved(.offline))
    }

    @Test func asksWhereTheCardIsSilent() async {
        var bench = bench(["de", "fr"])
        bench.cardholder.language = Language("fr")
        #expect(languages(await bench.run(card())) == ["fr"])
        #expect(await bench.cardholder.asked.languageQuestions == 1)
    }

    @Test func asksOnceWhereNothingMatches() async {
        let bench = bench(["de", "fr"])
        #expect(languages(await bench.run(card(("5F2D", "6A61")))) == ["de"], "no means to ask: the local language")
        #expect(await bench.cardholder.asked.languageQuestions == 1)
    }

    @Test(arguments: [[], ["de"]]) func saysNothingWithoutAChoice(_ codes: [String]) async {
        let bench = bench(codes)
        #expect(languages(await bench.run(card(("5F2D", "6672")))).isEmpty)
        #expect(await bench.cardholder.asked.languages.isEmpty)
        #expect(await bench.cardholder.asked.languageQuestions == 0)
    }

    /// 12.2.2 of Book 1: the PSE's preference counts where the application has none, and is known
    /// before the list is shown.
    @Test func languageOfThePSEComesBeforeTheChoice() async {
        var bench = bench(["de", "fr"], pse: true)
        bench.configuration.cardholderSelectsApplication = true
        bench.cardholder.choice = 0
        let card = cardImage([
            (selectPSE, directoryFCI(("5F2D", "6672"))),
            (readDirectory(1), object("70", directoryEntry(visaAID, priority: "81")) + "9000"),
            (readDirectory(2), "6A83"),
        ])
        let run = await bench.run(card)
        #expect(languages(run) == ["fr"])
        #expect(await bench.cardholder.asked.order == ["use fr", "choose application"])
    }

    /// The application's own preference is the better word; both may be used (Book 1, 12.2.2).
    @Test func languageOfTheApplicationCountsInTheEnd() async {
        let bench = bench(["de", "fr"], pse: true)
        var card = card(("5F2D", "6465"))
        card.pairs = [
            (selectPSE, directoryFCI(("5F2D", "6672"))),
            (readDirectory(1), object("70", directoryEntry(visaAID)) + "9000"),
            (readDirectory(2), "6A83"),
        ]
        #expect(languages(await bench.run(card)) == ["fr", "de"])
    }
}
