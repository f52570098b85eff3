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
        _ entry: JournalEntry, _ question: @escaping @Sendable (any PaymentHost) async throws(HostError) -> AuthorizationResponse
    ) async throws(HostError) -> AuthorizationResponse {
        announce(.progress(.askingHost))
        let answer: AuthorizationResponse
        do throws(HostError) {
            answer = try await asking(entry.request, nil, question)
        } catch {
            if error.code == .refused(.orderAlreadyProcessed) {
                answer = try await ownDecision(on: entry)
            } else {
                guard error.leavesOutcomeUnknown, case .decided(let found) = await inquire(entry) else { throw error }
                answer = found
            }
        }
        try answer.check(against: entry.amount)
        note(.answer, "response code \(answer.issuer.responseCode), \(answer.authorizedAmount), \(answer.message)")
        return answer
    }

    /// The status of an order at the host; nil if the host does not return it.
    func inquire(_ entry: JournalEntry) async -> OrderStatus? {
        announce(.progress(.inquiring))
        return try? await status(of: entry)
    }

    /// - Throws: ``HostError/Refusal/notSupported`` if the host cannot be asked for such an order.
    func status(of entry: JournalEntry) async throws(HostError) -> OrderStatus {
        try await checkHostKnows(entry)
        let orderID = entry.orderID
        return try await asking("status of \(orderID)", configuration.limits.inquiry) { host throws(HostError) in
            try await host.status(of: orderID)
        }
    }

    /// - Throws: ``HostError/Refusal/notSupported`` for a refund or a capture where the host knows
    ///   payments only by their order.
    func checkHostKnows(_ entry: JournalEntry) async throws(HostError) {
        guard entry.original != nil else { return }
        let isKnown = try await asking("interface for inquiries", configuration.limits.inquiry) { host throws(HostError) in
            try await host.knowsReferencedRequestsByOrder()
        }
        guard isKnown else {
            throw HostError(.notSupported, "the host cannot look up refunds and captures by order id: check its list of transactions")
        }
    }

    /// The decision about an order that the host reports as known: a network that repeats requests
    /// may have sent it twice.
    private func ownDecision(on entry: JournalEntry) async throws(HostError) -> AuthorizationResponse {
        announce(.progress(.inquiring))
        do throws(HostError) {
            if try await isOurs(entry), case .decided(let answer) = try await status(of: entry) { return answer }
        } catch {
            throw HostError(.orderAlreadyProcessed, error.message)
        }
        throw .orderTaken
    }

    /// Whether the host's order with this id is ours: same time, same amount, same card.
    func isOurs(_ entry: JournalEntry) async throws(HostError) -> Bool {
        try await checkHostKnows(entry)
        let query = TransactionQuery(orderID: entry.orderID)
        let page = try await asking("transactions of \(entry.orderID)", configuration.limits.inquiry) { host throws(HostError) in
            try await host.transactions(query)
        }
        return page.contains { $0.orderID == query.orderID && entry.isLike($0) }
    }
}

extension JournalEntry {
    /// The tolerance for the difference of the clocks of terminal and host, and for delays of a
    /// request, in seconds.
    private static let clockTolerance: UInt64 = 300

    /// Whether a transaction of the host is this order, and not an earlier one with its order id.
    fileprivate func isLike(_ record: TransactionRecord) -> Bool {
        guard record.amount == amount || record.amount == nil && record.authorizedAmount == amount, operation.kinds.contains(record.kind)
        else { return false }
        guard let time = record.timestamp?.secondsSince1970 else { return false }
        let (distance, overflow) = time.subtractingReportingOverflow(timestamp.secondsSince1970)
        guard !overflow, distance.magnitude <= Self.clockTolerance else { return false }
        guard let shown = record.maskedPAN, let card else { return true }
        return shown.suffix(4) == card.maskedPAN.suffix(4)
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
        case .reversal, .registerSecureCard, .retrieveSecureCard, .editSecureCard, .deleteSecureCard, .transactions, .settings: []
        }
    }
}

extension HostError {
    fileprivate static let orderTaken = HostError(
        .orderAlreadyProcessed, "the host already has an order with this id and does not say whether it is this one")
}
