import Bytes
import FoundationEssentials
import GRDB
import PaymentTerminal
import SealedStore

extension VaultTransaction {
    /// Stores a new card of the terminal under a new token.
    func insertSecureCard(_ card: VaultCard, of terminalID: String) throws -> SecureCard {
        guard try row(of: card.merchantReference, terminalID) == nil else {
            throw HostError(
                .secureCardExists, "the merchant reference already exists: choose another, or update the secure card")
        }
        let token = try unusedToken()
        let row = try StoredSecureCard(card, token: token, keys: keys)
        try database.execute(
            sql: """
                INSERT INTO secure_card (pan, pan_lookup, details, masked_pan, token, merchant_reference, terminal_id)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """, arguments: row.columns + [token.text, card.merchantReference.text, terminalID])
        return card.secureCard(token)
    }

    func secureCard(_ reference: MerchantReference, of terminalID: String) throws -> SecureCard {
        let (card, token) = try storedCard(reference, of: terminalID)
        return card.secureCard(token)
    }

    func storedCard(_ reference: MerchantReference, of terminalID: String) throws -> (VaultCard, SecureCardReference) {
        let row = try existingRow(of: reference, terminalID)
        let token = SecureCardReference(row["token"])
        return (try StoredSecureCard(row).opened(reference, token: token, keys: keys), token)
    }

    func updateSecureCard(_ card: VaultCard, of terminalID: String) throws -> SecureCard {
        let token = SecureCardReference(try existingRow(of: card.merchantReference, terminalID)["token"])
        let row = try StoredSecureCard(card, token: token, keys: keys)
        try database.execute(
            sql: "UPDATE secure_card SET pan = ?, pan_lookup = ?, details = ?, masked_pan = ? WHERE token = ?",
            arguments: row.columns + [token.text])
        return card.secureCard(token)
    }

    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference, of terminalID: String) throws {
        guard try existingRow(of: reference, terminalID)["token"] == token.text else {
            throw HostError.unknownSecureCard
        }
        try deleteSecureCard(behind: token)
    }

    func deleteSecureCard(behind token: SecureCardReference) throws {
        try database.execute(
            sql:
                "UPDATE secure_card SET pan = NULL, pan_lookup = NULL, details = NULL, masked_pan = NULL WHERE token = ?",
            arguments: [token.text])
    }

    /// The card of `token`, if the terminal registered it.
    func card(behind token: SecureCardReference, of terminalID: String) throws -> CardDetails {
        guard
            let row = try Row.fetchOne(
                database, sql: "SELECT * FROM secure_card WHERE token = ? AND terminal_id = ?",
                arguments: [token.text, terminalID])
        else {
            throw HostError.unknownSecureCard
        }
        guard row["pan"] != nil else {
            throw HostError(.secureCardDeleted, "the secure card was deleted: register the card again")
        }
        return try StoredSecureCard(row).opened(MerchantReference(row["merchant_reference"]), token: token, keys: keys)
            .card
    }

    /// The tokens for the card number, oldest first.
    func tokens(for pan: SecretBytes) throws -> [SecureCardReference] {
        try String.fetchAll(
            database, sql: "SELECT token FROM secure_card WHERE pan_lookup = ? ORDER BY rowid",
            arguments: [Data(keys.lookupValue(of: pan))]
        ).map { SecureCardReference($0) }
    }

    private func row(of reference: MerchantReference, _ terminalID: String) throws -> Row? {
        try Row.fetchOne(
            database,
            sql: "SELECT * FROM secure_card WHERE merchant_reference = ? AND terminal_id = ? AND pan IS NOT NULL",
            arguments: [reference.text, terminalID])
    }

    private func existingRow(of reference: MerchantReference, _ terminalID: String) throws -> Row {
        guard let row = try row(of: reference, terminalID) else { throw HostError.unknownSecureCard }
        return row
    }

    private func unusedToken() throws -> SecureCardReference {
        while true {
            let token = TokenFormat.random()
            let used = try Bool.fetchOne(
                database, sql: "SELECT 1 FROM secure_card WHERE token = ?", arguments: [token.text])
            if used == nil { return token }
        }
    }
}

extension HostError {
    fileprivate static let unknownSecureCard = HostError(
        .secureCardUnknown, "secure card not found: check the reference, or register the card")
}
