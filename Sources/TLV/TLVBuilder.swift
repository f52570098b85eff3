/// Writes BER-TLV data objects one after the other (EMV 4.4 Book 3, annex B).
public struct TLVBuilder: Sendable {
    public private(set) var bytes: [UInt8] = []

    public init() {}

    /// Adds one data object.
    public mutating func append(_ tag: Tag, _ value: some Collection<UInt8>) {
        bytes.append(contentsOf: tag.bytes)
        appendLength(value.count)
        bytes.append(contentsOf: value)
    }

    /// Adds a template with the data objects that `contents` writes.
    public mutating func append(_ tag: Tag, _ contents: (inout TLVBuilder) -> Void) {
        var inner = TLVBuilder()
        contents(&inner)
        append(tag, inner.bytes)
    }

    private mutating func appendLength(_ count: Int) {
        switch count {
        case ..<0x80: bytes.append(UInt8(truncatingIfNeeded: count))
        case ..<0x100: bytes += [0x81, UInt8(truncatingIfNeeded: count)]
        case ..<0x1_0000: bytes += [0x82, UInt8(truncatingIfNeeded: count >> 8), UInt8(count & 0xFF)]
        default: bytes += [0x83, UInt8(count >> 16 & 0xFF), UInt8(count >> 8 & 0xFF), UInt8(count & 0xFF)]
        }
    }
}

/// The encoded data object `tag` with `value`.
public func tlv(_ tag: Tag, _ value: some Collection<UInt8>) -> [UInt8] {
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
