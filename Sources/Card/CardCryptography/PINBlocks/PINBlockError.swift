/// Why a PIN block cannot be encoded or decoded. No case reveals digits.
public enum PINBlockError: Error, Equatable, Sendable {
    /// The block has `count` bytes instead of `expected`.
    case length(count: Int, expected: Int)
    /// The block is not a PIN block of the format with this PAN, or under this key.
    case malformed
    /// Formats 0 and 3 need 12 PAN digits and the check digit, but the PAN has only `count` digits.
    case accountNumberTooShort(count: Int)
    /// The scheme has no such form of a new PIN.
    case form
    /// The PIN encipherment key is too short for the block, or the RSA operation refuses its
    /// operand.
    case key
    /// The unpredictable number in the block is not the card's.
    case unpredictableNumber
}

extension PINBlockError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .length(let count, let expected): "the PIN block has \(count) bytes and not \(expected)"
        case .malformed: "it is no PIN block of this format, card number and key"
        case .accountNumberTooShort(let count): "the card number has \(count) digits: the PIN block needs 13"
        case .form: "the scheme has no such form of a new PIN"
        case .key: "the key is not for a PIN block of this length"
        case .unpredictableNumber: "the unpredictable number in the PIN block is not the card's"
        }
    }
}
