import Bytes

extension JSONValue {
    static func hex(_ bytes: [UInt8]) -> JSONValue { .text(bytes.hex) }

    static func number(_ value: some BinaryInteger) -> JSONValue { .number(Int(clamping: value)) }

    /// Null for nil.
    static func orNull<Value>(_ value: Value?, _ write: (Value) -> JSONValue) -> JSONValue { value.map(write) ?? .null }

    /// The name of `value`.
    static func name<Value: Equatable>(_ value: Value, _ names: [(String, Value)]) -> JSONValue {
        guard let name = names.first(where: { $0.1 == value })?.0 else { preconditionFailure("every value has a name") }
        return .text(name)
    }
}
