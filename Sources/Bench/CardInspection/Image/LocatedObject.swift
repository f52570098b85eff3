internal import TLV

/// A data object with its place on the card.
struct LocatedObject {
    let tag: Tag
    let value: [UInt8]
    /// The templates around it, outermost first.
    let templates: [Tag]
    /// Nil for data objects of an FCI.
    let record: RecordNumber?
}

/// The data objects of an answer, and the faults in its coding.
struct ParsedAnswer {
    private(set) var objects: [LocatedObject] = []
    /// The objects on the outermost level, including templates.
    private(set) var outermost: [Tag] = []
    private(set) var error: TLVError?
    /// The number of bytes `00` after the last outermost object, or before the first.
    private(set) var padding = 0

    init(_ bytes: [UInt8], record: RecordNumber? = nil) {
        var walker = TLVWalker()
        var path: [Tag] = []
        var end = 0
        do throws(TLVError) {
            while let node = try walker.next(in: bytes.span) {
                path.removeSubrange(min(node.depth, path.count)...)
                if node.depth == 0 {
                    outermost.append(node.tag)
                    padding += node.start - end
                    end = node.value.upperBound
                }
                if node.tag.isConstructed {
                    path.append(node.tag)
                } else {
                    objects.append(
                        LocatedObject(tag: node.tag, value: Array(bytes[node.value]), templates: path, record: record))
                }
            }
            padding += bytes.count - end
        } catch {
            self.error = error
        }
    }
}
