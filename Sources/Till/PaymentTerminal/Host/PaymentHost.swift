/// The terminal's interface to its host: a gateway, an acquirer, or the bench host.
///
/// Every request that moves money has an order id of its own, by which it can be asked after
/// (``status(of:)``) and undone (``advise(_:)``) when its answer is lost. An order seen before is
/// refused with ``HostError/Refusal/orderAlreadyProcessed``.
public protocol PaymentHost: Sendable {
    /// The terminal's settings at the host.
    func settings() async throws(HostError) -> HostSettings

    /// Decides about a payment, an unreferenced refund, or only the account
    /// (``AuthorizationRequest/Purpose/accountVerification``), which never settles.
    ///
    /// If the request has a secure card, an approval registers it.
    ///
    /// A payment that the card approved without the host
    /// (``AuthorizationRequest/Processing/approvedOffline``) is recorded and settled. The answer
    /// says what the host has booked, which is what the caller is told.
    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse

    /// Books an order that the issuer referred (response codes 01 and 02), with the approval code
    /// that the issuer gave on the telephone.
    ///
    /// A repeated request gets the same answer.
    /// - Parameter approvalCode: Six letters or digits (ISO 8583:1987, field 38).
    /// - Throws: ``HostError/Refusal/notAllowed`` for an order that was not referred, or was
    ///   reversed since; ``HostError/Refusal/notSupported``, as the default has it, where the
    ///   interface has no such message.
    func approveReferral(of orderID: OrderID, approvalCode: String) async throws(HostError) -> AuthorizationResponse

    /// Refunds a sale or a capture, completely or in part.
    func refund(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse

    /// Captures the amount of a pre-authorisation, also with a tip or a lower amount; or the tip of
    /// a sale that allows adjustment.
    func capture(_ request: ReferencedRequest) async throws(HostError) -> AuthorizationResponse

    /// Records how an order ended at the terminal. The same advice may be repeated until it is
    /// answered. A reversal may arrive for an order that has not arrived: the order is then refused
    /// if it arrives later.
    func advise(_ advice: Advice) async throws(HostError)

    /// The outcome of an order whose answer was lost.
    func status(of orderID: OrderID) async throws(HostError) -> OrderStatus

    /// Whether the host knows refunds and captures of earlier transactions by their order ids, so
    /// that their status can be queried (``status(of:)``) and they can be reversed. True by
    /// default; false if the host's interface does not support it.
    func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool

    /// One page of the transactions that match the query.
    func transactions(_ query: TransactionQuery) async throws(HostError) -> TransactionQuery.Page

    /// Whether the host verifies an account without a payment
    /// (``AuthorizationRequest/Purpose/accountVerification``). True by default; false if the host's
    /// interface has no message for that.
    func verifiesAccounts() async throws(HostError) -> Bool

    /// The fields that the host's interface does not support. Empty by default.
    func fieldsNotCarried() async throws(HostError) -> Set<PaymentField>

    /// Registers a card and returns its token.
    ///
    /// - Returns: The secure card as stored, with its `cardReference`.
    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard

    /// The secure card with the merchant reference, including its `cardReference`.
    ///
    /// - Throws: ``HostError/Refusal/secureCardUnknown`` if there is none.
    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard

    /// Replaces card data and details of the secure card with the merchant reference; its token
    /// does not change.
    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard

    /// Deletes a secure card: its token is invalid from then on.
    ///
    /// - Throws: ``HostError/Refusal/secureCardUnknown`` if
    ///   reference and token do not belong together.
    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError)

    /// Why no cardholder is charged here, as text: a bench host or a sandbox. Nil (the default) for
    /// a production host, and for one that cannot be asked now.
    ///
    /// A production terminal asks before each operation, and before each request: a client that
    /// does not know may ask its host, without moving money.
    var testOnlyReason: String? { get async }
}

extension PaymentHost {
    public var testOnlyReason: String? { nil }
    public func knowsReferencedRequestsByOrder() async throws(HostError) -> Bool { true }
    public func approveReferral(of orderID: OrderID, approvalCode: String) async throws(HostError)
        -> AuthorizationResponse
    {
        throw HostError(.notSupported, "the host does not accept the approval code of a call: take another payment")
    }
    public func verifiesAccounts() async throws(HostError) -> Bool { true }
    public func fieldsNotCarried() async throws(HostError) -> Set<PaymentField> { [] }
}
