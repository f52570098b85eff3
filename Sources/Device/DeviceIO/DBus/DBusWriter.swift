/// Values to bytes, least significant byte first (D-Bus Specification, Marshaling). The first byte
/// is aligned to eight.
struct DBusWriter {
    private(set) var bytes: [UInt8] = []

    mutating func align(_ alignment: Int) {
        while !bytes.count.isMultiple(of: alignment) { bytes.append(0) }
    }

    mutating func number(_ value: UInt64, size: Int) {
        align(size)
        for index in 0..<size { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
    }

    mutating func write(_ value: DBusValue) {
        align(value.type.alignment)
        switch value {
        case .byte(let byte): bytes.append(byte)
        case .boolean(let flag): number(flag ? 1 : 0, size: 4)
        case .number(let bits, _): number(bits, size: value.type.alignment)
        case .string(let text), .objectPath(let text):
            number(UInt64(clamping: text.utf8.count), size: 4)
            bytes += Array(text.utf8) + [0]
        case .signature(let text): write(signature: Array(text.utf8))
        case .bytes(let content):
            number(UInt64(clamping: content.count), size: 4)
            bytes += content
        case .array(let elements, let element):
            number(0, size: 4)
            let place = bytes.count - 4
            align(element.alignment)
            // The length does not count the alignment before the first element.
            let start = bytes.count
            for element in elements { write(element) }
            let length = UInt32(clamping: bytes.count - start)
            for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
        case .structure(let members): for member in members { write(member) }
        case .entry(let key, let value):
            write(key)
            write(value)
        case .variant(let value):
            write(signature: value.type.signature)
            write(value)
        }
    }

    // fits: signatures are our own, of a dozen characters
    private mutating func write(signature: [UInt8]) { bytes += [UInt8(signature.count)] + signature + [0] }
}

/// Bytes to values; nil if the bytes are not a value. The input bounds it: every value takes at
/// least one byte.
struct DBusReader {
    private let bytes: [UInt8]
    private let isBigEndian: Bool
    private(set) var offset: Int
    /// Variants contain values of any type, including variants.
    private static let deepest = 64

    init(_ bytes: [UInt8], from offset: Int = 0, isBigEndian: Bool) {
        self.bytes = bytes
        self.offset = offset
        self.isBigEndian = isBigEndian
    }

    mutating func read(_ types: [DBusType]) -> [DBusValue]? {
        var values: [DBusValue] = []
        for type in types {
            guard let value = read(type, depth: 0) else { return nil }
            values.append(value)
        }
        return values
    }

    var isAtEnd: Bool { offset == bytes.count }

    /// The skipped bytes must be zero.
    mutating func align(_ alignment: Int) -> Bool {
        while !offset.isMultiple(of: alignment) {
            guard offset < bytes.count, bytes[offset] == 0 else { return false }
            offset += 1
        }
        return true
    }

    mutating func number(size: Int) -> UInt64? {
        guard align(size), bytes.count - offset >= size else { return nil }
        let part = bytes[offset..<(offset + size)]
        offset += size
        return (isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private mutating func read(_ type: DBusType, depth: Int) -> DBusValue? {
        guard depth <= Self.deepest else { return nil }
        switch type {
        case .basic(let code): return basic(code, depth: depth)
        case .array(.byte):
            guard let count = number(size: 4), let content = take(Int(clamping: count)) else { return nil }
            return .bytes(content)
        case .array(let element):
            guard let length = number(size: 4), align(element.alignment), length <= bytes.count - offset else {
                return nil
            }
            let end = offset + Int(clamping: length)
            var elements: [DBusValue] = []
            while offset < end {
                guard let value = read(element, depth: depth + 1) else { return nil }
                elements.append(value)
            }
            return offset == end ? .array(elements, of: element) : nil
        case .structure(let members):
            guard align(8) else { return nil }
            var values: [DBusValue] = []
            for member in members {
                guard let value = read(member, depth: depth + 1) else { return nil }
                values.append(value)
            }
            return .structure(values)
        case .entry(let key, let value):
            guard align(8), let key = read(key, depth: depth + 1), let value = read(value, depth: depth + 1) else {
                return nil
            }
            return .entry(key: key, value: value)
        }
    }

    private mutating func basic(_ code: UInt8, depth: Int) -> DBusValue? {
        switch code {
        case UInt8(ascii: "y"): return number(size: 1).map { .byte(UInt8(truncatingIfNeeded: $0)) }
        case UInt8(ascii: "b"):
            guard let value = number(size: 4), value <= 1 else { return nil }
            return .boolean(value == 1)
        case UInt8(ascii: "s"): return number(size: 4).flatMap { text(Int(clamping: $0)) }.map { .string($0) }
        case UInt8(ascii: "o"): return number(size: 4).flatMap { text(Int(clamping: $0)) }.map { .objectPath($0) }
        case UInt8(ascii: "g"): return number(size: 1).flatMap { text(Int(clamping: $0)) }.map { .signature($0) }
        case UInt8(ascii: "v"):
            guard let length = number(size: 1), let signature = text(Int(clamping: length)),
                let types = DBusType.parse(signature.utf8),
                types.count == 1, let value = read(types[0], depth: depth + 1)
            else { return nil }
            return .variant(value)
        default: return number(size: DBusType.basic(code).alignment).map { .number($0, code: code) }
        }
    }

    /// `count` bytes of UTF-8, followed by a zero.
    private mutating func text(_ count: Int) -> String? {
        guard let content = take(count), take(1) == [0], !content.contains(0) else { return nil }
        return String(validating: content, as: UTF8.self)
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        guard count <= bytes.count - offset else { return nil }
        defer { offset += count }
        return Array(bytes[offset..<(offset + count)])
    }
}
