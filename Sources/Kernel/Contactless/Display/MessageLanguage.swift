package import EMVKernel
import TLV

/// A language of the standard messages to the cardholder (EMV Contactless Book A, 9.4), by its code
/// of ISO 639-1.
///
/// The texts are worded for displays of two lines with ``width`` characters each.
package enum MessageLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case german = "de"
    case spanish = "es"
    case french = "fr"
    case italian = "it"
    case dutch = "nl"
    case polish = "pl"
    case portuguese = "pt"

    /// The maximum length of a line, in characters.
    package static let width = 20

    /// Nil for a language without texts.
    package init?(_ language: Language) { self.init(rawValue: language.code) }

    /// At most two lines; empty for a cleared display.
    package func lines(_ message: UserInterfaceRequest.Message) -> [String] { messages[message] ?? [] }

    /// One line: the kind of the value, and the value in its currency. The value alone if both do
    /// not fit.
    package func line(_ value: UserInterfaceRequest.Value) -> String {
        let (kind, text) =
            switch value {
            case .amount(let units, let currency): (names.amount, self.text(units, currency))
            case .balance(let units, let currency): (names.balance, self.text(units, currency))
            }
        let line = kind + " " + text
        return line.count > Self.width ? text : line
    }

    /// With the decimals of ISO 4217. An amount of a currency that is not listed there is in minor
    /// units, with the number of the currency.
    private func text(_ units: UInt64, _ currency: UInt16) -> String {
        guard let known = CurrencyCode(number: UInt64(currency)) else { return "\(units) (\(currency))" }
        let text = known.amount(units)
        return self == .english ? text : text.replacing(".", with: ",")
    }

    private var names: (amount: String, balance: String) {
        switch self {
        case .english: ("AMOUNT", "BALANCE")
        case .german: ("BETRAG", "GUTHABEN")
        case .spanish: ("IMPORTE", "SALDO")
        case .french: ("MONTANT", "SOLDE")
        case .italian: ("IMPORTO", "SALDO")
        case .dutch: ("BEDRAG", "SALDO")
        case .polish: ("KWOTA", "SALDO")
        case .portuguese: ("VALOR", "SALDO")
        }
    }

    private var messages: [UserInterfaceRequest.Message: [String]] {
        switch self {
        case .english: Self.englishTexts
        case .german: Self.germanTexts
        case .spanish: Self.spanishTexts
        case .french: Self.frenchTexts
        case .italian: Self.italianTexts
        case .dutch: Self.dutchTexts
        case .polish: Self.polishTexts
        case .portuguese: Self.portugueseTexts
        }
    }
}

/// Selects the language of the messages: the first of the card's preferences (tag `5F2D`) that the
/// terminal supports, else the terminal's first (EMV 4.4 Book 4, 11.1).
package struct MessageLanguageChoice: Sendable, Equatable {
    private let supported: [MessageLanguage]
    package private(set) var language: MessageLanguage
    /// Whether a card's own preferences led to the language, and no other card was asked for since.
    package private(set) var isOfCard = false

    /// - Parameter supported: The terminal's languages, the local one first. Languages without
    ///   texts do not count; if none is left, the texts are in English.
    package init(supported: [Language]) {
        self.supported = supported.compactMap { MessageLanguage($0) }
        language = self.supported.first ?? .english
    }

    /// Begins with the terminal's language when a card is asked for, and takes over the card's
    /// preferences where the request has them.
    package mutating func take(_ request: UserInterfaceRequest) {
        if request.message == .presentCard {
            language = supported.first ?? .english
            isOfCard = false
        }
        if !request.languages.isEmpty { take(request.languages) }
    }

    /// - Parameter languages: The card's preferences, or what the cardholder has chosen.
    package mutating func take(_ languages: [Language]) {
        let preferred = languages.lazy.compactMap { MessageLanguage($0) }
        language = preferred.first(where: supported.contains) ?? supported.first ?? .english
        isOfCard = true
    }
}
