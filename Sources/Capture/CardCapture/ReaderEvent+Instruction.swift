import Contactless

extension ReaderEvent {
    /// A step of cardholder and reader. Most are messages of EMV Contactless Book A, 9.4, and EMV
    /// 4.4 Book 4, 11.2.
    public enum Instruction: String, Sendable, CaseIterable {
        /// Hold a card to the field.
        case presentCard
        /// Insert a card with a chip.
        case insertCard
        /// Swipe a card.
        case swipeCard
        /// Insert or swipe a card.
        case insertOrSwipeCard
        /// Hold a card to the field, or insert it.
        case tapOrInsertCard
        /// Hold a card to the field, or swipe it.
        case tapOrSwipeCard
        /// Hold a card to the field, insert or swipe it.
        case tapOrInsertOrSwipeCard
        /// The card that was swiped has a chip: insert it.
        case insertSwipedCard
        /// The chip cannot be used: swipe the card.
        case swipeInPlaceOfChip
        /// The stripe could not be read: swipe the card again.
        case swipeAgain
        /// Several cards are in the field: hold one to it.
        case presentOneCardOnly
        /// Hold the same card, or telephone, to the field again.
        case presentCardAgain
        /// The telephone asks its owner for something.
        case followTelephone
        /// The card is being read and checked: do not move it.
        case processing
        /// The reader is finished with the card: remove it.
        case removeCard
        /// Enter the PIN.
        case enterPIN
        /// Enter the PIN; if it is wrong, the card blocks it.
        case enterPINLastTry
        /// The PIN was entered; whether it is right is known later.
        case pinEntered
    }
}

extension ReaderEvent.Instruction {
    /// Nil for messages about the outcome, which the terminal tells.
    init?(_ message: UserInterfaceRequest.Message) {
        switch message {
        case .enterPIN: self = .enterPIN
        case .removeCard, .cardReadRemove: self = .removeCard
        case .presentCard: self = .presentCard
        case .processing: self = .processing
        case .insertOrSwipe, .insertSwipeOrTryAnotherCard: self = .insertOrSwipeCard
        case .insertCard: self = .insertCard
        case .presentOneCardOnly: self = .presentOneCardOnly
        case .seePhone: self = .followTelephone
        case .presentCardAgain: self = .presentCardAgain
        case .approved, .notAuthorized, .processingError, .welcome, .approvedSign, .authorizing, .clearDisplay:
            return nil
        }
    }
}

extension ReaderCapabilities {
    /// How a card can be presented to a reader with these; nil if it takes none.
    package var invitation: ReaderEvent.Instruction? {
        switch (contains(.contactlessChip), contains(.contactChip), contains(.magneticStripe)) {
        case (true, true, true): .tapOrInsertOrSwipeCard
        case (true, true, false): .tapOrInsertCard
        case (true, false, true): .tapOrSwipeCard
        case (true, false, false): .presentCard
        case (false, true, true): .insertOrSwipeCard
        case (false, true, false): .insertCard
        case (false, false, true): .swipeCard
        case (false, false, false): nil
        }
    }
}
