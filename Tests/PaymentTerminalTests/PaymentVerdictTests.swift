import CardCapture
import EMVKernel
import Testing

@testable import PaymentTerminal

@Suite struct PaymentVerdictTests {
    /// What the card decided, what the host said (nil: silent), and what must follow.
    private struct Case: CustomTestStringConvertible {
        let decision: CaptureOutcome.Decision
        let responseCode: String?
        var requiresReversal = false
        let outcome: PaymentResponse.Outcome
        let advice: String

        var testDescription: String { "\(decision), host \(responseCode ?? "silent")" }
    }

    private static let cases = [
        Case(decision: .approvedOnline, responseCode: "00", outcome: .approved, advice: "confirmation"),
        Case(
            decision: .approvedOnline, responseCode: "00", requiresReversal: true, outcome: .reversed(.cardDeclined),
            advice: "cardDeclined"),
        // Honour with identification, and approved for a VIP (ISO 8583:1987, field 39).
        Case(decision: .approvedOnline, responseCode: "08", outcome: .approved, advice: "confirmation"),
        Case(decision: .approvedOnline, responseCode: "11", outcome: .approved, advice: "confirmation"),
        Case(decision: .declinedOnline, responseCode: "08", outcome: .reversed(.cardDeclined), advice: "cardDeclined"),
        Case(decision: .approvedOnline, responseCode: "05", outcome: .declined, advice: "confirmation"),
        Case(decision: .approvedOnline, responseCode: nil, outcome: .unknown, advice: "noHostAnswer"),
        Case(decision: .approvedOffline, responseCode: "00", outcome: .reversed(.cardDeclined), advice: "cardDeclined"),
        Case(decision: .approvedOffline, responseCode: nil, outcome: .storedOffline, advice: "advice"),
        Case(decision: .declinedOnline, responseCode: "05", outcome: .declined, advice: "confirmation"),
        Case(decision: .declinedOnline, responseCode: "00", outcome: .reversed(.cardDeclined), advice: "cardDeclined"),
        Case(decision: .declinedOffline, responseCode: nil, outcome: .unknown, advice: "noHostAnswer"),
    ]

    @Test("A56: the card's decision stands, and the host is made to agree with it", arguments: cases)
    private func table(_ row: Case) throws {
        let answer = try row.responseCode.map {
            AuthorizationResponse(
                uniqueReference: "U000000001", issuer: IssuerAnswer.Answer(responseCode: $0),
                authorizedAmount: try euros("1.00"),
                message: "")
        }
        let capture = CaptureOutcome(decision: row.decision, card: chipCard(), requiresReversal: row.requiresReversal)
        let verdict = PaymentVerdict(
            capture, answer.map { .answered($0) } ?? .unanswered, request: try request(), try rules())
        #expect(verdict.outcome == row.outcome)
        #expect(name(verdict.due) == row.advice)
    }

    @Test("without a card the sale could not be settled: it is not approved", arguments: [nil, "00"])
    func noCard(_ responseCode: String?) throws {
        let answer = try responseCode.map {
            AuthorizationResponse(
                uniqueReference: "U000000001", issuer: IssuerAnswer.Answer(responseCode: $0),
                authorizedAmount: try euros("1.00"),
                message: "")
        }
        for decision in [CaptureOutcome.Decision.approvedOffline, .approvedOnline] {
            let verdict = PaymentVerdict(
                CaptureOutcome(decision: decision, card: nil), answer.map { .answered($0) } ?? .notAsked, request: nil,
                try rules())
            #expect(verdict.outcome == (responseCode == nil ? .declined : .reversed(.cardDeclined)))
            #expect(name(verdict.due) == (responseCode == nil ? nil : "cardDeclined"))
        }
    }

    @Test("the terminal's own response codes decide") func otherResponseCodes() throws {
        let answer = AuthorizationResponse(
            uniqueReference: "U000000001", issuer: IssuerAnswer.Answer(responseCode: "08"),
            authorizedAmount: try euros("1.00"),
            message: "")
        let verdict = PaymentVerdict(
            CaptureOutcome(decision: .declinedOnline, card: chipCard()), .answered(answer), request: try request(),
            try rules(ResponseCodes(approving: ["00"])))
        #expect(verdict.outcome == .declined)
        #expect(name(verdict.due) == "confirmation")
    }

    @Test("a host that was not asked, or would not ask the issuer, is owed nothing after a decline") func nothingOwed()
        throws
    {
        for state in [
            HostExchange.notAsked, .unreachable(HostError(.unreachable, "")),
            .refused(HostError(.cardRefused, "")),
        ] {
            for decision in [CaptureOutcome.Decision.declinedOffline, .declinedOnline, .approvedOnline] {
                let verdict = PaymentVerdict(
                    CaptureOutcome(decision: decision, card: chipCard()), state, request: try request(), try rules())
                #expect(verdict.outcome == .declined)
                #expect(verdict.due == nil)
            }
        }
    }

    private func request() throws -> AuthorizationRequest {
        AuthorizationRequest(
            orderID: OrderID("o1"), amount: try euros("1.00"), timestamp: noon, terminalID: "BENCH001",
            card: .captured(chipCard()))
    }

    private func rules(_ codes: ResponseCodes = ResponseCodes()) throws -> PaymentRules {
        PaymentRules(
            amount: try euros("1.00"), allowsPartialApproval: false, responseCodes: codes, takesCardApproval: true,
            deferrable: [])
    }

    private func name(_ due: PaymentVerdict.Due?) -> String? {
        switch due {
        case .confirmation: "confirmation"
        case .advice: "advice"
        case .declineAdvice: "declineAdvice"
        case .authorization: "authorization"
        case .reversal(let reason), .reversalIfOurs(let reason): reason.rawValue
        case nil: nil
        }
    }
}
