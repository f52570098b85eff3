public import EMVKernel

/// A message and a status for the reader to show (EMV Contactless Book A, 7.1: User Interface
/// Request Data).
public struct UserInterfaceRequest: Sendable, Equatable {
    /// Message identifier (EMV Contactless Book A, 9.4).
    public enum Message: UInt8, Sendable, CaseIterable {
        case approved = 0x03
        case notAuthorized = 0x07
        case enterPIN = 0x09
        case processingError = 0x0F
        case removeCard = 0x10
        case welcome = 0x14
        case presentCard = 0x15
        case processing = 0x16
        case cardReadRemove = 0x17
        case insertOrSwipe = 0x18
        case presentOneCardOnly = 0x19
        case approvedSign = 0x1A
        case authorizing = 0x1B
        case insertSwipeOrTryAnotherCard = 0x1C
        case insertCard = 0x1D
        case clearDisplay = 0x1E
        case seePhone = 0x20
        case presentCardAgain = 0x21
    }

    /// Status (EMV Contactless Book A, 7.1).
    public enum Status: UInt8, Sendable {
        case notReady = 0x00
        case idle = 0x01
        case readyToRead = 0x02
        case processing = 0x03
        case cardReadSuccessfully = 0x04
        case processingError = 0x05
    }

    /// An amount for the message.
    public enum Value: Sendable, Equatable {
        /// In minor units, with the ISO 4217 numeric code of the currency.
        case amount(UInt64, currency: UInt16)
        case balance(UInt64, currency: UInt16)
    }

    public var message: Message
    public var status: Status
    /// The minimum display time of the message, in units of 100 ms.
    public var holdTime: UInt32
    /// The card's languages, tag `5F2D`, the most preferred first; at most four.
    public var languages: [Language]
    public var value: Value?

    public init(
        _ message: Message, _ status: Status, holdTime: UInt32 = 0, languages: [Language] = [], value: Value? = nil
    ) {
        self.message = message
        self.status = status
        self.holdTime = holdTime
        self.languages = languages
        self.value = value
    }
}

extension UserInterfaceRequest.Message {
    /// The message in English (EMV Contactless Book A, 9.4).
    public var text: String {
        switch self {
        case .approved: "APPROVED"
        case .notAuthorized: "NOT AUTHORISED"
        case .enterPIN: "PLEASE ENTER YOUR PIN"
        case .processingError: "PROCESSING ERROR"
        case .removeCard: "PLEASE REMOVE CARD"
        case .welcome: "WELCOME"
        case .presentCard: "PRESENT CARD"
        case .processing: "PROCESSING"
        case .cardReadRemove: "CARD READ OK, REMOVE CARD"
        case .insertOrSwipe: "PLEASE INSERT OR SWIPE CARD"
        case .presentOneCardOnly: "PLEASE PRESENT ONE CARD ONLY"
        case .approvedSign: "APPROVED, PLEASE SIGN"
        case .authorizing: "AUTHORISING, PLEASE WAIT"
        case .insertSwipeOrTryAnotherCard: "INSERT, SWIPE OR TRY ANOTHER CARD"
        case .insertCard: "PLEASE INSERT CARD"
        case .clearDisplay: ""
        case .seePhone: "SEE PHONE FOR INSTRUCTIONS"
        case .presentCardAgain: "PRESENT CARD AGAIN"
        }
    }
}
