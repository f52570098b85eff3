import CardCapture
public import PaymentTerminal
import SealedStore

extension BenchHost {
    public func registerSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await keep(registration, of: hostSettings.terminalID) { try $0.insertSecureCard($1, of: $2) }
    }

    /// For one of the terminals that the vault knows.
    public func registerSecureCard(_ registration: SecureCardRegistration, of terminalID: String)
        async throws(HostError) -> SecureCard
    {
        try await keep(registration, of: terminalID) { try $0.insertSecureCard($1, of: $2) }
    }

    public func retrieveSecureCard(_ reference: MerchantReference) async throws(HostError) -> SecureCard {
        try await retrieveSecureCard(reference, of: hostSettings.terminalID)
    }

    /// For one of the terminals that the vault knows: a secure card of another is unknown to it.
    public func retrieveSecureCard(_ reference: MerchantReference, of terminalID: String) async throws(HostError)
        -> SecureCard
    {
        try await transaction { try $0.secureCard(reference, of: terminalID) }
    }

    public func updateSecureCard(_ registration: SecureCardRegistration) async throws(HostError) -> SecureCard {
        try await keep(registration, of: hostSettings.terminalID) { try $0.updateSecureCard($1, of: $2) }
    }

    /// For one of the terminals that the vault knows.
    public func updateSecureCard(_ registration: SecureCardRegistration, of terminalID: String) async throws(HostError)
        -> SecureCard
    {
        try await keep(registration, of: terminalID) { try $0.updateSecureCard($1, of: $2) }
    }

    public func deleteSecureCard(_ reference: MerchantReference, token: SecureCardReference) async throws(HostError) {
        try await deleteSecureCard(reference, token: token, of: hostSettings.terminalID)
    }

    /// For one of the terminals that the vault knows: a secure card of another is unknown to it.
    public func deleteSecureCard(
        _ reference: MerchantReference, token: SecureCardReference, of terminalID: String
    ) async throws(HostError) {
        try await transaction { try $0.deleteSecureCard(reference, token: token, of: terminalID) }
    }

    /// Stores a card if its CVV is correct. A card with a CVV is validated by an authorisation of
    /// 0.00, which is voided at once and never settles. If it fails, only the authorisation is
    /// stored.
    private func keep(
        _ registration: SecureCardRegistration, of terminalID: String,
        _ store: @escaping @Sendable (VaultTransaction, VaultCard, _ terminalID: String) throws -> SecureCard
    ) async throws(HostError) -> SecureCard {
        let given: CardDetails? =
            if let card = registration.card { try opened(card) } else { nil }
        if let given { try refuseUnknownRange(given) }
        let settings = try await settings(of: terminalID)
        let kept: SecureCard? = try await transaction { [self] vault in
            try refuseUndeclared(registration.details.customFields, settings: settings)
            let isVerified = try Self.hasVerified(registration, given, terminalID, in: vault)
            let card = try VaultCard(registration, given, of: terminalID, vault, isVerified: isVerified)
            guard registration.cvv != nil else { return try store(vault, card, terminalID) }
            var validation = StoredOrder(
                validating: card.card, uniqueReference: try vault.unusedUniqueReference(), terminalID: terminalID,
                panLookup: vault.keys.lookupValue(of: card.card.pan))
            let nothing = Money(minorUnits: 0, currency: settings.currencies?.first ?? .euro)
            validation.decide(issuer.decide(cvv: registration.cvv, amount: nothing), card: nil, requested: nothing)
            try vault.save(validation)
            return validation.record.state == .voided ? try store(vault, card, terminalID) : nil
        }
        guard let kept else {
            throw HostError(.validationFailed, "the CVV is wrong and the card was not saved: check the digits")
        }
        return kept
    }

    /// Whether the issuer has verified the account of this card for this terminal, as the
    /// registration says.
    private static func hasVerified(
        _ registration: SecureCardRegistration, _ card: CardDetails?, _ terminalID: String, in vault: VaultTransaction
    ) throws -> Bool {
        guard let card, let verification = registration.verification,
            let order = try vault.order(uniqueReference: verification)
        else {
            return false
        }
        return order.record.kind == .accountVerification && order.record.state == .voided
            && order.terminalID == terminalID
            && order.panLookup == vault.keys.lookupValue(of: card.pan)
    }
}

extension VaultCard {
    /// - Parameters:
    ///   - card: Nil for an update without new card data.
    ///   - isVerified: Whether the issuer has verified the account before.
    fileprivate init(
        _ registration: SecureCardRegistration, _ card: CardDetails?, of terminalID: String, _ vault: VaultTransaction,
        isVerified: Bool
    ) throws {
        guard let card else {
            let (kept, _) = try vault.storedCard(registration.merchantReference, of: terminalID)
            self.init(
                merchantReference: registration.merchantReference, details: registration.details, card: kept.card,
                entryMode: kept.entryMode, readerName: kept.readerName, securityCheck: kept.securityCheck)
            return
        }
        self.init(
            merchantReference: registration.merchantReference, details: registration.details, card: card,
            entryMode: registration.entryMode ?? .keyed, readerName: registration.readerName,
            securityCheck: registration.cvv != nil ? .cvvValidated : isVerified ? .cardNumberValidated : .notValidated)
    }
}
