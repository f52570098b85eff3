import Bytes

extension JSONValue {
    package static func hex(_ bytes: [UInt8]) -> JSONValue { .text(bytes.hex) }

    package static func number(_ value: some BinaryInteger) -> JSONValue { .number(Int(clamping: value)) }

    /// Null for nil.
    package static func orNull<Value>(_ value: Value?, _ write: (Value) -> JSONValue) -> JSONValue { value.map(write) ?? .null }

    /// The name of `value`; null without a name.
    package static func name<Value: Equatable>(_ value: Value, _ names: [(String, Value)]) -> JSONValue {
        .orNull(names.first { $0.1 == value }) { .text($0.0) }
    }
}
