import Bytes
import CardCapture
import FoundationEssentials
import GRDB
import PaymentTerminal
import SealedStore

/// The vault within one database transaction: all its changes become durable together.
struct VaultTransaction {
    let database: Database
    let keys: SealingKeys
}

extension VaultTransaction {
    /// Whether a payment like `order` was approved shortly before or after it: same card, kind and
    /// amount.
    func hasTwin(_ order: StoredOrder, within seconds: Int64) throws -> Bool {
        guard let panLookup = order.panLookup, let amount = order.record.amount, let moment = order.record.timestamp
        else { return false }
        return try Bool.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT 1 FROM payment_order WHERE terminal_id = ? AND pan_lookup = ? AND kind = ? AND amount = ? AND currency = ?
                    AND state IN ('approved', 'approvedOffline', 'captured', 'settled') AND seconds_since_1970 BETWEEN ? AND ?
                    """),
            arguments: [
                order.terminalID, Data(panLookup), order.record.kind.rawValue, amount.minorUnits,
                amount.currency.number,
                moment.secondsSince1970.saturatingSubtracting(seconds),
                moment.secondsSince1970.saturatingAdding(seconds),
            ]) != nil
    }

    /// How many payments with the card were approved in the time before `order`.
    func paymentCount(_ order: StoredOrder, within seconds: Int64) throws -> Int {
        guard let panLookup = order.panLookup, let moment = order.record.timestamp else { return 0 }
        return try Int.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT count(*) FROM payment_order WHERE pan_lookup = ? AND kind IN ('sale', 'preAuthorization')
                    AND state IN ('approved', 'approvedOffline', 'captured', 'settled') AND seconds_since_1970 BETWEEN ? AND ?
                    """),
            arguments: [
                Data(panLookup), moment.secondsSince1970.saturatingSubtracting(seconds), moment.secondsSince1970,
            ])
            ?? 0
    }
}
