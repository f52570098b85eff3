/// The magnetic stripe after a chip that could not be used (EMV 4.4 Book 4, 6.6.2).
///
/// The kernel says what happened and how the swiped transaction is to be marked. Whether it is allowed is a rule of the payment system, and
/// the mark is for cards whose stripe names a chip: service code `2xx` or `6xx`.
public struct Fallback: Hashable, Sendable {
    /// Why the chip was not used.
    public enum Reason: String, Hashable, Sendable, Codable {
        /// Chip and terminal failed each other.
        case technical
        /// The chip works, and has no application in common with the terminal.
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
    /// What the swiped transaction carries.
    public let entryMode: EntryMode

    /// A fallback that the swiped transaction is marked with.
    public init(_ reason: Reason, entryMode: EntryMode) {
        self.reason = reason
        self.entryMode = entryMode
    }
}
