/// One data object found by ``TLVWalker``: where it lies, not its bytes.
@frozen public struct TLVNode: Equatable, Sendable {
    public let tag: Tag
    /// How many templates enclose it: 0 at the top.
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

/// Walks a sequence of BER-TLV data objects (EMV 4.4 Book 3, annex B) in the order of its bytes, templates before what they hold.
///
/// The walker copies nothing and allocates nothing; it holds offsets, and the same bytes must be given to each call of ``next(in:)``.
/// Bytes `00` before, between and after data objects are skipped. A data object that reaches past the end of its template is
/// an error, as are templates nested deeper than eight levels.
///
///     var walker = TLVWalker()
///     while let node = try walker.next(in: bytes.span) { … bytes[node.value] … }
@frozen public struct TLVWalker: Sendable {
    /// The deepest nesting of templates that is followed; EMV's own data need three.
    public static let maximumDepth = 8

    /// The offset of the next byte to read.
    @usableFromInline var offset = 0
    /// The end of the innermost template, or of the input.
    @usableFromInline var end = -1
    /// The number of templates that enclose `offset`.
    @usableFromInline var depth = 0
    /// The ends of the templates around the innermost one, and of the input at index 0.
    @usableFromInline var outerEnds = InlineArray<8, Int>(repeating: 0)

    @inlinable public init() {}

    /// The next data object, or nil at the end of `bytes`.
    @inlinable public mutating func next(in bytes: Span<UInt8>) throws(TLVError) -> TLVNode? {
        if end < 0 { end = bytes.count }
        // Every offset below stays under `end`, and no end is ever past the input's; so this is the one check that unchecked reads need.
        precondition(end <= bytes.count, "a walker goes through the same bytes from its first call to its last")
        var at = offset
        while true {
            if at == end {
                guard depth > 0 else {
                    offset = at
                    return nil
                }
                depth -= 1
                end = outerEnds[depth]
            } else if unsafe bytes[unchecked: at] == 0 {
                at += 1
            } else {
                break
            }
        }
        let start = at
        let tag = try Self.readTag(in: bytes, at: &at, end: end)
        guard at < end else { throw .truncatedLength(offset: at) }
        var length = Int(unsafe bytes[unchecked: at])
        at += 1
        if length >= 0x80 { length = try Self.readLongLength(in: bytes, at: &at, end: end) }
        guard length <= end - at else { throw .valueTooLong(offset: start, tag: tag, length: length, available: end - at) }
        let node = TLVNode(tag: tag, depth: depth, start: start, value: unsafe Range(uncheckedBounds: (at, at + length)))
        if tag.isConstructed {
            guard depth < Self.maximumDepth else { throw .tooDeep(offset: start, limit: Self.maximumDepth) }
            outerEnds[depth] = end
            depth += 1
            end = at + length
            offset = at
        } else {
            offset = at + length
        }
        return node
    }

    /// Passes over what the template just returned by ``next(in:)`` holds.
    @inlinable public mutating func skipContents(of node: TLVNode) {
        guard node.tag.isConstructed, depth == node.depth + 1, end == node.value.upperBound else { return }
        offset = end
    }

    /// The tag at `at`, which it moves past.
    ///
    /// - Precondition: `at` < `end` ≤ `bytes.count`.
    @inlinable static func readTag(in bytes: Span<UInt8>, at: inout Int, end: Int) throws(TLVError) -> Tag {
        let first = UInt32(unsafe bytes[unchecked: at])
        at += 1
        return first & 0x1F == 0x1F ? try readLongTag(first, in: bytes, at: &at, end: end) : Tag(rawValue: first)
    }

    @inlinable static func readLongTag(_ first: UInt32, in bytes: Span<UInt8>, at: inout Int, end: Int) throws(TLVError) -> Tag {
        let start = at - 1
        var raw = first
        while true {
            guard at < end else { throw .truncatedTag(offset: start) }
            guard raw <= 0xFF_FFFF else { throw .tagTooLong(offset: start) }
            let byte = unsafe bytes[unchecked: at]
            at += 1
            raw = raw << 8 | UInt32(byte)
            if byte & 0x80 == 0 { return Tag(rawValue: raw) }
        }
    }

    /// The length in the bytes after the one that announces them.
    @inlinable static func readLongLength(in bytes: Span<UInt8>, at: inout Int, end: Int) throws(TLVError) -> Int {
        let start = at - 1
        let count = Int(unsafe bytes[unchecked: start]) & 0x7F
        guard (1...3).contains(count) else { throw .unsupportedLength(offset: start) }
        guard count <= end - at else { throw .truncatedLength(offset: start) }
        var length = 0
        for _ in 0..<count {
            length = length << 8 | Int(unsafe bytes[unchecked: at])
            at += 1
        }
        return length
    }
}
