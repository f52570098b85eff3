public import EMVKernel
public import TLV

/// How a kernel, or Entry Point without a kernel, ended, and what to do next (EMV Contactless Book
/// A, 6.2: outcome and parameters). Absent parameters are N/A in the book.
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

    /// Where Entry Point continues (EMV Contactless Book B, 3.1 to 3.4).
    public enum Start: Sendable, Equatable {
        /// Pre-processing, then as `b`.
        case a
        /// A card is waited for: the same combination if the issuer's answer has data for it, else
        /// the directory.
        case b
        /// The best of the candidates, which still have this one; the card stays in the field.
        case c
        /// The same kernel at once, ``ContactlessKernel/resume(with:)``; the card stays in the
        /// field.
        case d
    }

    /// The data in the issuer's answer that require the card to be presented again.
    public enum OnlineResponse: Sendable, Equatable {
        /// Issuer authentication data or a script.
        case emvData
        case any
    }

    /// The method that verifies the cardholder.
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
    /// The data objects of terminal and card if the outcome has a data record, including PAN and
    /// track.
    public var data: TransactionData?
    /// Additional data for the acquirer; nothing that ``Redaction`` hides.
    public var discretionaryData: DataElements
    public var alternateInterface: AlternateInterface?
    public var wantsReceipt: Bool
    /// How long the field must be off, in units of 100 ms.
    public var fieldOff: UInt32?
    /// After which time a card that is still in the field is asked to leave it while the issuer is
    /// asked, in units of 100 ms; 0 for never.
    public var removalTimeout: UInt32?
    /// The torn transactions after this transaction; nil for a kernel that keeps none.
    package var tornTransactions: TornTransactionLog?
    /// The counter of failed codes after this transaction; nil for a kernel that keeps none.
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
    /// What is shown when Entry Point continues after this outcome (EMV Contactless Book B, 3.2.1).
    package var restartRequest: UserInterfaceRequest { onRestart ?? UserInterfaceRequest(.presentCard, .readyToRead) }

    /// Whether the card stays in the field while the issuer is asked.
    package var holdsCard: Bool { status == .onlineRequest && (start == .c || start == .d) }

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
