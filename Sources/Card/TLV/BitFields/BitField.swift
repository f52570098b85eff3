public import Bytes

/// A data element made of named bits, byte 1 first and bit 8 the highest, numbered as in EMV 4.4
/// Book 3, annex C and Book 4, annex A.
public protocol BitField: OptionSet, Hashable, Sendable, CustomStringConvertible
where RawValue == UInt64, Element == Self {
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

/// The named bits of a field without a type of its own, byte by byte from bit 8 on; nil for a bit
/// that is part of a number or reserved.
struct FlagList {
    let bytes: [[String?]]

    /// The names of the bits that are set in `value`.
    func meanings(_ value: some Collection<UInt8>) -> [String] {
        zip(value, bytes).flatMap { byte, names in
            names.enumerated().compactMap { index, name in byte & 0x80 >> index == 0 ? nil : name }
        }
    }
}

/// The coding of the cryptograms in card verification results, in bits 8 to 5 of a byte: two bits
/// for the second GENERATE AC, two for the first.
enum CryptogramsOfResults {
    static func meanings(_ byte: UInt8) -> [String] {
        let second = [
            "Second GENERATE AC returned AAC", "Second GENERATE AC returned TC", "Second GENERATE AC not requested",
        ]
        let first = [
            "First GENERATE AC returned AAC", "First GENERATE AC returned TC", "First GENERATE AC returned ARQC",
        ]
        func word(_ names: [String], _ index: UInt8) -> String {
            index < 3 ? names[Int(index)] : "reserved cryptogram type"
        }
        return [word(second, byte >> 6), word(first, byte >> 4 & 0x03)]
    }
}
