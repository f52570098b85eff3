public import Bytes
public import CardCapture

/// The card of an authorisation request.
public indirect enum PaymentCard: Sendable {
    /// A card that a reader read, with tracks or chip data.
    case captured(CapturedCard)
    /// Card data without a card.
    ///
    /// - Parameter cvv: three or four ASCII digits, for this authorisation only: it is never
    ///   stored.
    case keyed(CardDetails, cvv: SecretBytes?)
    /// A card that is stored at the host, by its token.
    case token(SecureCardReference)
}
