/// A set of tags of one or two bytes, a bit for each: asked for every data object of a card, where hashing costs more than the rest.
package struct TagSet: Sendable {
    private let words: [UInt64]

    /// Tags of more bytes are left out.
    package init(_ tags: some Sequence<Tag>) {
        var words = [UInt64](repeating: 0, count: 1 << 10)
        for tag in tags where tag.rawValue <= 0xFFFF { words[Int(tag.rawValue >> 6)] |= 1 << UInt64(tag.rawValue & 63) }
        self.words = words
    }

    package func contains(_ tag: Tag) -> Bool {
        tag.rawValue <= 0xFFFF && words[Int(tag.rawValue >> 6)] & 1 << UInt64(tag.rawValue & 63) != 0
    }
}
