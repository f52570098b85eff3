package import PaymentTerminal
private import Synchronization

/// A host behind a cable that can be pulled.
package final class PullableHost: RelayedHost {
    private let host: any PaymentHost
    private let plugged = Mutex(true)

    package init(_ host: any PaymentHost) { self.host = host }

    package var isPlugged: Bool {
        get { plugged.withLock { $0 } }
        set { plugged.withLock { $0 = newValue } }
    }

    package func relayed() throws(HostError) -> any PaymentHost {
        guard isPlugged else { throw HostError(.unreachable, "no network") }
        return host
    }
}
