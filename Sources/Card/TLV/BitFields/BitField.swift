public import Bytes

/// A data element made of named bits, byte 1 first and bit 8 the highest, numbered as in EMV 4.4
/// Book 3, annex C and Book 4, annex A.
public protocol BitField: OptionSet, Hashable, Sendable, CustomStringConvertible where RawValue == UInt64, Element == Self {
    /// The number of bytes of the data element.
    static var byteCount: Int { get }
    /// Every bit that has a meaning, in the order of the data element, with the standard's text.
    static var meanings: [(Self, String)] { get }
    init(rawValue: UInt64)
}

extension BitField {
    /// The field with only bit `bit` (8…1) of byte `byte` (1…) set.
    @inlinable public init(byte: Int, bit: Int) {
        self.init(rawValue: 1 << (8 * (Self.byteCount - byte) + bit - 1))
    }

    /// The field read from `bytes`, or nil if their number is not ``byteCount``.
    @inlinable public init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        self.init(rawValue: bytes.reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The bytes of the data element.
    @inlinable public var bytes: [UInt8] {
        (0..<Self.byteCount).reversed().map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) }
    }

    /// The meanings of the bits that are set, in the order of the data element.
    @inlinable public var meanings: [String] { Self.meanings.filter { contains($0.0) }.map(\.1) }

    /// The bits that are set but have no meaning, such as "byte 2, bit 3: reserved".
    public var reservedMeanings: [String] {
        let known = Self.meanings.reduce(UInt64(0)) { $0 | $1.0.rawValue }
        return (0..<Self.byteCount * 8).compactMap { index in
            let (byte, bit) = (index / 8 + 1, 8 - index % 8)
            let raw = Self(byte: byte, bit: bit).rawValue
            return rawValue & raw & ~known == 0 ? nil : "byte \(byte), bit \(bit): reserved"
        }
    }

    /// The bytes in hexadecimal digits.
    @inlinable public var description: String { bytes.hex }
}
