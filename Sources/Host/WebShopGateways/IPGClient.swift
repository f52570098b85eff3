internal import Bytes
internal import FormDocument
public import Gateways
public import IPG
public import PaymentTerminal

/// The iCard gateway over HTTP: refunds, reversals and questions about orders. What the customer
/// does on the gateway's page goes through the browser, and not through here.
///
/// A request is sent once. After ``HostError/Failure/noAnswer`` its outcome is unknown: a refund may
/// be repeated with the same order id, which the gateway takes once, and a reversal may be repeated
/// anyway.
public struct IPGClient: Sendable {
    public let account: IPGAccount
    private let exchange: HTTPExchange

    package init(
        _ address: GatewayAddress, account: IPGAccount, options: ConnectionOptions, over network: any HTTPNetwork
    ) {
        self.account = account
        exchange = HTTPExchange(address, options, terminalID: account.merchantID.text, over: network)
    }

    /// - Parameter address: Of the gateway, `https://ipg.icard.com/`.
    /// - Throws: ``HostError/Failure/internalError`` if the file with the trusted certificates
    ///   cannot be read.
    public init(_ address: GatewayAddress, account: IPGAccount, options: ConnectionOptions = ConnectionOptions())
        throws(HostError)
    {
        self.init(address, account: account, options: options, over: try HTTPClientNetwork(options))
    }

    /// Pays a part or all of a payment back.
    ///
    /// - Parameter orderID: A new one, of the refund.
    /// - Returns: The gateway's answer, which may be a refusal (``IPGAnswer/isGood``).
    public func refund(_ reference: TransactionReference, _ amount: Money, orderID: IPGOrderID)
        async throws(HostError) -> IPGAnswer
    {
        let form: FormFields
        do throws(IPGRequestError) { form = try account.refund(reference, amount, orderID: orderID) } catch {
            throw HostError(.invalidRequest, "\(error)")
        }
        return try await ask("refund", form, .refund)
    }

    /// Cancels a payment whole.
    ///
    /// - Parameter orderID: The payment's.
    public func reverse(_ reference: TransactionReference, orderID: IPGOrderID) async throws(HostError) -> IPGAnswer {
        try await ask("reversal", account.reversal(reference, orderID: orderID), .reversal)
    }

    /// The state of an order.
    public func status(of orderID: IPGOrderID) async throws(HostError) -> IPGAnswer {
        try await ask("status", account.status(of: orderID), .status)
    }

    private func ask(_ operation: StaticString, _ form: FormFields, _ method: IPGMethod)
        async throws(HostError) -> IPGAnswer
    {
        let answer = try await exchange.send(
            operation, "POST", "/", headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: SecretBytes(form.body))
        // Another status may come from a system on the way, before the gateway or behind it.
        guard answer.status == 200 else { throw answer.errorOfNoGateway(.noAnswer) }
        do throws(IPGMessageError) { return try IPGAnswer(parsing: answer.body, to: method, for: account) } catch {
            throw HostError(.answerNotGenuine, "\(error): ask for the order's status before you try again")
        }
    }
}

extension IPGClient {
    /// What settling has come to.
    public struct Settlement: Sendable {
        /// The orders that have changed, as ``IPGMerchant/handle(_:)`` tells them.
        public internal(set) var changes: [HandledNotification] = []
        /// Those about which the gateway could not be asked, and why.
        public internal(set) var failures: [IPGOrderID: HostError] = [:]
    }

    /// Asks the gateway about what the journal has open, and has charges reversed that must not
    /// stay. It may be repeated at any time; one order that fails stops no other.
    ///
    /// - Parameter succeeded: Orders that have succeeded and are to be asked for, too: before API
    ///   4.5 those of the day, because the gateway may have reversed one and its message got lost.
    public func settle<Journal: IPGJournal>(_ merchant: IPGMerchant<Journal>, succeeded: [IPGOrderID] = [])
        async throws(IPGJournalError) -> Settlement
    {
        var settlement = Settlement()
        var asked: Set<IPGOrderID> = []
        for id in try await merchant.journal.unsettled().map(\.id) + succeeded where asked.insert(id).inserted {
            do throws(HostError) {
                settlement.add(await merchant.settle(id, try await status(of: id)))
            } catch {
                settlement.failures[id] = error
                continue
            }
            for reference in try await merchant.journal.order(id)?.dueReversals ?? [] {
                do throws(HostError) {
                    let answer = try await reverse(reference, orderID: id)
                    settlement.add(await merchant.settle(id, reversal: reference, answer))
                } catch {
                    settlement.failures[id] = error
                }
            }
        }
        return settlement
    }
}

extension IPGClient.Settlement {
    fileprivate mutating func add(_ handled: HandledNotification) {
        if handled.refusal != nil || handled.order != handled.before { changes.append(handled) }
    }
}
