private import Bytes

/// BER-TLV data as an indented tree of lines: tag, name, length, value, and the meaning of the
/// value.
public enum TLVDescription {
    public struct Line: Sendable, Equatable {
        /// The number of enclosing templates; the explanation of a value is one level deeper.
        public let depth: Int
        public let text: String
        /// The tag of a data object's own line; nil for an explanation.
        public let tag: Tag?
        /// The value's digits as far as they may be shown; nil for a template, an entry of a list
        /// and an explanation.
        public let value: String?

        public init(depth: Int, text: String, tag: Tag? = nil, value: String? = nil) {
            self.depth = depth
            self.text = text
            self.tag = tag
            self.value = value
        }
    }

    /// - Parameter isRedacted: Whether the values of ``Redaction`` are hidden.
    /// - Throws: An error with the offset where the bytes are not BER-TLV.
    public static func lines(
        _ bytes: [UInt8], isRedacted: Bool = true, context: ValueContext = ValueContext()
    ) throws(TLVError) -> [Line] {
        var lines: [Line] = []
        var nodes: [TLVNode] = []
        var walker = TLVWalker()
        while let node = try walker.next(in: bytes.span) { nodes.append(node) }
        // Of the templates around an object, and of those beside it.
        var contexts: [ValueContext] = []
        for (index, node) in nodes.enumerated() {
            if contexts.count > node.depth + 1 { contexts.removeLast(contexts.count - node.depth - 1) }
            if contexts.count == node.depth {
                contexts.append((contexts.last ?? context).beside(nodes[index...], of: bytes))
            }
            let context = contexts[node.depth]
            let head = "\(node.tag) \(TagDictionary.name(node.tag, context)), \(count(node.value.count))"
            guard !node.tag.isConstructed else {
                lines.append(Line(depth: node.depth, text: head, tag: node.tag))
                continue
            }
            lines += object(
                node.tag, value: Array(bytes[node.value]), depth: node.depth, head: head, isRedacted: isRedacted,
                context: context)
        }
        return lines
    }

    /// The entries of a data object list.
    public static func lines(_ list: DOL) -> [Line] {
        list.entries.map { entry in
            let name = TagDictionary[entry.tag]?.name ?? "unknown tag"
            return Line(depth: 0, text: "\(entry.tag) \(name), \(count(entry.length))", tag: entry.tag)
        }
    }

    /// One value as that of `tag`.
    public static func lines(
        _ tag: Tag, _ value: [UInt8], isRedacted: Bool = true, context: ValueContext = ValueContext()
    ) -> [Line] {
        let head = "\(tag) \(TagDictionary.name(tag, context, count: value.count)), \(count(value.count))"
        return object(tag, value: value, depth: 0, head: head, isRedacted: isRedacted, context: context)
    }

    private static func object(
        _ tag: Tag, value: [UInt8], depth: Int, head: String, isRedacted: Bool, context: ValueContext
    ) -> [Line] {
        let shown = isRedacted ? Redaction.hex(tag, value) : value.hex
        let own = Line(depth: depth, text: value.isEmpty ? head : "\(head): \(shown)", tag: tag, value: shown)
        if isRedacted && Redaction.sensitiveTags.contains(tag) { return [own] }
        return [own] + ValueDescription.lines(tag, value, in: context).map { Line(depth: depth + 1, text: $0) }
    }

    private static func count(_ bytes: Int) -> String { bytes == 1 ? "1 byte" : "\(bytes) bytes" }
}
