public import Bytes

/// The source of the card data of a secure card. A connected reader overrides the first two.
public enum TokenMethod: Sendable {
    /// - Parameter cvv: three or four ASCII digits, for the validation only.
    case keyed(CardDetails, cvv: SecretBytes?)
    /// Read from the card by a camera, without a CVV.
    case ocr(CardDetails)
    /// A card in the connected reader; a reader must be connected.
    case reader
    /// The card does not change, only its details: for
    /// ``Terminal/editSecureCard(_:idempotencyKey:)``.
    case unchanged
}
