import CardCapture
import GRDB
import PaymentTerminal
import Testing

@testable import BenchHost

/// What the host compares an approval by the card with, and that no amount keeps a batch open.
@Suite struct OfflineApprovalTests {
    private func chip(_ atc: UInt16 = 1) throws -> PaymentCard { .captured(try TestCard().captured(atc: atc)) }

    private func approve(
        _ bench: Bench, _ order: String, _ amount: Money, by card: PaymentCard,
        purpose: AuthorizationRequest.Purpose = .sale
    ) async throws {
        let request = AuthorizationRequest(
            orderID: try OrderID(order), purpose: purpose, processing: .approvedOffline, amount: amount,
            timestamp: Timestamp(secondsSince1970: 1_773_057_909), terminalID: "BENCH001", card: card)
        _ = try await bench.host.authorize(request)
    }

    private func code(_ body: () async throws -> Void) async throws -> HostError.Code? {
        do {
            try await body()
            return nil
        } catch let error as HostError {
            return error.code
        }
    }

    @Test("another amount, currency, card or kind under a known order id is refused, and nothing is booked")
    func another() async throws {
        let bench = try Bench()
        _ = try await bench.host.authorize(
            request("o1", "12.34", .captured(TestCard(amount: "000000001234").captured(atc: 1))))
        let before = try await bench.orders()
        let other = PaymentCard.keyed(try details(), cvv: nil)
        for (amount, card, purpose) in [
            ("9999.99 EUR", try chip(), AuthorizationRequest.Purpose.sale), ("1234 JPY", try chip(), .sale),
            ("12.34 EUR", other, .sale),
            ("12.34 EUR", try chip(), .refund), ("12.33 EUR", try chip(), .sale),
            ("12.34 EUR", try chip(), .preAuthorization),
        ] {
            let money = try Money(parsing: amount)
            #expect(
                try await code { try await approve(bench, "o1", money, by: card, purpose: purpose) }
                    == .refused(.notAllowed), "\(amount)")
        }
        #expect(try await bench.orders() == before)
    }

    @Test("what the host approved under the same order id stays as it is, once and again") func again() async throws {
        let bench = try Bench()
        let given = try await bench.host.authorize(request("o1", "10.00", chip()))
        for _ in 0..<2 { try await approve(bench, "o1", "10.00 EUR", by: chip()) }
        let order = try #require(try await bench.orders().first)
        #expect(order.state == .approved)
        guard case .decided(given) = try await bench.host.status(of: OrderID("o1")) else {
            Issue.record("another answer")
            return
        }
    }

    @Test("a declined order does not become approved") func declined() async throws {
        let bench = try Bench()
        _ = try await bench.host.authorize(
            request("o1", "10.51", .captured(TestCard(amount: "000000001051").captured(atc: 1))))
        #expect(try await code { try await approve(bench, "o1", "10.51 EUR", by: chip()) } == .refused(.notAllowed))
        #expect(try await bench.orders().map(\.state) == [.declined])
    }

    @Test(
        "amounts have at most 12 digits, also where the card approved them",
        arguments: [0, -1, 1_000_000_000_000, Int64.max])
    func greatest(_ amount: Int64) async throws {
        let bench = try Bench()
        let money = Money(minorUnits: amount, currency: .euro)
        #expect(try await code { try await approve(bench, "o1", money, by: chip()) } == .refused(.invalidRequest))
        #expect(try await bench.orders().isEmpty)
    }

    @Test("a currency of which the terminal has no account is refused") func currency() async throws {
        let settings = HostSettings(merchantName: "Corner Shop", terminalID: "BENCH001", currencies: [.euro])
        let bench = try Bench(
            issuer: TestIssuer(profiles: [], pinKey: TestPINPad.baseDerivationKey), settings: settings)
        #expect(try await code { try await approve(bench, "o1", "1000 JPY", by: chip()) } == .refused(.invalidRequest))
    }

    @Test("the greatest amounts settle, and those of an older vault that are greater keep no batch open") func batch()
        async throws
    {
        let bench = try Bench()
        let greatest = Money(minorUnits: 999_999_999_999, currency: .euro)
        for order in ["o1", "o2", "o3", "o4"] { try await approve(bench, order, greatest, by: chip()) }
        try await bench.host.vault.transaction {
            try $0.database.execute(
                sql: "UPDATE payment_order SET authorized_amount = ? WHERE order_id IN ('o3', 'o4')",
                arguments: [Int64.max])
        }
        let closed = try await bench.host.closeBatch(of: "BENCH001", at: Timestamp(secondsSince1970: 0))
        #expect(closed?.totals == [Money(minorUnits: 1_999_999_999_998, currency: .euro)])
        #expect(closed?.transactions == 2)
        #expect(try await bench.host.closeBatch(of: "BENCH001", at: Timestamp(secondsSince1970: 0)) == nil)
    }

    @Test("a clock and a tip allowance at the ends of their range end nothing", arguments: [Int64.min, Int64.max])
    func ends(_ moment: Int64) async throws {
        var rules = HostRules()
        rules.tipAllowance = .max
        rules.velocity = HostRules.Velocity(count: 3, seconds: .max)
        rules.duplicateWindow = .max
        let bench = try Bench(rules: rules)
        var terms = PaymentTerms()
        terms.duplicateCheck = .required
        let sale = AuthorizationRequest(
            orderID: OrderID("o1"), purpose: .preAuthorization, amount: "10.00 EUR",
            timestamp: Timestamp(secondsSince1970: moment),
            terminalID: "BENCH001", card: .keyed(try details(), cvv: nil), terms: terms)
        let reference = try await bench.host.authorize(sale).uniqueReference
        let capture = try referenced("o2", of: reference, "11.00")
        #expect(try await bench.host.capture(capture).issuer.responseCode == "00")
    }
}
