import CardCapture
import EMVKernel
private import TLV

/// The outcome of a payment after the decisions of card and host, and the resulting message to the
/// host.
struct PaymentVerdict {
    var outcome: PaymentResponse.Outcome
    var due: Due?

    indirect enum Due {
        case confirmation(chipData: [UInt8])
        case reversal(ReversalReason)
        case reversalIfOurs(ReversalReason)
        case advice(AuthorizationRequest)
        case declineAdvice(AuthorizationRequest)
        case authorization(AuthorizationRequest)
    }

    static let declined = PaymentVerdict(outcome: .declined, due: nil)

    static func reversed(_ reason: ReversalReason) -> PaymentVerdict { PaymentVerdict(outcome: .reversed(reason), due: .reversal(reason)) }

    /// The host already knew an order with this id. If it is this order, it is undone; it may be
    /// another payment.
    static let taken = PaymentVerdict(outcome: .unknown, due: .reversalIfOurs(.noHostAnswer))

    /// It is unknown what the host did; it must be undone.
    static func unknown(_ reason: ReversalReason) -> PaymentVerdict { PaymentVerdict(outcome: .unknown, due: .reversal(reason)) }
}

extension PaymentVerdict {
    /// The verdict for a card that was read.
    ///
    /// The card's decision is final; the host must agree with it. An online approval reported by a
    /// reader without an answer of the host is ignored.
    ///
    /// - Parameters:
    ///   - request: The authorization request with the card's final data and its last cryptogram;
    ///     nil if the reader returned no card. The host cannot book a payment without one, so it is
    ///     not approved.
    ///   - rules: The rules for accepting the payment.
    init(_ capture: CaptureOutcome, _ exchange: HostExchange.State, request: AuthorizationRequest?, _ rules: PaymentRules) {
        let payable = capture.requiresReversal ? nil : request
        switch exchange {
        case .answered(let response):
            guard rules.authorizes(response) else {
                self.init(outcome: .declined, due: capture.card?.chip.map { .confirmation(chipData: $0.field55(for: .advice)) })
                return
            }
            guard capture.decision == .approvedOnline, payable != nil else {
                self = .reversed(.cardDeclined)
                return
            }
            self.init(response, rules)
            if due == nil, let chip = capture.card?.chip { due = .confirmation(chipData: chip.field55(for: .advice)) }
        case .refused: self = .declined
        case .taken: self = .taken
        case .unanswered:
            guard capture.decision == .approvedOffline, let payable, rules.takesCardApproval else {
                self = .unknown(.noHostAnswer)
                return
            }
            self.init(outcome: .storedOffline, due: .advice(payable))
        case .notAsked, .unreachable:
            if capture.decision == .approvedOffline, let payable, rules.takesCardApproval {
                self.init(outcome: .storedOffline, due: .advice(payable))
            } else if case .unreachable = exchange, let payable, capture.card?.chip == nil, rules.defers(payable) {
                self.init(outcome: .storedOffline, due: .authorization(payable))
            } else {
                self.init(outcome: .declined, due: capture.adviceOfDecline(request).map { .declineAdvice($0) })
            }
        }
    }

    /// The verdict from the host's answer alone.
    init(_ response: AuthorizationResponse, _ rules: PaymentRules) {
        guard rules.authorizes(response) else {
            self = .declined
            return
        }
        guard response.authorizedAmount.minorUnits < rules.amount.minorUnits else {
            self.init(outcome: .approved, due: nil)
            return
        }
        self = rules.allowsPartialApproval ? PaymentVerdict(outcome: .partiallyApproved, due: nil) : .reversed(.partialApprovalNotAllowed)
    }
}

/// The rules for a payment.
struct PaymentRules {
    let amount: Money
    let allowsPartialApproval: Bool
    let responseCodes: ResponseCodes
    /// Whether an approval by the card alone may still be accepted.
    let takesCardApproval: Bool
    /// The entry modes of payments that may be authorised later.
    var deferrable: Set<CapturedCard.EntryMode>

    /// Approved for a lower amount (ISO 8583:1987, field 39).
    static let partialApproval = "10"

    /// Whether the host authorised an amount, possibly less than requested.
    func authorizes(_ response: AuthorizationResponse) -> Bool {
        responseCodes.approves(response.issuer.responseCode) || response.issuer.responseCode == Self.partialApproval
    }

    func defers(_ request: AuthorizationRequest) -> Bool {
        switch request.card {
        case .captured(let card): deferrable.contains(card.entryMode)
        case .keyed: deferrable.contains(.keyed)
        case .token: false
        }
    }
}

extension CaptureOutcome {
    /// The advice of a decline, if the card requested one; nil otherwise, and for a refund, because
    /// no published message records a refund without paying it.
    fileprivate func adviceOfDecline(_ request: AuthorizationRequest?) -> AuthorizationRequest? {
        // Readers with a kernel of their own return the card's wish with its data.
        let wish = card?.entryMode == .chip ? card?.chip?.elements[.cryptogramInformationData]?.first : nil
        let isRequired = requiresAdvice || wish.map { CryptogramInformationData(rawValue: $0).adviceRequired } == true
        guard isRequired, decision == .declinedOffline, let request, request.purpose == .sale || request.purpose == .preAuthorization
        else { return nil }
        // The host must not register the card of a declined sale.
        return AuthorizationRequest(
            orderID: request.orderID, purpose: request.purpose, processing: request.processing, amount: request.amount,
            timestamp: request.timestamp, terminalID: request.terminalID, card: request.card, terms: request.terms)
    }
}
