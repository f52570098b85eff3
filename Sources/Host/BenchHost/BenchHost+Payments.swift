import Bytes
import CardCapture
public import PaymentTerminal
import SealedStore
import TLV

extension BenchHost {
    public func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        try await transact(request).answer
    }

    /// As ``authorize(_:)``, with what the host keeps of the transaction.
    public func transact(_ request: AuthorizationRequest) async throws(HostError) -> BenchTransaction {
        guard request.processing != .approvedOffline else {
            let settings = try await settings(of: request.terminalID)
            return try await transaction { [self] vault in
                BenchTransaction(try recordOfflineApproval(of: request, settings, vault))
            }
        }
        return try await playing(HostFault(request.amount)) { () async throws(HostError) in
            try await authorization(request)
        }
    }

    private func authorization(_ request: AuthorizationRequest) async throws(HostError) -> BenchTransaction {
        let settings = try await settings(of: request.terminalID)
        // Before the vault, which takes one request after the other.
        let examination = examine(request)
        return try await transaction { [self] vault in
            try vault.refuseKnown(request.orderID, of: request.terminalID)
            if request.processing == .online { try vault.refuseKnown(request.terms.externalID, of: request.terminalID) }
            try refuseAmount(request.amount, isZeroAllowed: request.purpose == .accountVerification, settings: settings)
            try refuseUndeclared(request.terms.customFields, settings: settings)
            let card = try self.card(of: request, vault)
            try refuseUnknownRange(card)
            var order = StoredOrder(
                request, card, uniqueReference: try vault.unusedUniqueReference(),
                panLookup: vault.keys.lookupValue(of: card.pan))
            let limit = try limit(request, order: order, settings: settings, vault: vault)
            let decision = try decide(request, examination: examination, order: &order, limit: limit, vault: vault)
            let secureCard =
                decision.code.approves ? try register(request.secureCard, card, of: request.terminalID, vault) : nil
            order.decide(
                decision, card: request.card.isToken ? CardSummary(card) : nil, secureCardReference: secureCard,
                requested: request.amount)
            if request.terms.allowsTipAdjustment { order.answer?.allowsTipAdjustment = true }
            try vault.save(order)
            try vault.keep(request.terms.externalID, of: order)
            return BenchTransaction(order)
        }
    }

    /// Nil for card data without a card.
    private func examine(_ request: AuthorizationRequest) -> TestIssuer.Examination? {
        guard case .captured(let enciphered) = request.card, let card = try? readable(enciphered), let pan = card.pan
        else { return nil }
        return issuer.examine(
            card, pan: pan, chipData: request.purpose == .refund ? nil : request.chipData, amount: request.amount)
    }

    /// The card that the request is for, if the host can read its number.
    func card(of request: AuthorizationRequest, _ vault: VaultTransaction) throws -> CardDetails {
        guard case .token(let token) = request.card else { return try opened(request.card) }
        return try vault.card(behind: token, of: cardOwner(request.terminalID, vault))
    }

    /// Whose secure cards a request of the terminal uses: its own; those of the host's own terminal
    /// for one that is not in the vault, as for its settings.
    private func cardOwner(_ terminalID: String, _ vault: VaultTransaction) throws -> String {
        try vault.hasTerminal(terminalID) ? terminalID : hostSettings.terminalID
    }

    /// The card's data in the clear.
    ///
    /// - Throws: ``PaymentTerminal/HostError/Refusal/cardRefused`` for what the reader enciphered
    ///   under a key that is not in ``HostRules/swipeKeys``.
    func opened(_ card: PaymentCard) throws(HostError) -> CardDetails {
        switch card {
        case .keyed(let card, _): return card
        case .token: throw HostError(.invalidRequest, "a token is not a card: give the card's data")
        case .captured(let card):
            do throws(CardDetailsError) {
                return try CardDetails(try readable(card))
            } catch {
                throw HostError(.cardRefused, error.description)
            }
        }
    }

    private func readable(_ card: CapturedCard) throws(CardDetailsError) -> CapturedCard {
        guard card.pan == nil, let keys = rules.swipeKeys else { return card }
        guard let opened = card.opened(by: keys) else { throw .enciphered }
        return opened
    }

    /// Twelve digits, as many as ISO 8583 field 4 has.
    static let greatestAmount: Int64 = 999_999_999_999

    /// - Parameter isZeroAllowed: only a verification moves no money.
    func refuseAmount(_ amount: Money, isZeroAllowed: Bool = false, settings: HostSettings) throws(HostError) {
        guard (isZeroAllowed ? 0...Self.greatestAmount : 1...Self.greatestAmount).contains(amount.minorUnits) else {
            throw HostError(.invalidRequest, "the amount must be above zero and have at most 12 digits")
        }
        guard settings.currencies?.contains(amount.currency) ?? true else {
            throw HostError(.invalidRequest, "the terminal is not configured for \(amount.currency) at the host")
        }
    }

    func refuseUndeclared(_ fields: [CustomField], settings: HostSettings) throws(HostError) {
        guard fields.allSatisfy({ settings.customFields.contains($0.name) }) else {
            throw HostError(
                .invalidRequest, "a custom field is not declared for the terminal at the host: declare it, or omit it")
        }
    }

    /// The code of the host's own limit that the payment breaks; nil if it breaks none.
    private func limit(
        _ request: AuthorizationRequest, order: StoredOrder, settings: HostSettings, vault: VaultTransaction
    ) throws -> ResponseCode? {
        guard [.sale, .preAuthorization].contains(request.purpose) else { return nil }
        if let most = settings.maximumAmount, most.currency == request.amount.currency,
            request.amount.minorUnits > most.minorUnits
        {
            return .exceedsLimit
        }
        if request.refusesDuplicates, let window = rules.duplicateWindow, try vault.hasTwin(order, within: window) {
            return .duplicate
        }
        if let velocity = rules.velocity, try vault.paymentCount(order, within: velocity.seconds) >= velocity.count {
            return .exceedsFrequency
        }
        return nil
    }

    /// - Parameter limit: the code of a limit that the payment breaks; nil if it breaks none.
    private func decide(
        _ request: AuthorizationRequest, examination: TestIssuer.Examination?, order: inout StoredOrder,
        limit: ResponseCode?,
        vault: VaultTransaction
    ) throws -> TestIssuer.Decision {
        var cvv: SecretBytes?
        if case .keyed(_, let keyed) = request.card { cvv = keyed }
        var decision: TestIssuer.Decision
        if let examination, let panLookup = order.panLookup {
            let sequenceNumber = examination.panSequenceNumber
            let isNew =
                try examination.cryptogram.map { try !vault.hasSeen(cryptogram: $0, panLookup: panLookup) } ?? true
            var known = try vault.counter(panLookup: panLookup, sequenceNumber: sequenceNumber)
            let isDeferred = request.processing == .deferred
            if let card = known, isNew, !isDeferred, rules.takesCardsThatBeganAgain,
                examination.beginsAgain(after: card.last)
            {
                try vault.beginAgain(panLookup: panLookup, sequenceNumber: sequenceNumber)
                known = try vault.counter(panLookup: panLookup, sequenceNumber: sequenceNumber)
            }
            decision = try issuer.decide(
                examination, amount: request.amount, limit: limit, lastCounter: isDeferred ? nil : known?.last)
            if let atc = decision.acceptedCounter {
                let counter = StoredOrder.CardCounter(panSequenceNumber: sequenceNumber, atc: atc)
                // A deferred one may come after those that the card made later, but only once. It
                // may also be of the time before the card began again: then its counter says
                // nothing.
                let hasCounter = !(isDeferred && known?.hasBegunAgain == true)
                if try !isNew || hasCounter && vault.hasSeen(counter, panLookup: panLookup) {
                    decision = .counterNotIncreased
                } else {
                    try vault.keep(cryptogram: examination.cryptogram, panLookup: panLookup)
                    if hasCounter {
                        order.counter = counter
                        if known.map({ atc > $0.last }) ?? true {
                            try vault.saveTransactionCounter(counter, panLookup: panLookup)
                        }
                    }
                }
            }
        } else {
            decision = issuer.decide(cvv: cvv, amount: request.amount, limit: limit)
        }
        decision.checks = issuer.checks(cvv: cvv, address: request.terms.billingAddress)
        return decision
    }

    private func register(
        _ secureCard: SecureCard?, _ card: CardDetails, of terminalID: String, _ vault: VaultTransaction
    ) throws -> SecureCardReference? {
        guard let secureCard else { return nil }
        let kept = VaultCard(
            merchantReference: secureCard.merchantReference, details: secureCard.details, card: card,
            entryMode: secureCard.entryMode ?? .keyed, readerName: secureCard.readerName,
            securityCheck: .cardNumberValidated)
        return try vault.insertSecureCard(kept, of: cardOwner(terminalID, vault)).cardReference
    }
}

extension PaymentCard {
    fileprivate var isToken: Bool { if case .token = self { true } else { false } }
}
