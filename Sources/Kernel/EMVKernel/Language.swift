/// A language by its two letters (ISO 639-1), in lower case.
public struct Language: Hashable, Sendable, CustomStringConvertible {
    /// Two lower-case letters, such as `de`.
    public let code: String

    /// Nil if `code` is not two letters of the Latin alphabet; case-insensitive (EMV 4.4 Book 1,
    /// annex B1).
    public init?(_ code: some StringProtocol) {
        let letters = code.utf8.map { $0 | 0x20 }
        guard letters.count == 2, letters.allSatisfy({ (0x61...0x7A).contains($0) }), code.allSatisfy(\.isLetter) else { return nil }
        self.code = String(decoding: letters, as: UTF8.self)
    }

    public var description: String { code }
}
