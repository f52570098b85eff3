import Contactless

/// What a reader with several interfaces asks of the cardholder between two of them. It becomes
/// text where it is shown, in the language that is known then.
struct CardholderRequest: Sendable, Equatable {
    /// Why the cardholder is asked.
    enum Reason: Sendable, Equatable {
        case fieldFails
        case stripeReaderFails
        case notByTap
        case stripeOfChip
        case stripeUnreadable
        case chipUnreadable
        case noApplication
    }

    let instruction: ReaderEvent.Instruction
    let reason: Reason
    /// Of a card that was read before; nil if there was none, or it did not tell its language.
    var language: MessageLanguage?

    /// Two lines. The English ones say why; the others are those of the instruction.
    func lines(in language: MessageLanguage) -> [String] {
        language == .english ? [command, explanation] : language.lines(instruction)
    }

    /// The instruction on a display of one line. With several interfaces left, the first of
    /// contacts, field and stripe.
    private var command: String {
        switch instruction {
        case .insertSwipedCard: "USE CHIP READER"
        case .swipeInPlaceOfChip: "USE MAG STRIPE"
        case .swipeAgain: "TRY AGAIN"
        case .insertCard, .insertOrSwipeCard, .tapOrInsertCard, .tapOrInsertOrSwipeCard: "INSERT CARD"
        case .presentCard, .tapOrSwipeCard: "TAP CARD"
        case .swipeCard: "SWIPE CARD"
        case .presentOneCardOnly, .presentCardAgain, .followTelephone, .processing, .removeCard, .enterPIN,
            .enterPINLastTry, .pinEntered:
            MessageLanguage.english.lines(instruction).joined(separator: " ")
        }
    }

    private var explanation: String {
        switch reason {
        case .fieldFails: "the contactless reader does not work"
        case .stripeReaderFails: "the stripe reader does not work"
        case .notByTap: "this payment cannot be made by tap"
        case .stripeOfChip: CaptureOutcome.MagstripeFault.chip.description
        case .stripeUnreadable: "the stripe could not be read: swipe the card again"
        case .chipUnreadable: "the chip cannot be read: swipe the card"
        case .noApplication: "the chip has no supported application: swipe the card"
        }
    }
}
