import PaymentTerminal

/// What the host makes of a payment or a refund that the card approved without it.
enum OfflineApproval {
    /// The order is new: it is booked as the card approved it.
    case new
    /// The host has this very order: the answer is the one that it gave before, and what is booked
    /// stays.
    case again(AuthorizationResponse)
    case refused(HostError)

    /// - Parameters:
    ///   - known: The order that the same terminal made under the same order id.
    ///   - panLookup: The search value of the request's card number.
    init(_ known: StoredOrder?, _ request: AuthorizationRequest, panLookup: [UInt8]) {
        guard request.purpose != .accountVerification else {
            self = .refused(HostError(.invalidRequest, "a card approves no verification of its account"))
            return
        }
        guard let known else {
            self = .new
            return
        }
        guard known.record.kind == TransactionRecord.Kind(request.purpose), known.record.amount == request.amount,
            known.panLookup == panLookup
        else {
            self = .refused(
                HostError(
                    .notAllowed, "the host has another payment under this order id: compare kind, amount and card"))
            return
        }
        switch known.record.state {
        case .approved, .approvedOffline, .captured, .settled: self = .again(known.response)
        case .declined, .voided:
            self = .refused(HostError(.notAllowed, "the host declined the order before the card approved it"))
        case .reversed: self = .refused(HostError(.notAllowed, "the order was reversed and can no longer be approved"))
        case .pending: self = .refused(HostError(.noAnswer, "the host has not decided on the order yet: ask again"))
        }
    }
}
