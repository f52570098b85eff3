/// The token that stands for a card: made by the host, worthless elsewhere.
public struct SecureCardReference: Reference {
    public let text: String

    /// - Parameter text: as the host gave it; it may look like a card number, and is none.
    public init(_ text: String) { self.text = text }
}
