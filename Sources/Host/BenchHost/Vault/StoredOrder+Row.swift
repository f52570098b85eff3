import Bytes
import CardCapture
import FoundationEssentials
import GRDB
import PaymentTerminal
import SealedStore

extension StoredOrder {
    /// - Parameter row: a row of ``VaultTransaction/selectOrders``.
    init(_ row: Row, _ keys: SealingKeys) throws {
        let orderID = try OrderID(kept: row["order_id"])
        guard let kind = TransactionRecord.Kind(rawValue: row["kind"]),
            let state = TransactionRecord.State(rawValue: row["state"])
        else {
            throw StoreError.damaged
        }
        let currency = (row["currency"] as UInt16?).flatMap { Currency(number: $0) }
        let money = { (column: String) in
            currency.flatMap { currency in (row[column] as Int64?).map { Money(minorUnits: $0, currency: currency) } }
        }
        record = TransactionRecord(
            orderID: orderID, uniqueReference: row["unique_reference"], kind: kind, state: state,
            amount: money("amount"))
        record.authorizedAmount = money("authorized_amount")
        record.refundedAmount = money("refunded")
        record.timestamp = (row["seconds_since_1970"] as Int64?).map {
            Timestamp(secondsSince1970: $0, utcOffset: row["utc_offset"])
        }
        record.maskedPAN = row["masked_pan"]
        record.responseCode = row["response_code"]
        record.approvalCode = row["approval_code"]
        record.original = row["original"]
        record.reversalReason = (row["reversal_reason"] as String?).flatMap { ReversalReason(rawValue: $0) }
        terminalID = row["terminal_id"]
        panLookup = (row["pan_lookup"] as Data?).map { Array($0) }
        finalCryptogram = (row["final_cryptogram"] as Data?).map { Array($0) }
        counter = (row["atc"] as UInt16?).map { CardCounter(panSequenceNumber: row["pan_sequence_number"], atc: $0) }
        answer = try Self.opened(
            row["answer"], as: Answer.self, keys, for: "answer to order \(orderID)", of: terminalID)
        signature = try Self.opened(
            row["signature"], as: Signature.self, keys, for: "signature of order \(orderID)", of: terminalID)
    }

    func sealedAnswer(_ keys: SealingKeys) throws -> Data? {
        try answer.map {
            try Self.sealed($0, keys, for: Self.place("answer to order \(record.orderID)", of: terminalID))
        }
    }

    func sealedSignature(_ keys: SealingKeys) throws -> Data? {
        try signature.map {
            try Self.sealed($0, keys, for: Self.place("signature of order \(record.orderID)", of: terminalID))
        }
    }

    private static func sealed(_ value: some Encodable, _ keys: SealingKeys, for place: String) throws -> Data {
        var encoded = Array(try JSONEncoder().encode(value))
        return Data(keys.seal(SecretBytes(wiping: &encoded), for: place))
    }

    private static func opened<Value: Decodable>(
        _ sealed: Data?, as type: Value.Type, _ keys: SealingKeys, for name: String, of terminal: String
    ) throws -> Value? {
        try sealed.map { sealed in
            let content = try keys.open(Array(sealed), for: place(name, of: terminal))
            var encoded = content.revealed()
            defer { wipe(&encoded) }
            return try JSONDecoder().decode(type, from: Data(encoded))
        }
    }

    private static func place(_ name: String, of terminal: String) -> String { "\(name) of terminal \(terminal)" }
}
