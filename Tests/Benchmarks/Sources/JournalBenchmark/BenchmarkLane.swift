import CardBench
import Synchronization

/// A swipe of a published test number.
struct BenchmarkReader: CardReader {
    let name = "Benchmark reader"
    let capabilities: ReaderCapabilities = .contactChip
    let events = ReaderEvents()

    func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        var elements = DataElements()
        elements[.dfName] = [0xA0, 0, 0, 0, 0x03, 0x10, 0x10]
        elements[.applicationCryptogram] = [1, 2, 3, 4, 5, 6, 7, 8]
        elements[.cryptogramInformationData] = [0x40]
        let card = CapturedCard(
            entryMode: .chip, pan: SecretBytes("4761739001010010".utf8), expiry: "3112",
            chip: ChipData(elements: elements))
        guard case .answered = await authorize(card) else {
            return CaptureOutcome(decision: .approvedOffline, card: card)
        }
        return CaptureOutcome(decision: .approvedOnline, card: card)
    }
}

/// A host that approves at once, or is away.
final class BenchmarkHost: PaymentHost {
    private let state = Mutex((isAway: false, authorizations: 0))
    private static let away = HostError(.unreachable, "away")

    var isAway: Bool {
        get { state.withLock { $0.isAway } }
        set { state.withLock { $0.isAway = newValue } }
    }
    var authorizations: Int { state.withLock { $0.authorizations } }

    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        if isAway { throw Self.away }
        state.withLock { $0.authorizations += 1 }
        return AuthorizationResponse(
            uniqueReference: "U1", issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"),
            authorizedAmount: request.amount, message: "APPROVAL")
    }
    func advise(_ advice: Advice) async throws(HostError) { if isAway { throw Self.away } }
    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus { .notSeen }
    func settings() async throws(HostError) -> HostSettings { throw Self.away }
    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { throw Self.away }
    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse { throw Self.away }
    func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page { [] }
    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        throw Self.away
    }
    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard { throw Self.away }
    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        throw Self.away
    }
    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        throw Self.away
    }
}
