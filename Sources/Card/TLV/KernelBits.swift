/// Bits of a value of `count` bytes that a kernel defines: each with its byte, from 1, its mask and
/// its meaning.
struct KernelBits: Sendable {
    let count: Int
    let bits: [(byte: Int, mask: UInt8, meaning: String)]

    init(count: Int, _ bits: [(byte: Int, mask: UInt8, meaning: String)]) {
        self.count = count
        self.bits = bits
    }

    /// Those of a value of one byte.
    init(_ bits: [(mask: UInt8, meaning: String)]) {
        self.init(count: 1, bits.map { (1, $0.mask, $0.meaning) })
    }

    /// The lines of a value that has these bits alone.
    func lines(_ value: [UInt8]) -> [String] {
        guard value.count == count else { return [WrongLength.line("\(count)")] }
        let set = meanings(value)
        return set.isEmpty ? ["no bit set"] : set
    }

    /// The meanings of the bits that are set in a field of EMV's, after those that it shares with
    /// EMV.
    ///
    /// - Parameter value: As many bytes as the field has.
    func meanings<Field: BitField>(_ value: [UInt8], in field: Field.Type) -> [String] {
        var rest = value
        for bit in bits { rest[bit.byte - 1] &= ~bit.mask }
        return (Field(rest).map { $0.meanings + $0.reservedMeanings } ?? []) + meanings(value)
    }

    private func meanings(_ value: [UInt8]) -> [String] {
        bits.filter { value[$0.byte - 1] & $0.mask != 0 }.map(\.meaning)
    }
}
