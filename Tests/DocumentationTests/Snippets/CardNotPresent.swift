import Bytes
import FormDocument
import IPG
import PaymentTerminal
import ThreeDSecure
import XMLDocument

enum CardNotPresent {
    static func account(privateKey: SecretBytes, gatewayKey: [UInt8], mid: MerchantID) throws -> IPGAccount {
        try IPGAccount(
            version: "4.5", originator: 33, merchantID: mid, merchantName: "Corner Shop", currency: .euro,
            key: privateKey, gatewayKeys: [1: gatewayKey])
    }

    static func checkout<Journal: IPGJournal>(_ merchant: IPGMerchant<Journal>, _ orderID: IPGOrderID) async throws
        -> FormFields
    {
        let payment = try HostedPayment(
            .purchase, orderID: orderID, amount: "23.45 EUR", customerIP: "192.0.2.1",
            successURL: "https://shop.example/thanks", cancelURL: "https://shop.example/basket",
            notifyURL: "https://shop.example/ipg")
        // Written in the journal first. The browser posts these fields to the gateway.
        return try await merchant.begin(payment)
    }

    static func notified<Journal: IPGJournal>(_ merchant: IPGMerchant<Journal>, _ body: [UInt8]) async
        -> (status: Int, body: [UInt8])
    {
        let handled = await merchant.handle(body)
        switch handled.news {
        case .succeeded(let payment): print("paid:", payment.reference?.text ?? "a stored card")
        case .declined, .rolledBack: print("not paid")
        case .asked, .abandoned, nil: break
        }
        return (handled.status, handled.body)
    }

    static func endOfDay<Journal: IPGJournal>(
        _ merchant: IPGMerchant<Journal>, post: (FormFields) async throws -> [UInt8]
    ) async throws {
        let account = merchant.account
        for order in try await merchant.journal.unsettled() {
            let body = try await post(account.status(of: order.id))
            _ = await merchant.settle(order.id, try IPGAnswer(parsing: body, to: .status, for: account))
            for reference in try await merchant.journal.order(order.id)?.dueReversals ?? [] {
                let body = try await post(account.reversal(reference, orderID: order.id))
                let answer = try IPGAnswer(parsing: body, to: .reversal, for: account)
                _ = await merchant.settle(order.id, reversal: reference, answer)
            }
        }
    }

    static func begin(_ cardinal: CardinalAccount, now: Int64) -> (token: String, flow: AuthenticationFlow) {
        let request = TokenRequest(id: "a random id", orderNumber: "A-1", amount: "23.45 EUR")
        // The token goes to the browser or the app, the flow stays on the server.
        return (cardinal.serverToken(request, now: now), AuthenticationFlow(request, brand: .visa))
    }

    static func returned(
        _ flow: inout AuthenticationFlow, _ event: AuthenticationFlow.Event, _ cardinal: CardinalAccount,
        taken: inout TakenTokens, now: Int64
    ) -> AuthenticationOutcome? {
        guard case .verify(let token, let request, let session)? = flow.next(event) else { return flow.outcome }
        do {
            let response = try cardinal.verify(token, answering: request, session: session, now: now, taken: &taken)
            _ = flow.next(.verified(response))
        } catch {
            _ = flow.next(.notVerified(error))
        }
        return flow.outcome
    }
}
