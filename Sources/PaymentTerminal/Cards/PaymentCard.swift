public import Bytes
public import CardCapture

/// The card that an authorisation is asked for.
public enum PaymentCard: Sendable {
    case captured(CapturedCard)
    /// Card data without a card.
    ///
    /// - Parameter cvv: three or four ASCII digits, for this authorisation only: nobody keeps it.
    case keyed(CardDetails, cvv: SecretBytes?)
    case token(SecureCardReference)
}
