import PaymentTerminal
import Testing
import ThreeDSecure

@testable import BenchThreeDSecure

/// A row for each published test card: what the vendor's table says of the lookup, and what follows.
@Suite("Published test cards") struct TestCardTests {
    /// What may be authorized.
    enum Expected: Sendable {
        /// With this indicator and a value.
        case shifted(TransactionStatus, String)
        case merchantDecides(MissingProof)
        case denied(StatusReason?)
        case rejected
        case failed(Int)
    }

    private static let one = StatusReason(rawValue: "01")

    @Test(
        "what each card leads to, by token and by message",
        arguments: [
            ("4000000000001000", false, .shifted(.authenticated, "05")), ("4000000000001018", false, .denied(nil)),
            ("4000000000001026", false, .shifted(.attempted, "06")),
            ("4000000000001034", false, .merchantDecides(.unavailable)), ("4000000000001042", false, .rejected),
            ("4000000000001059", false, .merchantDecides(.unavailable)),
            ("4000000000001067", false, .merchantDecides(.lookup(CardinalErrorNumber(rawValue: 1001)))),
            ("4000000000001075", false, .merchantDecides(.lookup(CardinalErrorNumber(rawValue: 2001)))),
            ("4000000000001083", false, .merchantDecides(.bypassed)),
            ("4000000000001091", true, .shifted(.authenticated, "05")), ("4000000000001109", true, .denied(nil)),
            ("4000000000001117", true, .merchantDecides(.unavailable)), ("4000000000001125", true, .failed(1000)),
            ("4000000000001133", true, .merchantDecides(.bypassed)),
            ("4000000000002701", false, .shifted(.authenticated, "05")),
            ("4000000000002719", false, .shifted(.attempted, "06")), ("4000000000002925", false, .denied(nil)),
            ("4000000000002503", true, .shifted(.authenticated, "05")), ("4000000000002370", true, .denied(nil)),
            ("4000000000002420", false, .merchantDecides(.unavailable)),
            ("4000000000002644", false, .merchantDecides(.lookup(CardinalErrorNumber(rawValue: 1000)))),
            ("4000000000002040", false, .denied(one)), ("5200000000001005", false, .shifted(.authenticated, "02")),
            ("5200000000002235", false, .shifted(.authenticated, "02")),
            ("5200000000001021", false, .shifted(.attempted, "01")),
            ("5200000000002482", false, .shifted(.attempted, "01")), ("5200000000002276", false, .denied(nil)),
            ("5200000000002151", true, .shifted(.authenticated, "02")), ("5200000000002490", true, .denied(nil)),
            ("340000000002708", false, .shifted(.authenticated, "05")),
            ("6011000000002117", false, .shifted(.authenticated, "05")),
            ("3338000000000296", false, .shifted(.authenticated, "05")),
        ] as [(String, Bool, Expected)], [AuthenticationFlow.ResultSource.token, .message])
    func cards(_ row: (String, Bool, Expected), _ source: AuthenticationFlow.ResultSource) throws {
        let (number, isChallenged, expected) = row
        // JCB's test number lies outside the published ranges of JCB: the shop names the brand.
        var shop = try Shop(number, source: source, brand: number.hasPrefix("3338") ? .jcb : nil)
        let outcome = try #require(try shop.run())
        #expect((shop.lookup?.values.status == .challenge) == isChallenged)
        switch expected {
        case .shifted(let status, let eci):
            guard case .authorize(let proof) = outcome else { throw Unexpected(outcome: outcome) }
            #expect(proof.status == status)
            #expect(proof.eci.rawValue == eci)
            #expect(proof.directoryTransactionID != nil)
            #expect(proof.version == "2.1.0")
        case .merchantDecides(let reason):
            #expect(outcome == .merchantDecides(reason))
        case .denied(let reason):
            // With a challenge the browser says FAILURE, and no values are looked at.
            let expected: AuthenticationOutcome =
                isChallenged
                ? .refuse(.failed(.none)) : .refuse(.denied(reason, message: "Call your bank."))
            #expect(outcome == expected)
        case .rejected: #expect(outcome == .refuse(.rejected(nil)))
        case .failed(let number): #expect(outcome == .refuse(.failed(CardinalErrorNumber(rawValue: number))))
        }
    }

    @Test("each number of the bench is a row above") func complete() {
        #expect(TestCard.published.count == 32)
    }

    @Test("any other card is not enrolled") func stranger() throws {
        var shop = try Shop("4111111111111111")
        #expect(try shop.run() == .merchantDecides(.notEnrolled))
    }

    struct Unexpected: Error { let outcome: AuthenticationOutcome? }
}
