import CardCapture

/// A payment to or from a card: the common part of a sale, a pre-authorisation and an unreferenced
/// refund.
struct Payment: Sendable {
    let orderID: OrderID
    let key: IdempotencyKey?
    let purpose: AuthorizationRequest.Purpose
    let amount: Money
    let source: Sale.Source
    let terms: PaymentTerms
    let forcesOnline: Bool
    let secureCard: SecureCard?

    init(_ sale: Sale) {
        orderID = sale.orderID
        key = sale.idempotencyKey
        purpose = sale.isPreAuthorization ? .preAuthorization : .sale
        amount = sale.amount
        source = sale.source
        terms = sale.terms
        forcesOnline = sale.forcesOnline
        secureCard = sale.secureCard
    }

    /// A refund without reference to a sale.
    init(_ refund: Refund, to source: Sale.Source) {
        orderID = refund.orderID
        key = refund.idempotencyKey
        purpose = .refund
        amount = refund.amount
        self.source = source
        terms = PaymentTerms()
        forcesOnline = true
        secureCard = nil
    }

    var operation: TerminalOperation {
        switch purpose {
        case .sale, .accountVerification: .sale
        case .preAuthorization: .preAuthorization
        case .refund: .refund
        }
    }

    /// The card whose data are given with the payment; nil for one that a reader reads.
    var givenCard: PaymentCard? {
        switch source {
        case .keyed(let card, let cvv): .keyed(card, cvv: cvv)
        case .ocr(let card): .keyed(card, cvv: nil)
        case .secureCard(let token): .token(token)
        case .reader: nil
        }
    }

    func request(_ card: PaymentCard, at timestamp: Timestamp, terminalID: String, through reader: String? = nil)
        -> AuthorizationRequest
    {
        var kept = secureCard
        if case .captured(let captured) = card {
            kept?.entryMode = captured.entryMode
            kept?.readerName = reader
        }
        return AuthorizationRequest(
            orderID: orderID, purpose: purpose, amount: amount, timestamp: timestamp, terminalID: terminalID,
            card: card, terms: terms,
            secureCard: kept)
    }
}

extension OrderID {
    /// What a caller has as text.
    init(requested text: String) throws(TerminalError) {
        do throws(ReferenceError) {
            try self.init(text)
        } catch {
            throw TerminalError(.invalidRequest, "order id: \(error)")
        }
    }
}

extension Money {
    /// What a caller has as text.
    init(requested text: String) throws(TerminalError) {
        do throws(MoneyError) {
            try self.init(parsing: text)
        } catch {
            throw TerminalError(.invalidAmount, "\(error)")
        }
    }
}
