extension Termination {
    /// A fault in the terminal's configuration or request.
    public enum ConfigurationFault: Hashable, Sendable {
        /// It has fewer than 5 or more than 16 bytes.
        case applicationIdentifier
        /// It is not a list of tags and lengths.
        case defaultTDOL
        /// It has more than twelve digits.
        case amount
        /// It is more than the amount.
        case cashback
        /// It is not a date YYMMDD.
        case date
        /// It is not a time HHMMSS.
        case time
        /// It does not have four bytes.
        case unpredictableNumber
        /// It is zero.
        case sequenceCounter
        /// The combination has no terminal transaction qualifiers.
        case noTransactionQualifiers
        /// The reader's answer does not belong to the requested step.
        case unexpectedEvent
        /// The kernel has ended.
        case ended
    }
}

extension Termination.ConfigurationFault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .applicationIdentifier: "an application identifier is not 5 to 16 bytes long"
        case .defaultTDOL: "the default TDOL is not a list of tags and lengths"
        case .amount: "the amount has more than twelve digits"
        case .cashback: "the cashback is more than the amount"
        case .date: "the transaction's date is not a date YYMMDD"
        case .time: "the transaction's time is not a time HHMMSS"
        case .unpredictableNumber: "the unpredictable number does not have four bytes"
        case .sequenceCounter: "the transaction sequence counter is zero"
        case .noTransactionQualifiers: "the combination has no TTQ"
        case .unexpectedEvent: "the reader's answer belongs to another step"
        case .ended: "the kernel has ended"
        }
    }
}
