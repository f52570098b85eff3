/// The position of a data object found by ``TLVWalker``, without its bytes.
@frozen public struct TLVNode: Equatable, Sendable {
    public let tag: Tag
    /// The number of enclosing templates: 0 at the top.
    public let depth: Int
    /// The offset of the first byte of its tag.
    public let start: Int
    /// The offsets of its value.
    public let value: Range<Int>

    @inlinable init(tag: Tag, depth: Int, start: Int, value: Range<Int>) {
        self.tag = tag
        self.depth = depth
        self.start = start
        self.value = value
    }
}

/// Walks a sequence of BER-TLV data objects (EMV 4.4 Book 3, annex B) in the order of its bytes,
/// templates before their contents.
///
/// The walker copies nothing and allocates nothing. It stores only offsets, so the same bytes must
/// be passed to each call of ``next(in:)``. Bytes `00` before, between and after data objects are
/// skipped. A data object that exceeds its template is an error, and so are templates nested deeper
/// than eight levels.
///
///     var walker = TLVWalker()
///     while let node = try walker.next(in: bytes.span) { … bytes[node.value] … }
@frozen public struct TLVWalker: Sendable {
    /// The deepest nesting of templates that is followed; EMV's own data need three.
    public static let maximumDepth = 8

    /// The offset of the next byte to read.
    @usableFromInline var offset = 0
    /// The end of the innermost template, or of the input.
    @usableFromInline var end = Int.max
    /// The number of templates that enclose `offset`.
    @usableFromInline var depth = 0
    /// The ends of the templates around the innermost one, and of the input at index 0.
    @usableFromInline var outerEnds = InlineArray<8, Int>(repeating: 0)

    @inlinable public init() {}

    /// The next data object, or nil at the end of `bytes`.
    @inlinable @inline(__always) public mutating func next(in bytes: Span<UInt8>) throws(TLVError) -> TLVNode? {
        // All offsets below are less than `end`, and no end exceeds the input's. So this is the
        // only check that unchecked reads need.
        if end > bytes.count { begin(bytes.count) }
        var at = offset
        while true {
            if at == end {
                guard depth > 0 else {
                    offset = at
                    return nil
                }
                depth &-= 1
                end = unsafe outerEnds[unchecked: depth]
            } else if unsafe bytes[unchecked: at] == 0 {
                at &+= 1
            } else {
                break
            }
        }
        let start = at
        let first = unsafe bytes[unchecked: at]
        at &+= 1
        var tag = Tag(rawValue: UInt32(first))
        if first & 0x1F == 0x1F {
            guard at < end else { throw .truncatedTag(offset: start) }
            let second = unsafe bytes[unchecked: at]
            if second & 0x80 == 0 {
                tag = Tag(rawValue: UInt32(first) << 8 | UInt32(second))
                at &+= 1
            } else {
                (tag, at) = try Self.readTag(in: bytes, at: start, end: end)
            }
        }
        guard at < end else { throw .truncatedLength(offset: at) }
        var length = Int(unsafe bytes[unchecked: at])
        at &+= 1
        if length >= 0x80 {
            if length == 0x81, at < end {
                length = Int(unsafe bytes[unchecked: at])
                at &+= 1
            } else {
                (length, at) = try Self.readLongLength(in: bytes, at: at &- 1, end: end)
            }
        }
        guard length <= end &- at else {
            throw .valueTooLong(offset: start, tag: tag, length: length, available: end &- at)
        }
        let node = TLVNode(
            tag: tag, depth: depth, start: start, value: unsafe Range(uncheckedBounds: (at, at &+ length)))
        if first & 0x20 != 0 {
            guard depth < Self.maximumDepth else { throw .tooDeep(offset: start, limit: Self.maximumDepth) }
            unsafe outerEnds[unchecked: depth] = end
            depth &+= 1
            end = at &+ length
            offset = at
        } else {
            offset = at &+ length
        }
        return node
    }

    @usableFromInline mutating func begin(_ count: Int) {
        precondition(end == .max, "a walker goes through the same bytes from its first call to its last")
        end = count
    }

    /// Skips the contents of the template just returned by ``next(in:)``.
    @inlinable public mutating func skipContents(of node: TLVNode) {
        guard node.tag.isConstructed, depth == node.depth + 1, end == node.value.upperBound else { return }
        offset = end
    }

    /// The tag at `at`, and where it ends.
    ///
    /// - Precondition: `at` < `end` ≤ `bytes.count`.
    @usableFromInline static func readTag(in bytes: Span<UInt8>, at start: Int, end: Int) throws(TLVError) -> (
        tag: Tag, end: Int
    ) {
        var raw = UInt32(bytes[start])
        var at = start + 1
        guard raw & 0x1F == 0x1F else { return (Tag(rawValue: raw), at) }
        while true {
            guard at < end else { throw .truncatedTag(offset: start) }
            guard raw <= 0xFF_FFFF else { throw .tagTooLong(offset: start) }
            let byte = bytes[at]
            at += 1
            raw = raw << 8 | UInt32(byte)
            if byte & 0x80 == 0 { return (Tag(rawValue: raw), at) }
        }
    }

    /// The length coded at `at` in more than one byte, and where it ends.
    @usableFromInline static func readLongLength(in bytes: Span<UInt8>, at start: Int, end: Int) throws(TLVError) -> (
        length: Int, end: Int
    ) {
        let count = Int(bytes[start]) & 0x7F
        guard (1...3).contains(count) else { throw .unsupportedLength(offset: start) }
        guard count < end - start else { throw .truncatedLength(offset: start) }
        let length = (start + 1...start + count).reduce(0) { $0 << 8 | Int(bytes[$1]) }
        return (length, start + 1 + count)
    }
}

/// Why bytes are not a sequence of BER-TLV data objects. Offsets count bytes from the start of the
/// input.
public enum TLVError: Error, Equatable, Sendable {
    /// The input ends within a tag.
    case truncatedTag(offset: Int)
    /// The tag has more than four bytes.
    case tagTooLong(offset: Int)
    /// The input ends within a length field.
    case truncatedLength(offset: Int)
    /// The length field is `80` (indefinite) or has more than three bytes; EMV uses neither (EMV
    /// 4.4 Book 3, annex B2).
    case unsupportedLength(offset: Int)
    /// The data object at `offset` has length `length`, but only `available` bytes follow within
    /// its template.
    case valueTooLong(offset: Int, tag: Tag, length: Int, available: Int)
    /// Templates are nested deeper than the limit given to the walker.
    case tooDeep(offset: Int, limit: Int)
}

extension TLVError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .truncatedTag(let offset): "the data ends within the tag at byte \(offset)"
        case .tagTooLong(let offset): "the tag at byte \(offset) is longer than four bytes"
        case .truncatedLength(let offset): "the data ends within the length at byte \(offset)"
        case .unsupportedLength(let offset): "the length at byte \(offset) is in a form that EMV does not use"
        case .valueTooLong(let offset, let tag, let length, let available):
            "data object \(tag) at byte \(offset) announces \(length) bytes but \(available) follow"
        case .tooDeep(let offset, let limit): "the template at byte \(offset) is nested deeper than \(limit) levels"
        }
    }
}
