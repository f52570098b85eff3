/// A single complete type of D-Bus, as a signature writes it (D-Bus Specification, Type System).
indirect enum DBusType: Hashable, Sendable {
    /// A type without contents of other types, by its code: `y b n q i u x t d s o g h`, or `v` for
    /// a variant.
    case basic(UInt8)
    case array(DBusType)
    case structure([DBusType])
    /// The element of an array that is a dictionary.
    case entry(DBusType, DBusType)

    static let byte = DBusType.basic(UInt8(ascii: "y"))
    static let string = DBusType.basic(UInt8(ascii: "s"))
    static let variant = DBusType.basic(UInt8(ascii: "v"))

    /// The maximum length of a signature in bytes, and the maximum nesting of arrays and of
    /// structures.
    static let longestSignature = 255
    static let deepest = 32

    /// The types of a signature, in order; nil if the text is not a signature.
    static func parse(_ signature: some Collection<UInt8>) -> [DBusType]? {
        guard signature.count <= longestSignature else { return nil }
        var rest = ArraySlice(signature)
        var types: [DBusType] = []
        while !rest.isEmpty {
            guard let type = next(&rest, arrays: 0, structures: 0) else { return nil }
            types.append(type)
        }
        return types
    }

    private static func next(_ rest: inout ArraySlice<UInt8>, arrays: Int, structures: Int) -> DBusType? {
        guard arrays <= deepest, structures <= deepest, let code = rest.popFirst() else { return nil }
        switch code {
        case UInt8(ascii: "a"):
            if rest.first == UInt8(ascii: "{") {
                rest.removeFirst()
                guard let key = next(&rest, arrays: arrays + 1, structures: structures + 1), key.isKey,
                    let value = next(&rest, arrays: arrays + 1, structures: structures + 1),
                    rest.popFirst() == UInt8(ascii: "}")
                else { return nil }
                return .array(.entry(key, value))
            }
            return next(&rest, arrays: arrays + 1, structures: structures).map { .array($0) }
        case UInt8(ascii: "("):
            var members: [DBusType] = []
            while let first = rest.first, first != UInt8(ascii: ")") {
                guard let member = next(&rest, arrays: arrays, structures: structures + 1) else { return nil }
                members.append(member)
            }
            return rest.popFirst() == nil || members.isEmpty ? nil : .structure(members)
        default: return Array("ybnqiuxtdsoghv".utf8).contains(code) ? .basic(code) : nil
        }
    }

    /// The keys of a dictionary have basic types, except variants.
    private var isKey: Bool {
        if case .basic(let code) = self { code != UInt8(ascii: "v") } else { false }
    }

    var signature: [UInt8] {
        switch self {
        case .basic(let code): [code]
        case .array(let element): [UInt8(ascii: "a")] + element.signature
        case .structure(let members): [UInt8(ascii: "(")] + members.flatMap(\.signature) + [UInt8(ascii: ")")]
        case .entry(let key, let value): [UInt8(ascii: "{")] + key.signature + value.signature + [UInt8(ascii: "}")]
        }
    }

    /// In bytes, from the beginning of the message.
    var alignment: Int {
        switch self {
        case .basic(let code):
            switch code {
            case UInt8(ascii: "y"), UInt8(ascii: "g"), UInt8(ascii: "v"): 1
            case UInt8(ascii: "n"), UInt8(ascii: "q"): 2
            case UInt8(ascii: "x"), UInt8(ascii: "t"), UInt8(ascii: "d"): 8
            default: 4
            }
        case .array: 4
        case .structure, .entry: 8
        }
    }
}
