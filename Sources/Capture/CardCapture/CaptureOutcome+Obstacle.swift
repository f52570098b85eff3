public import Contactless
public import EMVKernel

extension CaptureOutcome {
    /// Why no transaction was possible.
    public enum Obstacle: Sendable, Equatable {
        /// Our kernel ended the transaction with the chip.
        case kernel(Termination)
        /// A contactless kernel, or Entry Point, ended the tap.
        case contactless(ContactlessReason)
        /// The card cannot be used by tap.
        case tapNotPossible
        /// The PIN pad was left without a PIN.
        case pinNotEntered
        /// The stripe was read, but is not that of a payment card.
        case stripe(MagstripeFault)
        /// A device with a kernel of its own could not read the chip; it may ask for the stripe.
        case chipNotReadable
        /// A device with a kernel of its own could read neither chip nor stripe.
        case cardNotReadable
        /// The card stopped answering in the middle of a device's transaction.
        case cardTimedOut
        /// The reader approved, but returned no card.
        case noCardData
        /// The reader approved offline although the issuer must be asked.
        case approvedOffline
        /// The reader failed after the transaction began.
        case reader(CaptureError)
    }

    /// Why no payment can be made with a swipe.
    public enum MagstripeFault: Error, Sendable, Equatable {
        /// No track could be read, even after the card was swiped again.
        case unreadable
        /// The tracks are complete, but contain no card number with an expiry date.
        case notPaymentCard
        /// The tracks name different cards.
        case contradiction
        /// The card has a chip, which must be used instead of its stripe.
        case chip
    }
}

extension CaptureOutcome.Obstacle: CustomStringConvertible {
    public var description: String {
        switch self {
        case .kernel(let termination): termination.description
        case .contactless(let reason): reason.description
        case .tapNotPossible: "the card cannot be used by tap: insert it"
        case .pinNotEntered: "the PIN was not entered: try again, or insert the card"
        case .stripe(let fault): fault.description
        case .chipNotReadable: "the chip could not be read: swipe the card"
        case .cardNotReadable: "the card could not be read: try again, or use another card"
        case .cardTimedOut: "the card did not answer in time: try again"
        case .noCardData: "the reader approved but returned no card data: start the payment again"
        case .approvedOffline: "the reader approved offline, but online authorization is required: use another reader"
        case .reader(let error): error.description
        }
    }
}

extension CaptureOutcome.MagstripeFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .unreadable: "the stripe could not be read: try another card"
        case .notPaymentCard: "this is not a payment card: swipe another card"
        case .contradiction: "the tracks of the stripe contradict each other: do not accept this card"
        case .chip: "the card has a chip: insert it"
        }
    }
}
