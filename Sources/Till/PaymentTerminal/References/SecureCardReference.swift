private import TLV

/// The token of a card: assigned by the host, useless elsewhere.
public struct SecureCardReference: Reference {
    public let text: String

    /// - Parameter text: the token from the host; it may look like a card number, but is not one.
    public init(_ text: String) { self.text = Masking.plain(text) }
}
