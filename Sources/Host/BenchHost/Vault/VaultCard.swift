import CardCapture
import PaymentTerminal

/// A secure card for the vault: the card's data in the clear, even if they arrived encrypted.
struct VaultCard: Sendable {
    let merchantReference: MerchantReference
    let details: SecureCard.Details
    let card: CardDetails
    let entryMode: CapturedCard.EntryMode
    let readerName: String?
    /// Nil for a card that was kept before the vault kept this.
    let securityCheck: SecureCard.SecurityCheck?

    func secureCard(_ token: SecureCardReference) -> SecureCard {
        var kept = SecureCard(
            merchantReference: merchantReference, cardReference: token, card: CardSummary(card), entryMode: entryMode,
            readerName: readerName, details: details)
        kept.securityCheck = securityCheck
        return kept
    }
}
