import Bytes
import Foundation
import PaymentTerminal
import Testing
import XMLDocument

@testable import BenchThreeDSecure
@testable import ThreeDSecure

@Suite("What may be authorized") struct FlowTests {
    private let challenged = "4000000000001091"

    private func challenge(_ shop: inout Shop) throws -> AuthenticationFlow.Challenge {
        guard case .challenge(let challenge)? = try shop.lookUp() else { throw CardinalMessageError.otherMessage }
        return challenge
    }

    private func answer(_ fields: String) throws -> CardinalAnswer {
        try CardinalAnswer(parsing: Array("<CardinalMPI>\(fields)</CardinalMPI>".utf8))
    }

    /// A flow that waits for the lookup.
    private func lookingUp(_ brand: CardBrand = .visa) -> AuthenticationFlow {
        var flow = AuthenticationFlow(TokenRequest(id: "req-1", orderNumber: "A", amount: "1.00 EUR"), brand: brand)
        _ = flow.next(.setUp(sessionID: "s-1"))
        _ = flow.next(.deviceData(isComplete: false))
        return flow
    }

    @Test("each form of challenge, passed, failed and cancelled", arguments: BenchCardinal.ChallengeForm.allCases)
    func forms(_ form: BenchCardinal.ChallengeForm) throws {
        for isPayloadObject in [true, false] {
            var shop = try Shop(challenged, form: form, isPayloadObject: isPayloadObject)
            guard case .authorize? = try shop.run() else { throw CardinalMessageError.otherMessage }
        }
        for (reply, refusal) in [
            (BenchCardinal.Reply.text("wrong"), AuthenticationRefusal.failed(.none)), (.cancel, .cancelled),
        ] {
            var shop = try Shop(challenged, form: form)
            let challenge = try challenge(&shop)
            #expect(shop.bench.challenge(challenge.transactionID) == form)
            let back = try shop.reply(challenge.transactionID, reply)
            #expect(try shop.returned(back) == .end(.refuse(refusal)))
        }
    }

    /// C5: only with all three.
    @Test(
        "a challenge begins only with version 2, enrolled, and status C",
        arguments: [
            ("2.1.0", "Y", "C", nil), ("2.2.0", "Y", "C", nil),
            ("1.0.2", "Y", "C", AuthenticationOutcome.refuse(.unsupportedVersion)),
            ("", "Y", "C", .refuse(.unsupportedVersion)), ("1.0.2", "Y", "", .refuse(.unsupportedVersion)),
            ("2.1.0", "N", "C", .merchantDecides(.notEnrolled)), ("2.1.0", "U", "C", .merchantDecides(.unavailable)),
            ("2.1.0", "B", "C", .merchantDecides(.bypassed)), ("2.1.0", "Y", "D", .refuse(.noResult)),
            ("2.1.0", "Y", "I", .merchantDecides(.informational)), ("2.1.0", "", "C", .merchantDecides(.unavailable)),
        ] as [(String, String, String, AuthenticationOutcome?)])
    func conditions(version: String, enrolled: String, status: String, outcome: AuthenticationOutcome?) throws {
        var flow = lookingUp()
        let effect = flow.next(
            .lookedUp(
                try answer(
                    """
                    <ErrorNo>0</ErrorNo><TransactionId>tx</TransactionId><ThreeDSVersion>\(version)</ThreeDSVersion>\
                    <Enrolled>\(enrolled)</Enrolled><PAResStatus>\(status)</PAResStatus>\
                    <ACSUrl>https://acs.example</ACSUrl><Payload>p</Payload>
                    """)))
        if let outcome {
            #expect(effect == .end(outcome))
        } else {
            guard case .challenge(let challenge)? = effect else { throw CardinalMessageError.otherMessage }
            #expect(challenge.transactionID == "tx")
            #expect(challenge.url == "https://acs.example")
        }
    }

    /// active_merchant #3712 and hyperswitch-prism #1814: authenticated by a status alone.
    @Test(
        "no shift without the value, the indicator and the id, and none against the signature",
        arguments: [
            ("<SignatureVerification>Y</SignatureVerification>", "05", "Y", true, true),
            ("", "05", "Y", true, false), ("<SignatureVerification>N</SignatureVerification>", "05", "Y", true, false),
            ("<SignatureVerification>Y</SignatureVerification>", "07", "Y", true, false),
            ("<SignatureVerification>Y</SignatureVerification>", "06", "Y", true, false),
            ("<SignatureVerification>Y</SignatureVerification>", "02", "Y", true, false),
            ("<SignatureVerification>Y</SignatureVerification>", "", "Y", true, false),
            ("<SignatureVerification>Y</SignatureVerification>", "05", "A", true, false),
            ("<SignatureVerification>Y</SignatureVerification>", "06", "A", true, true),
            ("<SignatureVerification>Y</SignatureVerification>", "05", "Y", false, false),
        ])
    func proof(signature: String, eci: String, status: String, hasValue: Bool, isShifted: Bool) throws {
        var flow = lookingUp()
        let value = hasValue ? "<Cavv>AAABAWFlmQAAAABjRWWZEEFgFz8=</Cavv>" : ""
        let fields =
            "<ErrorNo>0</ErrorNo><Enrolled>Y</Enrolled><PAResStatus>\(status)</PAResStatus>\(signature)"
            + "<EciFlag>\(eci)</EciFlag>\(value)"
        var without = flow
        guard case .end(let bare)? = without.next(.lookedUp(try answer(fields))) else {
            throw CardinalMessageError.otherMessage
        }
        if case .authorize = bare { Issue.record("a proof without the transaction's id") }
        let whole = try answer(fields + "<DSTransactionId>ds</DSTransactionId>")
        guard case .end(let outcome)? = flow.next(.lookedUp(whole)) else { throw CardinalMessageError.otherMessage }
        if case .authorize = outcome { #expect(isShifted) } else { #expect(!isShifted) }
    }

    @Test("a challenge that never returns, and what comes after the end") func timeout() throws {
        var shop = try Shop(challenged)
        let challenge = try challenge(&shop)
        #expect(shop.flow.next(.challengeTimedOut) == .end(.refuse(.timedOut)))
        let back = try shop.reply(challenge.transactionID, shop.bench.rightReply)
        let before = shop.flow
        #expect(
            shop.flow.next(
                .challengeReturned(
                    transactionID: back.transactionID, back.actionCode, back.errorNumber, token: back.token)) == nil)
        #expect(shop.flow == before)
    }

    @Test("a challenge that returns twice is taken once") func twice() throws {
        var shop = try Shop(challenged)
        let challenge = try challenge(&shop)
        let back = try shop.reply(challenge.transactionID, shop.bench.rightReply)
        #expect(throws: Shop.NoChallenge.self) { try shop.reply(challenge.transactionID, shop.bench.rightReply) }
        _ = try shop.returned(back)
        let before = shop.flow
        #expect(
            shop.flow.next(
                .challengeReturned(transactionID: back.transactionID, .failure, .none, token: "")) == nil)
        #expect(shop.flow == before)
        // Nor by another flow: the token is known.
        #expect(throws: CardinalTokenError.repeated) {
            try shop.account.verify(back.token, answering: "req-1", now: Shop.now, taken: &shop.taken)
        }
    }

    @Test("a challenge that returns for another payment") func otherPayment() throws {
        var shop = try Shop(challenged)
        let challenge = try challenge(&shop)
        let before = shop.flow
        #expect(
            shop.flow.next(.challengeReturned(transactionID: "tx-99", .success, .none, token: "x")) == nil)
        #expect(shop.flow == before)
        // The token of another payment under this one's transaction.
        var other = shop
        let request = TokenRequest(id: "req-2", orderNumber: "B", amount: "1.00 EUR")
        let session = try other.bench.setUp(
            other.account.serverToken(request, now: Shop.now), now: Shop.now
        ).get()
        let message = other.account.lookup(
            LookupRequest(
                orderNumber: "B", amount: "1.00 EUR", card: other.card, channel: .app(referenceID: session)),
            now: 1000 * Shop.now)
        let second = try CardinalAnswer(parsing: other.bench.answer(XMLElement(parsing: message.document)).document)
        let theirs = try other.reply(#require(second.transactionID), other.bench.rightReply)
        let stolen = BenchCardinal.Returned(
            transactionID: challenge.transactionID, actionCode: .success, errorNumber: .none, token: theirs.token)
        #expect(try shop.returned(stolen) == .end(.refuse(.notVerified)))
    }

    @Test("the browser says SUCCESS, the token says otherwise") func lies() throws {
        var shop = try Shop("4000000000001109")
        let challenge = try challenge(&shop)
        let back = try shop.reply(challenge.transactionID, shop.bench.rightReply)
        #expect(back.actionCode == .failure)
        let lie = BenchCardinal.Returned(
            transactionID: back.transactionID, actionCode: .success, errorNumber: .none, token: back.token)
        #expect(try shop.returned(lie) == .end(.refuse(.failed(.none))))
        var forged = try Shop(challenged)
        let second = try self.challenge(&forged)
        let empty = BenchCardinal.Returned(
            transactionID: second.transactionID, actionCode: .success, errorNumber: .none, token: "")
        #expect(try forged.returned(empty) == .end(.refuse(.notVerified)))
    }

    @Test(
        "C8: each action code",
        arguments: [
            (ActionCode.failure, AuthenticationRefusal.failed(CardinalErrorNumber(rawValue: 5))),
            (.error, .failed(CardinalErrorNumber(rawValue: 5))), (.cancel, .cancelled), (.timeout, .timedOut),
        ])
    func actions(_ action: ActionCode, _ refusal: AuthenticationRefusal) throws {
        var shop = try Shop(challenged)
        let challenge = try challenge(&shop)
        let number = CardinalErrorNumber(rawValue: 5)
        #expect(
            shop.flow.next(.challengeReturned(transactionID: challenge.transactionID, action, number, token: "x"))
                == .end(.refuse(refusal)))
    }

    @Test("setup and lookup that fail leave the decision to the merchant") func failures() throws {
        let request = TokenRequest(id: "req-1", orderNumber: "A", amount: "1.00 EUR")
        var flow = AuthenticationFlow(request, brand: .visa)
        let number = CardinalErrorNumber(rawValue: 1020)
        #expect(flow.next(.lookupFailed) == nil)
        #expect(flow.next(.setupFailed(number)) == .end(.merchantDecides(.setup(number))))
        flow = lookingUp()
        #expect(flow.next(.lookupFailed) == .end(.merchantDecides(.lookup(.none))))
        var shop = try Shop(challenged, source: .message)
        let challenge = try challenge(&shop)
        let back = try shop.reply(challenge.transactionID, shop.bench.rightReply)
        _ = shop.flow.next(
            .challengeReturned(transactionID: back.transactionID, back.actionCode, .none, token: back.token))
        let response = try shop.account.verify(back.token, answering: "req-1", now: Shop.now, taken: &shop.taken)
        #expect(shop.flow.next(.verified(response)) == .authenticate(transactionID: challenge.transactionID))
        #expect(shop.flow.next(.authenticationFailed) == .end(.refuse(.noResult)))
    }

    @Test("the bench refuses tokens and messages that are not the account's") func bench() throws {
        var shop = try Shop(challenged)
        let token = shop.account.serverToken(shop.request, now: Shop.now)
        #expect(shop.bench.setUp(token + "x", now: Shop.now) == .failure(CardinalFault(number: 1010)))
        #expect(shop.bench.setUp(token, now: Shop.now + 7201) == .failure(CardinalFault(number: 1011)))
        let other = try CardinalAccount(
            identifier: "other", organization: "test-unit", key: SecretBytes(Shop.key.utf8))
        #expect(
            shop.bench.setUp(other.serverToken(shop.request, now: Shop.now), now: Shop.now)
                == .failure(CardinalFault(number: 1020)))
        let message = other.authenticate("tx-1", now: 1000 * Shop.now)
        let answer = try CardinalAnswer(parsing: shop.bench.answer(message).document)
        #expect(answer.errorNumber.rawValue == 1001)
    }

    @Test("a flow survives from one request of a web shop to the next") func codable() throws {
        var shop = try Shop(challenged)
        _ = try challenge(&shop)
        let kept = try JSONDecoder().decode(AuthenticationFlow.self, from: JSONEncoder().encode(shop.flow))
        #expect(kept == shop.flow)
    }
}
