/// Bytes `FF` before, between and after data objects: ISO/IEC 7816-4 allows them as it allows `00`,
/// EMV 4.4 Book 3, annex B, allows `00` alone. Cards fill records with them all the same.
///
/// For analysis only: a kernel takes an `FF` for the first byte of a tag.
package enum TLVPadding {
    /// The same bytes with `00`, which ``TLVWalker`` skips, in place of padding `FF`; and how many
    /// there were.
    ///
    /// A single `FF` before another byte is a tag's, as in kernel 2's `FF8106`; two, or one at the
    /// end of a template, are padding.
    package static func zeroed(_ bytes: [UInt8]) -> (bytes: [UInt8], count: Int) {
        guard bytes.contains(0xFF) else { return (bytes, 0) }
        var bytes = bytes
        var count = 0
        zero(&bytes, bytes.indices, depth: 0, &count)
        return (bytes, count)
    }

    private static func zero(_ bytes: inout [UInt8], _ range: Range<Int>, depth: Int, _ count: inout Int) {
        var at = range.lowerBound
        while at < range.upperBound {
            if bytes[at] == 0 {
                at += 1
            } else if bytes[at] == 0xFF, at + 1 == range.upperBound || bytes[at + 1] == 0xFF {
                while at < range.upperBound, bytes[at] == 0xFF {
                    bytes[at] = 0
                    count += 1
                    at += 1
                }
            } else {
                guard let node = firstNode(bytes, at, range.upperBound) else { return }
                if node.tag.isConstructed, depth < TLVWalker.maximumDepth {
                    // ordered: a value begins after its tag and ends in the input
                    zero(&bytes, (at + node.value.lowerBound)..<(at + node.value.upperBound), depth: depth + 1, &count)
                }
                at += node.value.upperBound
            }
        }
    }

    /// Apart, so that no slice of the bytes is alive when they are changed: they would be copied.
    ///
    /// - Parameters:
    ///   - start: Below `end`, which is at most the number of bytes.
    private static func firstNode(_ bytes: [UInt8], _ start: Int, _ end: Int) -> TLVNode? {
        var walker = TLVWalker()
        return try? walker.next(in: bytes.span.extracting(start..<end))
    }
}
