import CardCapture
package import PaymentTerminal

/// A host that approves every payment, and is asked for nothing else.
package struct ApprovingHost: RelayedHost {
    package init() {}

    package func relayed() throws(HostError) -> any PaymentHost {
        throw HostError(.unreachable, "not asked in this test")
    }

    package func settings() async throws(HostError) -> HostSettings {
        HostSettings(merchantName: "Corner Shop", terminalID: "BENCH001", currencies: [.euro])
    }

    package func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        AuthorizationResponse(
            uniqueReference: "U000000001", issuer: IssuerAnswer.Answer(responseCode: "00", approvalCode: "123456"),
            authorizedAmount: request.amount, message: "APPROVAL")
    }

    package func fieldsNotCarried() async throws(HostError) -> Set<PaymentField> { [] }
}
