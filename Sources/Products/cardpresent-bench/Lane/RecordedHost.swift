import CardCapture
import EMVReplay
import PaymentTerminal
import SmartCard

/// A host whose requests about the recorded order, and answers, are recorded as text.
struct RecordedHost: PaymentHost {
    let host: any PaymentHost
    let recording: TraceRecording

    var testOnlyReason: String? { get async { await host.testOnlyReason } }

    private func recorded<Answer>(
        _ question: String, of orderID: OrderID, _ ask: () async throws(HostError) -> Answer,
        _ words: (Answer) -> String = { _ in "done" }
    ) async throws(HostError) -> Answer {
        guard orderID == recording.orderID else { return try await ask() }
        recording.add(.host(.init(.sent, question)))
        do throws(HostError) {
            let answer = try await ask()
            recording.add(.host(.init(.received, words(answer))))
            return answer
        } catch {
            recording.add(.host(.init(.received, "refused: \(error.message)")))
            throw error
        }
    }

    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        let chip = request.chipData.map { ", \($0.count) bytes of chip data" } ?? ""
        let what = request.processing == .approvedOffline ? APDUTrace.Advice.approvedOffline.rawValue : "authorisation"
        return try await recorded(
            "\(what), \(request.purpose.rawValue) of \(request.amount)\(chip)", of: request.orderID
        ) {
            () async throws(HostError) in
            try await host.authorize(request)
        } _: { answer in
            let data =
                answer.issuer.issuerAuthenticationData.map { ", \($0.count) bytes of issuer authentication data" } ?? ""
            let scripts = answer.issuer.scripts.isEmpty ? "" : ", \(answer.issuer.scripts.count) scripts"
            return "\(answer.message), response code \(answer.issuer.responseCode)\(data)\(scripts)"
        }
    }

    func advise(_ advice: Advice) async throws(HostError) {
        let (kind, words): (APDUTrace.Advice, String) =
            switch advice.result {
            case .finished(let chipData, let signature):
                (.completion, ", \(chipData.count) bytes of chip data" + (signature == nil ? "" : ", signed"))
            case .declinedOffline(let request): (.declinedOffline, ", \(request.amount)")
            case .reversed(let reason): (.reversal, ": \(reason.rawValue)")
            }
        try await recorded(kind.rawValue + words, of: advice.orderID) { () async throws(HostError) in
            try await host.advise(advice)
        }
    }

    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try await recorded("refund", of: request.orderID) { () async throws(HostError) in
            try await host.refund(request)
        } _: {
            "\($0.message), response code \($0.issuer.responseCode)"
        }
    }

    func approveReferral(of orderID: OrderID, approvalCode: String) async throws(HostError) -> AuthorizationResponse {
        try await recorded("approval code of a referral", of: orderID) { () async throws(HostError) in
            try await host.approveReferral(of: orderID, approvalCode: approvalCode)
        } _: {
            "\($0.message), response code \($0.issuer.responseCode)"
        }
    }

    func verifiesAccounts() async throws(HostError) -> Bool { try await host.verifiesAccounts() }
    func fieldsNotCarried() async throws(HostError) -> Set<PaymentField> { try await host.fieldsNotCarried() }

    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse {
        try await recorded("capture", of: request.orderID) { () async throws(HostError) in
            try await host.capture(request)
        } _: {
            "\($0.message), response code \($0.issuer.responseCode)"
        }
    }

    func settings() async throws(HostError) -> HostSettings { try await host.settings() }
    func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool {
        try await host.knowsReferencedRequestsByOrder()
    }
    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus { try await host.status(of: orderID) }
    func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page {
        try await host.transactions(query)
    }
    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await host.registerSecureCard(registration)
    }
    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        try await host.retrieveSecureCard(reference)
    }
    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await host.updateSecureCard(registration)
    }
    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        try await host.deleteSecureCard(reference, token: token)
    }
}
