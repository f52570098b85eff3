private import Bytes

/// The tag of a BER-TLV data object, as its encoded bytes read big-endian: `9F02` is `0x9F02` (EMV
/// 4.4 Book 3, annex B1).
@frozen public struct Tag: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The number of bytes of the encoded tag, 1 to 4.
    @inlinable public var length: Int {
        rawValue > 0xFF_FFFF ? 4 : rawValue > 0xFFFF ? 3 : rawValue > 0xFF ? 2 : 1
    }

    /// Whether the value is itself a sequence of data objects: bit 6 of the first byte.
    @inlinable public var isConstructed: Bool {
        rawValue >> (8 * (length - 1)) & 0x20 != 0
    }

    /// The encoded bytes.
    public var bytes: [UInt8] {
        (0..<length).reversed().map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) }
    }

    /// The tag written in `text` as hexadecimal digits, or nil if the text is not exactly one
    /// well-formed tag.
    public init?(hex text: some StringProtocol) {
        guard let bytes = try? [UInt8](hex: text), !bytes.isEmpty, bytes[0] != 0 else { return nil }
        guard let read = try? TLVWalker.readTag(in: bytes.span, at: 0, end: bytes.count), read.end == bytes.count else {
            return nil
        }
        self = read.tag
    }
}

extension Tag: ExpressibleByIntegerLiteral {
    @inlinable public init(integerLiteral value: UInt32) { rawValue = value }
}

extension Tag: CustomStringConvertible {
    /// The encoded tag in hexadecimal digits: `9F02`.
    public var description: String { bytes.hex }
}

/// Tags one after the other, without lengths (EMV 4.4 Book 3, 5.4: the coding of static data
/// authentication tag lists).
package struct TagList: Sendable, Equatable {
    package let tags: [Tag]

    package init(parsing bytes: [UInt8]) throws(TLVError) {
        var (tags, offset): ([Tag], Int) = ([], 0)
        while offset < bytes.count {
            let (tag, next) = try TLVWalker.readTag(in: bytes.span, at: offset, end: bytes.count)
            tags.append(tag)
            offset = next
        }
        self.tags = tags
    }
}

/// A set of tags of one or two bytes, one bit for each. It is checked for every data object of a
/// card, where hashing would cost more than everything else.
package struct TagSet: Sendable {
    private let words: [UInt64]

    /// Longer tags are ignored.
    package init(_ tags: some Sequence<Tag>) {
        var words = [UInt64](repeating: 0, count: 1 << 10)
        for tag in tags where tag.rawValue <= 0xFFFF { words[Int(tag.rawValue >> 6)] |= 1 << UInt64(tag.rawValue & 63) }
        self.words = words
    }

    package func contains(_ tag: Tag) -> Bool {
        tag.rawValue <= 0xFFFF && words[Int(tag.rawValue >> 6)] & 1 << UInt64(tag.rawValue & 63) != 0
    }
}
