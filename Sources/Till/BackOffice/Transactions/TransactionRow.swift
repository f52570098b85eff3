internal import Bytes
public import CardCapture
public import PaymentTerminal

/// A transaction in a back office's list. It has no card data but the masked number.
///
/// All but the state stays as it was added.
public struct TransactionRow: Sendable, Equatable, Codable {
    /// The back office's unique id.
    public let id: String
    public let kind: TransactionKind
    public let amount: Money
    /// Its local date is the day on which the transaction is counted.
    public let createdAt: Timestamp
    /// The name of whoever paid; empty if it is not known.
    public let customer: String
    /// With at most the first six and the last four digits; empty without a card.
    public let maskedCardNumber: String
    /// The payment system: `Visa`.
    public let cardBrand: String
    public internal(set) var state: TransactionState

    /// The greatest length of each text, in bytes.
    public static let textLimit = 255

    /// - Throws: ``TransactionRowError`` for what no list can show.
    public init(
        id: String, kind: TransactionKind = .purchase, amount: Money, createdAt: Timestamp, state: TransactionState,
        customer: String = "", maskedCardNumber: String = "", cardBrand: String = ""
    ) throws(TransactionRowError) {
        guard !id.isEmpty, id.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .id }
        let texts = [id, customer, maskedCardNumber, cardBrand]
        guard texts.allSatisfy({ $0.utf8.count <= Self.textLimit && !$0.hasSteeringCharacters }) else { throw .text }
        guard Self.isMasked(maskedCardNumber) else { throw .cardNumber }
        guard CivilDay(of: createdAt) != nil else { throw .date }
        self.id = id
        self.kind = kind
        self.amount = amount
        self.createdAt = createdAt
        self.state = state
        self.customer = customer
        self.maskedCardNumber = maskedCardNumber
        self.cardBrand = cardBrand
    }

    /// The local day; the range was checked.
    public var day: CivilDay { CivilDay(of: createdAt) ?? .first }

    /// The customer's name as it is searched and ordered by.
    public var customerKey: String { customer.lowercased() }

    /// The amount without its decimals: 12 for 12.34 EUR, and for −12.34 EUR −12.
    public var wholeUnits: Int64 {
        amount.minorUnits / repeatElement(10, count: Int(amount.currency.exponent)).reduce(1, *)
    }

    /// At most ten digits in clear, no more than six at the beginning and four at the end.
    private static func isMasked(_ number: String) -> Bool {
        let first = number.utf8.prefix { (0x30...0x39).contains($0) }
        let rest = number.utf8.dropFirst(first.count)
        let last = rest.reversed().prefix { (0x30...0x39).contains($0) }
        let middle = rest.dropLast(last.count)
        return first.count <= 6 && last.count <= 4 && !middle.contains { (0x30...0x39).contains($0) }
    }
}

/// Why a transaction cannot be listed. No case repeats it.
public enum TransactionRowError: Error, Sendable, Equatable, CustomStringConvertible {
    case id
    case text
    case cardNumber
    case date

    public var description: String {
        switch self {
        case .id: "the id of a transaction is empty, or not printable ASCII"
        case .text: "a text of a transaction exceeds \(TransactionRow.textLimit) bytes, or has control characters"
        case .cardNumber: "the card number of a transaction is not masked"
        case .date: "the date of a transaction is outside the years 1 to 9999"
        }
    }
}

extension TransactionRow {
    /// Whether both are one transaction, whatever its state.
    public func isSame(as other: TransactionRow) -> Bool {
        var other = other
        other.state = state
        return self == other
    }
}
