/// What the terminal asks of the world behind it: a gateway, an acquirer, or the bench host.
public protocol PaymentHost: Sendable {
    /// Decides on a payment, or on the account alone (``AuthorizationRequest/Purpose/accountVerification``), which never settles.
    ///
    /// An order seen before is refused with ``HostError/Code/orderAlreadyProcessed``. If the request names a secure card, an approval
    /// registers it.
    func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse

    /// Takes note of how an order ended at the terminal. The same completion may come again until it has been answered, and a reversal
    /// may come for an order that never arrived.
    func complete(_ completion: Completion) async throws(HostError)

    /// Makes a token for a card.
    ///
    /// - Returns: The secure card as it is kept, its `cardReference` filled.
    func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard

    func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard

    /// Replaces card data and details of the secure card with the merchant reference; its token stays.
    func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard

    func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError)
}
