import Bytes
import CardReaders
public import PaymentTerminal
import TLV

extension BenchHost {
    public func authorize(_ request: AuthorizationRequest) async throws(HostError) -> AuthorizationResponse {
        try await transaction { [self] vault in
            try vault.refuseKnown(request.orderID)
            let card = try Self.card(of: request, vault)
            try refuseUnknownRange(card)
            let decision = try decide(request, vault)
            let record = OrderRecord(request, card, decision, uniqueReference: try vault.unusedUniqueReference())
            try vault.save(record)
            return AuthorizationResponse(
                uniqueReference: record.uniqueReference,
                issuer: IssuerAnswer.Answer(
                    responseCode: decision.code.rawValue, issuerAuthenticationData: decision.issuerAuthenticationData,
                    scripts: decision.scripts, authorisationCode: record.approvalCode),
                authorizedAmount: request.amount, card: CardSummary(card),
                secureCardReference: decision.code == .approved ? try Self.register(request.secureCard, card, vault) : nil,
                message: decision.code.words)
        }
    }

    public func complete(_ completion: Completion) async throws(HostError) {
        try await transaction { vault in
            let known = try vault.order(completion.orderID)
            var record: OrderRecord
            switch completion.result {
            case .finished(let chipData):
                guard let known else { throw HostError(.failed, "no order with this id was authorised here") }
                record = known
                record.finalCryptogram = try DataElements(parsing: chipData)[.applicationCryptogram]
            case .approvedOffline(let request):
                record =
                    try known
                    ?? OrderRecord(
                        request, Self.card(of: request, vault), state: .approvedOffline, uniqueReference: vault.unusedUniqueReference())
                record.state = .approvedOffline
                record.finalCryptogram = try DataElements(parsing: request.chipData ?? [])[.applicationCryptogram]
            case .reversed:
                // A reversal may overtake its authorisation, which is then refused as already processed.
                record = try known ?? OrderRecord(reversed: completion.orderID, uniqueReference: vault.unusedUniqueReference())
                record.state = .reversed
            }
            try vault.save(record)
        }
    }

    private static func card(of request: AuthorizationRequest, _ vault: VaultTransaction) throws -> CardDetails {
        switch request.card {
        case .captured(let card): try CardDetails(card)
        case .keyed(let card, _): card
        case .token(let token): try vault.card(behind: token)
        }
    }

    private func decide(_ request: AuthorizationRequest, _ vault: VaultTransaction) throws -> TestIssuer.Decision {
        switch request.card {
        case .keyed(_, let cvv): return issuer.decide(cvv: cvv, amount: request.amount)
        case .token: return issuer.decide(cvv: nil, amount: request.amount)
        case .captured(let card):
            guard let pan = card.pan else { throw CardDetailsError.enciphered }
            let sequenceNumber = card.panSequenceNumber ?? 0
            let decision = try issuer.decide(
                card, pan: pan, chipData: request.chipData, amount: request.amount,
                lastCounter: try vault.transactionCounter(of: pan, sequenceNumber: sequenceNumber))
            if let counter = decision.acceptedCounter {
                try vault.saveTransactionCounter(counter, of: pan, sequenceNumber: sequenceNumber)
            }
            return decision
        }
    }

    private static func register(
        _ secureCard: SecureCard?, _ card: CardDetails, _ vault: VaultTransaction
    ) throws -> SecureCardReference? {
        guard let secureCard else { return nil }
        let registration = SecureCardRegistration(
            merchantReference: secureCard.merchantReference, details: secureCard.details, card: card,
            entryMode: secureCard.entryMode ?? .keyed, readerName: secureCard.readerName)
        return try vault.insertSecureCard(registration).cardReference
    }
}

extension OrderRecord {
    /// The record of an order that the issuer decided.
    fileprivate init(
        _ request: AuthorizationRequest, _ card: CardDetails, _ decision: TestIssuer.Decision, uniqueReference: String
    ) {
        let approved: State = request.purpose == .accountVerification ? .verified : .approved
        self.init(request, card, state: decision.code == .approved ? approved : .declined, uniqueReference: uniqueReference)
        responseCode = decision.code.rawValue
        guard decision.code == .approved else { return }
        approvalCode = String((0..<6).map { _ in Character(String(Int.random(in: 0...9))) })
    }
}
