/// Writes BER-TLV data objects one after the other (EMV 4.4 Book 3, annex B).
public struct TLVBuilder: Sendable {
    /// The data objects so far.
    public var bytes: [UInt8] { written }
    @usableFromInline var written: [UInt8] = []

    public init() {}

    /// Adds one data object.
    @inlinable public mutating func append(_ tag: Tag, _ value: some Collection<UInt8>) {
        appendHeader(tag, count: value.count)
        written.append(contentsOf: value)
    }

    /// Adds a template with the data objects that `contents` writes.
    public mutating func append(_ tag: Tag, _ contents: (inout TLVBuilder) -> Void) {
        var inner = TLVBuilder()
        contents(&inner)
        append(tag, inner.bytes)
    }

    /// Adds tag and length of a value of `count` bytes, with room for the value.
    @usableFromInline mutating func appendHeader(_ tag: Tag, count: Int) {
        if written.isEmpty { written.reserveCapacity(8 + count) }
        appendNumber(UInt64(tag.rawValue), count: tag.length)
        switch count {
        case ..<0x80: break
        case ..<0x100: written.append(0x81)
        case ..<0x1_0000: written.append(0x82)
        default: written.append(0x83)
        }
        appendNumber(UInt64(clamping: count), count: count < 0x100 ? 1 : count < 0x1_0000 ? 2 : 3)
    }

    /// Adds the last `count` bytes of a number, most significant first.
    private mutating func appendNumber(_ number: UInt64, count: Int) {
        for byte in (0..<count).reversed() { written.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
    }
}

/// The encoded data object `tag` with `value`.
@inlinable public func tlv(_ tag: Tag, _ value: some Collection<UInt8>) -> [UInt8] {
    var builder = TLVBuilder()
    builder.append(tag, value)
    return builder.bytes
}

/// The encoded template `tag` with the data objects that `contents` writes.
public func tlv(_ tag: Tag, _ contents: (inout TLVBuilder) -> Void) -> [UInt8] {
    var builder = TLVBuilder()
    builder.append(tag, contents)
    return builder.bytes
}
