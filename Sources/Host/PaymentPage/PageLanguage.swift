/// The languages of the payment page.
public enum PageLanguage: String, Sendable, Hashable, CaseIterable {
    case english = "en"
    case bulgarian = "bg"
    case german = "de"
    case spanish = "es"
    case italian = "it"
    case dutch = "nl"
    case romanian = "ro"

    /// The language of a code, in either case; English for another one.
    public init(code: String) { self = Self(rawValue: code.lowercased()) ?? .english }
}

/// The words of the page.
struct PageTexts {
    let pay: String
    let storeCard: String
    let cancel: String
    let number: String
    let expiry: String
    let expiryHint: String
    let code: String
    let codeHint: String
    let name: String
    let summary: String
    let numberFault: String
    let expiryFault: String
    let codeFault: String
    let nameFault: String
    let allRequired: String
    let challenge: String
    let next: String

    init(_ language: PageLanguage) {
        switch language {
        case .english: self = Self.english
        case .bulgarian: self = Self.bulgarian
        case .german: self = Self.german
        case .spanish: self = Self.spanish
        case .italian: self = Self.italian
        case .dutch: self = Self.dutch
        case .romanian: self = Self.romanian
        }
    }
}

extension PageTexts {
    private init(_ words: [String]) {
        func word(_ place: Int) -> String { words.dropFirst(place).first ?? "" }
        pay = word(0)
        storeCard = word(1)
        cancel = word(2)
        number = word(3)
        expiry = word(4)
        expiryHint = word(5)
        code = word(6)
        codeHint = word(7)
        name = word(8)
        summary = word(9)
        numberFault = word(10)
        expiryFault = word(11)
        codeFault = word(12)
        nameFault = word(13)
        allRequired = word(14)
        challenge = word(15)
        next = word(16)
    }

    private static let english = PageTexts([
        "Pay", "Store card", "Cancel", "Card number", "Expiry date", "Month and year, as 04/29", "Security code",
        "3 or 4 digits, on the card", "Name on the card", "Please check your entries",
        "Enter the whole card number: its digits do not fit together", "Enter a month and a year that is not over",
        "Enter the 3 or 4 digits of the security code", "Enter the name on the card", "All fields are required.",
        "Your bank wants to confirm this payment.", "Continue to your bank",
    ])
    private static let bulgarian = PageTexts([
        "Плати", "Запази картата", "Отказ", "Номер на картата", "Валидна до", "Месец и година, например 04/29",
        "Код за сигурност", "3 или 4 цифри на картата", "Име върху картата", "Моля, проверете въведеното",
        "Въведете целия номер на картата: цифрите не съвпадат", "Въведете месец и година, които не са изтекли",
        "Въведете 3-те или 4-те цифри на кода за сигурност", "Въведете името върху картата",
        "Всички полета са задължителни.", "Вашата банка иска да потвърди плащането.", "Към вашата банка",
    ])
    private static let german = PageTexts([
        "Bezahlen", "Karte speichern", "Abbrechen", "Kartennummer", "Gültig bis", "Monat und Jahr, etwa 04/29",
        "Sicherheitscode", "3 oder 4 Ziffern auf der Karte", "Name auf der Karte", "Bitte prüfen Sie Ihre Eingaben",
        "Geben Sie die ganze Kartennummer ein: die Ziffern passen nicht zusammen",
        "Geben Sie Monat und Jahr ein, die noch nicht vorbei sind",
        "Geben Sie die 3 oder 4 Ziffern des Sicherheitscodes ein", "Geben Sie den Namen auf der Karte ein",
        "Alle Felder sind erforderlich.", "Ihre Bank möchte diese Zahlung bestätigen.", "Weiter zu Ihrer Bank",
    ])
    private static let spanish = PageTexts([
        "Pagar", "Guardar la tarjeta", "Cancelar", "Número de tarjeta", "Fecha de caducidad",
        "Mes y año, por ejemplo 04/29", "Código de seguridad", "3 o 4 cifras, en la tarjeta",
        "Nombre en la tarjeta", "Revise los datos introducidos",
        "Introduzca el número completo de la tarjeta: las cifras no concuerdan",
        "Introduzca un mes y un año que no hayan pasado",
        "Introduzca las 3 o 4 cifras del código de seguridad", "Introduzca el nombre que figura en la tarjeta",
        "Todos los campos son obligatorios.", "Su banco quiere confirmar este pago.", "Continuar a su banco",
    ])
    private static let italian = PageTexts([
        "Paga", "Salva la carta", "Annulla", "Numero della carta", "Data di scadenza", "Mese e anno, ad esempio 04/29",
        "Codice di sicurezza", "3 o 4 cifre, sulla carta", "Nome sulla carta", "Controlli i dati inseriti",
        "Inserisca il numero completo della carta: le cifre non corrispondono",
        "Inserisca un mese e un anno non ancora passati", "Inserisca le 3 o 4 cifre del codice di sicurezza",
        "Inserisca il nome riportato sulla carta", "Tutti i campi sono obbligatori.",
        "La sua banca vuole confermare questo pagamento.", "Continua verso la sua banca",
    ])
    private static let dutch = PageTexts([
        "Betalen", "Kaart opslaan", "Annuleren", "Kaartnummer", "Vervaldatum", "Maand en jaar, zoals 04/29",
        "Beveiligingscode", "3 of 4 cijfers, op de kaart", "Naam op de kaart", "Controleer uw gegevens",
        "Vul het hele kaartnummer in: de cijfers passen niet bij elkaar",
        "Vul een maand en een jaar in die nog niet voorbij zijn", "Vul de 3 of 4 cijfers van de beveiligingscode in",
        "Vul de naam op de kaart in", "Alle velden zijn verplicht.", "Uw bank wil deze betaling bevestigen.",
        "Verder naar uw bank",
    ])
    private static let romanian = PageTexts([
        "Plătiți", "Salvați cardul", "Anulați", "Numărul cardului", "Data expirării", "Luna și anul, de exemplu 04/29",
        "Cod de securitate", "3 sau 4 cifre, pe card", "Numele de pe card", "Verificați datele introduse",
        "Introduceți numărul complet al cardului: cifrele nu se potrivesc",
        "Introduceți o lună și un an care nu au trecut", "Introduceți cele 3 sau 4 cifre ale codului de securitate",
        "Introduceți numele de pe card", "Toate câmpurile sunt obligatorii.",
        "Banca dumneavoastră dorește să confirme această plată.", "Continuați la bancă",
    ])
}
