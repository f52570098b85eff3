/// What the cardholder's statement says of a payment: 1 to 22 characters of ASCII capitals, of which one at least is a letter.
public struct StatementDescriptor: Reference {
    /// The most characters of a descriptor, suffix included.
    public static let limit = 22
    public let text: String

    /// Characters beyond ASCII are left out and small letters made large, as acquirers do.
    ///
    /// - Throws: If nothing with a letter remains, if there are more than 22 characters, a control character, or one of `<`, `>`, `\`, `"` and `'`.
    public init(_ text: String) throws(ReferenceError) {
        let ascii = String(text.unicodeScalars.filter(\.isASCII)).uppercased()
        guard ascii.contains(where: \.isLetter) else { throw ascii.isEmpty ? .empty : .noLetter }
        guard !ascii.contains(where: { "<>\\\"'".contains($0) }) else { throw .forbiddenCharacter }
        try ReferenceError.check(ascii, limit: Self.limit)
        self.text = ascii
    }

    /// This descriptor, `* `, and `suffix`; together at most 22 characters.
    public func appending(_ suffix: String) throws(ReferenceError) -> StatementDescriptor {
        try StatementDescriptor("\(text)* \(suffix)")
    }
}
