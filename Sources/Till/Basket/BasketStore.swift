public import PaymentTerminal
private import Synchronization

/// Where baskets are kept by name, such as that of a table or of a cashier: beside the login, so
/// that its end takes none.
public protocol BasketStore: Sendable {
    /// Keeps `basket` under `name`, in place of one that is there. It is kept when the call returns.
    func keep(_ basket: Basket, as name: BasketName) async throws
    /// Nil if there is none.
    func basket(_ name: BasketName) async throws -> Basket?
    /// Forgets the basket, if there is one.
    func forget(_ name: BasketName) async throws
    /// In alphabetical order.
    func names() async throws -> [BasketName]
}

/// The name of a kept basket: one line of 1 to 50 characters, no card number.
public struct BasketName: Sendable, Hashable, CustomStringConvertible {
    public let text: String

    public init(_ text: String) throws(BasketError) {
        try Basket.check(text)
        guard text.unicodeScalars.count <= 50 else { throw .invalidNote }
        self.text = text
    }

    public var description: String { text }
}

/// Baskets in memory, which end with the process.
public final class MemoryBaskets: BasketStore {
    private let baskets = Mutex<[BasketName: Basket]>([:])

    public init() {}

    public func keep(_ basket: Basket, as name: BasketName) { baskets.withLock { $0[name] = basket } }
    public func basket(_ name: BasketName) -> Basket? { baskets.withLock { $0[name] } }
    public func forget(_ name: BasketName) { baskets.withLock { $0[name] = nil } }
    public func names() -> [BasketName] { baskets.withLock { $0.keys.sorted { $0.text < $1.text } } }
}

/// Payments in cash in memory, which end with the process.
public final class MemoryCash: CashRecorder {
    private let payments = Mutex<[CashPayment]>([])

    public init() {}

    public func record(_ payment: CashPayment) throws {
        try payments.withLock { payments in
            guard let kept = payments.first(where: { $0.orderID == payment.orderID }) else {
                return payments.append(payment)
            }
            guard kept == payment else { throw CashError.orderExists }
        }
    }

    public func payment(for orderID: OrderID) -> CashPayment? {
        payments.withLock { $0.first { $0.orderID == orderID } }
    }

    public func payments(from offset: Int, limit: Int) -> [CashPayment] {
        payments.withLock { Array($0.dropFirst(max(0, offset)).prefix(max(0, limit))) }
    }
}
