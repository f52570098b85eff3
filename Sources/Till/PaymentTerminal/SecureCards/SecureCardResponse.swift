/// The answer to a change or a retrieval of a secure card.
///
/// As JSON it has the properties below by their names, those without a value left out; the card
/// number is masked, and what was keyed for the request is not in it.
public struct SecureCardResponse: Sendable, Encodable {
    /// The token; nil after a deletion.
    public let secureCardReference: SecureCardReference?
    /// `Secure Card Saved`, `Secure Card Updated` or `Secure Card Deleted`; empty for a retrieval.
    public let description: String
    /// The card as now stored at the host, with its ``SecureCard/securityCheck``; nil after a
    /// deletion.
    public let secureCard: SecureCard?

    static func saved(_ card: SecureCard) -> Self {
        Self(secureCardReference: card.cardReference, description: "Secure Card Saved", secureCard: card)
    }

    static func updated(_ card: SecureCard) -> Self {
        Self(secureCardReference: card.cardReference, description: "Secure Card Updated", secureCard: card)
    }

    package static func retrieved(_ card: SecureCard) -> Self {
        Self(secureCardReference: card.cardReference, description: "", secureCard: card)
    }

    static let deleted = Self(secureCardReference: nil, description: "Secure Card Deleted", secureCard: nil)
}
