import CardCapture
import PaymentTerminal

/// A secure card for the vault: the card's data in the clear, even if they arrived encrypted.
struct VaultCard: Sendable {
    let merchantReference: MerchantReference
    let details: SecureCard.Details
    let card: CardDetails
    let entryMode: CapturedCard.EntryMode
    let readerName: String?

    func secureCard(_ token: SecureCardReference) -> SecureCard {
        SecureCard(
            merchantReference: merchantReference, cardReference: token, card: CardSummary(card), entryMode: entryMode,
            readerName: readerName, details: details)
    }
}
