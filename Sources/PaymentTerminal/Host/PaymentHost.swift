/// What the terminal asks of the world behind it: a gateway, an acquirer, or the bench host.
///
/// Every request that moves money has an order id of its own, by which it can be asked after (``status(of:)``) and undone
/// (``advise(_:)``) when its answer is lost. An order seen before is refused with ``HostError/Refusal/orderAlreadyProcessed``.
public protocol PaymentHost: Sendable {
    /// What the terminal is configured for at the host.
    func settings() async throws(HostError) -> HostSettings

    /// Decides on a payment, on an unreferenced refund, or on the account alone (``AuthorizationRequest/Purpose/accountVerification``), which never
    /// settles.
    ///
    /// If the request names a secure card, an approval registers it.
    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse

    /// Books an order that the issuer referred (response codes 01 and 02), with the approval code that the issuer gave on the telephone.
    ///
    /// The same request may come again, and gets the same answer.
    /// - Parameter approvalCode: Six letters or digits (ISO 8583:1987, field 38).
    /// - Throws: ``HostError/Refusal/notAllowed`` for an order that was not referred, or was reversed since;
    ///   ``HostError/Refusal/notSupported``, as the default has it, where the interface has no such message.
    func approveReferral(of orderID: OrderID, approvalCode: String) async throws(HostError) -> AuthorizationResponse

    /// Gives money back for a sale or a capture: all of it, or a part.
    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse

    /// Captures what a pre-authorisation set aside, with a tip or less; or the tip of a sale that allows adjustment.
    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse

    /// Takes note of how an order ended at the terminal. The same advice may come again until it has been answered, and a reversal
    /// may come for an order that never arrived: the order is then refused if it still comes.
    func advise(_ advice: Advice) async throws(HostError)

    /// The outcome of an order whose answer was lost.
    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus

    /// Whether the host knows refunds and captures of earlier transactions by their order ids, so that they can be asked after
    /// (``status(of:)``) and reversed. True, as the default has it, unless the host's interface has no place for them.
    func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool

    /// The transactions that fit the query, a page at a time.
    func transactions(_ query: TransactionQuery) async throws(HostError) -> [TransactionRecord]

    /// Whether the host verifies an account without a payment (``AuthorizationRequest/Purpose/accountVerification``). True, as the default
    /// has it, unless the host's interface has no message for that.
    func verifiesAccounts() async throws(HostError) -> Bool

    /// What the host's interface has no place for. Empty, as the default has it, if it carries everything.
    func fieldsNotCarried() async throws(HostError) -> Set<PaymentField>

    /// Makes a token for a card.
    ///
    /// - Returns: The secure card as it is kept, its `cardReference` filled.
    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard

    /// The secure card with the merchant reference, its `cardReference` filled.
    ///
    /// - Throws: ``HostError/Refusal/secureCardUnknown`` if there is none.
    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard

    /// Replaces card data and details of the secure card with the merchant reference; its token stays.
    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard

    /// Deletes a secure card: its token is invalid from then on.
    ///
    /// - Throws: ``HostError/Refusal/secureCardUnknown`` if
    ///   reference and token do not belong together.
    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError)

    /// Why no cardholder is charged here, in words: a bench host, a sandbox. Nil, as the default has it, where money moves.
    var testOnlyReason: String? { get }
}

extension PaymentHost {
    public var testOnlyReason: String? { nil }
    public func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool { true }
    public func approveReferral(of orderID: OrderID, approvalCode: String) async throws(HostError) -> AuthorizationResponse {
        throw HostError(.notSupported, "the host does not accept the approval code of a call: take another payment")
    }
    public func verifiesAccounts() async throws(HostError) -> Bool { true }
    public func fieldsNotCarried() async throws(HostError) -> Set<PaymentField> { [] }
}
