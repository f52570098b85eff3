public import Bytes
internal import CardCryptography
public import IPG
public import PaymentTerminal

/// The gateway for trials: it takes the signed requests of merchants, decides by amount or card,
/// stores cards, signs its answers, and notifies. A value without a clock and without a network:
/// what is to be posted, and when it is to be woken, is an ``Effect``.
///
/// Amounts decide: 05, 51, 54, 59 and 91 in the last two digits of the minor units are declined by
/// the issuer with the codes 1005, 1051, 1054, 1059 and 1091. So do published test cards of 3-D
/// Secure: 4000000000001018 fails with 3001, 4000000000001034 with 3998.
public struct BenchIPG: Sendable {
    /// What the gateway wants done.
    public enum Effect: Sendable, Equatable {
        /// Post to the merchant, then ``answered(_:status:body:now:)``.
        case post(Delivery)
        /// Call ``wake(now:)`` at this moment, in seconds since 1970.
        case wake(at: Int64)
    }

    /// One attempt at a notification.
    public struct Delivery: Sendable, Equatable {
        public let id: Int
        public let url: String
        public let contentType: String
        public let body: [UInt8]
    }

    /// A charge in the gateway's books.
    public struct Charge: Sendable, Equatable {
        public enum State: Sendable, Equatable {
            /// The issuer has authorized it, and the merchant's `OK` is waited for.
            case notifying
            case completed
            case reversed
        }

        public let orderID: IPGOrderID
        public let reference: TransactionReference
        public let amount: Money
        public internal(set) var state: State
        /// In minor units.
        public internal(set) var refunded: Int64 = 0
    }

    /// What the gateway knows of an order.
    struct Order {
        enum Stage: Equatable {
            /// The customer is on the page.
            case open
            case charged
            case stored
            case failed(IPGResultCode)
            /// A refund, which has no page.
            case refunded
        }

        let merchant: MerchantID
        let method: IPGMethod
        let amount: Money
        let customerIP: String
        let notifyURL: String
        let successURL: String
        let cancelURL: String
        /// Which of the gateway's keys signs what is said about it.
        let keyIndex: Int
        /// Of a purchase with a stored card.
        let token: String?
        var stage: Stage = .open
        var reference: TransactionReference?
    }

    /// A notification that is not taken yet.
    struct Pending {
        let orderID: IPGOrderID
        let merchant: MerchantID
        let contentType: String
        let body: [UInt8]
        let url: String
        /// Whether a charge depends on its answer.
        let isDecisive: Bool
        var attempts = 0
        /// The delivery on its way.
        var delivery: Int?
        var dueAt: Int64?
    }

    /// Order ids are unique with their merchant.
    struct Key: Hashable {
        let merchant: MerchantID
        let order: IPGOrderID
    }

    var merchants: [MerchantID: BenchMerchant] = [:]
    var orders: [Key: Order] = [:]
    var pending: [Pending] = []
    var cards: [String: CardDetails] = [:]
    let tokenKey: SecretBytes
    private var sequence = 0
    private var nextDelivery = 1
    private var charges: [Key: Charge] = [:]

    /// - Parameter tokenKey: Tokens of stored cards are derived from it.
    public init(merchants: [BenchMerchant], tokenKey: SecretBytes) {
        for merchant in merchants { self.merchants[merchant.merchantID] = merchant }
        self.tokenKey = tokenKey
    }

    /// The charges of a merchant, by order.
    public func charges(of merchant: MerchantID) -> [IPGOrderID: Charge] {
        Dictionary(
            charges.filter { $0.key.merchant == merchant }.map { ($0.key.order, $0.value) }, uniquingKeysWith: { $1 })
    }

    func charge(_ key: Key) -> Charge? { charges[key] }
    mutating func set(_ charge: Charge, _ key: Key) { charges[key] = charge }

    /// 20 digits, as the gateway's: the time, and a number that grows.
    mutating func nextReference(now: Int64) -> TransactionReference? {
        sequence += 1
        let number = String(sequence)
        return TransactionReference(
            CivilTime(now).digits + String(repeating: "0", count: max(0, 6 - number.utf8.count)) + number)
    }

    mutating func nextDeliveryID() -> Int {
        defer { nextDelivery += 1 }
        return nextDelivery
    }
}
