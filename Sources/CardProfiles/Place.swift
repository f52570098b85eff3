import Bytes

/// A value of the document and the path to it: what every reader is handed, so that every error says where.
struct Place {
    let value: JSONValue
    let path: String

    /// What a profile's reader makes of a place.
    typealias Reader<Value> = (Place) throws(CardProfileError) -> Value

    func wrong(_ message: String) -> CardProfileError { CardProfileError(path, message) }

    private func unexpected(_ wanted: String) -> CardProfileError { wrong("\(wanted) is required, not \(value.kind)") }

    // MARK: Values

    var isNull: Bool { value == .null }

    func flag() throws(CardProfileError) -> Bool {
        guard case .flag(let flag) = value else { throw unexpected("true or false") }
        return flag
    }

    func number<Number: FixedWidthInteger>(_ range: ClosedRange<Number>) throws(CardProfileError) -> Number {
        guard case .number(let number) = value else { throw unexpected("a whole number") }
        guard let number = Number(exactly: number), range.contains(number) else {
            throw wrong("a number from \(range.lowerBound) to \(range.upperBound), got \(number)")
        }
        return number
    }

    /// - Parameter length: In characters.
    func text(_ length: ClosedRange<Int> = 0...1000) throws(CardProfileError) -> String {
        guard case .text(let text) = value else { throw unexpected("a text") }
        guard length.contains(text.unicodeScalars.count) else {
            throw wrong("\(length.words("character")), got \(text.unicodeScalars.count)")
        }
        return text
    }

    /// A text that can be shown as it is.
    func line() throws(CardProfileError) -> String {
        let text = try text()
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw wrong("one line without control characters")
        }
        return text
    }

    /// - Parameter isSecret: No message shows what stands there.
    func digits(_ count: ClosedRange<Int>, isSecret: Bool = false) throws(CardProfileError) -> String {
        guard case .text(let text) = value else { throw unexpected("a text of digits") }
        guard count.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw wrong("\(count.words("digit"))" + (isSecret ? "" : ", got '\(text)'"))
        }
        return text
    }

    func bytes(_ count: ClosedRange<Int>, isSecret: Bool = false) throws(CardProfileError) -> [UInt8] {
        guard case .text(let text) = value else { throw unexpected("\(count.words("byte")) in hexadecimal") }
        guard let bytes = try? [UInt8](hex: text), count.contains(bytes.count) else {
            throw wrong("\(count.words("byte")) in hexadecimal" + (isSecret ? "" : ", got '\(text)'"))
        }
        return bytes
    }

    /// One of the names.
    func choice<Value>(_ names: [(String, Value)]) throws(CardProfileError) -> Value {
        guard case .text(let text) = value, let found = names.first(where: { $0.0 == text }) else {
            throw wrong("one of \(names.map(\.0).joined(separator: ", "))" + (value.textual.map { ", got '\($0)'" } ?? ""))
        }
        return found.1
    }

    /// The members of a list, each with its path.
    func list() throws(CardProfileError) -> [Place] {
        guard case .list(let values) = value else { throw unexpected("a list") }
        return values.enumerated().map { Place(value: $1, path: "\(path)[\($0)]") }
    }

    func list<Value>(_ read: Reader<Value>) throws(CardProfileError) -> [Value] {
        var result: [Value] = []
        for place in try list() { result.append(try read(place)) }
        return result
    }

    /// The members of an object that may have these keys and no others.
    func members(_ keys: [String]) throws(CardProfileError) -> Members {
        guard case .object(let values) = value else { throw unexpected("an object") }
        if let stranger = values.keys.filter({ !keys.contains($0) }).min() {
            throw CardProfileError(join(path, stranger), "unknown key; the keys here are \(keys.joined(separator: ", "))")
        }
        return Members(path: path, values: values)
    }
}

/// The members of an object.
struct Members {
    let path: String
    let values: [String: JSONValue]

    subscript(_ key: String) -> Place? { values[key].map { Place(value: $0, path: join(path, key)) } }

    func required(_ key: String) throws(CardProfileError) -> Place {
        guard let place = self[key] else { throw CardProfileError(join(path, key), "missing") }
        return place
    }

    /// Takes what stands under the key, if anything does.
    func take<Value>(_ key: String, _ target: inout Value, _ read: Place.Reader<Value>) throws(CardProfileError) {
        if let place = self[key] { target = try read(place) }
    }

    /// The same, where null is nil.
    func takeOrNull<Value>(_ key: String, _ target: inout Value?, _ read: Place.Reader<Value>) throws(CardProfileError) {
        if let place = self[key] { target = place.isNull ? nil : try read(place) }
    }
}

private func join(_ path: String, _ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

extension ClosedRange<Int> {
    fileprivate func words(_ unit: String) -> String {
        lowerBound == upperBound ? "\(lowerBound) \(unit)\(lowerBound == 1 ? "" : "s")" : "\(lowerBound) to \(upperBound) \(unit)s"
    }
}

extension JSONValue {
    fileprivate var textual: String? {
        guard case .text(let text) = self else { return nil }
        return text
    }
}
