package import Bytes

/// The data objects of a transaction, by tag: from the card, the terminal and the kernel.
///
/// All values are in one buffer; an entry is a tag and a range of the buffer. Whole records are
/// stored and indexed in place, so that reading a card needs no copy for each data object. Entries
/// whose tags have the same hash are chained, and a look-up of one of the about sixty data objects
/// of a transaction follows a chain of one or two. For many more data objects, which files but not
/// cards have, there is a table of the tags.
///
/// The buffer holds the PAN and the track. It is wiped when the last value that has it goes, and
/// when it grows out of its place; ``wipe()`` clears it before. A value that is taken from it as an
/// array is a copy that nothing wipes. ``description`` contains only the tags.
public struct DataElements: Sendable {
    @Wiped private var bytes: [UInt8]
    private var entries: [Entry] = []
    /// For each hash, the index of the last entry with a tag of it, plus one; 0 for none. Unused
    /// while there is a table.
    private var chains = InlineArray<64, UInt8>(repeating: 0)
    /// The index in `entries` of the last value of each tag; used for more than ``chained``
    /// entries.
    private var table = TagTable()

    /// Up to this number of entries, chains are short.
    private static let chained = 128

    private struct Entry {
        let tag: Tag
        /// The index of the previous entry in the same chain, or of the same tag in the table, plus
        /// one; 0 for none.
        var before: UInt32 = 0
        let start: Int
        let count: Int

        /// The range of the value in the buffer.
        var place: Range<Int> { start..<start + count }
    }

    public init() {}

    /// - Parameters:
    ///   - count: Reserves memory for this number of data objects, and of bytes of values.
    public init(minimumCapacity count: Int, byteCount: Int) {
        entries.reserveCapacity(count)
        _bytes.reserveCapacity(byteCount)
    }

    /// Indexes the primitive data objects of `source`, at every depth; the templates around them
    /// are not indexed.
    public init(parsing source: [UInt8]) throws(TLVError) {
        try append(parsing: source)
    }

    /// The tags that have a value, in their order; a tag may occur more than once.
    public var tags: [Tag] { entries.map(\.tag) }

    public var count: Int { entries.count }

    public func contains(_ tag: Tag) -> Bool { entry(tag) != nil }

    /// The value of `tag`, or nil without a value. If a tag occurs more than once, the last value
    /// is used.
    public subscript(tag: Tag) -> [UInt8]? {
        get {
            guard let entry = entry(tag) else { return nil }
            return _bytes.withBytes { bytes in
                unsafe bytes.extracting(entry.place).withUnsafeBufferPointer { unsafe Array($0) }
            }
        }
        set {
            if let newValue { set(tag, newValue) } else if contains(tag) { removeEntries { $0.tag == tag } }
        }
    }

    /// Sets the value of `tag`, replacing all earlier ones. A value of the same length is
    /// overwritten in place.
    @inlinable public mutating func set(_ tag: Tag, _ value: some Collection<UInt8>) {
        let isSet: Void? = value.withContiguousStorageIfAvailable { unsafe set(tag, $0) }
        if isSet == nil { unsafe Array(value).withUnsafeBufferPointer { unsafe set(tag, $0) } }
    }

    @usableFromInline mutating func set(_ tag: Tag, _ value: UnsafeBufferPointer<UInt8>) {
        guard let place = room(for: tag, count: value.count) else { return unsafe append(tag, value) }
        for index in value.indices { bytes[place + index] = unsafe value[index] }
    }

    /// The same with a field of bits.
    @inlinable public mutating func set<Field: BitField>(_ tag: Tag, _ field: Field) {
        set(tag, bigEndian: field.rawValue, count: Field.byteCount)
    }

    /// The same with the last `count` bytes of a number, at most 8, most significant first.
    @usableFromInline package mutating func set(_ tag: Tag, bigEndian number: UInt64, count: Int) {
        guard let place = room(for: tag, count: count) else { return append(tag, bigEndian: number, count: count) }
        for index in 0..<count { bytes[place + index] = UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - index))) }
    }

    /// The place of the only value of `tag`, if it has `count` bytes. Other values of the tag are
    /// removed.
    private mutating func room(for tag: Tag, count: Int) -> Int? {
        guard let index = lastIndex(tag) else { return nil }
        if entries[index].count == count, !isRepetition(index) { return entries[index].start }
        removeEntries { $0.tag == tag }
        return nil
    }

    /// Whether an earlier entry has the tag of the one at `index`.
    private func isRepetition(_ index: Int) -> Bool {
        let before = Int(entries[index].before)
        return table.isEmpty ? find(entries[index].tag, from: before) != nil : before != 0
    }

    /// Reserves memory for this number of additional data objects, and of bytes.
    public mutating func reserveCapacity(_ count: Int, byteCount: Int) {
        entries.reserveCapacity(entries.count + count)
        _bytes.reserveCapacity(bytes.count + byteCount)
    }

    private mutating func removeEntries(where isRemoved: (Entry) -> Bool) {
        entries.removeAll(where: isRemoved)
        indexEntries()
    }

    /// Chains all entries, or puts them into the table.
    private mutating func indexEntries() {
        table.removeAll()
        if entries.count > Self.chained {
            for place in entries.indices { index(at: place) }
        } else {
            chains = InlineArray(repeating: 0)
            for place in entries.indices { chain(at: place) }
        }
    }

    /// Adds an entry to the table, and notes which one it replaces.
    private mutating func index(at index: Int) {
        entries[index].before = table.set(entries[index].tag, index).map { UInt32(clamping: $0 + 1) } ?? 0
    }

    /// Adds an entry, one of the first ``chained``, to its chain.
    private mutating func chain(at index: Int) {
        let hash = Self.hash(entries[index].tag)
        entries[index].before = UInt32(chains[hash])
        chains[hash] = UInt8(clamping: index + 1)
    }

    /// - Returns: Whether the tag had a value before.
    @discardableResult
    private mutating func enter(_ tag: Tag, start: Int, count: Int) -> Bool {
        guard entries.count < Self.chained else {
            entries.append(Entry(tag: tag, start: start, count: count))
            if table.isEmpty { indexEntries() } else { index(at: entries.count - 1) }
            return isRepetition(entries.count - 1)
        }
        let hash = Self.hash(tag)
        let last = chains[hash]
        entries.append(Entry(tag: tag, before: UInt32(last), start: start, count: count))
        chains[hash] = UInt8(clamping: entries.count)
        return last > 0 && find(tag, from: Int(last)) != nil
    }

    /// Passes the value of `tag` to `body` in place; nil if the tag has no value.
    public func withValue<Result, Failure>(of tag: Tag, _ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure)
        -> Result?
    {
        guard let entry = entry(tag) else { return nil }
        return try _bytes.withBytes { bytes throws(Failure) in try body(bytes.extracting(entry.place)) }
    }

    /// The value of `tag` as a number in format `n`, or nil if it is absent or not only digits.
    public func number(_ tag: Tag) -> UInt64? {
        guard let entry = entry(tag) else { return nil }
        return BCD.number(bytes[entry.place])
    }

    /// The value of `tag` as a big-endian binary number, or nil if it is absent, empty or longer
    /// than eight bytes.
    public func integer(_ tag: Tag) -> UInt64? {
        guard let entry = entry(tag), (1...8).contains(entry.count) else { return nil }
        return integer(entry)
    }

    /// The value of `tag` as a field of bits; nil if it is absent or has another length.
    @inlinable public func field<Field: BitField>(_ tag: Tag, _ type: Field.Type = Field.self) -> Field? {
        integer(tag, count: Field.byteCount).map { Field(rawValue: $0) }
    }

    /// The value of `tag` as a number of `count` bytes, at most 8; nil if it is absent or has
    /// another length.
    @usableFromInline func integer(_ tag: Tag, count: Int) -> UInt64? {
        guard let entry = entry(tag), entry.count == count else { return nil }
        return integer(entry)
    }

    private func integer(_ entry: Entry) -> UInt64 {
        _bytes.withBytes { bytes in
            var number: UInt64 = 0
            for index in entry.place { number = number << 8 | UInt64(bytes[index]) }
            return number
        }
    }

    /// The number of bytes of the value of `tag`, or nil if it is absent.
    public func count(of tag: Tag) -> Int? { entry(tag)?.count }

    /// Adds a value without a search for an earlier one: only for a tag that is known to be new.
    @inlinable public mutating func append(_ tag: Tag, _ value: some Collection<UInt8>) {
        let isAdded: Void? = value.withContiguousStorageIfAvailable { unsafe append(tag, $0) }
        if isAdded == nil { unsafe Array(value).withUnsafeBufferPointer { unsafe append(tag, $0) } }
    }

    @usableFromInline mutating func append(_ tag: Tag, _ value: UnsafeBufferPointer<UInt8>) {
        index(tag, count: value.count)
        unsafe _bytes.append(contentsOf: value)
    }

    /// The same with the last `count` bytes of a number, at most 8, most significant first.
    package mutating func append(_ tag: Tag, bigEndian number: UInt64, count: Int) {
        index(tag, count: count)
        unsafe withUnsafeBytes(of: number.bigEndian) {
            unsafe _bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0.suffix(count)))
        }
    }

    /// The same with a number in format `n` of `count` bytes, at most 8; one of more digits counts
    /// as zero.
    package mutating func append(_ tag: Tag, decimal number: UInt64, count: Int) {
        var (packed, rest, place) = (UInt64(0), number, 0)
        while rest > 0, place < 2 * count {
            packed |= (rest % 10) << (4 * place)
            rest /= 10
            place += 1
        }
        append(tag, bigEndian: rest == 0 ? packed : 0, count: count)
    }

    /// The same with a text in ASCII, padded with zeros (EMV 4.4 Book 3, annex A) or truncated to
    /// `count` bytes.
    package mutating func append(_ tag: Tag, _ text: String, count: Int) {
        let letters = text.utf8.prefix(count)
        index(tag, count: count)
        _bytes.append(contentsOf: letters)
        _bytes.append(contentsOf: repeatElement(0, count: count - letters.count))
    }

    /// Replaces the value of `tag` by that of `other`, or removes it if `other` has no value.
    package mutating func set(_ tag: Tag, from other: DataElements) {
        let isSet: Void? = other.withValue(of: tag) { value in
            unsafe value.withUnsafeBufferPointer { unsafe set(tag, $0) }
        }
        if isSet == nil { self[tag] = nil }
    }

    /// Indexes the next `count` bytes as the value of `tag`.
    private mutating func index(_ tag: Tag, count: Int) {
        enter(tag, start: bytes.count, count: count)
    }

    /// Adds every value of `other`, replacing earlier values of its tags.
    public mutating func update(with other: DataElements) {
        if other.entries.contains(where: { contains($0.tag) }) { removeEntries { other.contains($0.tag) } }
        for (index, entry) in other.entries.enumerated() where other.lastIndex(entry.tag) == index {
            other._bytes.withBytes { bytes in
                unsafe bytes.extracting(entry.place).withUnsafeBufferPointer { unsafe append(entry.tag, $0) }
            }
        }
    }

    /// Adds `source` and indexes its primitive data objects, at every depth; adds nothing if it
    /// does not parse.
    ///
    /// - Returns: The tags that were present before, or that `source` contains twice.
    @discardableResult
    public mutating func append(parsing source: [UInt8]) throws(TLVError) -> [Tag] {
        try append(parsing: source) { _ in true }
    }

    /// The same, only for the data objects that `isSelected` selects.
    @discardableResult
    public mutating func append(parsing source: [UInt8], where isSelected: (TLVNode) -> Bool) throws(TLVError) -> [Tag]
    {
        let repeated = try enter(source.span, where: isSelected)
        _bytes.append(contentsOf: source)
        return repeated
    }

    /// The same for a part of an array, which is copied.
    @discardableResult
    package mutating func append(parsing source: Span<UInt8>, where isSelected: (TLVNode) -> Bool) throws(TLVError)
        -> [Tag]
    {
        let repeated = try enter(source, where: isSelected)
        unsafe source.withUnsafeBufferPointer { unsafe _bytes.append(contentsOf: $0) }
        return repeated
    }

    /// Indexes the data objects of `source`, which is appended to the buffer.
    private mutating func enter(_ source: Span<UInt8>, where isSelected: (TLVNode) -> Bool) throws(TLVError) -> [Tag] {
        let base = bytes.count
        let earlier = entries.count
        var repeated: [Tag] = []
        var walker = TLVWalker()
        if entries.isEmpty { entries.reserveCapacity(source.count / 16 + 4) }
        do throws(TLVError) {
            while let node = try walker.next(in: source) {
                guard !node.tag.isConstructed, isSelected(node) else { continue }
                if enter(node.tag, start: base + node.value.lowerBound, count: node.value.count) {
                    repeated.append(node.tag)
                }
            }
        } catch {
            removeEntries(from: earlier)
            throw error
        }
        return repeated
    }

    /// Removes the last entries, in reverse order.
    private mutating func removeEntries(from first: Int) {
        let hadTable = !table.isEmpty
        while entries.count > first, let entry = entries.popLast() {
            if hadTable {
                table.set(entry.tag, entry.before == 0 ? nil : Int(entry.before) - 1)
            } else {
                chains[Self.hash(entry.tag)] = UInt8(clamping: entry.before)
            }
        }
        if hadTable, entries.count <= Self.chained { indexEntries() }
    }

    /// Removes all entries, and overwrites every value with zeros unless a copy still has it.
    public mutating func wipe() {
        bytes = []
        entries.removeAll()
        indexEntries()
    }

    private func entry(_ tag: Tag) -> Entry? { lastIndex(tag).map { entries[$0] } }

    private func lastIndex(_ tag: Tag) -> Int? {
        table.isEmpty ? find(tag, from: Int(chains[Self.hash(tag)])) : table[tag]
    }

    /// The index of the last entry of `tag` in a chain.
    ///
    /// - Parameter last: The index of the chain's last entry, plus one; 0 for an empty chain.
    private func find(_ tag: Tag, from last: Int) -> Int? {
        var place = last
        while place > 0, entries[place - 1].tag != tag { place = Int(entries[place - 1].before) }
        return place > 0 ? place - 1 : nil
    }

    private static func hash(_ tag: Tag) -> Int {
        // A multiplicative hash: the top six bits of the product depend on every bit of the tag.
        // fits: six bits
        Int((tag.rawValue &* 0x9E37_79B1) >> 26)
    }
}

extension DataElements: CustomStringConvertible, CustomReflectable {
    public var description: String {
        "\(entries.count) data elements: " + entries.map { "\($0.tag)" }.joined(separator: " ")
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Values with card data, without a copy that nothing wipes.
extension DataElements {
    /// The value of `tag`, or nil without a value.
    package func secret(_ tag: Tag) -> SecretBytes? {
        withValue(of: tag) { value in unsafe value.withUnsafeBufferPointer { unsafe SecretBytes($0) } }
    }

    /// The digits of the value of `tag`, in format `cn`, as ASCII; nil without a value, or if it
    /// has any other nibble.
    package func secretDigits(_ tag: Tag) -> SecretBytes? {
        withValue(of: tag) { value -> SecretBytes? in
            guard var digits = unsafe value.withUnsafeBufferPointer({ unsafe BCD.digits($0) }) else { return nil }
            return SecretBytes(wiping: &digits)
        } ?? nil
    }
}
