public import EMVKernel
public import TLV

/// Why a tap is not approved, or not yet.
public enum ContactlessReason: Sendable, Equatable {
    /// A fault in a command, an answer or a data object, as with contacts.
    case termination(Termination)
    /// No combination allows the amount or the type of the transaction (EMV Contactless Book B,
    /// 3.1.1.13).
    case notAllowed
    /// The card had to be presented more often than Entry Point allows.
    case presentedTooOften
    /// SW `6984` to GET PROCESSING OPTIONS.
    case otherInterface
    /// SW `6986` to GET PROCESSING OPTIONS: the cardholder must do something on the device.
    case seePhone
    case dataAuthentication(DataAuthenticationFailure)
    /// The signature uses a version of fast DDA that is not accepted.
    case dataAuthenticationVersion
    case cardDeclined
    /// The action codes name these bits of the TVR, and the terminal asked the card to decline.
    case actionCodes(TerminalVerificationResults)
    /// The same, of a card that may be used at its contacts.
    case contactsByActionCodes(TerminalVerificationResults)
    /// The card has only mag-stripe mode, which this reader does not support.
    case magstripeModeOnly
    /// Bits 8 and 7 of the CID are 11.
    case reservedCryptogram
    /// The card requests online authorization, but the terminal is offline only.
    case issuerNotReachable
    case expired
    case onExceptionFile
    /// The card's usage control does not allow cash or cashback.
    case serviceNotAllowed
    /// The cardholder must be verified, but no method is left.
    case verificationNotPossible
    /// The card's data about verification on the cardholder's device differ from the data that it
    /// signed.
    case consumerDeviceVerificationDiffers
    /// The card answered faster than its own minimum time (relay resistance).
    case answeredTooSoon
    /// Kernel 2: the state of the card's slot differs from the one that it reported (IDS read
    /// error).
    case dataStorageRead
    /// Kernel 2: the card did not store the data, and the terminal stops then (IDS write error).
    case dataStorageWrite
    /// Kernel 2: the terminal's data for the card's slot are incomplete (IDS data error).
    case dataStorageData
    /// Kernel 2: the terminal's data for the slot are not usable with the cryptogram, and it stops
    /// then (IDS no matching AC).
    case dataStorageCryptogram
    /// Kernel 8: the secure channel was not set up, or a message from the card could not be
    /// deciphered.
    case secureChannel
    /// Kernel 8: the data that the card authenticated differ from those exchanged (EDA-MAC).
    case enhancedDataAuthentication
    /// Kernel 8: the card requests to be presented again.
    case presentAgain
    /// The card number belongs to Mastercard and the application to Visa, or the reverse.
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
        case .dataAuthenticationVersion:
            "the card could not be authenticated: its version of fast DDA is no longer accepted"
        case .cardDeclined: "the card declined"
        case .actionCodes(let results): "the terminal's rules decline it: \(results.meanings.joined(separator: "; "))"
        case .contactsByActionCodes(let results):
            "the terminal's rules do not take this tap (\(results.meanings.joined(separator: "; "))): insert it"
        case .magstripeModeOnly:
            "the card knows mag-stripe mode only, which this reader does not take: insert or swipe it"
        case .reservedCryptogram: "the card answered with a type of cryptogram that does not exist"
        case .issuerNotReachable: "the card wants its issuer to be asked, and this terminal is offline only"
        case .expired: "the card's application has expired"
        case .onExceptionFile: "the card is on the exception file"
        case .serviceNotAllowed: "the card does not allow this service"
        case .verificationNotPossible:
            "the cardholder must be verified, and card and terminal share no method: insert the card"
        case .consumerDeviceVerificationDiffers: "what the card says of its owner's verification is not what it signed"
        case .answeredTooSoon: "the card answered sooner than it says that it can: insert it, or try another card"
        case .dataStorageRead: "the data stored on the card changed during the transaction: try again"
        case .dataStorageWrite: "the card did not store the data: try again, or pay without them"
        case .dataStorageData: "the data to store on the card are incomplete: check what the terminal gives"
        case .dataStorageCryptogram: "the data to store on the card are not for this decision: pay without them"
        case .secureChannel: "no secure channel with the card: insert it, or try another card"
        case .enhancedDataAuthentication: "the card could not be authenticated: its code is not over what was said"
        case .presentAgain: "the card wants to be presented again"
        case .numberOfAnotherSystem:
            "the card number is of another payment system than the card's application: insert the card"
        }
    }
}
