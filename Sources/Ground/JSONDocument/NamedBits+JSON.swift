package import Bytes

/// A list of the names, or the bytes in hexadecimal if a bit has no name.
extension NamedBits {
    package init(_ place: Place) throws(DocumentError) {
        if case .text = place.value {
            self.init(rawValue: try place.bytes(Self.byteCount...Self.byteCount).reduce(0) { $0 << 8 | UInt64($1) })
            return
        }
        guard case .list = place.value else {
            throw place.wrong(ValueFault.otherKind(.namedBits(Self.byteCount), place.value.kind))
        }
        var field = Self(rawValue: 0)
        for place in try place.list() { field.formUnion(try place.choice(Self.names)) }
        self = field
    }

    package var json: JSON {
        let named = Self.names.filter { contains($0.1) }
        guard named.reduce(0, { $0 | $1.1.rawValue }) == rawValue else {
            return .hex((0..<Self.byteCount).reversed().map { UInt8(truncatingIfNeeded: rawValue >> (8 * $0)) })
        }
        return .list(named.map { .text($0.0) })
    }
}
