import BackOffice
import CardCapture
import Foundation
import PaymentTerminal
import PeerPrograms
import SeededNumbers
import Testing

@Suite struct StatisticsTests {
    private static let periods = [
        ("2025-02-11", "2027-03-01"), ("0001-01-01", "9999-12-31"), ("2025-06-01", "2025-06-01"),
    ]

    /// `Tests/Peers/office-statistics.py` adds the same rows up, after some of them changed state.
    @Test("A46: statistics agree with Python", arguments: StoreUnderTest.allCases)
    func agreeWithPython(_ kind: StoreUnderTest) async throws {
        let rows = try seededRows(600, seed: 11)
        try await kind.with { store in
            var numbers = SplitMix(seed: 12)
            for row in rows { try await store.add(row, receipt: nil) }
            for _ in 0..<300 {
                let row = try #require(rows.randomElement(using: &numbers))
                try await store.change(
                    row.id, to: try #require(TransactionState.allCases.randomElement(using: &numbers)))
            }
            let changed = try await allRows(of: store)
            #expect(changed.count == 600)
            var (queries, lines): ([String], [String]) = ([], [])
            for (first, last) in Self.periods {
                for grouping in StatisticsQuery.Grouping.allCases {
                    for isNested in [false, true] {
                        let query = try StatisticsQuery(
                            from: try #require(CivilDay(first)), to: try #require(CivilDay(last)), by: grouping,
                            currency: .euro, results: Set(StatisticsQuery.Result.allCases), isNestedByState: isNested)
                        queries.append("EUR,\(first),\(last),\(grouping.rawValue),\(isNested ? "states" : "all")")
                        lines += try await [queries[queries.count - 1]] + store.statistics(query).lines
                    }
                }
            }
            #expect(lines.count > 1000)
            #expect(try lines == recomputed(changed, queries))
        }
    }

    @Test(arguments: StoreUnderTest.allCases) func tenThousandOfTheGreatestAmountsAdd(_ kind: StoreUnderTest)
        async throws
    {
        let rows = try (0..<10_000).map { index in
            try row("T\(index)", index.isMultiple(of: 2) ? .max : .max - 1, at: 1_772_000_000 + Int64(index))
        }
        try await kind.with { store in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for row in rows { group.addTask { try await store.add(row, receipt: nil) } }
                try await group.waitForAll()
            }
            let statistics = try await store.statistics(try everything(.count, .sum, .average, .maximumAndMinimum))
            let figures = try #require(statistics.groups.first?.figures)
            let sum = Int128(Int64.max) * 10_000 - 5_000
            #expect(figures.count == 10_000)
            #expect(figures.sum == sum)
            #expect(figures.average?.sum == sum)
            #expect(figures.average?.count == 10_000)
            #expect(figures.average?.rounded == Int128(Int64.max))
            #expect(figures.maximum == .max)
            #expect(figures.minimum == Int64.max - 1)
            #expect(figures.turnover == nil)
        }
    }

    @Test(arguments: StoreUnderTest.allCases) func yearsFarAway(_ kind: StoreUnderTest) async throws {
        try await kind.with { store in
            for (index, day) in ["0001-01-01", "9999-12-31"].enumerated() {
                try await store.add(try row("T\(index)", .min, at: try noon(day)), receipt: nil)
            }
            let statistics = try await store.statistics(try everything(.sum))
            #expect(statistics.groups.map(\.key) == ["0001", "9999"])
            #expect(statistics.groups.map(\.figures?.sum) == [Int128(Int64.min), Int128(Int64.min)])
        }
    }

    @Test(arguments: StoreUnderTest.allCases) func nothingIsInNoGroup(_ kind: StoreUnderTest) async throws {
        try await kind.with { store in
            #expect(try await store.statistics(try everything(.count)).groups == [])
            try await store.add(try row("T", 1, .yen), receipt: nil)
            #expect(try await store.statistics(try everything(.count)).groups == [])
        }
    }

    private func recomputed(_ rows: [TransactionRow], _ arguments: [String]) throws -> [String] {
        let file = FileManager.default.temporaryDirectory.appending(path: "office-\(UUID().uuidString).csv")
        defer { try? FileManager.default.removeItem(at: file) }
        let lines = rows.map {
            "\($0.id),\($0.amount.currency),\($0.amount.minorUnits),\($0.state.rawValue),"
                + "\($0.createdAt.secondsSince1970),\($0.createdAt.utcOffset)\n"
        }
        try Data(lines.joined().utf8).write(to: file)
        let printed = try PeerProgram.python(file: "office-statistics.py", [file.path] + arguments)
        return printed.split(separator: "\n").map(String.init)
    }
}

extension Statistics {
    /// As the Python program prints them.
    fileprivate var lines: [String] {
        groups.flatMap { group in
            if let figures = group.figures { return [figures.line(group.key, "all")] }
            return group.states.map { state, figures in figures.line(group.key, state.rawValue) }.sorted()
        }
    }
}

extension Statistics.Figures {
    fileprivate func line(_ key: String, _ state: String) -> String {
        guard let count, let sum, let turnover, let minimum, let maximum, let average else { return "incomplete" }
        var (divisor, rest) = (sum.magnitude, UInt128(count))
        while rest != 0 { (divisor, rest) = (rest, divisor % rest) }
        let fraction = "\(average.sum / Int128(divisor))/\(Int128(average.count) / Int128(divisor))"
        return "\(key) \(state) \(count) \(sum) \(turnover) \(minimum) \(maximum) \(fraction) \(average.rounded)"
    }
}
