import BackOffice
import BackOfficeStore
import Bytes
import Foundation
import PaymentTerminal
import SealedStore
import Testing

@Suite struct SQLiteFileTests {
    @Test func whatIsStoredIsThereAfterAnotherOpening() async throws {
        try await withFolder { folder in
            let first = try SQLiteTransactionStore(folder: folder, key: storeKey)
            try await first.add(try row("T1", 100), receipt: nil)
            try await first.add(try row("T2", 300), receipt: nil)
            try await first.change("T1", to: .refunded)
            let before = try await first.statistics(try everything(.turnover, .count))
            try first.close()
            let second = try SQLiteTransactionStore(folder: folder, key: storeKey)
            #expect(try await second.transaction("T1")?.state == .refunded)
            #expect(try await second.statistics(try everything(.turnover, .count)) == before)
            #expect(before.groups.map(\.figures?.turnover) == [300])
            try second.close()
        }
    }

    @Test func anotherKeyOpensNothing() async throws {
        try await withFolder { folder in
            try SQLiteTransactionStore(folder: folder, key: storeKey).close()
            #expect(throws: StoreError.otherKey(store: "office \(folder)")) {
                try SQLiteTransactionStore(folder: folder, key: SecretBytes([UInt8](repeating: 8, count: 32)))
            }
        }
    }

    @Test func aReceiptIsNotInTheFilesInClear() async throws {
        try await withFolder { folder in
            let store = try SQLiteTransactionStore(folder: folder, key: storeKey)
            var receipt = ReceiptData(
                receiptID: 1, currency: .euro, items: [], totalAmount: 1, paidAt: 0, state: .approved)
            receipt.technicalMessage = "only for the holder's eyes"
            try await store.add(try row("T", 1, customer: "Ada Lovelace"), receipt: receipt)
            #expect(try await store.receipt(of: "T") == receipt)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            let contents = try files.map { try Data(contentsOf: URL(filePath: "\(folder)/\($0)")) }
            #expect(contents.contains { $0.range(of: Data("Ada Lovelace".utf8)) != nil })
            #expect(!contents.contains { $0.range(of: Data("only for the holder".utf8)) != nil })
            try store.close()
        }
    }
}
