public import EMVKernel
public import TLV

/// How a kernel, or Entry Point before one, ended, and what is to be done about it
/// (EMV Contactless Book A, 6.2: outcome and parameters). Absent parameters are N/A in the book.
public struct ContactlessOutcome: Sendable {
    public enum Status: Sendable, Equatable {
        case approved
        case declined
        case onlineRequest
        case endApplication
        case selectNext
        case tryAnotherInterface
        case tryAgain
    }

    /// Where Entry Point goes on.
    public enum Start: Sendable, Equatable { case a, b, c, d }

    /// What of the issuer's answer makes the card be presented again.
    public enum OnlineResponse: Sendable, Equatable {
        /// Issuer authentication data or a script.
        case emvData
        case any
    }

    /// What verifies the cardholder.
    public enum Verification: Sendable, Equatable {
        case none
        case signature
        case onlinePIN
        /// Confirmation code verified: by the cardholder's own device.
        case consumerDevice
    }

    public enum AlternateInterface: Sendable, Equatable { case contactChip, magneticStripe }

    public var status: Status
    public var start: Start?
    public var onlineResponse: OnlineResponse?
    public var verification: Verification?
    public var onOutcome: UserInterfaceRequest?
    public var onRestart: UserInterfaceRequest?
    /// The data objects of terminal and card where the outcome has a data record; the PAN and the
    /// track are among them.
    public var data: TransactionData?
    /// What the acquirer may see besides; nothing that ``Redaction`` hides.
    public var discretionaryData: DataElements
    public var alternateInterface: AlternateInterface?
    public var wantsReceipt: Bool
    /// For how long the field is to be off, in units of 100 ms.
    public var fieldOff: UInt32?
    /// Torn transactions as they are after this one; nil for a kernel that keeps none.
    package var tornTransactions: TornTransactionLog?
    /// The same of the counter of failed codes.
    package var failedChecksums: FailedChecksums?
    /// Why the transaction is not approved.
    public var reason: ContactlessReason?

    public init(_ status: Status, start: Start? = nil, reason: ContactlessReason? = nil) {
        self.status = status
        self.start = start
        self.reason = reason
        discretionaryData = DataElements()
        wantsReceipt = false
    }
}

extension ContactlessOutcome {
    /// The card cannot be used here; another one, or another way to read it, may be.
    package static func end(
        _ reason: ContactlessReason, languages: [Language] = [], holdTime: UInt32 = 0
    ) -> ContactlessOutcome {
        var outcome = ContactlessOutcome(.endApplication, reason: reason)
        outcome.onOutcome = UserInterfaceRequest(
            .insertSwipeOrTryAnotherCard, .processingError, holdTime: holdTime, languages: languages)
        return outcome
    }

    /// The card left the field: it is to be presented again.
    package static func tryAgain(
        _ reason: ContactlessReason, _ message: UserInterfaceRequest.Message = .presentCardAgain
    ) -> ContactlessOutcome {
        var outcome = ContactlessOutcome(.tryAgain, start: .b, reason: reason)
        outcome.onRestart = UserInterfaceRequest(message, .readyToRead)
        return outcome
    }
}
