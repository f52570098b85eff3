public import PaymentTerminal

/// What the customer does on the gateway's page.
public struct HostedPayment: Sendable, Equatable {
    public enum Purpose: Sendable, Equatable {
        case purchase
        /// The card is stored; nothing is charged.
        case storeCard
        /// The card is stored and charged. The gateway has no method of its own for it: it is
        /// ``IPGMethod/storeCard`` with an amount.
        case storeCardAndPurchase
        /// - token: Of the card, as the notification had it.
        case storedCardPurchase(token: String)
    }

    public let purpose: Purpose
    public let orderID: IPGOrderID
    /// Zero to store a card alone.
    public let amount: Money
    /// Two letters. The page has EN FR DE BG ES RO EL IT PL in 4.5, and en bg de es it nl ro before.
    public var language = "en"
    /// IPv4 or IPv6.
    public var customerIP: String
    /// The merchant's own name of the customer; empty if there is none.
    public var customerIdentifier = ""
    public var email = ""
    public var note = ""
    public var successURL: String
    public var cancelURL: String
    /// Where notifications go: without it the order has no result.
    public var notifyURL: String

    /// - Throws: ``IPGRequestError/amount`` for an amount that does not fit the purpose.
    public init(
        _ purpose: Purpose, orderID: IPGOrderID, amount: Money, customerIP: String, successURL: String,
        cancelURL: String, notifyURL: String
    ) throws(IPGRequestError) {
        guard purpose == .storeCard ? amount.minorUnits == 0 : amount.minorUnits > 0 else { throw .amount }
        self.purpose = purpose
        self.orderID = orderID
        self.amount = amount
        self.customerIP = customerIP
        self.successURL = successURL
        self.cancelURL = cancelURL
        self.notifyURL = notifyURL
    }

    public var method: IPGMethod {
        switch purpose {
        case .purchase: .purchase
        case .storeCard, .storeCardAndPurchase: .storeCard
        case .storedCardPurchase: .storedCardPurchase
        }
    }
}

/// Why a request cannot be made. No case carries values of it.
public enum IPGRequestError: Error, Equatable, Sendable {
    /// Zero or below for a payment, or other than zero to store a card.
    case amount
    /// The amount has more than eight digits before the point.
    case amountTooLarge
    /// The account has another currency.
    case currency(Currency)
    /// The token is empty, or too long for the gateway's key.
    case token
}

extension IPGRequestError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .amount: "the amount does not fit: above zero for a payment, zero to store a card"
        case .amountTooLarge: "the amount has more than eight digits before the point"
        case .currency(let currency): "the account takes \(currency) only"
        case .token: "the card token is empty or too long"
        }
    }
}
