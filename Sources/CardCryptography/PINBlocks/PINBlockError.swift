/// Why a PIN block cannot be made or read. No case tells digits.
public enum PINBlockError: Error, Equatable, Sendable {
    /// A block of `count` bytes where the format has `expected`.
    case length(count: Int, expected: Int)
    /// The block is no PIN block of the format with this PAN, or under this key.
    case malformed
    /// Formats 0 and 3 take 12 PAN digits besides the check digit, and the PAN has `count` digits in all.
    case accountNumberTooShort(count: Int)
    /// The scheme has no such form of a new PIN.
    case form
    /// The PIN encipherment key is too short for the block, or the RSA operation refuses its operand.
    case key
    /// The unpredictable number in the block is not the one the card gave.
    case unpredictableNumber
}
