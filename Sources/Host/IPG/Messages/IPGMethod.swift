/// What a merchant asks the gateway for (`IPGmethod`).
public enum IPGMethod: String, Sendable, Hashable, Codable, CaseIterable {
    /// A purchase on the gateway's page, with a card that the customer enters.
    case purchase = "IPGPurchase"
    /// A card to be stored, entered on the gateway's page; with an amount above zero, a purchase at
    /// the same time.
    case storeCard = "IPGStoreCard"
    /// A purchase with a stored card; the customer authenticates on the gateway's page.
    case storedCardPurchase = "IPG3DSPurchaseWithStoredCard"
    case refund = "IPGRefund"
    case reversal = "IPGReversal"
    case status = "IPGGetTxnStatus"

    /// Whether the customer's browser carries the request to the gateway's page. The result comes
    /// by a notification.
    public var isHosted: Bool {
        switch self {
        case .purchase, .storeCard, .storedCardPurchase: true
        case .refund, .reversal, .status: false
        }
    }
}

/// What the gateway sends to a merchant about a hosted method.
public enum IPGEvent: String, Sendable, Hashable, CaseIterable {
    /// It has succeeded: to `URL_Notify`.
    case notify = "Notify"
    /// It has succeeded: the browser to `URL_OK`.
    case ok = "OK"
    /// It has not, or the customer has cancelled: the browser to `URL_Cancel`.
    case cancel = "Cancel"
    /// It was declined: to `URL_Notify`.
    case declineNotify = "DeclineNotify"
    /// What was notified, or was to be, is undone: to `URL_Notify`.
    case rollback = "Rollback"
}
