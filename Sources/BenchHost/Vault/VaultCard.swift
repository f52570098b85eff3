import CardCapture
import PaymentTerminal

/// A secure card as the vault keeps it: the card's data in the clear, whatever they came in as.
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
