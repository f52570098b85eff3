import CardCapture

/// Requests to the host that move money, and inquiries about them.
extension Terminal {
    /// Sends a request that moves money to the host, once. If there is no answer, or the host
    /// reports that it already knows the order, the host is asked for the order.
    ///
    /// - Throws: An error that ``HostError/leavesOutcomeUnknown`` if it is not known what the host
    ///   did, and ``HostError/Refusal/orderAlreadyProcessed`` if the host has an order of this id
    ///   that is not, or may not be, this one.
    func askAboutMoney(
        _ entry: JournalEntry, _ question: OrderFlow.Question
    ) async throws(HostError) -> AuthorizationResponse {
        announce(.progress(.askingHost))
        let answer: AuthorizationResponse
        do throws(HostError) {
            answer = try await asking(entry.request) { host throws(HostError) in
                switch question {
                case .authorization(let request): try await host.authorize(request)
                case .refund(let request): try await host.refund(request)
                case .capture(let request): try await host.capture(request)
                }
            }
        } catch {
            switch error.code {
            case .refused(.orderAlreadyProcessed): answer = try await ownDecision(on: entry)
            case _ where error.leavesOutcomeUnknown: answer = try await decisionAfterLoss(of: entry, error)
            default: throw error
            }
        }
        try answer.check(against: entry.amount)
        note(.answer, "response code \(answer.issuer.responseCode), \(answer.authorizedAmount), \(answer.message)")
        return answer
    }

    /// The decision on an order whose answer was lost.
    ///
    /// - Throws: `error` if the host does not return it;
    ///   ``HostError/Refusal/orderAlreadyProcessed`` if the host has another order with the id, or
    ///   does not say which.
    private func decisionAfterLoss(of entry: JournalEntry, _ error: HostError) async throws(HostError)
        -> AuthorizationResponse
    {
        announce(.progress(.inquiring))
        do throws(HostError) {
            if case .decided(let answer) = try await status(of: entry) { return answer }
        } catch {
            if error.code == .refused(.orderAlreadyProcessed) { throw error }
        }
        throw error
    }

    /// The status of this order at the host.
    ///
    /// - Throws: ``HostError/Refusal/notSupported`` if the host cannot be asked for such an order;
    ///   ``HostError/Refusal/orderAlreadyProcessed`` if the host has another order with the id, or
    ///   does not say which; ``HostError/Failure/noAnswer`` while its list does not have the order.
    func status(of entry: JournalEntry, _ limit: Duration? = nil) async throws(HostError) -> OrderStatus {
        try await checkHostKnows(entry)
        let orderID = entry.orderID
        let status = try await asking("status of \(orderID)", limit ?? configuration.limits.inquiry) {
            host throws(HostError) in
            try await host.status(of: orderID)
        }
        switch status {
        case .notSeen, .reversed: return status
        case .pending, .decided:
            switch try await identity(of: entry, limit) {
            case .same, .notListed: return status
            case .other, .unclear: throw .orderTaken
            case .missing: throw HostError(.noAnswer, "the host's list does not have the order yet")
            }
        }
    }

    /// - Throws: ``HostError/Refusal/notSupported`` for a refund or a capture where the host knows
    ///   payments only by their order.
    func checkHostKnows(_ entry: JournalEntry) async throws(HostError) {
        guard entry.original != nil else { return }
        let isKnown = try await asking("interface for inquiries", configuration.limits.inquiry) {
            host throws(HostError) in
            try await host.knowsReferencedRequestsByOrder()
        }
        guard isKnown else {
            throw HostError(
                .notSupported,
                "the host cannot look up refunds and captures by order id: check its list of transactions")
        }
    }

    /// The decision about an order that the host reports as known: a network that repeats requests
    /// may have sent it twice.
    private func ownDecision(on entry: JournalEntry) async throws(HostError) -> AuthorizationResponse {
        announce(.progress(.inquiring))
        do throws(HostError) {
            if case .same = try await identity(of: entry), case .decided(let answer) = try await status(of: entry) {
                return answer
            }
        } catch {
            throw HostError(.orderAlreadyProcessed, error.message)
        }
        throw .orderTaken
    }

    /// Which order the host has under the id of this one: order ids may have been used before, by
    /// this terminal or by another.
    func identity(of entry: JournalEntry, _ limit: Duration? = nil) async throws(HostError) -> OrderIdentity {
        try await checkHostKnows(entry)
        let query = TransactionQuery(orderID: entry.orderID)
        let page: TransactionQuery.Page
        do throws(HostError) {
            page = try await asking("transactions of \(entry.orderID)", limit ?? configuration.limits.inquiry) {
                host throws(HostError) in
                try await host.transactions(query)
            }
        } catch {
            guard error.code == .refused(.notSupported) else { throw error }
            return .notListed
        }
        let identities = page.filter { $0.orderID == query.orderID }.map { entry.identity(of: $0) }
        // A record that cannot be read may be this order's.
        if page.unreadable.contains(where: { $0 == nil || $0 == query.orderID }), !identities.contains(where: \.isSame)
        {
            return .unclear
        }
        return identities.first(where: \.isSame) ?? [.unclear, .other].first { identities.contains($0) } ?? .missing
    }
}

/// Which order the host has under an order id of this terminal.
enum OrderIdentity: Equatable {
    /// It was taken when this terminal asked, for the same amount and the same card.
    case same(uniqueReference: String)
    /// It is for another amount, another card, or of another kind; or it holds nothing, whichever
    /// it is.
    case other
    /// It was taken at another time; but the clocks of terminal and host may differ.
    case unclear
    /// The host has none; its list may be late.
    case missing
    /// The host has no list: its order ids must be taken at their word.
    case notListed

    var isSame: Bool {
        if case .same = self { true } else { false }
    }
}

extension JournalEntry {
    /// The tolerance for the difference of the clocks of terminal and host, and for delays of a
    /// request, in seconds.
    private static let clockTolerance: Int64 = 300

    /// Whether a transaction of the host is this order, and not an earlier one with its order id.
    func identity(of record: TransactionRecord) -> OrderIdentity {
        let same = OrderIdentity.same(uniqueReference: record.uniqueReference)
        // Of a reversal that came first, the host has the order id only.
        if record.state == .reversed, record.amount == nil, record.authorizedAmount == nil { return same }
        guard operation.kinds.contains(record.kind) else { return .other }
        // The authorized amount says nothing: a host may have authorized more, or a part.
        if let requested = record.amount { guard requested == amount else { return .other } }
        if let shown = record.maskedPAN, let card {
            guard shown.suffix(4) == card.maskedPAN.suffix(4) else { return .other }
        }
        if let time = record.timestamp?.secondsSince1970, record.amount != nil || record.authorizedAmount == amount {
            let (distance, overflow) = time.subtractingReportingOverflow(timestamp.secondsSince1970)
            if !overflow, distance.magnitude <= Self.clockTolerance { return same }
        }
        switch record.state {
        // Whichever it is, it holds nothing, and a request of this order is refused from now on.
        case .declined, .reversed, .voided: return .other
        case .pending, .approved, .approvedOffline, .captured, .settled: return .unclear
        }
    }
}

extension TerminalOperation {
    /// The kinds of transaction that the host may record it as.
    fileprivate var kinds: Set<TransactionRecord.Kind> {
        switch self {
        case .sale: [.sale, .accountVerification]
        case .preAuthorization: [.preAuthorization]
        case .refund: [.refund]
        // A gateway may show a capture as the sale that it completes.
        case .capture: [.capture, .sale]
        case .reversal, .registerSecureCard, .retrieveSecureCard, .editSecureCard, .deleteSecureCard, .transactions,
            .settings:
            []
        }
    }
}

extension HostError {
    fileprivate static let orderTaken = HostError(
        .orderAlreadyProcessed, "the host already has an order with this id and does not say whether it is this one")
}
