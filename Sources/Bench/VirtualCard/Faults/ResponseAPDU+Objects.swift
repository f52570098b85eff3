internal import SmartCard
internal import TLV

extension ResponseAPDU {
    /// Gives data objects another value, and the templates around them their new lengths. Data that
    /// are not well-formed BER-TLV do not change.
    ///
    /// - Parameter value: The new value of an object by its tag and value; nil to keep it.
    mutating func rewriteObjects(_ value: (TLV.Tag, [UInt8]) -> [UInt8]?) {
        if let changed = Self.rewritten(data, value) { data = changed }
    }

    private static func rewritten(_ bytes: [UInt8], _ value: (TLV.Tag, [UInt8]) -> [UInt8]?) -> [UInt8]? {
        var (walker, builder) = (TLVWalker(), TLVBuilder())
        do throws(TLVError) {
            while let node = try walker.next(in: bytes.span) {
                guard node.depth == 0 else { continue }
                let own = Array(bytes[node.value])
                if let other = value(node.tag, own) {
                    builder.append(node.tag, other)
                } else {
                    builder.append(node.tag, node.tag.isConstructed ? rewritten(own, value) ?? own : own)
                }
            }
            return builder.bytes
        } catch {
            return nil
        }
    }
}
