public import Bytes

/// Where the card data of a secure card come from. A connected reader overrides the first two.
public enum TokenMethod: Sendable {
    /// - Parameter cvv: three or four ASCII digits, for the validation only.
    case keyed(CardDetails, cvv: SecretBytes?)
    /// Read off the card by a camera, which sees no CVV.
    case ocr(CardDetails)
    /// A card in the connected reader, which must be there.
    case reader
    /// The card stays as it is, and its details alone change: for ``Terminal/editSecureCard(_:idempotencyKey:)``.
    case unchanged
}
