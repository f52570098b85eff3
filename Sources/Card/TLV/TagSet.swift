/// A set of tags of one or two bytes, one bit for each. It is checked for every data object of a
/// card, where hashing would cost more than everything else.
package struct TagSet: Sendable {
    private let words: [UInt64]

    /// Longer tags are ignored.
    package init(_ tags: some Sequence<Tag>) {
        var words = [UInt64](repeating: 0, count: 1 << 10)
        for tag in tags where tag.rawValue <= 0xFFFF { words[Int(tag.rawValue >> 6)] |= 1 << UInt64(tag.rawValue & 63) }
        self.words = words
    }

    package func contains(_ tag: Tag) -> Bool {
        tag.rawValue <= 0xFFFF && words[Int(tag.rawValue >> 6)] & 1 << UInt64(tag.rawValue & 63) != 0
    }
}
