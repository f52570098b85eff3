import Contactless
import EMVKernel
import Testing

/// EMV Contactless Book A, 9.4; language selection by EMV 4.4 Book 4, 11.1.
@Suite("Messages in the cardholder's language") struct MessageLanguageTests {
    private func languages(_ codes: String...) -> [Language] { codes.compactMap { Language($0) } }

    @Test(
        "every message has a text of its own in each language, within two lines of 20 characters",
        arguments: MessageLanguage.allCases)
    func texts(_ language: MessageLanguage) {
        var seen: [[String]] = []
        for message in UserInterfaceRequest.Message.allCases {
            let lines = language.lines(message)
            #expect(lines.isEmpty == (message == .clearDisplay), "\(message)")
            #expect(lines.count <= 2)
            for line in lines {
                #expect((1...20).contains(line.count), "\(line)")
                #expect(line.first != " ", "\(line)")
                #expect(line.last != " ", "\(line)")
                #expect(line == line.uppercased(), "\(line)")
            }
            #expect(lines.isEmpty || !seen.contains(lines), "\(message)")
            seen.append(lines)
        }
    }

    /// Book A, 9.4 in English: our lines are its text, on two lines.
    @Test("the English texts are those of the messages") func english() {
        for message in UserInterfaceRequest.Message.allCases {
            let text = MessageLanguage.english.lines(message).joined(separator: " ")
            #expect(text.filter { $0 != "," } == message.text.filter { $0 != "," })
        }
    }

    @Test("the card's first language that the terminal has, else the terminal's first") func choice() {
        var choice = MessageLanguageChoice(supported: languages("de", "en", "fr"))
        #expect(choice.language == .german)
        choice.take(UserInterfaceRequest(.processing, .processing, languages: languages("es", "fr", "en")))
        #expect(choice.language == .french)
        // Without preferences the selection stays.
        choice.take(UserInterfaceRequest(.authorizing, .cardReadSuccessfully))
        #expect(choice.language == .french)
        choice.take(UserInterfaceRequest(.processing, .processing, languages: languages("es", "ja")))
        #expect(choice.language == .german)
    }

    @Test("the next card begins in the terminal's language, the same card again does not") func nextCard() {
        var choice = MessageLanguageChoice(supported: languages("de", "en"))
        choice.take(UserInterfaceRequest(.processing, .processing, languages: languages("en")))
        choice.take(UserInterfaceRequest(.presentCardAgain, .readyToRead))
        #expect(choice.language == .english)
        choice.take(UserInterfaceRequest(.presentCard, .readyToRead))
        #expect(choice.language == .german)
    }

    @Test("languages without texts do not count, and without any the texts are in English") func withoutTexts() {
        #expect(MessageLanguageChoice(supported: languages("ja", "pl")).language == .polish)
        #expect(MessageLanguageChoice(supported: languages("ja")).language == .english)
        #expect(MessageLanguageChoice(supported: []).language == .english)
        #expect(languages("ja").compactMap { MessageLanguage($0) }.isEmpty)
    }

    /// Decimals by ISO 4217: two for EUR (978), none for JPY (392), three for KWD (414).
    @Test(
        "amounts have the currency's decimals and the language's separator",
        arguments: [
            (.english, .amount(12_34, currency: 978), "AMOUNT 12.34 EUR"),
            (.german, .amount(12_34, currency: 978), "BETRAG 12,34 EUR"),
            (.french, .balance(5, currency: 978), "SOLDE 0,05 EUR"),
            (.dutch, .balance(1500, currency: 392), "SALDO 1500 JPY"),
            (.spanish, .amount(1_234_567, currency: 414), "IMPORTE 1234,567 KWD"),
            (.italian, .balance(0, currency: 978), "SALDO 0,00 EUR"),
            // Not listed: no decimals are invented.
            (.polish, .amount(1234, currency: 1), "KWOTA 1234 (1)"),
            (.portuguese, .balance(7, currency: 840), "SALDO 0,07 USD"),
            // What does not fit goes without its name.
            (.german, .balance(999_999_999_99, currency: 978), "999999999,99 EUR"),
        ] as [(MessageLanguage, UserInterfaceRequest.Value, String)])
    func values(_ language: MessageLanguage, _ value: UserInterfaceRequest.Value, _ line: String) {
        #expect(language.line(value) == line)
    }
}
