import Bytes

/// A value of the document and the path to it: what every reader is handed, so that every error
/// says where.
package struct Place {
    package let value: JSON
    package let path: String

    /// What a profile's reader makes of a place.
    package typealias Reader<Value> = (Place) throws(DocumentError) -> Value

    package func wrong(_ reason: some DocumentError.Reason) -> DocumentError { DocumentError(path, reason) }

    private func unexpected(_ required: ValueFault.Requirement) -> DocumentError {
        wrong(ValueFault.otherKind(required, value.kind))
    }

    /// Reads the whole of a file of at most 4 MiB. Each error has its line and column.
    package static func document<Value>(_ text: String, _ read: Reader<Value>) throws(DocumentError) -> Value {
        try document(Array(text.utf8), maximumSize: maximumSize, read)
    }

    /// Reads the whole of a document. Each error has its line and column.
    ///
    /// - Parameter maximumSize: In bytes.
    package static func document<Value>(_ bytes: [UInt8], maximumSize: Int, _ read: Reader<Value>)
        throws(DocumentError) -> Value
    {
        func mark(_ isWanted: @escaping (String) -> Bool) -> JSONParser.Mark? {
            var parser = JSONParser(bytes: bytes, maximumSize: maximumSize, wanted: isWanted)
            _ = try? parser.document()
            return parser.mark
        }
        let value: JSON
        do throws(JSONError) {
            var parser = JSONParser(bytes: bytes, maximumSize: maximumSize)
            value = try parser.document()
        } catch {
            throw DocumentError(mark { _ in true }?.path ?? "", error)
        }
        do throws(DocumentError) {
            return try read(Place(value: value, path: ""))
        } catch {
            // Values around the one that is at fault come before it.
            guard let mark = mark(error.isAbout) else { throw error }
            throw error.located(at: mark, in: bytes)
        }
    }

    /// In bytes: a plan of 10,000 cases. A list of small numbers takes eighty times as much memory
    /// as its text.
    private static let maximumSize = 4 << 20

    package init(value: JSON, path: String) {
        self.value = value
        self.path = path
    }

    // MARK: Values

    package var isNull: Bool { value == .null }

    package func flag() throws(DocumentError) -> Bool {
        guard case .flag(let flag) = value else { throw unexpected(.flag) }
        return flag
    }

    package func number<Number: FixedWidthInteger>(_ range: ClosedRange<Number>) throws(DocumentError) -> Number {
        guard case .number(let digits) = value, let number = Int(digits) else { throw unexpected(.wholeNumber) }
        guard let number = Number(exactly: number), range.contains(number) else {
            throw wrong(
                ValueFault.outOfRange(Int(clamping: range.lowerBound)...Int(clamping: range.upperBound), found: number))
        }
        return number
    }

    /// - Parameter length: In characters.
    package func text(_ length: ClosedRange<Int> = 0...1000) throws(DocumentError) -> String {
        guard case .text(let text) = value else { throw unexpected(.text) }
        guard length.contains(text.unicodeScalars.count) else {
            throw wrong(ValueFault.length(length, found: text.unicodeScalars.count))
        }
        return text
    }

    /// A text that can be shown as it is.
    package func line() throws(DocumentError) -> String {
        let text = try text()
        guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
            throw wrong(ValueFault.severalLines)
        }
        return text
    }

    /// - Parameter isSecret: No message shows what stands there.
    package func digits(_ count: ClosedRange<Int>, isSecret: Bool = false) throws(DocumentError) -> String {
        guard case .text(let text) = value else { throw unexpected(.digits) }
        guard count.contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            throw wrong(ValueFault.digits(count, found: isSecret ? nil : text))
        }
        return text
    }

    package func bytes(_ count: ClosedRange<Int>, isSecret: Bool = false) throws(DocumentError) -> [UInt8] {
        guard case .text(let text) = value else { throw unexpected(.bytes(count)) }
        guard let bytes = try? [UInt8](hex: text), count.contains(bytes.count) else {
            throw wrong(ValueFault.bytes(count, found: isSecret ? nil : text))
        }
        return bytes
    }

    /// One of the names.
    package func choice<Value>(_ names: [(String, Value)]) throws(DocumentError) -> Value {
        guard case .text(let text) = value, let found = names.first(where: { $0.0 == text }) else {
            throw wrong(ValueFault.choice(names.map(\.0), found: value.text))
        }
        return found.1
    }

    /// The members of a list, each with its path.
    package func list() throws(DocumentError) -> [Place] {
        guard case .list(let values) = value else { throw unexpected(.list) }
        return values.enumerated().map { Place(value: $1, path: "\(path)[\($0)]") }
    }

    package func list<Value>(_ read: Reader<Value>) throws(DocumentError) -> [Value] {
        var result: [Value] = []
        for place in try list() { result.append(try read(place)) }
        return result
    }

    /// The members of an object that may have any keys, in alphabetical order.
    package func members() throws(DocumentError) -> [(key: String, value: Place)] {
        guard case .object(let members) = value else { throw unexpected(.object) }
        return members.sorted { $0.name < $1.name }.map { ($0.name, Place(value: $0.value, path: join(path, $0.name))) }
    }

    /// The members of an object that may have these keys and no others.
    package func members(_ keys: [String]) throws(DocumentError) -> Members {
        guard case .object(let members) = value else { throw unexpected(.object) }
        if let stranger = members.map(\.name).first(where: { !keys.contains($0) }) {
            throw DocumentError(join(path, stranger), ValueFault.unknownKey(keys))
        }
        return Members(path: path, values: Dictionary(members.map { ($0.name, $0.value) }) { $1 })
    }
}

/// The members of an object.
package struct Members {
    package let path: String
    package let values: [String: JSON]

    package subscript(_ key: String) -> Place? { values[key].map { Place(value: $0, path: join(path, key)) } }

    package func required(_ key: String) throws(DocumentError) -> Place {
        guard let place = self[key] else { throw DocumentError(join(path, key), ValueFault.missing) }
        return place
    }

    /// Takes what stands under the key, if anything does.
    package func take<Value>(_ key: String, _ target: inout Value, _ read: Place.Reader<Value>) throws(DocumentError) {
        if let place = self[key] { target = try read(place) }
    }

    /// The same, where null is nil.
    package func takeOrNull<Value>(_ key: String, _ target: inout Value?, _ read: Place.Reader<Value>)
        throws(DocumentError)
    {
        if let place = self[key] { target = place.isNull ? nil : try read(place) }
    }
}
