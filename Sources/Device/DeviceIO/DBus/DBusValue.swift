/// A value of a D-Bus message.
indirect enum DBusValue: Hashable, Sendable {
    case byte(UInt8)
    case boolean(Bool)
    /// The bits of a number of any width, with its type's code: `n q i u x t d h`.
    case number(UInt64, code: UInt8)
    case string(String)
    case objectPath(String)
    case signature(String)
    /// An array of bytes.
    case bytes([UInt8])
    case array([DBusValue], of: DBusType)
    case structure([DBusValue])
    case entry(key: DBusValue, value: DBusValue)
    case variant(DBusValue)

    var type: DBusType {
        switch self {
        case .byte: .byte
        case .boolean: .basic(UInt8(ascii: "b"))
        case .number(_, let code): .basic(code)
        case .string: .string
        case .objectPath: .basic(UInt8(ascii: "o"))
        case .signature: .basic(UInt8(ascii: "g"))
        case .bytes: .array(.byte)
        case .array(_, let element): .array(element)
        case .structure(let members): .structure(members.map(\.type))
        case .entry(let key, let value): .entry(key.type, value.type)
        case .variant: .variant
        }
    }

    static func uint32(_ value: UInt32) -> DBusValue { .number(UInt64(value), code: UInt8(ascii: "u")) }
}

/// The content of a value, if it has the type; variants are unwrapped.
extension DBusValue {
    var text: String? {
        switch self {
        case .string(let text), .objectPath(let text), .signature(let text): text
        case .variant(let value): value.text
        default: nil
        }
    }

    var flag: Bool? {
        switch self {
        case .boolean(let flag): flag
        case .variant(let value): value.flag
        default: nil
        }
    }

    var elements: [DBusValue]? {
        switch self {
        case .array(let elements, _): elements
        case .variant(let value): value.elements
        default: nil
        }
    }

    /// The entries of a dictionary whose keys are texts; of two entries with the same key, the
    /// last.
    var dictionary: [String: DBusValue]? {
        guard let elements else { return nil }
        var found: [String: DBusValue] = [:]
        for element in elements {
            guard case .entry(let key, let value) = element, let name = key.text else { return nil }
            found[name] = value
        }
        return found
    }
}
