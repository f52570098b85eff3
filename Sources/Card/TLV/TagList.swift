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
