import CardCapture

/// A change of a secure card in the journal: enough to find out at the host whether it was made,
/// but no card data.
struct SecureCardChange: Sendable, Equatable, Codable {
    /// The secure card that is registered, edited or deleted.
    let merchantReference: MerchantReference
    /// The details to store at the host.
    let details: SecureCard.Details
    /// The data of the new card that may be shown; nil if the card does not change.
    let card: CardSummary?
    /// Whether the issuer has verified the account of the card before; nil if not.
    private let isVerified: Bool?
    /// The result at the host; nil until it is known, and if nothing was changed.
    private(set) var result: Result?

    enum Result: Sendable, Equatable, Codable {
        /// The secure card as stored at the host.
        case kept(Kept)
        case deleted
    }

    /// A secure card without a source for new card data.
    struct Kept: Sendable, Equatable, Codable {
        let cardReference: SecureCardReference?
        let card: CardSummary?
        let entryMode: CapturedCard.EntryMode?
        let readerName: String?
        let details: SecureCard.Details
        let securityCheck: SecureCard.SecurityCheck?
    }

    private enum CodingKeys: String, CodingKey {
        case merchantReference = "m"
        case details = "d"
        case card = "c"
        case isVerified = "v"
        case result = "r"
    }

    init(_ registration: SecureCardRegistration) {
        merchantReference = registration.merchantReference
        details = registration.details
        card = registration.summary
        isVerified = registration.verification == nil ? nil : true
    }

    init(deleting reference: MerchantReference) {
        merchantReference = reference
        details = SecureCard.Details()
        card = nil
        isVerified = nil
    }

    /// Stores the result at the host.
    ///
    /// - Parameter kept: Nil for a deleted secure card.
    mutating func made(_ kept: SecureCard?) {
        result =
            kept.map { kept in
                .kept(
                    Kept(
                        cardReference: kept.cardReference, card: kept.card, entryMode: kept.entryMode,
                        readerName: kept.readerName,
                        details: kept.details, securityCheck: securityCheck(kept.securityCheck)))
            } ?? .deleted
    }

    /// The host says what it verified as it kept the card; the terminal has asked the issuer
    /// before.
    private func securityCheck(_ check: SecureCard.SecurityCheck?) -> SecureCard.SecurityCheck? {
        switch check {
        case nil, .notValidated: isVerified == true ? .cardNumberValidated : check
        case .cvvValidated, .cardNumberValidated, .validationFailed: check
        }
    }

    /// Whether a secure card at the host matches the change.
    func describes(_ kept: SecureCard) -> Bool { details == kept.details && (card == nil || card == kept.card) }

    /// Whether a secure card that was there when the change arrived is the one of the change: the
    /// same card, and no other details. Hosts leave out expiry date and details.
    ///
    /// - Returns: Nil if it may be another card: the host tells no number, as by the XML interface,
    ///   and nothing else differs.
    func agrees(with kept: SecureCard) -> Bool? {
        guard let card, let found = kept.card else { return false }
        func agrees<Value: Equatable>(_ found: Value?, _ requested: Value?) -> Bool {
            found == nil || found == requested
        }
        let (there, requested) = (kept.details, details)
        let restAgrees =
            agrees(found.expiry, card.expiry) && agrees(there.operatorName, requested.operatorName)
            && agrees(there.email, requested.email)
            && agrees(there.mobileNumber, requested.mobileNumber) && agrees(there.city, requested.city)
            && agrees(there.region, requested.region)
            && agrees(there.country, requested.country) && agrees(there.ipAddress, requested.ipAddress)
            && (there.customFields.isEmpty || there.customFields == requested.customFields)
        guard restAgrees else { return false }
        return found.maskedPAN.isEmpty ? nil : found.maskedPAN == card.maskedPAN
    }

    fileprivate func secureCard(_ kept: Kept) -> SecureCard {
        var card = SecureCard(
            merchantReference: merchantReference, cardReference: kept.cardReference, card: kept.card,
            entryMode: kept.entryMode,
            readerName: kept.readerName, details: kept.details)
        card.securityCheck = kept.securityCheck
        return card
    }
}

extension JournalEntry {
    init(
        _ change: SecureCardChange, _ operation: TerminalOperation, orderID: OrderID, key: IdempotencyKey?,
        digest: [UInt8],
        currency: Currency, at timestamp: Timestamp
    ) {
        self.init(
            orderID: orderID, key: key, operation: operation, digest: digest,
            amount: Money(minorUnits: 0, currency: currency),
            timestamp: timestamp, stage: .asking)
        secureCard = change
    }

    /// The result of a change of a secure card, for the caller; nil until there is one, and for
    /// other entries.
    var secureCardResponse: SecureCardResponse? {
        guard let secureCard, let result = secureCard.result else { return nil }
        switch result {
        case .deleted: return .deleted
        case .kept(let kept):
            let card = secureCard.secureCard(kept)
            return operation == .registerSecureCard ? .saved(card) : .updated(card)
        }
    }

    /// The caller's id of the request.
    var requestID: String { secureCard?.merchantReference.text ?? orderID.text }
}
