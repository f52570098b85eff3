public import Bytes
public import CardCapture

/// The card that an authorisation is asked for.
public enum PaymentCard: Sendable {
    /// A card that a reader read, with tracks or chip data.
    case captured(CapturedCard)
    /// Card data without a card.
    ///
    /// - Parameter cvv: three or four ASCII digits, for this authorisation only: nobody keeps it.
    case keyed(CardDetails, cvv: SecretBytes?)
    /// A card that is kept at the host, by its token.
    case token(SecureCardReference)
}
