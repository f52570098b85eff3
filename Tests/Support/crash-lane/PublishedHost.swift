import BenchHost
import PaymentDoubles
import PaymentTerminal

/// The bench host as a gateway without our extensions shows it: refunds and captures have no order
/// ids, the card's last word is not asked for, and a reversal that comes before its order is not
/// remembered.
struct PublishedHost: RelayedHost {
    let host: BenchHost

    func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool { false }

    func advise(_ advice: Advice) async throws(HostError) {
        if case .finished = advice.result { return }
        if case .reversed = advice.result, case .notSeen = try await host.status(of: advice.orderID) { return }
        try await host.advise(advice)
    }

    func relayed() throws(HostError) -> any PaymentHost { host }
}
