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
        /// The card approved without the host.
        case advice(AuthorizationRequest)
        case declineAdvice(AuthorizationRequest)
        case authorization(AuthorizationRequest)
    }

    static let declined = PaymentVerdict(outcome: .declined, due: nil)

    static func reversed(_ reason: ReversalReason) -> PaymentVerdict {
        PaymentVerdict(outcome: .reversed(reason), due: .reversal(reason))
    }

    /// The host already knew an order with this id. If it is this order, it is undone; it may be
    /// another payment.
    static let taken = PaymentVerdict(outcome: .unknown, due: .reversalIfOurs(.noHostAnswer))

    /// It is unknown what the host did; it must be undone.
    static func unknown(_ reason: ReversalReason) -> PaymentVerdict {
        PaymentVerdict(outcome: .unknown, due: .reversal(reason))
    }

    /// The verdict on a payment that the terminal does not accept after all. What has left the
    /// terminal decides, not the card's outcome: a card may approve alone after the host has taken
    /// the request.
    ///
    /// - Parameter rules: The rules for accepting the payment.
    static func undone(_ reason: ReversalReason, after exchange: HostExchange, _ rules: PaymentRules)
        -> PaymentVerdict
    {
        switch exchange {
        case .notAsked, .unreachable, .refused: .declined
        case .unanswered: .unknown(reason)
        case .answered(let response): rules.isHeld(response) ? .reversed(reason) : .declined
        case .taken: .taken
        }
    }
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
    init(
        _ capture: CaptureOutcome, _ exchange: HostExchange, request: AuthorizationRequest?, _ rules: PaymentRules
    ) {
        let payable = capture.requiresReversal ? nil : request
        switch exchange {
        case .answered(let response):
            guard rules.authorizes(response) else {
                self = PaymentVerdict(response, rules)
                if due == nil, let chip = capture.card?.chip {
                    due = .confirmation(chipData: chip.field55(for: .advice))
                }
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
            self = rules.isHeld(response) ? .reversed(.responseCodeNotAccepted) : .declined
            return
        }
        guard response.authorizedAmount.minorUnits < rules.amount.minorUnits else {
            self.init(outcome: .approved, due: nil)
            return
        }
        self =
            rules.allowsPartialApproval
            ? PaymentVerdict(outcome: .partiallyApproved, due: nil) : .reversed(.partialApprovalNotAllowed)
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

    /// Whether an answer counts as approved with any response code, as long as the host holds an
    /// amount: for a payment that the card has approved.
    var acceptsEveryCode = false

    /// Whether the host authorised an amount, possibly less than requested.
    func authorizes(_ response: AuthorizationResponse) -> Bool {
        acceptsEveryCode ? isHeld(response) : response.isAccepted(by: responseCodes)
    }

    /// Whether the host holds an amount, although the terminal may not accept its answer.
    func isHeld(_ response: AuthorizationResponse) -> Bool { response.isHeld(by: responseCodes) }

    func defers(_ request: AuthorizationRequest) -> Bool {
        switch request.card {
        case .captured(let card): deferrable.contains(card.entryMode)
        case .keyed: deferrable.contains(.keyed)
        case .token: false
        }
    }
}

extension PaymentRules {
    /// The rules for an order without its card: only the host decides.
    init(_ entry: JournalEntry, _ configuration: Terminal.Configuration) {
        self.init(
            amount: entry.amount, allowsPartialApproval: entry.allowsPartialApproval && !entry.isStored,
            responseCodes: configuration.responseCodes, takesCardApproval: false, deferrable: [])
    }
}

extension CaptureOutcome {
    /// The advice of a decline, if the card requested one; nil otherwise, and for a refund, because
    /// no published message records a refund without paying it.
    fileprivate func adviceOfDecline(_ request: AuthorizationRequest?) -> AuthorizationRequest? {
        // Readers with a kernel of their own return the card's wish with its data.
        let wish = card?.entryMode == .chip ? card?.chip?.elements[.cryptogramInformationData]?.first : nil
        let isRequired = requiresAdvice || wish.map { CryptogramInformationData(rawValue: $0).adviceRequired } == true
        guard isRequired, decision == .declinedOffline, let request,
            request.purpose == .sale || request.purpose == .preAuthorization
        else { return nil }
        // The host must not register the card of a declined sale.
        return AuthorizationRequest(
            orderID: request.orderID, purpose: request.purpose, processing: request.processing, amount: request.amount,
            timestamp: request.timestamp, terminalID: request.terminalID, card: request.card, terms: request.terms)
    }
}
