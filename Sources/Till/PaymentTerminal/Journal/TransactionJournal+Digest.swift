private import Bytes
private import CardCryptography
private import FoundationEssentials

/// The parts of a request that identify its repetition.
private struct RequestParts: Encodable {
    var operation: TerminalOperation
    var orderID: OrderID?
    var amount: Money?
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
        let source = SourceText(payment.source)
        return digest(
            RequestParts(
                operation: payment.operation, orderID: payment.orderID, amount: payment.amount, terms: payment.terms,
                source: source.text, forcesOnline: payment.forcesOnline,
                merchantReference: payment.secureCard?.merchantReference,
                details: payment.secureCard?.details), source)
    }

    func digest(of request: ReferencedRequest, _ operation: TerminalOperation) -> [UInt8] {
        digest(
            RequestParts(
                operation: operation, orderID: request.orderID, amount: request.amount,
                original: request.original,
                reason: request.reason, operatorName: request.operatorName))
    }

    /// The digest of a change of a secure card, without the token, which the host may have assigned
    /// meanwhile.
    func digest(of secureCard: SecureCard, _ operation: TerminalOperation) -> [UInt8] {
        let source = secureCard.tokenMethod.source.map { SourceText($0) }
        return digest(
            RequestParts(
                operation: operation, source: source?.text ?? "unchanged",
                merchantReference: secureCard.merchantReference,
                details: secureCard.details), source)
    }

    private func digest(_ parts: RequestParts, _ source: SourceText? = nil) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        // Encoding the parts cannot fail; without bytes, all requests would be equal.
        guard let encoded = try? encoder.encode(parts) else { preconditionFailure("a request does not encode") }
        var bytes = source?.withNumber(Array(encoded)) ?? Array(encoded)
        return digest(of: SecretBytes(wiping: &bytes))
    }
}

/// The source of a payment's card data as a string, with a placeholder for the card number, because
/// strings cannot be wiped.
private struct SourceText {
    let text: String
    private let number: SecretBytes?
    private let placeholder: [UInt8]

    init(_ source: Sale.Source) {
        let mark = SecureRandom.bytes(16).hex
        placeholder = Array(mark.utf8)
        switch source {
        case .reader: (text, number) = ("reader", nil)
        case .keyed(let card, _): (text, number) = ("keyed \(mark) \(card.expiry.yymm)", card.pan)
        case .ocr(let card): (text, number) = ("ocr \(mark) \(card.expiry.yymm)", card.pan)
        case .secureCard(let token): (text, number) = ("token \(token)", nil)
        }
    }

    /// `encoded` with the card number in place of the placeholder.
    func withNumber(_ encoded: [UInt8]) -> [UInt8] {
        guard let number, let place = encoded.firstRange(of: placeholder) else { return encoded }
        var digits = number.revealed()
        defer { wipe(&digits) }
        var whole: [UInt8] = []
        whole.reserveCapacity(encoded.count)
        whole += encoded[..<place.lowerBound]
        whole += digits
        whole += encoded[place.upperBound...]
        return whole
    }
}

extension TokenMethod? {
    /// The source of the card data; nil if they do not change.
    fileprivate var source: Sale.Source? {
        switch self {
        case .keyed(let card, let cvv): .keyed(card, cvv: cvv)
        case .ocr(let card): .ocr(card)
        case .reader, nil: .reader
        case .unchanged: nil
        }
    }
}
