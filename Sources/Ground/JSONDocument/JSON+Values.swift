import Bytes

extension JSON {
    package static func hex(_ bytes: [UInt8]) -> JSON { .text(bytes.hex) }

    /// Null for nil.
    package static func orNull<Value>(_ value: Value?, _ write: (Value) -> JSON) -> JSON {
        value.map(write) ?? .null
    }

    /// The name of `value`; null without a name.
    package static func name<Value: Equatable>(_ value: Value, _ names: [(String, Value)]) -> JSON {
        .orNull(names.first { $0.1 == value }) { .text($0.0) }
    }

    /// What a value is, as messages call it.
    package enum Kind: String, Sendable {
        case null
        case flag = "true or false"
        case number = "a number"
        case fraction = "a number with a fraction or an exponent"
        case hugeNumber = "a number that is too large"
        case text = "a text"
        case list = "a list"
        case object = "an object"
    }

    package var kind: Kind {
        switch self {
        case .null: .null
        case .flag: .flag
        case .number(let digits) where digits.utf8.contains(where: { ".eE".utf8.contains($0) }): .fraction
        case .number(let digits): Int(digits) == nil ? .hugeNumber : .number
        case .text, .secret: .text
        case .list: .list
        case .object: .object
        }
    }
}
