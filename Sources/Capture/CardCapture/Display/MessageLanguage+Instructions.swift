import Contactless

/// The texts of instructions: those of the standard messages where they are the same, else our own
/// wording, for the same displays.
extension MessageLanguage {
    /// One line or two.
    func lines(_ instruction: ReaderEvent.Instruction) -> [String] {
        switch instruction {
        case .presentCard: lines(UserInterfaceRequest.Message.presentCard)
        case .insertCard: lines(UserInterfaceRequest.Message.insertCard)
        case .insertOrSwipeCard: lines(UserInterfaceRequest.Message.insertOrSwipe)
        case .presentOneCardOnly: lines(UserInterfaceRequest.Message.presentOneCardOnly)
        case .presentCardAgain: lines(UserInterfaceRequest.Message.presentCardAgain)
        case .followTelephone: lines(UserInterfaceRequest.Message.seePhone)
        case .processing, .pinEntered: lines(UserInterfaceRequest.Message.processing)
        case .removeCard: lines(UserInterfaceRequest.Message.removeCard)
        case .enterPIN: lines(UserInterfaceRequest.Message.enterPIN)
        case .swipeCard: texts.swipe
        case .tapOrInsertCard: texts.tapOrInsert
        case .tapOrSwipeCard: texts.tapOrSwipe
        case .tapOrInsertOrSwipeCard: texts.tapOrInsertOrSwipe
        case .insertSwipedCard: texts.useChip
        case .swipeInPlaceOfChip: texts.useStripe
        case .swipeAgain: texts.swipeAgain
        case .enterPINLastTry: texts.lastTry
        }
    }

    private struct Texts {
        let swipe: [String]
        let tapOrInsert: [String]
        let tapOrSwipe: [String]
        let tapOrInsertOrSwipe: [String]
        let useChip: [String]
        let useStripe: [String]
        let swipeAgain: [String]
        let lastTry: [String]
    }

    private var texts: Texts {
        switch self {
        case .english:
            Texts(
                swipe: ["PLEASE SWIPE CARD"], tapOrInsert: ["PRESENT OR", "INSERT CARD"],
                tapOrSwipe: ["PRESENT OR", "SWIPE CARD"],
                tapOrInsertOrSwipe: ["PRESENT, INSERT", "OR SWIPE CARD"], useChip: ["USE CHIP READER"],
                useStripe: ["USE MAG STRIPE"],
                swipeAgain: ["PLEASE SWIPE AGAIN"], lastTry: ["PLEASE ENTER PIN", "LAST TRY"])
        case .german:
            Texts(
                swipe: ["KARTE DURCHZIEHEN"], tapOrInsert: ["KARTE VORHALTEN", "ODER EINSTECKEN"],
                tapOrSwipe: ["KARTE VORHALTEN", "ODER DURCHZIEHEN"],
                tapOrInsertOrSwipe: ["VORHALTEN, STECKEN", "ODER DURCHZIEHEN"],
                useChip: ["CHIP VERWENDEN:", "KARTE EINSTECKEN"], useStripe: ["MAGNETSTREIFEN:", "KARTE DURCHZIEHEN"],
                swipeAgain: ["KARTE ERNEUT", "DURCHZIEHEN"], lastTry: ["GEHEIMZAHL EINGEBEN", "LETZTER VERSUCH"])
        case .spanish:
            Texts(
                swipe: ["DESLICE LA TARJETA"], tapOrInsert: ["ACERQUE O INSERTE", "LA TARJETA"],
                tapOrSwipe: ["ACERQUE O DESLICE", "LA TARJETA"],
                tapOrInsertOrSwipe: ["ACERQUE, INSERTE O", "DESLICE LA TARJETA"],
                useChip: ["USE EL CHIP:", "INSERTE LA TARJETA"], useStripe: ["USE LA BANDA:", "DESLICE LA TARJETA"],
                swipeAgain: ["DESLICE DE NUEVO", "LA TARJETA"], lastTry: ["INTRODUZCA SU PIN", "ÚLTIMO INTENTO"])
        case .french:
            Texts(
                swipe: ["GLISSEZ LA CARTE"], tapOrInsert: ["PRÉSENTEZ OU", "INSÉREZ LA CARTE"],
                tapOrSwipe: ["PRÉSENTEZ OU", "GLISSEZ LA CARTE"],
                tapOrInsertOrSwipe: ["PRÉSENTEZ, INSÉREZ", "OU GLISSEZ LA CARTE"],
                useChip: ["UTILISEZ LA PUCE:", "INSÉREZ LA CARTE"],
                useStripe: ["UTILISEZ LA PISTE:", "GLISSEZ LA CARTE"],
                swipeAgain: ["GLISSEZ À NOUVEAU", "LA CARTE"], lastTry: ["SAISISSEZ VOTRE CODE", "DERNIER ESSAI"])
        case .italian:
            Texts(
                swipe: ["STRISCIARE LA CARTA"], tapOrInsert: ["AVVICINARE O", "INSERIRE LA CARTA"],
                tapOrSwipe: ["AVVICINARE O", "STRISCIARE LA CARTA"],
                tapOrInsertOrSwipe: ["AVVICINARE, INSERIRE", "O STRISCIARE"],
                useChip: ["USARE IL CHIP:", "INSERIRE LA CARTA"],
                useStripe: ["USARE LA BANDA:", "STRISCIARE LA CARTA"],
                swipeAgain: ["STRISCIARE DI NUOVO", "LA CARTA"], lastTry: ["DIGITARE IL PIN", "ULTIMO TENTATIVO"])
        case .dutch:
            Texts(
                swipe: ["HAAL DE KAART DOOR"], tapOrInsert: ["HOUD VOOR DE LEZER", "OF STEEK KAART IN"],
                tapOrSwipe: ["HOUD VOOR DE LEZER", "OF HAAL KAART DOOR"],
                tapOrInsertOrSwipe: ["HOUD VOOR, STEEK IN", "OF HAAL KAART DOOR"],
                useChip: ["GEBRUIK DE CHIP:", "STEEK DE KAART IN"],
                useStripe: ["GEBRUIK DE STRIP:", "HAAL DE KAART DOOR"],
                swipeAgain: ["HAAL DE KAART", "OPNIEUW DOOR"], lastTry: ["TOETS UW PINCODE IN", "LAATSTE POGING"])
        case .polish:
            Texts(
                swipe: ["PRZECIĄGNIJ KARTĘ"], tapOrInsert: ["ZBLIŻ LUB WŁÓŻ", "KARTĘ"],
                tapOrSwipe: ["ZBLIŻ LUB", "PRZECIĄGNIJ KARTĘ"],
                tapOrInsertOrSwipe: ["ZBLIŻ, WŁÓŻ LUB", "PRZECIĄGNIJ KARTĘ"], useChip: ["UŻYJ CHIPA:", "WŁÓŻ KARTĘ"],
                useStripe: ["UŻYJ PASKA:", "PRZECIĄGNIJ KARTĘ"], swipeAgain: ["PRZECIĄGNIJ KARTĘ", "PONOWNIE"],
                lastTry: ["WPROWADŹ KOD PIN", "OSTATNIA PRÓBA"])
        case .portuguese:
            Texts(
                swipe: ["PASSE O CARTÃO"], tapOrInsert: ["APROXIME OU INSIRA", "O CARTÃO"],
                tapOrSwipe: ["APROXIME OU PASSE", "O CARTÃO"],
                tapOrInsertOrSwipe: ["APROXIME, INSIRA OU", "PASSE O CARTÃO"],
                useChip: ["USE O CHIP:", "INSIRA O CARTÃO"],
                useStripe: ["USE A BANDA:", "PASSE O CARTÃO"], swipeAgain: ["PASSE DE NOVO", "O CARTÃO"],
                lastTry: ["DIGITE O SEU PIN", "ÚLTIMA TENTATIVA"])
        }
    }
}
