import BackOffice
import CardCapture
import PaymentTerminal
import SeededNumbers
import Testing

@Suite struct SearchTests {
    private static let phrases: [(phrase: String, ids: [String])] = [
        ("2026-03-09", ["day"]), ("2026/03/09", ["day"]), (" 2026/03/09 ", ["day"]), ("2026-03-10", []),
        ("1234", ["1234x", "cents"]), ("12", ["1234x", "cents", "whole"]), ("1234x", ["1234x"]),
        ("lovelace", ["name"]), ("ADA L", ["name"]), ("žofie", ["unicode"]), ("%", ["percent"]), ("_", ["percent"]),
        ("' OR 1=1 --", []), ("a\u{0}a", []), ("nobody", []), ("99999999999999999999999", []),
    ]

    @Test("A43: a phrase is a day, an amount, an id or a customer", arguments: StoreUnderTest.allCases)
    func findsByPhrase(_ kind: StoreUnderTest) async throws {
        try await kind.with { store in
            // 23:30 UTC the day before, in a zone that is an hour ahead.
            try await store.add(
                try row("day", 1, at: try noon("2026-03-08") + 41_400, utcOffset: 3_600), receipt: nil)
            try await store.add(try row("cents", 1234), receipt: nil)
            try await store.add(try row("whole", 1200), receipt: nil)
            try await store.add(try row("1234x", 7), receipt: nil)
            try await store.add(try row("name", 7, customer: "Ada Lovelace"), receipt: nil)
            try await store.add(try row("unicode", 7, customer: "Žofie Nováková"), receipt: nil)
            try await store.add(try row("percent", 7, customer: "100%_'"), receipt: nil)
            for (text, ids) in Self.phrases {
                let phrase = try #require(SearchPhrase(text))
                let found = try await store.search(SearchQuery(phrase)).rows.map(\.id)
                #expect(found.sorted() == ids.sorted(), "\(text)")
            }
        }
    }

    @Test func spacesAreNoPhrase() {
        for text in ["", "   ", "\u{0}", "\n\t"] { #expect(SearchPhrase(text) == nil) }
    }

    /// Expected by a look at each row, and a sort of them all.
    @Test("A43 A44: every order, by states", arguments: StoreUnderTest.allCases, SearchQuery.Order.allCases)
    func ordersAndFilters(_ kind: StoreUnderTest, _ order: SearchQuery.Order) async throws {
        let rows = try seededRows(140, seed: 5)
        try await kind.with { store in
            for row in rows { try await store.add(row, receipt: nil) }
            for isDescending in [false, true] {
                let states: Set<TransactionState> = [.approved, .rejected, .reversed]
                let wanted = rows.enumerated().filter { states.contains($0.element.state) }
                    .sorted { left, right in
                        let (left, right) = isDescending ? (right, left) : (left, right)
                        switch order {
                        case .createdAt:
                            return (left.element.createdAt.secondsSince1970, left.offset)
                                < (right.element.createdAt.secondsSince1970, right.offset)
                        case .amount:
                            return (left.element.amount.minorUnits, left.offset)
                                < (right.element.amount.minorUnits, right.offset)
                        case .name:
                            let one = Array(left.element.customer.lowercased().utf8)
                            let other = Array(right.element.customer.lowercased().utf8)
                            return one == other ? left.offset < right.offset : one.lexicographicallyPrecedes(other)
                        }
                    }.map(\.element.id)
                var byNumber: [String] = []
                for number in 1...20 {
                    byNumber += try await store.search(
                        SearchQuery(
                            states: states, order: order, isDescending: isDescending, at: .page(number), pageSize: 7)
                    ).rows.map(\.id)
                }
                #expect(byNumber == wanted)
            }
        }
    }

    /// Between two pages rows are added at both ends and in the middle, and others change state.
    @Test("A43: pages neither skip nor repeat", arguments: StoreUnderTest.allCases, SearchQuery.Order.allCases)
    func pagesNeitherSkipNorRepeat(_ kind: StoreUnderTest, _ order: SearchQuery.Order) async throws {
        let rows = try seededRows(70, seed: 6)
        try await kind.with { store in
            var numbers = SplitMix(seed: 7)
            for row in rows { try await store.add(row, receipt: nil) }
            for isDescending in [false, true] {
                let whole = try await allRows(of: store, order: order, isDescending: isDescending).map(\.id)
                let asOf = Int64(whole.count)
                var (byCursor, byNumber): ([String], [String]) = ([], [])
                var cursor: SearchCursor?
                for number in 1... {
                    let place = cursor.map { SearchQuery.Place.after($0) } ?? .page(1, asOf: asOf)
                    let page = try await store.search(
                        SearchQuery(order: order, isDescending: isDescending, at: place, pageSize: 11))
                    byCursor += page.rows.map(\.id)
                    byNumber += try await store.search(
                        SearchQuery(
                            order: order, isDescending: isDescending, at: .page(number, asOf: asOf),
                            pageSize: 11)
                    ).rows.map(\.id)
                    #expect(page.asOf == asOf)
                    cursor = page.next
                    guard cursor != nil else { break }
                    for extra in 0..<4 {
                        let added = try row(
                            "new-\(order)-\(isDescending)-\(number)-\(extra)",
                            [.min, .max, 0, 5_000][extra], at: [0, 4_000_000_000, 1_772_000_000, 1_760_000_000][extra],
                            customer: ["", "zzz", "ada", "m"][extra])
                        try await store.add(added, receipt: nil)
                        try await store.change(
                            "T\(Int.random(in: 0..<70, using: &numbers))",
                            to: TransactionState.allCases.randomElement(using: &numbers)!)
                    }
                }
                #expect(byCursor == whole)
                #expect(byNumber == whole)
            }
        }
    }

    /// The cursor alone keeps its place when rows leave the states that are asked for.
    @Test(arguments: StoreUnderTest.allCases)
    func theCursorKeepsItsPlaceWhileStatesChange(_ kind: StoreUnderTest) async throws {
        try await kind.with { store in
            for index in 0..<10 { try await store.add(try row("T\(index)", Int64(index)), receipt: nil) }
            let first = try await store.search(
                SearchQuery(states: [.approved], order: .amount, isDescending: false, pageSize: 3))
            try await store.change("T0", to: .reversed)
            try await store.change("T1", to: .reversed)
            let second = try await store.search(
                SearchQuery(
                    states: [.approved], order: .amount, isDescending: false, at: .after(try #require(first.next)),
                    pageSize: 3))
            #expect(second.rows.map(\.id) == ["T3", "T4", "T5"])
        }
    }

    @Test(arguments: StoreUnderTest.allCases) func pagesFarAwayAreEmpty(_ kind: StoreUnderTest) async throws {
        try await kind.with { store in
            #expect(try await store.search(SearchQuery()).rows == [])
            try await store.add(try row("T", 1), receipt: nil)
            for number in [2, 1_000_000, Int.max] {
                let page = try await store.search(SearchQuery(at: .page(number), pageSize: 200))
                #expect(page.rows == [])
                #expect(page.next == nil)
            }
            for asOf in [Int64.min, -1, 0] {
                #expect(try await store.search(SearchQuery(at: .page(1, asOf: asOf))).rows == [])
            }
            #expect(try await store.search(SearchQuery(at: .page(1, asOf: .max))).rows.count == 1)
        }
    }

    @Test func refusesPagesThatDoNotExist() async throws {
        #expect(throws: SearchError.page) { try SearchQuery(at: .page(0)) }
        #expect(throws: SearchError.page) { try SearchQuery(at: .page(.min)) }
        #expect(throws: SearchError.pageSize) { try SearchQuery(pageSize: 0) }
        #expect(throws: SearchError.pageSize) { try SearchQuery(pageSize: 201) }
        let store = MemoryTransactionStore()
        for index in 0..<2 { try await store.add(try row("T\(index)", 1), receipt: nil) }
        let cursor = try #require(try await store.search(SearchQuery(order: .amount, pageSize: 1)).next)
        #expect(throws: SearchError.cursor) { try SearchQuery(order: .name, at: .after(cursor)) }
        #expect(throws: SearchError.cursor) {
            try SearchQuery(order: .amount, isDescending: false, at: .after(cursor))
        }
    }
}
