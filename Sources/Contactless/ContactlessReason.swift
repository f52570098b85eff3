public import EMVKernel

/// Why a tap is not approved, or not yet.
public enum ContactlessReason: Sendable, Equatable {
    /// A command, an answer or a data object, as with contacts.
    case termination(Termination)
    /// Amount or type of the transaction is allowed for no combination
    /// (EMV Contactless Book B, 3.1.1.13).
    case notAllowed
    /// More often than Entry Point goes on, the card had to be presented again.
    case presentedTooOften
    /// SW `6984` to GET PROCESSING OPTIONS.
    case otherInterface
    /// SW `6986` to GET PROCESSING OPTIONS: the cardholder's device wants something of its owner.
    case seePhone
    case dataAuthentication(DataAuthenticationFailure)
    /// The signature is of a version of fast DDA that is refused.
    case dataAuthenticationVersion
    case cardDeclined
    /// The card has mag-stripe mode only, which this reader has not.
    case magstripeModeOnly
    /// Bits 8 and 7 of the CID are 11.
    case reservedCryptogram
    /// The card wants the issuer to be asked, and the terminal is offline only.
    case issuerNotReachable
    case expired
    case onExceptionFile
    /// The card's usage control has something against cash or cashback.
    case serviceNotAllowed
    /// The cardholder must be verified, and no method is left.
    case verificationNotPossible
    /// What the card says of verification on the cardholder's device is not what it signed.
    case consumerDeviceVerificationDiffers
    /// The card answered sooner than it says that it can (relay resistance).
    case answeredTooSoon
    /// Kernel 8: the secure channel was not set up, or a message from the card could not be deciphered.
    case secureChannel
    /// Kernel 8: what the card authenticated is not what was said (EDA-MAC).
    case enhancedDataAuthentication
    /// Kernel 8: the card wants to be presented again.
    case presentAgain
    /// The number is of Mastercard's and the application Visa's, or the reverse.
    case numberOfAnotherSystem
}

extension ContactlessReason: CustomStringConvertible {
    public var description: String {
        switch self {
        case .termination(let termination): termination.description
        case .notAllowed: "the amount or the type of transaction is not allowed for a tap: insert or swipe the card"
        case .presentedTooOften: "the card was presented again and again: insert it, or try another card"
        case .otherInterface: "the card does not take this transaction by tap: insert it"
        case .seePhone: "the phone asks its owner for something: see the phone, then present it again"
        case .dataAuthentication(let failure): "the card could not be authenticated: \(failure)"
        case .dataAuthenticationVersion: "the card could not be authenticated: its version of fast DDA is no longer accepted"
        case .cardDeclined: "the card declined"
        case .magstripeModeOnly: "the card knows mag-stripe mode only, which this reader does not take: insert or swipe it"
        case .reservedCryptogram: "the card answered with a type of cryptogram that does not exist"
        case .issuerNotReachable: "the card wants its issuer to be asked, and this terminal is offline only"
        case .expired: "the card's application has expired"
        case .onExceptionFile: "the card is on the exception file"
        case .serviceNotAllowed: "the card does not allow this service"
        case .verificationNotPossible: "the cardholder must be verified, and card and terminal share no method: insert the card"
        case .consumerDeviceVerificationDiffers: "what the card says of its owner's verification is not what it signed"
        case .answeredTooSoon: "the card answered sooner than it says that it can: insert it, or try another card"
        case .secureChannel: "no secure channel with the card: insert it, or try another card"
        case .enhancedDataAuthentication: "the card could not be authenticated: its code is not over what was said"
        case .presentAgain: "the card wants to be presented again"
        case .numberOfAnotherSystem: "the card number is of another payment system than the card's application: insert the card"
        }
    }
}
