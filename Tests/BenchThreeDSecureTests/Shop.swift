import Bytes
import PaymentTerminal
import Testing
import ThreeDSecure
import XMLDocument

@testable import BenchThreeDSecure

/// A shop that does what the flow says, with the bench on the other side.
struct Shop {
    static let key = "11111111-2222-3333-4444-555555555555"
    static let now: Int64 = 1_700_000_000

    let account: CardinalAccount
    var bench: BenchCardinal
    var taken = TakenTokens()
    let request: TokenRequest
    let card: CardDetails
    var flow: AuthenticationFlow
    /// What the lookup has said.
    var lookup: CardinalAnswer?

    init(
        _ number: String, source: AuthenticationFlow.ResultSource = .token,
        form: BenchCardinal.ChallengeForm = .text, isPayloadObject: Bool = true, brand: CardBrand? = nil
    ) throws {
        account = try CardinalAccount(
            identifier: "test-identifier", organization: "test-unit", key: SecretBytes(Self.key.utf8))
        bench = BenchCardinal(
            identifier: "test-identifier", organization: "test-unit", key: SecretBytes(Self.key.utf8), form: form)
        card = try CardDetails(pan: SecretBytes(number.utf8), expiry: #require(ExpiryDate(mmyy: "0130")))
        var request = TokenRequest(id: "req-1", orderNumber: "A-1", amount: "23.45 EUR")
        request.isPayloadObject = isPayloadObject
        self.request = request
        flow = AuthenticationFlow(request, brand: try #require(brand ?? CardSummary(card).brand), source: source)
    }

    /// To the lookup's answer.
    mutating func lookUp() throws -> AuthenticationFlow.Effect? {
        let session = try bench.setUp(account.serverToken(request, now: Self.now), now: Self.now).get()
        #expect(flow.next(.setUp(sessionID: session)) == .collectDeviceData)
        #expect(flow.next(.deviceData(isComplete: true)) == .lookUp(referenceID: session))
        let message = account.lookup(
            LookupRequest(
                orderNumber: "A-1", amount: request.amount, card: card, channel: .app(referenceID: session)),
            now: 1000 * Self.now)
        let answer = try CardinalAnswer(parsing: bench.answer(XMLElement(parsing: message.document)).document)
        lookup = answer
        return flow.next(.lookedUp(answer))
    }

    struct NoChallenge: Error {}

    /// What the customer does at the issuer's.
    mutating func reply(_ id: String, _ reply: BenchCardinal.Reply) throws -> BenchCardinal.Returned {
        guard let returned = bench.reply(id, reply, now: Self.now) else { throw NoChallenge() }
        return returned
    }

    /// What the shop does with what came back from the challenge.
    mutating func returned(_ returned: BenchCardinal.Returned) throws -> AuthenticationFlow.Effect? {
        let effect = flow.next(
            .challengeReturned(
                transactionID: returned.transactionID, returned.actionCode, returned.errorNumber, token: returned.token)
        )
        guard case .verify(let token, let request, let session)? = effect else { return effect }
        let event: AuthenticationFlow.Event
        do {
            event = .verified(
                try account.verify(token, answering: request, session: session, now: Self.now, taken: &taken))
        } catch { event = .notVerified(error) }
        guard case .authenticate(let id)? = flow.next(event) else { return flow.outcome.map { .end($0) } }
        let message = account.authenticate(id, now: 1000 * Self.now)
        let answer = try CardinalAnswer(parsing: bench.answer(XMLElement(parsing: message.document)).document)
        return flow.next(.authenticated(answer))
    }

    /// The whole way, with the customer who is who they say.
    mutating func run() throws -> AuthenticationOutcome? {
        if case .challenge(let challenge)? = try lookUp() {
            _ = try returned(reply(challenge.transactionID, bench.rightReply))
        }
        return flow.outcome
    }
}
