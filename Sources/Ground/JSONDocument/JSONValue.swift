import Bytes
import FoundationEssentials

/// Any JSON value. Numbers are whole: profiles have no others.
package indirect enum JSONValue: Equatable {
    case null
    case flag(Bool)
    case number(Int)
    case text(String)
    case list([JSONValue])
    case object([String: JSONValue])

    package init(parsing text: String) throws(DocumentError) {
        do {
            self = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        } catch let DecodingError.dataCorrupted(context) {
            let place = Self.path(context.codingPath)
            let reason = context.underlyingError.map { Self.reason($0) } ?? context.debugDescription
            throw DocumentError(place, ValueFault.notJSON(reason))
        } catch {
            throw DocumentError("", ValueFault.notJSON("\(error)"))
        }
    }

    /// With the keys of each object in alphabetical order.
    package var formatted: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(self) else {
            preconditionFailure("texts and whole numbers can be encoded")
        }
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    /// What a value is, as messages call it.
    package enum Kind: String, Sendable {
        case null
        case flag = "true or false"
        case number = "a number"
        case text = "a text"
        case list = "a list"
        case object = "an object"
    }

    package var kind: Kind {
        switch self {
        case .null: .null
        case .flag: .flag
        case .number: .number
        case .text: .text
        case .list: .list
        case .object: .object
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        keys.reduce("") { path, key in
            if let index = key.intValue { return "\(path)[\(index)]" }
            return path.isEmpty ? key.stringValue : "\(path).\(key.stringValue)"
        }
    }

    private static func reason(_ error: any Error) -> String {
        unsafe (error as? CocoaError)?.userInfo["NSDebugDescription"] as? String ?? "\(error)"
    }
}

extension JSONValue: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .flag(flag)
        } else if let number = try? container.decode(Int.self) {
            self = .number(number)
        } else if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if (try? container.decode(Double.self)) != nil {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "a number here is a whole number")
        } else if let list = try? decoder.unkeyedContainer() {
            var list = list
            var values: [JSONValue] = []
            while !list.isAtEnd { values.append(try list.decode(JSONValue.self)) }
            self = .list(values)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .flag(let flag): try container.encode(flag)
        case .number(let number): try container.encode(number)
        case .text(let text): try container.encode(text)
        case .list(let list): try container.encode(list)
        case .object(let members): try container.encode(members)
        }
    }
}

extension JSONValue {
    package static func hex(_ bytes: [UInt8]) -> JSONValue { .text(bytes.hex) }

    package static func number(_ value: some BinaryInteger) -> JSONValue { .number(Int(clamping: value)) }

    /// Null for nil.
    package static func orNull<Value>(_ value: Value?, _ write: (Value) -> JSONValue) -> JSONValue {
        value.map(write) ?? .null
    }

    /// The name of `value`; null without a name.
    package static func name<Value: Equatable>(_ value: Value, _ names: [(String, Value)]) -> JSONValue {
        .orNull(names.first { $0.1 == value }) { .text($0.0) }
    }
}
