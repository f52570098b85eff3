internal import Bytes
internal import CardCryptography
package import FormDocument
package import JSONDocument

/// What a signature of each generation is taken over.
package enum SignedText {
    /// The text over fields in the order in which they stand, which a form was sent in.
    package static func text(over fields: FormFields, _ generation: SignatureGeneration) -> [UInt8] {
        let values = fields.all.flatMap { Array($0.value.utf8) }
        return switch generation {
        case .urlEncoded: digest(urlEncoding: values)
        case .concatenated: Array(values.text(in: .standard).utf8)
        case .sorted: canonical(fields.all.map { ($0.name, $0.value) })
        }
    }

    /// The text over the members of an object; nil if two names in it differ only in case, or if the
    /// older generations cannot sign it, because it has values in values.
    package static func text(over document: [JSON.Member], _ generation: SignatureGeneration) -> [UInt8]? {
        guard generation == .sorted else {
            var fields = FormFields()
            for member in document {
                guard let value = member.value.scalar, fields[member.name] == nil else { return nil }
                fields.set(member.name, value)
            }
            return text(over: fields, generation)
        }
        guard JSON.object(document).hasDistinctNames else { return nil }
        var pairs: [(String, String)] = []
        for member in document { flatten(member.value, member.name, into: &pairs) }
        return canonical(pairs)
    }

    /// What API 3.4 signs: PHP's `sha1(urlencode(stripslashes($values)))`, in lower case.
    private static func digest(urlEncoding values: [UInt8]) -> [UInt8] {
        let encoded = FormFields.encode(withoutSlashes(values), keeping: "-_.")
        return Array(SHA1.hash(Array(encoded.utf8)).hex.lowercased().utf8)
    }

    /// PHP's `stripslashes`: a backslash goes and what follows it stays, except that `\0` is NUL.
    private static func withoutSlashes(_ bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var isEscaped = false
        for byte in bytes {
            if isEscaped {
                result.append(byte == UInt8(ascii: "0") ? 0 : byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else {
                result.append(byte)
            }
        }
        return result
    }

    /// What API 4.5 signs: `key:value` pairs in the natural order of their keys, joined by `;`.
    private static func canonical(_ pairs: [(name: String, value: String)]) -> [UInt8] {
        let sorted = pairs.map { (NaturalKey($0.name.lowercased()), $0.value) }.sorted { $0.0 < $1.0 }
        return Array(sorted.map { "\($0.0.text):\($0.1)" }.joined(separator: ";").utf8)
    }

    /// An array that is empty leaves nothing. Null is written as an empty value.
    private static func flatten(_ value: JSON, _ path: String, into pairs: inout [(String, String)]) {
        switch value {
        case .list(let list):
            for (index, element) in list.enumerated() { flatten(element, "\(path):\(index)", into: &pairs) }
        case .object(let members):
            for member in members { flatten(member.value, "\(path):\(member.name)", into: &pairs) }
        default: pairs.append((path, value.scalar ?? ""))
        }
    }
}

extension JSON {
    /// The value as a signature has it: a number as it is written, a truth value as 1 or 0, null as
    /// nothing; nil for a list and an object.
    var scalar: String? {
        switch self {
        case .null: ""
        case .flag(let flag): flag ? "1" : "0"
        case .number(let digits): digits
        case .text(let text): text
        case .secret, .list, .object: nil
        }
    }
}

extension JSON {
    /// Whether no object has two names that differ only in case. An empty list leaves nothing in
    /// what is signed, so it could be put beside the real one.
    fileprivate var hasDistinctNames: Bool {
        switch self {
        case .object(let members):
            Set(members.map { $0.name.lowercased() }).count == members.count
                && members.allSatisfy { $0.value.hasDistinctNames }
        case .list(let list): list.allSatisfy(\.hasDistinctNames)
        default: true
        }
    }
}

/// A key in natural order: digits that follow each other are compared as a number.
struct NaturalKey: Comparable {
    let text: String
    private let parts: [Part]

    private enum Part: Equatable {
        case byte(UInt8)
        /// Without leading zeros.
        case number([UInt8])
    }

    init(_ text: String) {
        self.text = text
        var parts: [Part] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            let digits = rest.prefix { (0x30...0x39).contains($0) }
            if digits.isEmpty {
                parts.append(.byte(byte))
                rest = rest.dropFirst()
            } else {
                parts.append(.number(Array(digits.drop { $0 == 0x30 })))
                rest = rest.dropFirst(digits.count)
            }
        }
        self.parts = parts
    }

    static func < (left: NaturalKey, right: NaturalKey) -> Bool {
        for (one, other) in zip(left.parts, right.parts) where one != other { return isBefore(one, other) }
        return left.parts.count < right.parts.count
            || left.parts.count == right.parts.count && left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    static func == (left: NaturalKey, right: NaturalKey) -> Bool { left.text == right.text }

    private static func isBefore(_ one: Part, _ other: Part) -> Bool {
        switch (one, other) {
        case (.byte(let one), .byte(let other)): one < other
        case (.number(let one), .number(let other)):
            one.count != other.count ? one.count < other.count : one.lexicographicallyPrecedes(other)
        case (.number, .byte(let other)): 0x30 < other
        case (.byte(let one), .number): one < 0x30
        }
    }
}
