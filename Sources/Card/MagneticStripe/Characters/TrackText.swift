public import Bytes

/// The characters of a track between its sentinels.
///
/// They are card data and are never printed.
public struct TrackText: Sendable, Equatable {
    public let code: CharacterCode
    /// ASCII.
    public let characters: SecretBytes

    public init(_ characters: SecretBytes, code: CharacterCode) {
        self.characters = characters
        self.code = code
    }

    public init(_ text: some StringProtocol, code: CharacterCode) {
        self.init(SecretBytes(Array(text.utf8)), code: code)
    }
}

extension TrackText: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(characters.count) characters of a track" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
