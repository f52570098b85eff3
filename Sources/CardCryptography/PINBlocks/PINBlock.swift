public import Bytes

/// The 8-byte PIN blocks of ISO 9564-1: control nibble, PIN length, digits, fill, in format 0 and 3 combined with the PAN.
public enum PINBlock: Sendable, Equatable {
    /// Format 0: fill F, combined with the PAN (ISO 9564-1:2017, 9.3.2).
    case format0(AccountNumber)
    /// Format 1: random fill, no PAN (9.3.3).
    case format1
    /// Format 2: fill F, no PAN, for a PIN that goes to a card only (9.3.4; EMV 4.4 Book 3, table 25).
    case format2
    /// Format 3: random fill A to F, combined with the PAN (9.3.5).
    case format3(AccountNumber)

    /// The clear block for `pin`, 8 bytes.
    public func encode(_ pin: PIN) throws(PINBlockError) -> SecretBytes {
        // fits: a PIN has 4 to 12 digits
        var nibbles = [control, UInt8(pin.count)]
        pin.withDigits { digits in
            for index in digits.indices { nibbles.append(digits[index]) }
        }
        nibbles += fill(count: 16 - nibbles.count)
        var block = packNibbles(nibbles)
        wipe(&nibbles)
        try combine(&block)
        return SecretBytes(wiping: &block)
    }

    /// The PIN in a clear `block` of this format.
    public func decode(_ block: SecretBytes) throws(PINBlockError) -> PIN {
        guard block.count == 8 else { throw .length(count: block.count, expected: 8) }
        var bytes = block.withBytes { block in block.indices.map { block[$0] } }
        defer { wipe(&bytes) }
        try combine(&bytes)
        var nibbles = unpackNibbles(bytes.span)
        defer { wipe(&nibbles) }
        let count = Int(nibbles[1])
        guard nibbles[0] == control, (4...12).contains(count), nibbles[(2 + count)...].allSatisfy(isFill) else { throw .malformed }
        var digits = Array(nibbles[2..<2 + count])
        guard let pin = PIN(wiping: &digits) else { throw .malformed }
        return pin
    }

    private var control: UInt8 {
        switch self {
        case .format0: 0
        case .format1: 1
        case .format2: 2
        case .format3: 3
        }
    }

    private func fill(count: Int) -> [UInt8] {
        switch self {
        case .format0, .format2: [UInt8](repeating: 0x0F, count: count)
        case .format1: SecureRandom.bytes(count).map { $0 & 0x0F }
        case .format3: SecureRandom.values(count, in: 10...15)
        }
    }

    private func isFill(_ nibble: UInt8) -> Bool {
        switch self {
        case .format0, .format2: nibble == 0x0F
        case .format1: true
        case .format3: nibble >= 10
        }
    }

    /// Exclusive or with the account number block: 0000, then the 12 rightmost PAN digits before the check digit.
    private func combine(_ block: inout [UInt8]) throws(PINBlockError) {
        let pan: AccountNumber
        switch self {
        case .format0(let number), .format3(let number): pan = number
        case .format1, .format2: return
        }
        guard pan.count >= 13 else { throw .accountNumberTooShort(count: pan.count) }
        let digits = pan.withDigits { digits in (digits.count - 13..<digits.count - 1).map { digits[$0] } }
        for (index, byte) in packNibbles([0, 0, 0, 0] + digits).enumerated() { block[index] ^= byte }
    }
}
