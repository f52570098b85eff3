import BenchHost
import Bytes
import CardCapture
import PaymentTerminal

/// The JSON of `cardpresent host inspect --json` (docs/json.md).
struct VaultDocument: Encodable {
    let terminals: [TerminalEntry]
    let transactions: [TransactionEntry]

    struct TerminalEntry: Encodable {
        let terminal, merchant: String
        let currencies: [String]?
    }

    init(terminals: [BenchTerminal], transactions: [TransactionRecord]) {
        self.terminals = terminals.map { terminal in
            TerminalEntry(
                terminal: terminal.settings.terminalID, merchant: terminal.settings.merchantName,
                currencies: terminal.settings.currencies?.map(\.code))
        }
        self.transactions = transactions.map(TransactionEntry.init)
    }
}

/// A transaction of the vault, in JSON.
struct TransactionEntry: Encodable {
    let order, uniqueReference, kind, state: String
    let time, amount, currency, card, responseCode, approvalCode, original, refundedAmount, reversalReason: String?

    init(_ record: TransactionRecord) {
        order = record.orderID.text
        uniqueReference = record.uniqueReference
        kind = record.kind.rawValue
        state = record.state.rawValue
        time = record.timestamp?.description
        amount = record.amount?.decimal
        currency = record.amount?.currency.code
        card = record.maskedPAN
        responseCode = record.responseCode
        approvalCode = record.approvalCode
        original = record.original
        refundedAmount = record.refundedAmount?.decimal
        reversalReason = record.reversalReason?.rawValue
    }
}

/// The JSON of `cardpresent host inspect --order`.
struct OrderDocument: Encodable {
    let transaction: TransactionEntry
    let terminal, lastCryptogram: String?
    let message: String
    let isSigned: Bool

    init(_ transaction: BenchTransaction, lastCryptogram: [UInt8]?) {
        self.transaction = TransactionEntry(transaction.record)
        terminal = transaction.terminalID
        message = transaction.answer.message
        isSigned = transaction.signature != nil
        self.lastCryptogram = lastCryptogram?.hex
    }
}

/// The JSON of an order that was reversed before it arrived.
struct RefusedOrderDocument: Encodable {
    let order: String
    let isReversedBeforeArrival = true
}
