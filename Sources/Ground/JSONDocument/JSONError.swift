/// Why bytes are not a JSON document (RFC 8259), and where. It never repeats the document.
public struct JSONError: Error, Sendable, Equatable {
    public enum Fault: Sendable, Equatable {
        /// In bytes.
        case tooLarge(maximum: Int)
        /// In values that lie in each other.
        case tooDeep(maximum: Int)
        case notUTF8
        case noValue
        case noKey
        case noColon
        case noComma
        case trailingComma
        case doubledKey
        case noEnd
        case textWithoutEnd
        case controlCharacter
        case invalidEscape
        case loneSurrogate
        case invalidNumber
        case moreThanOneValue
        case comment
        case singleQuote
    }

    public let fault: Fault
    /// Where the fault is.
    public let position: DocumentError.Position
}

extension JSONError: CustomStringConvertible {
    public var description: String { "line \(position.line), column \(position.column): \(fault)" }
}

extension JSONError.Fault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tooLarge(let maximum): "the document is larger than \(maximum >> 10) KiB: divide it"
        case .tooDeep(let maximum): "more than \(maximum) values lie in each other: leave levels out"
        case .notUTF8: "the document is not UTF-8: save it as UTF-8"
        case .noValue: "a value is missing here: an object, a list, a text, a number, true, false or null"
        case .noKey: "a key in double quotes is missing here"
        case .noColon: "a colon is missing here, between a key and its value"
        case .noComma: "a comma is missing before this"
        case .trailingComma: "nothing follows the comma before this: remove the comma"
        case .doubledKey: "the object has this key already: remove one of the two"
        case .noEnd: "the document ends before its last bracket is closed"
        case .textWithoutEnd: "this text has no double quote at its end"
        case .controlCharacter: "a text has no control characters: write \\n, \\t, or \\u and four hexadecimal digits"
        case .invalidEscape: "JSON does not have this escape: write \\\\ for a backslash"
        case .loneSurrogate: "this is half of a surrogate pair: write both halves"
        case .invalidNumber: "JSON does not write a number so: no leading plus or zero, digits on both sides of a point"
        case .moreThanOneValue: "something stands behind the end of the document: remove it"
        case .comment: "JSON has no comments: remove this one"
        case .singleQuote: "JSON has double quotes only: replace the single ones"
        }
    }
}
