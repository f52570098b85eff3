internal import Bytes
internal import PaymentTerminal

/// What is typed into the one field of a search: a day, an amount, an id or a customer.
///
/// What Accept means by *amount without decimals* its text leaves open; here `1234` finds both 12.34
/// and 1234.00 to 1234.99.
public enum SearchPhrase: Sendable, Equatable {
    /// `2026-03-09` or `2026/03/09`: the transactions of that local day.
    case day(CivilDay)
    /// Digits: an amount in minor units or in whole units, or the beginning of an id.
    case number(Int64, digits: String)
    /// Anything else: the beginning of an id, or a part of a customer's name without regard to
    /// case. Letters are compared as they are encoded: é of one scalar is not e with an accent.
    case text(String)

    /// In Unicode scalars; what is beyond is not searched for.
    public static let limit = 255

    /// Nil if there are only spaces.
    public init?(_ typed: String) {
        let line = typed.onOneLine(atMost: Self.limit)
        let text = String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
        guard !text.isEmpty else { return nil }
        if let day = CivilDay(text) {
            self = .day(day)
        } else if text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int64(text) {
            self = .number(number, digits: text)
        } else {
            self = .text(text)
        }
    }

    func matches(_ row: TransactionRow) -> Bool {
        switch self {
        case .day(let day): row.day == day
        case .number(let number, let digits):
            row.amount.minorUnits == number || row.wholeUnits == number || row.id.utf8.starts(with: digits.utf8)
        case .text(let text):
            row.id.utf8.starts(with: text.utf8) || row.customerKey.utf8.contains(text.lowercased().utf8)
        }
    }
}
