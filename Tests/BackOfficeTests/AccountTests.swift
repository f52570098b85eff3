import BackOffice
import Bytes
import CardCapture
import PaymentTerminal
import Testing

@Suite struct AccountTests {
    @Test("A9: another address clears the secrets") func anotherAddressClearsTheSecrets() throws {
        var account = try AccountConfiguration(url: "https://office.example")
        #expect(!account.isComplete)
        try account.identify(as: "till", secret: SecretBytes([1]))
        #expect(account.isComplete)
        try account.move(to: "https://office.example")
        #expect(account.clientID == "till")
        #expect(throws: AccountConfigurationError.url) { try account.move(to: "http://office.example") }
        #expect(account.clientID == "till")
        try account.move(to: "https://other.example")
        #expect(account.clientID == nil)
        #expect(account.clientSecret == nil)
        #expect(!account.isComplete)
    }

    @Test(arguments: ["", "https://", "https:///path", "http://office.example", "https://a b", "https://ö.example"])
    func addressesThatAreNone(_ url: String) {
        #expect(throws: AccountConfigurationError.url) { try AccountConfiguration(url: url) }
    }

    @Test func clientsThatAreNone() throws {
        var account = try AccountConfiguration(url: "https://office.example")
        #expect(throws: AccountConfigurationError.client) { try account.identify(as: "", secret: SecretBytes([1])) }
        #expect(throws: AccountConfigurationError.client) { try account.identify(as: "till", secret: SecretBytes([])) }
        #expect(throws: AccountConfigurationError.client) {
            try account.identify(as: "till", secret: SecretBytes([UInt8](repeating: 1, count: 2049)))
        }
    }

    @Test("A12: a till knows what it may ask for") func aTillKnowsWhatItMayAskFor() {
        var merchant = MerchantInformation(
            name: "Shop", merchantID: "1", country: "DE", defaultCurrency: .euro, taxRates: [700, 1900],
            limits: AmountLimits(lower: 100, upper: 10_000, daily: 15_000))
        #expect(merchant.permits("1.00 EUR") == .permitted)
        #expect(merchant.permits("0.99 EUR") == .belowLowerLimit)
        #expect(merchant.permits("100.00 EUR") == .permitted)
        #expect(merchant.permits("100.01 EUR") == .aboveUpperLimit)
        #expect(merchant.permits("50.00 EUR", today: 10_000) == .permitted)
        #expect(merchant.permits("50.01 EUR", today: 10_000) == .aboveDailyLimit)
        #expect(merchant.permits("50.00 EUR", today: .max) == .aboveDailyLimit)
        #expect(merchant.permits("5.00 USD") == .currency)
        merchant.currencies.append(.usDollar)
        #expect(merchant.permits("500.00 USD") == .permitted)
    }

    @Test("A13 A47: a file is asked for by its version") func aFileIsAskedForByItsVersion() {
        let file = VersionedFile(version: "7", url: "https://office.example/7", md5: "")
        #expect(file.ifNewer(than: "0") == file)
        #expect(file.ifNewer(than: "6") == file)
        #expect(file.ifNewer(than: "7") == nil)
        let unnumbered = VersionedFile(version: "0", url: "https://office.example/0", md5: "")
        #expect(unnumbered.ifNewer(than: "0") == unnumbered)
    }
}

@Suite struct TransactionRowTests {
    private func row(
        id: String = "T", customer: String = "", card: String = "", at seconds: Int64 = 0, utcOffset: Int = 0
    ) throws(TransactionRowError) -> TransactionRow {
        try TransactionRow(
            id: id, amount: "1.00 EUR", createdAt: Timestamp(secondsSince1970: seconds, utcOffset: utcOffset),
            state: .approved, customer: customer, maskedCardNumber: card)
    }

    @Test(arguments: ["", "541333******4111", "************4111", "541333", "XXXX-XXXX-4111"])
    func maskedCardNumbers(_ number: String) throws {
        #expect(try row(card: number).maskedCardNumber == number)
    }

    /// A test number of Mastercard, and what leaves too much of it.
    @Test(arguments: ["5413330089604111", "5413330*****4111", "541333*****04111", "541333***8***4111"])
    func cardNumbersThatAreNotMasked(_ number: String) {
        #expect(throws: TransactionRowError.cardNumber) { try row(card: number) }
    }

    @Test func refusesTextsThatNoListCanShow() {
        #expect(throws: TransactionRowError.id) { try row(id: "") }
        #expect(throws: TransactionRowError.id) { try row(id: "a b") }
        #expect(throws: TransactionRowError.text) { try row(id: String(repeating: "a", count: 256)) }
        #expect(throws: TransactionRowError.text) { try row(customer: "a\u{1B}[2J") }
        #expect(throws: TransactionRowError.text) { try row(customer: "a\u{202E}b") }
    }

    @Test(arguments: [
        (Int64.max, 0), (.min, 0), (.max, .max), (.min, .min), (-62_135_596_801, 0), (253_402_300_800, 0),
    ])
    func refusesYearsBeyondFourDigits(_ seconds: Int64, _ utcOffset: Int) {
        #expect(throws: TransactionRowError.date) { try row(at: seconds, utcOffset: utcOffset) }
    }

    /// By `date -u -d @N` of GNU coreutils.
    @Test func aDayIsTheLocalOne() throws {
        let moment = { (offset: Int) in Timestamp(secondsSince1970: 1_772_319_600, utcOffset: offset) }
        #expect(CivilDay(of: moment(0))?.description == "2026/02/28")
        #expect(CivilDay(of: moment(3_600))?.description == "2026/03/01")
        #expect(CivilDay(of: Timestamp(secondsSince1970: -1))?.description == "1969/12/31")
        #expect(CivilDay(of: Timestamp(secondsSince1970: -62_135_596_800))?.description == "0001/01/01")
        #expect(CivilDay(of: Timestamp(secondsSince1970: 253_402_300_799))?.description == "9999/12/31")
    }
}

@Suite struct StatisticsQueryTests {
    /// Keys as Accept's header has them; the number of a week as ISO 8601 has it, by Python's `isocalendar`.
    @Test(arguments: [
        ("2026-03-09", "2026/03/09 2026/W11 2026/03 2026/Q1 2026"),
        ("2021-01-03", "2021/01/03 2020/W53 2021/01 2021/Q1 2021"),
        ("2024-12-30", "2024/12/30 2025/W01 2024/12 2024/Q4 2024"),
        ("0001-01-01", "0001/01/01 0001/W01 0001/01 0001/Q1 0001"),
        ("9999-12-31", "9999/12/31 9999/W52 9999/12 9999/Q4 9999"),
    ])
    func keys(_ day: String, _ expected: String) throws {
        let day = try #require(CivilDay(day))
        let keys = [StatisticsQuery.Grouping.day, .week, .month, .quarter, .year].map { $0.key(of: day) }
        #expect(keys.joined(separator: " ") == expected)
    }

    @Test func refusesCrossedDates() throws {
        let (first, last) = (try #require(CivilDay("2026-01-01")), try #require(CivilDay("2026-01-02")))
        #expect(throws: StatisticsError.crossedDates) {
            try StatisticsQuery(from: last, to: first, by: .day, currency: .euro)
        }
        #expect(try StatisticsQuery(from: first, to: first, by: .day, currency: .euro).results == [.turnover])
        #expect(try !StatisticsQuery(from: first, to: last, by: .day, currency: .euro).isNestedByState)
    }

    @Test(arguments: [
        "", "2026-02-29", "2026-13-01", "0000-01-01", "10000-01-01", "2026-1-01", "2026-01-01-", "+026-01-01",
    ])
    func daysThatAreNone(_ text: String) { #expect(CivilDay(text) == nil) }

    @Test func daysOfNoCalendar() {
        for days in [Int.min, -719_163, 2_932_897, .max] { #expect(CivilDay(daysSince1970: days) == nil) }
        #expect(CivilDay(year: .max, month: .max, day: .max) == nil)
        #expect(CivilDay(daysSince1970: -719_162)?.year == 1)
        #expect(CivilDay(daysSince1970: 2_932_896)?.year == 9999)
    }
}
