/// The text of a payment on the cardholder's statement: 1 to 22 ASCII characters in upper case,
/// with at least one letter.
public struct StatementDescriptor: Reference {
    /// The maximum number of characters of a descriptor, suffix included.
    public static let limit = 22
    public let text: String

    /// Characters outside ASCII are removed and letters converted to upper case, as acquirers do.
    ///
    /// - Throws: An error if no letter remains, or if there are more than 22 characters, a control
    ///   character, or one of `<`, `>`, `\`, `"` and `'`.
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
