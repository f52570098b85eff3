internal import Bytes
public import Gateways
public import PaymentTerminal
public import ThreeDSecure
internal import XMLDocument

/// Cardinal's messages over HTTP. Each is sent once.
public struct CardinalClient: Sendable {
    public let account: CardinalAccount
    private let exchange: HTTPExchange

    package init(
        _ address: GatewayAddress, account: CardinalAccount, options: ConnectionOptions, over network: any HTTPNetwork
    ) {
        self.account = account
        exchange = HTTPExchange(address, options, terminalID: account.organization, over: network)
    }

    /// - Parameter address: With its path: `https://centineltest.cardinalcommerce.com/maps/txns.asp`.
    /// - Throws: ``HostError/Failure/internalError`` if the file with the trusted certificates
    ///   cannot be read.
    public init(_ address: GatewayAddress, account: CardinalAccount, options: ConnectionOptions = ConnectionOptions())
        throws(HostError)
    {
        self.init(address, account: account, options: options, over: try HTTPClientNetwork(options))
    }

    /// Asks whether a card is to be authenticated, and how. An error is
    /// ``AuthenticationFlow/Event/lookupFailed`` to the flow.
    ///
    /// - Parameter now: Milliseconds since 1970.
    public func lookUp(_ request: LookupRequest, now: Int64) async throws(HostError) -> CardinalAnswer {
        try await ask("lookup", account.lookup(request, now: now))
    }

    /// Asks for the result of a challenge. An error is
    /// ``AuthenticationFlow/Event/authenticationFailed`` to the flow.
    ///
    /// - Parameter now: Milliseconds since 1970.
    public func authenticate(_ transactionID: String, now: Int64) async throws(HostError) -> CardinalAnswer {
        try await ask("authenticate", account.authenticate(transactionID, now: now))
    }

    private func ask(_ operation: StaticString, _ message: XMLElement) async throws(HostError) -> CardinalAnswer {
        let answer = try await exchange.send(
            operation, "POST", "", headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: message.cardinalForm)
        guard answer.status == 200 else { throw answer.errorOfNoGateway(.noAnswer) }
        do throws(CardinalMessageError) { return try CardinalAnswer(parsing: answer.body) } catch {
            throw HostError(.answerNotGenuine, "\(error)")
        }
    }
}
