/// Why a value of a document is refused, in any document.
package enum ValueFault: DocumentError.Reason {
    case notJSON(JSONError.Fault)
    case missing
    /// Another key than these.
    case unknownKey([String])
    case otherKind(Requirement, JSON.Kind)
    case outOfRange(ClosedRange<Int>, found: Int)
    /// In characters.
    case length(ClosedRange<Int>, found: Int)
    case severalLines
    /// How many digits; nil for a secret.
    case digits(ClosedRange<Int>, found: String?)
    /// How many bytes; nil for a secret.
    case bytes(ClosedRange<Int>, found: String?)
    /// Not one of these names; nil if it is not a text.
    case choice([String], found: String?)

    /// What a value must be.
    package enum Requirement: Sendable, Equatable {
        case flag, wholeNumber, text, digits, list, object
        /// How many bytes.
        case bytes(ClosedRange<Int>)
        /// How many bytes the bits have.
        case namedBits(Int)
    }
}

extension ValueFault {
    package var description: String {
        switch self {
        case .notJSON(let fault): "\(fault)"
        case .missing: "missing"
        case .unknownKey(let known): "unknown key; the keys here are \(known.joined(separator: ", "))"
        case .otherKind(let requirement, let kind): "\(requirement) is required, not \(kind.rawValue)"
        case .outOfRange(let range, let found): "a number from \(range.lowerBound) to \(range.upperBound), got \(found)"
        case .length(let length, let found): "\(length.words("character")), got \(found)"
        case .severalLines: "one line without control characters"
        case .digits(let count, let found): count.words("digit") + Self.got(found)
        case .bytes(let count, let found): "\(count.words("byte")) in hexadecimal" + Self.got(found)
        case .choice(let names, let found): "one of \(names.joined(separator: ", "))" + Self.got(found)
        }
    }

    private static func got(_ text: String?) -> String { text.map { ", got '\($0)'" } ?? "" }
}

extension ValueFault.Requirement: CustomStringConvertible {
    package var description: String {
        switch self {
        case .flag: "true or false"
        case .wholeNumber: "a whole number"
        case .text: "a text"
        case .digits: "a text of digits"
        case .list: "a list"
        case .object: "an object"
        case .bytes(let count): "\(count.words("byte")) in hexadecimal"
        case .namedBits(let count): "a list of names, or \(count) bytes in hexadecimal,"
        }
    }
}

extension ClosedRange<Int> {
    fileprivate func words(_ unit: String) -> String {
        lowerBound == upperBound
            ? "\(lowerBound) \(unit)\(lowerBound == 1 ? "" : "s")" : "\(lowerBound) to \(upperBound) \(unit)s"
    }
}
