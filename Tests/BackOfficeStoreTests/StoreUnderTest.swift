import BackOffice
import BackOfficeStore
import Bytes
import CardCapture
import Foundation
import PaymentTerminal
import SeededNumbers
import Testing

/// The stores that one suite runs over: another one is one more case.
enum StoreUnderTest: String, CaseIterable, CustomTestStringConvertible {
    case memory, sqlite

    var testDescription: String { rawValue }

    func with(_ body: (any TransactionStore) async throws -> Void) async throws {
        switch self {
        case .memory: try await body(MemoryTransactionStore())
        case .sqlite:
            try await withFolder { folder in
                let store = try SQLiteTransactionStore(folder: folder, key: storeKey)
                try await body(store)
                try store.close()
            }
        }
    }
}

/// A test key.
let storeKey = SecretBytes([UInt8](repeating: 9, count: 32))

func withFolder(_ body: (String) async throws -> Void) async throws {
    let folder = NSTemporaryDirectory() + "office-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await body(folder)
}

/// Noon of a day, UTC.
func noon(_ day: String) throws -> Int64 {
    Int64(try #require(CivilDay(day)).daysSince1970) * 86_400 + 43_200
}

func row(
    _ id: String, _ minorUnits: Int64, _ currency: Currency = .euro, at seconds: Int64 = 1_772_000_000,
    utcOffset: Int = 0, state: TransactionState = .approved, customer: String = ""
) throws -> TransactionRow {
    try TransactionRow(
        id: id, amount: Money(minorUnits: minorUnits, currency: currency),
        createdAt: Timestamp(secondsSince1970: seconds, utcOffset: utcOffset), state: state, customer: customer)
}

/// Random rows of three years, with few amounts, names and moments, so that many are equal.
func seededRows(_ count: Int, seed: UInt64) throws -> [TransactionRow] {
    var numbers = SplitMix(seed: seed)
    let names = ["", "Ada Lovelace", "ada lovelace", "Émile Zola", "Žofie Nováková", "李雷", "O'Hara, %_\"", "Zoë"]
    return try (0..<count).map { index in
        try row(
            "T\(index)", Int64.random(in: -50...10_050, using: &numbers) / 50 * 50,
            [.euro, .usDollar, .yen].randomElement(using: &numbers)!,
            at: 1_735_686_000 + Int64.random(in: 0...26_000, using: &numbers) * 3_600,
            utcOffset: [0, 3_600, 7_200, -18_000].randomElement(using: &numbers)!,
            state: TransactionState.allCases.randomElement(using: &numbers)!,
            customer: names.randomElement(using: &numbers)!)
    }
}

/// Every row, page by page.
func allRows(
    of store: any TransactionStore, order: SearchQuery.Order = .createdAt, isDescending: Bool = true
) async throws -> [TransactionRow] {
    var rows: [TransactionRow] = []
    var place = SearchQuery.Place.page(1)
    while true {
        let page = try await store.search(
            SearchQuery(order: order, isDescending: isDescending, at: place, pageSize: 200))
        rows += page.rows
        guard let next = page.next else { return rows }
        place = .after(next)
    }
}
