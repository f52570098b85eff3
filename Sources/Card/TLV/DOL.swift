/// A data object list: the tags and lengths of the data that the card requests, without values (EMV
/// 4.4 Book 3, 5.4).
///
/// PDOL (`9F38`), CDOL1 (`8C`), CDOL2 (`8D`), DDOL (`9F49`) and TDOL (`97`) are such lists.
public struct DOL: Equatable, Sendable {
    public struct Entry: Equatable, Sendable {
        public let tag: Tag
        /// The number of bytes that the card requests, 0 to 255.
        public let length: Int

        public init(_ tag: Tag, _ length: Int) {
            self.tag = tag
            self.length = length
        }
    }

    public let entries: [Entry]

    /// The number of bytes of the concatenated values.
    public var dataLength: Int { entries.reduce(0) { $0 + $1.length } }

    public init(entries: [Entry]) { self.entries = entries }

    public init(parsing bytes: [UInt8]) throws(TLVError) { try self.init(parsing: bytes.span) }

    package init(parsing bytes: Span<UInt8>) throws(TLVError) {
        var entries: [Entry] = []
        entries.reserveCapacity(bytes.count / 2)
        var at = 0
        while at < bytes.count {
            let (tag, lengthOffset) = try TLVWalker.readTag(in: bytes, at: at, end: bytes.count)
            at = lengthOffset
            guard at < bytes.count else { throw .truncatedLength(offset: at) }
            entries.append(Entry(tag, Int(bytes[at])))
            at += 1
        }
        self.entries = entries
    }

    /// The encoded list.
    public var bytes: [UInt8] { entries.flatMap { $0.tag.bytes + [UInt8(clamping: $0.length)] } }

    public func contains(_ tag: Tag) -> Bool { entries.contains { $0.tag == tag } }

    /// The values concatenated in the order of the list, each adjusted to the length that the card
    /// requests.
    ///
    /// A tag without a value, and a constructed one, results in zeros. A value that is too long
    /// loses its first bytes in format `n` and its last bytes otherwise; one that is too short gets
    /// leading zeros in format `n`, trailing `FF` in format `cn`, trailing zeros otherwise.
    ///
    /// - Parameter sources: The sources of the values; the first source with a tag is used.
    public func concatenate(_ sources: DataElements...) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(dataLength)
        for entry in entries {
            entry.append(sources.first { $0.contains(entry.tag) }, to: &result)
        }
        return result
    }

    /// The concatenated values from two sources.
    package func concatenate(_ first: DataElements, otherwise second: DataElements) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(dataLength)
        for entry in entries {
            if !entry.appendValue(of: first, to: &result) { entry.append(second, to: &result) }
        }
        return result
    }

    /// The values in `bytes`, which a terminal sent for this list, by tag; nil if the total length
    /// differs.
    public func split(_ bytes: [UInt8]) -> DataElements? {
        guard bytes.count == dataLength else { return nil }
        var data = DataElements(minimumCapacity: entries.count, byteCount: bytes.count)
        var offset = 0
        for entry in entries {
            data.append(entry.tag, bytes[offset..<offset + entry.length])
            offset += entry.length
        }
        return data
    }
}

extension DOL.Entry {
    /// Adds the value that `source` has, or zeros.
    fileprivate func append(_ source: DataElements?, to result: inout [UInt8]) {
        if let source, appendValue(of: source, to: &result) { return }
        result.append(contentsOf: repeatElement(0, count: length))
    }

    /// Adds the value that `source` has; false without one, and for a constructed tag.
    fileprivate func appendValue(of source: DataElements, to result: inout [UInt8]) -> Bool {
        !tag.isConstructed && source.withValue(of: tag) { append($0, to: &result) } != nil
    }

    /// Adds `value`, truncated or padded to ``length``.
    fileprivate func append(_ value: Span<UInt8>, to result: inout [UInt8]) {
        let surplus = value.count - length
        if surplus == 0 { return unsafe value.withUnsafeBufferPointer { unsafe result.append(contentsOf: $0) } }
        let format = TagDictionary[tag]?.format
        let leading = format == .numeric ? max(0, -surplus) : 0
        let trailing = max(0, -surplus) - leading
        result.append(contentsOf: repeatElement(0, count: leading))
        let first = format == .numeric ? max(0, surplus) : 0
        for index in first..<(first + min(length, value.count)) { result.append(value[index]) }
        result.append(contentsOf: repeatElement(format == .compressedNumeric ? 0xFF : 0, count: trailing))
    }
}
