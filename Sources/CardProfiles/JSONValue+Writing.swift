import Bytes

extension JSONValue {
    static func hex(_ bytes: [UInt8]) -> JSONValue { .text(bytes.hex) }

    static func number(_ value: some BinaryInteger) -> JSONValue { .number(Int(clamping: value)) }

    /// Null for nil.
    static func orNull<Value>(_ value: Value?, _ write: (Value) -> JSONValue) -> JSONValue { value.map(write) ?? .null }

    /// The name of `value`; null if it has none.
    static func name<Value: Equatable>(_ value: Value, _ names: [(String, Value)]) -> JSONValue {
        .orNull(names.first { $0.1 == value }) { .text($0.0) }
    }
}
