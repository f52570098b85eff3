private import Bytes
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

/// The form of the bench host's tokens: 296753, nine random digits, and the check digit; 16 digits
/// that no card scheme issues.
enum TokenFormat {
    static func random() -> SecureCardReference {
        let digits = Array("296753".utf8) + (0..<9).map { _ in UInt8.random(in: 0x30...0x39) }
        return SecureCardReference(String(decoding: digits + [Luhn.checkDigit(for: digits)], as: UTF8.self))
    }
}
