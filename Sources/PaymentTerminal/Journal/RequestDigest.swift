private import Bytes
private import FoundationEssentials

/// The parts of a request by which it is recognised when it comes again.
private struct RequestParts: Encodable {
    var operation: TerminalOperation
    var orderID: OrderID
    var amount: Money
    var terms: PaymentTerms?
    var source: String?
    var forcesOnline: Bool?
    var merchantReference: MerchantReference?
    var details: SecureCard.Details?
    var original: String?
    var reason: String?
    var operatorName: String?
}

extension TransactionJournal {
    func digest(of payment: Payment) -> [UInt8] {
        digest(
            RequestParts(
                operation: payment.operation, orderID: payment.orderID, amount: payment.amount, terms: payment.terms,
                source: source(payment.source), forcesOnline: payment.forcesOnline,
                merchantReference: payment.secureCard?.merchantReference,
                details: payment.secureCard?.details))
    }

    func digest(of followUp: FollowUp) -> [UInt8] {
        digest(
            RequestParts(
                operation: TerminalOperation(followUp.kind), orderID: followUp.orderID, amount: followUp.amount,
                original: followUp.original,
                reason: followUp.reason, operatorName: followUp.operatorName))
    }

    private func digest(_ parts: RequestParts) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Nothing in the parts can fail to encode; no bytes at all would make every request look the same.
        guard let encoded = try? encoder.encode(parts) else { preconditionFailure("a request does not encode") }
        var bytes = Array(encoded)
        return digest(of: SecretBytes(wiping: &bytes))
    }

    private func source(_ source: Sale.Source) -> String {
        switch source {
        case .reader: "reader"
        case .keyed(let card, _): "keyed \(String(decoding: card.pan.revealed(), as: UTF8.self)) \(card.expiry.yymm)"
        case .ocr(let card): "ocr \(String(decoding: card.pan.revealed(), as: UTF8.self)) \(card.expiry.yymm)"
        case .secureCard(let token): "token \(token)"
        }
    }
}

extension TerminalOperation {
    init(_ kind: FollowUp.Kind) {
        self =
            switch kind {
            case .refund: .refund
            case .capture: .capture
            }
    }
}
