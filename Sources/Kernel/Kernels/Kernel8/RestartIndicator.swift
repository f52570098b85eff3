import Contactless

/// The card's request after a transaction that it did not approve, tag `9F8108` (EMV Contactless
/// Book C-8, A.1.113).
struct RestartIndicator: Equatable {
    enum Request: Equatable {
        case none
        case presentAgain
        /// Nil if the card does not specify exactly one.
        case otherInterface(ContactlessOutcome.AlternateInterface?)
    }

    let request: Request
    /// The message that the card requests; nil for none, or one that the reader does not allow.
    let message: UserInterfaceRequest.Message?

    /// - Parameter value: 2 to 5 bytes; nil or shorter if the card requests nothing.
    init?(_ value: [UInt8]?, allowed: [UserInterfaceRequest.Message]) {
        guard let value, value.count >= 2 else { return nil }
        switch (value[0] >> 4, value[0] & 0x0F) {
        case (2, _): request = .presentAgain
        case (3, 1): request = .otherInterface(.contactChip)
        case (3, 2): request = .otherInterface(.magneticStripe)
        case (3, _): request = .otherInterface(nil)
        default: request = .none
        }
        message = UserInterfaceRequest.Message(rawValue: value[1]).flatMap { allowed.contains($0) ? $0 : nil }
    }
}
