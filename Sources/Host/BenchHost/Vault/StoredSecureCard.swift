import Bytes
import CardCapture
import FoundationEssentials
import GRDB
import PaymentTerminal
import SealedStore

/// The database row of a secure card. Only the masked number is in the clear.
struct StoredSecureCard {
    private let pan: Data
    private let panLookup: Data
    private let details: Data
    private let maskedPAN: String

    /// The sealed data beside the card number.
    private struct Details: Codable {
        /// MMYY.
        let expiry: String
        let cardholderName: String?
        let entryMode: CapturedCard.EntryMode
        let readerName: String?
        let details: SecureCard.Details
        let securityCheck: SecureCard.SecurityCheck?
    }

    init(_ kept: VaultCard, token: SecureCardReference, keys: SealingKeys) throws {
        let card = kept.card
        var encoded = Array(
            try JSONEncoder().encode(
                Details(
                    expiry: card.expiry.mmyy, cardholderName: card.cardholderName, entryMode: kept.entryMode,
                    readerName: kept.readerName, details: kept.details, securityCheck: kept.securityCheck)))
        pan = Data(keys.seal(card.pan, for: Self.panPlace(token)))
        panLookup = Data(keys.lookupValue(of: card.pan))
        details = Data(keys.seal(SecretBytes(wiping: &encoded), for: Self.detailsPlace(token)))
        maskedPAN = CardSummary(card).maskedPAN
    }

    /// - Parameter row: the row of a card that is not deleted.
    init(_ row: Row) {
        pan = row["pan"]
        panLookup = row["pan_lookup"]
        details = row["details"]
        maskedPAN = row["masked_pan"]
    }

    /// In the order `pan`, `pan_lookup`, `details`, `masked_pan`.
    var columns: StatementArguments { [pan, panLookup, details, maskedPAN] }

    func opened(_ reference: MerchantReference, token: SecureCardReference, keys: SealingKeys) throws -> VaultCard {
        var encoded = try keys.open(Array(details), for: Self.detailsPlace(token)).revealed()
        defer { wipe(&encoded) }
        let stored = try JSONDecoder().decode(Details.self, from: Data(encoded))
        guard let expiry = ExpiryDate(mmyy: stored.expiry) else { throw StoreError.damaged }
        let card = try CardDetails(
            pan: keys.open(Array(pan), for: Self.panPlace(token)), expiry: expiry, cardholderName: stored.cardholderName
        )
        return VaultCard(
            merchantReference: reference, details: stored.details, card: card, entryMode: stored.entryMode,
            readerName: stored.readerName,
            securityCheck: stored.securityCheck)
    }

    private static func panPlace(_ token: SecureCardReference) -> String { "\(token) pan" }
    private static func detailsPlace(_ token: SecureCardReference) -> String { "\(token) details" }
}
