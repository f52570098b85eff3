internal import Bytes
public import PaymentTerminal

/// What the gateway tells the merchant about an order, its signature verified.
public struct IPGNotification: Sendable, Equatable {
    public enum Outcome: Sendable, Equatable {
        /// The method has succeeded.
        case succeeded
        case declined
        /// What was notified, or was to be, is undone. It names no transaction.
        case rolledBack
    }

    public let outcome: Outcome
    /// Nil where the gateway does not say it: a rollback of a failed store comes as one of a
    /// purchase.
    public let method: IPGMethod?
    public let orderID: IPGOrderID
    public let amount: Money
    /// Nil for a rollback, and for a decline that has none.
    public let reference: TransactionReference?
    public let approval: String?
    public let card: NotifiedCard
    /// `2021-07-16 14:10:55`, as the gateway writes it; nil if it does not.
    public let time: String?
    /// Nil for what has succeeded, and where the gateway does not say it.
    public let status: OperationStatus?
}

/// What a notification says of the card. It has no card number.
public struct NotifiedCard: Sendable, Equatable, Codable {
    public var brand: IPGCardBrand?
    /// The last four digits.
    public var lastDigits: String?
    public var expiry: ExpiryDate?
    /// Of a stored card: for ``HostedPayment/Purpose/storedCardPurchase(token:)``.
    public var token: String?
    public var cardholderName: String?
    /// What the customer calls the card.
    public var customName: String?

    public init() {}
}

/// A message at the merchant's address for notifications.
public enum IPGNotice: Sendable, Equatable {
    case notification(IPGNotification)
    /// Something has happened to the order: the notification of an embedded payment has no
    /// signature. Ask for its status (``IPGAccount/status(of:format:)``).
    case hint(IPGOrderID)
}

extension IPGNotice {
    /// Reads the body of a notification as it was received, and verifies its signature: JSON in
    /// API 4.5, a form before.
    public init(parsing body: [UInt8], for account: IPGAccount) throws(IPGMessageError) {
        switch account.generation {
        case .sorted: self = try Self.json(body, for: account)
        case .urlEncoded, .concatenated: self = .notification(try IPGNotification(form: body, for: account))
        }
    }
}
