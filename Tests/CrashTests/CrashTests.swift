import Foundation
import Testing

/// A lane that is killed with SIGKILL before and after every write of its journal and every call of
/// its host, one moment a run, and looked at by another process: never a second charge, never an
/// approval that is lost, never anything that stays in progress.
@Suite("A terminal that is killed at any moment charges nobody twice", .serialized) struct CrashTests {
    private static let scenarios = [
        "keyed", "token", "keyedDeclined", "keyedAnswerLost", "stripe", "stripeAnswerLost", "stripeStored", "chip",
        "chipDeclined", "chipRemoved", "chipAnswerLost", "chipOffline", "chipDeclinesItself", "keyedReferred",
        "stripeReferred", "stripeReferredAnswerLost", "chipReferred", "chipReferredAnswerLost", "unsigned", "tap",
        "tapAnswerLost", "tapUnsigned", "tapUnsignedAnswerLost", "tapPublished", "tapAnswerLostPublished",
        "tapUnsignedPublished", "tapUnsignedAnswerLostPublished", "partialNotAllowed", "preAuthorization",
        "preAuthorizationAnswerLost", "refund", "refundAnswerLost", "unreferencedRefund",
        "unreferencedRefundAnswerLost", "capture", "captureAnswerLost", "reverse", "withSecureCard",
        "registerSecureCard", "registerSecureCardAnswerLost", "editSecureCard", "editSecureCardAnswerLost",
        "deleteSecureCard", "deleteSecureCardAnswerLost", "keyedPublished", "keyedDeclinedPublished",
        "keyedAnswerLostPublished", "tokenPublished", "stripePublished", "stripeAnswerLostPublished",
        "stripeStoredPublished", "chipPublished", "chipDeclinedPublished", "chipRemovedPublished",
        "chipAnswerLostPublished", "chipOfflinePublished", "unsignedPublished", "partialNotAllowedPublished",
        "preAuthorizationPublished", "preAuthorizationAnswerLostPublished", "refundPublished",
        "refundAnswerLostPublished", "unreferencedRefundPublished", "unreferencedRefundAnswerLostPublished",
        "capturePublished", "captureAnswerLostPublished", "reversePublished", "withSecureCardPublished",
    ]

    @Test(
        "EMV Book 4, 6.5.2.2: a call to the issuer approves; where the host does not answer the code, the payment is undone"
    )
    func referrals() async throws {
        for (scenario, answer) in [
            ("keyedReferred", "approved"), ("stripeReferred", "approved"), ("chipReferred", "approved"),
            ("stripeReferredAnswerLost", "reversed(PaymentTerminal.ReversalReason.noHostAnswer)"),
            ("chipReferredAnswerLost", "reversed(PaymentTerminal.ReversalReason.noHostAnswer)"),
        ] {
            let lane = try await Lane.run(scenario, point: 0)
            #expect(lane.value("answered") == answer, "\(scenario): \(lane.output)")
            #expect(try await lane.check().isEmpty, "\(scenario)")
        }
    }

    @Test("killed at every point, terminal, journal and host agree afterwards", .timeLimit(.minutes(20)))
    func everyPoint() async throws {
        var total = 0
        for scenario in Self.scenarios {
            let whole = try await Lane.run(scenario, point: 0)
            let points = try #require(whole.points, "\(scenario): \(whole.output)")
            #expect(try await whole.check().isEmpty, "\(scenario), not killed")
            for point in 1...points {
                let lane = try await Lane.run(scenario, point: point)
                #expect(lane.wasKilled, "\(scenario) was to be killed at \(point) of \(points)")
                let complaints = try await lane.check()
                #expect(complaints.isEmpty, "\(scenario), killed at \(point) of \(points): \(complaints)")
            }
            total += points
        }
        print("\(total) crashes in \(Self.scenarios.count) scenarios")
        #expect(total >= 300)
    }
}
