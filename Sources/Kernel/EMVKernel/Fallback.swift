/// The magnetic stripe after a chip that could not be used (EMV 4.4 Book 4, 6.6.2).
///
/// The kernel reports the reason and the entry mode of the swiped transaction. The payment system
/// decides whether a fallback is allowed. The entry mode applies to cards whose stripe indicates a
/// chip: service code `2xx` or `6xx`.
public struct Fallback: Hashable, Sendable {
    /// Why the chip was not used.
    public enum Reason: String, Hashable, Sendable, Codable {
        /// Chip and terminal could not work together.
        case technical
        /// The chip works, but has no application in common with the terminal.
        case emptyCandidateList
    }

    /// POS entry mode, tag `9F39`, two BCD digits (ISO 8583:1987, field 22, first two digits).
    public enum EntryMode: UInt8, Hashable, Sendable {
        /// Magnetic stripe.
        case magneticStripe = 0x90
        /// Magnetic stripe, after the chip could not be read.
        case stripeAfterChip = 0x80
    }

    /// For the payment system's rule on fallback, and for the host.
    public let reason: Reason
    /// The entry mode of the swiped transaction.
    public let entryMode: EntryMode

    /// A fallback with its reason and the entry mode of the swiped transaction.
    public init(_ reason: Reason, entryMode: EntryMode) {
        self.reason = reason
        self.entryMode = entryMode
    }
}
