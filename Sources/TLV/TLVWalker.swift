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
    /// The number of templates that enclose `offset`.
    @usableFromInline var depth = 0
    /// The end of the innermost template, or of the input.
    @usableFromInline var end = -1
    /// The ends of the templates around the innermost one.
    @usableFromInline var outerEnds = InlineArray<8, Int>(repeating: 0)

    @inlinable public init() {}

    /// The next data object, or nil at the end of `bytes`.
    @inlinable public mutating func next(in bytes: Span<UInt8>) throws(TLVError) -> TLVNode? {
        if end < 0 { end = bytes.count }
        while true {
            if offset == end {
                guard depth > 0 else { return nil }
                depth -= 1
                end = outerEnds[depth]
            } else if bytes[offset] == 0 {
                offset += 1
            } else {
                break
            }
        }
        let start = offset
        let tag = try readTag(in: bytes, end: end)
        let length = try readLength(in: bytes)
        guard length <= end - offset else {
            throw .valueTooLong(offset: start, tag: tag, length: length, available: end - offset)
        }
        let value = unsafe Range(uncheckedBounds: (offset, offset + length))
        let node = TLVNode(tag: tag, depth: depth, start: start, value: value)
        if tag.isConstructed {
            guard depth < Self.maximumDepth else { throw .tooDeep(offset: start, limit: Self.maximumDepth) }
            outerEnds[depth] = end
            depth += 1
            end = value.upperBound
        } else {
            offset = value.upperBound
        }
        return node
    }

    /// Passes over what the template just returned by ``next(in:)`` holds.
    @inlinable public mutating func skipContents(of node: TLVNode) {
        guard node.tag.isConstructed, depth == node.depth + 1, end == node.value.upperBound else { return }
        offset = end
    }

    @inlinable mutating func readTag(in bytes: Span<UInt8>, end: Int) throws(TLVError) -> Tag {
        let start = offset
        guard offset < end else { throw .truncatedTag(offset: start) }
        var raw = UInt32(bytes[offset])
        offset += 1
        guard raw & 0x1F == 0x1F else { return Tag(rawValue: raw) }
        while true {
            guard offset < end else { throw .truncatedTag(offset: start) }
            guard raw <= 0xFF_FFFF else { throw .tagTooLong(offset: start) }
            let byte = bytes[offset]
            offset += 1
            raw = raw << 8 | UInt32(byte)
            if byte & 0x80 == 0 { return Tag(rawValue: raw) }
        }
    }

    @inlinable mutating func readLength(in bytes: Span<UInt8>) throws(TLVError) -> Int {
        let start = offset
        guard offset < end else { throw .truncatedLength(offset: start) }
        let first = bytes[offset]
        offset += 1
        guard first >= 0x80 else { return Int(first) }
        let count = Int(first & 0x7F)
        guard (1...3).contains(count) else { throw .unsupportedLength(offset: start) }
        guard count <= end - offset else { throw .truncatedLength(offset: start) }
        var length = 0
        for _ in 0..<count {
            length = length << 8 | Int(bytes[offset])
            offset += 1
        }
        return length
    }
}
