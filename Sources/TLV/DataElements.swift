private import Bytes

/// The data objects of a transaction, by tag: from the card, the terminal and the kernel.
///
/// All values are in one buffer; an entry is a tag and a range of the buffer. Whole records are
/// stored and indexed in place, so that reading a card needs no copy for each data object. A
/// look-up scans the tags, which is faster than hashing for the about sixty data objects of a
/// transaction. A filter with one bit for each tag answers most look-ups of absent tags without a
/// scan. For many more data objects, which files but not cards have, there is a table of the tags.
///
/// The buffer holds the PAN and the track; ``wipe()`` clears it, and ``description`` contains only
/// the tags.
public struct DataElements: Sendable {
    @usableFromInline var bytes: [UInt8] = []
    private var entries: [Entry] = []
    /// The bits of all tags that were ever added: a tag whose bit is clear has no value.
    private var filter: UInt128 = 0
    /// The index in `entries` of the last value of each tag; used from ``scanned`` entries on.
    private var table = TagTable()

    /// Up to this number of entries, a scan is faster than hashing.
    private static let scanned = 128

    private struct Entry {
        let tag: Tag
        /// The index of the previous entry of the same tag in the table, plus one; 0 for none.
        var before: UInt32 = 0
        let start: Int
        let count: Int

        init(tag: Tag, start: Int, count: Int) {
            self.tag = tag
            self.start = start
            self.count = count
        }
    }

    public init() {}

    /// - Parameters:
    ///   - count: Reserves memory for this number of data objects, and of bytes of values.
    public init(minimumCapacity count: Int, byteCount: Int) {
        entries.reserveCapacity(count)
        bytes.reserveCapacity(byteCount)
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
            return Array(bytes[entry.start..<entry.start + entry.count])
        }
        set {
            if let newValue { set(tag, newValue) } else if contains(tag) { removeEntries { $0.tag == tag } }
        }
    }

    /// Sets the value of `tag`, replacing all earlier ones. A value of the same length is
    /// overwritten in place.
    @inlinable public mutating func set(_ tag: Tag, _ value: some Collection<UInt8>) {
        guard let place = room(for: tag, count: value.count) else { return append(tag, value) }
        var index = place
        for byte in value {
            bytes[index] = byte
            index += 1
        }
    }

    /// The same with a field of bits.
    @inlinable public mutating func set<Field: BitField>(_ tag: Tag, _ field: Field) {
        set(tag, bigEndian: field.rawValue, count: Field.byteCount)
    }

    /// The same with the last `count` bytes of a number, most significant first.
    @inlinable package mutating func set(_ tag: Tag, bigEndian number: UInt64, count: Int) {
        guard let place = room(for: tag, count: count) else { return append(tag, bigEndian: number, count: count) }
        for index in 0..<count { bytes[place + index] = UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - index))) }
    }

    /// The place of the only value of `tag`, if it has `count` bytes. Other values of the tag are
    /// removed.
    @usableFromInline mutating func room(for tag: Tag, count: Int) -> Int? {
        guard let index = lastIndex(tag) else { return nil }
        let isOnly = table.isEmpty ? entries.firstIndex { $0.tag == tag } == index : entries[index].before == 0
        if isOnly && entries[index].count == count { return entries[index].start }
        removeEntries { $0.tag == tag }
        return nil
    }

    /// Reserves memory for this number of additional data objects, and of bytes.
    public mutating func reserveCapacity(_ count: Int, byteCount: Int) {
        entries.reserveCapacity(entries.count + count)
        bytes.reserveCapacity(bytes.count + byteCount)
    }

    private mutating func removeEntries(where isRemoved: (Entry) -> Bool) {
        entries.removeAll(where: isRemoved)
        table.removeAll()
        if entries.count > Self.scanned { buildTable() }
    }

    private mutating func buildTable() {
        for place in entries.indices { index(at: place) }
    }

    /// Adds an entry to the table, and notes which one it replaces.
    private mutating func index(at index: Int) {
        entries[index].before = table.set(entries[index].tag, index).map { UInt32(clamping: $0 + 1) } ?? 0
    }

    /// - Returns: Whether the tag had a value before.
    @discardableResult
    private mutating func enter(_ entry: Entry) -> Bool {
        let bit = Self.filterBit(entry.tag)
        guard entries.count >= Self.scanned else {
            let isRepeated = filter & bit != 0 && entries.contains { $0.tag == entry.tag }
            entries.append(entry)
            filter |= bit
            return isRepeated
        }
        if table.isEmpty { buildTable() }
        entries.append(entry)
        filter |= bit
        index(at: entries.count - 1)
        return entries[entries.count - 1].before != 0
    }

    /// Passes the value of `tag` to `body` in place; nil if the tag has no value.
    public func withValue<Result, Failure>(of tag: Tag, _ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result? {
        guard let entry = entry(tag) else { return nil }
        return try body(bytes.span.extracting(entry.start..<entry.start + entry.count))
    }

    /// The value of `tag` as a number in format `n`, or nil if it is absent or not only digits.
    public func number(_ tag: Tag) -> UInt64? {
        guard let entry = entry(tag) else { return nil }
        return BCD.number(bytes[entry.start..<entry.start + entry.count])
    }

    /// The value of `tag` as a big-endian binary number, or nil if it is absent, empty or longer than eight bytes.
    public func integer(_ tag: Tag) -> UInt64? {
        guard let entry = entry(tag), (1...8).contains(entry.count) else { return nil }
        return bytes[entry.start..<entry.start + entry.count].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// The value of `tag` as a field of bits; nil if it is absent or has another length.
    public func field<Field: BitField>(_ tag: Tag, _ type: Field.Type = Field.self) -> Field? {
        guard let entry = entry(tag), entry.count == Field.byteCount else { return nil }
        return Field(rawValue: bytes[entry.start..<entry.start + entry.count].reduce(0) { $0 << 8 | UInt64($1) })
    }

    /// The number of bytes of the value of `tag`, or nil if it is absent.
    public func count(of tag: Tag) -> Int? { entry(tag)?.count }

    /// Adds a value without a search for an earlier one: only for a tag that is known to be new.
    @inlinable public mutating func append(_ tag: Tag, _ value: some Collection<UInt8>) {
        index(tag, count: value.count)
        bytes.append(contentsOf: value)
    }

    /// The same with the last `count` bytes of a number, most significant first.
    @inlinable package mutating func append(_ tag: Tag, bigEndian number: UInt64, count: Int) {
        index(tag, count: count)
        for byte in (0..<count).reversed() { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * byte))) }
    }

    /// The same with a number in format `n` of `count` bytes, at most 8; one of more digits counts as zero.
    package mutating func append(_ tag: Tag, decimal number: UInt64, count: Int) {
        var (packed, rest) = (UInt64(0), number)
        for place in 0..<2 * count {
            packed |= (rest % 10) << (4 * place)
            rest /= 10
        }
        append(tag, bigEndian: rest == 0 ? packed : 0, count: count)
    }

    /// Indexes the next `count` bytes as the value of `tag`.
    @usableFromInline mutating func index(_ tag: Tag, count: Int) {
        enter(Entry(tag: tag, start: bytes.count, count: count))
    }

    /// Adds every value of `other`, replacing earlier values of its tags.
    public mutating func update(with other: DataElements) {
        if other.entries.contains(where: { contains($0.tag) }) { removeEntries { other.contains($0.tag) } }
        for (index, entry) in other.entries.enumerated() where other.lastIndex(entry.tag) == index {
            append(entry.tag, other.bytes[entry.start..<entry.start + entry.count])
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

    /// The same, only for the data objects that `isWanted` selects.
    @discardableResult
    public mutating func append(parsing source: [UInt8], where isWanted: (TLVNode) -> Bool) throws(TLVError) -> [Tag] {
        let repeated = try enter(source.span, where: isWanted)
        if bytes.isEmpty { bytes = source } else { bytes += source }
        return repeated
    }

    /// The same for a part of an array, which is copied.
    @discardableResult
    package mutating func append(parsing source: Span<UInt8>, where isWanted: (TLVNode) -> Bool) throws(TLVError) -> [Tag] {
        let repeated = try enter(source, where: isWanted)
        unsafe source.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
        return repeated
    }

    /// Indexes the data objects of `source`, which is appended to the buffer.
    private mutating func enter(_ source: Span<UInt8>, where isWanted: (TLVNode) -> Bool) throws(TLVError) -> [Tag] {
        let base = bytes.count
        let earlier = (count: entries.count, filter: filter)
        var repeated: [Tag] = []
        var walker = TLVWalker()
        if entries.isEmpty { entries.reserveCapacity(source.count / 16 + 4) }
        do throws(TLVError) {
            while let node = try walker.next(in: source) {
                guard !node.tag.isConstructed, isWanted(node) else { continue }
                if enter(Entry(tag: node.tag, start: base + node.value.lowerBound, count: node.value.count)) { repeated.append(node.tag) }
            }
        } catch {
            // Restores the entries of the table in reverse order.
            while entries.count > earlier.count, let entry = entries.popLast() {
                if !table.isEmpty { table.set(entry.tag, entry.before == 0 ? nil : Int(entry.before) - 1) }
            }
            if entries.count <= Self.scanned { table.removeAll() }
            filter = earlier.filter
            throw error
        }
        return repeated
    }

    /// Overwrites every value with zeros and removes all entries.
    public mutating func wipe() {
        Bytes.wipe(&bytes)
        entries.removeAll()
        table.removeAll()
        filter = 0
    }

    private func entry(_ tag: Tag) -> Entry? { lastIndex(tag).map { entries[$0] } }

    private func lastIndex(_ tag: Tag) -> Int? {
        guard filter & Self.filterBit(tag) != 0 else { return nil }
        return table.isEmpty ? entries.lastIndex { $0.tag == tag } : table[tag]
    }

    private static func filterBit(_ tag: Tag) -> UInt128 {
        // A multiplicative hash: the top seven bits of the product depend on every bit of the tag.
        1 << UInt128(truncatingIfNeeded: (tag.rawValue &* 0x9E37_79B1) >> 25)
    }
}

extension DataElements: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(entries.count) data elements: " + entries.map { "\($0.tag)" }.joined(separator: " ") }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
