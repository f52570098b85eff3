extension Terminal {
    /// Runs `body` as the terminal's only operation, and sends its result as an event.
    ///
    /// - Parameter requestID: The request id of its events.
    func exclusively<Success: Sendable>(
        _ operation: TerminalOperation, _ requestID: String?,
        announcing content: @escaping @Sendable (Success) -> TerminalEvent.Content?,
        _ body: @escaping @Sendable (isolated Terminal) async throws(TerminalError) -> Success
    ) async throws(TerminalError) -> Success {
        guard running == nil else {
            // An error of this call, not of the running operation.
            events.send(TerminalEvent(operation: operation, requestID: requestID, content: .failed(.busy)))
            throw .busy
        }
        let task = Task { await perform(announcing: content, body) }
        operations += 1
        let number = operations
        running = RunningOperation(
            number: number, operation: operation, requestID: requestID,
            log: configuration.paymentLog?.open(of: configuration.terminalID, at: clock()), cancel: { task.cancel() },
            ended: { _ = await task.value })
        note(.step, "\(operation.rawValue)\(requestID.map { " \($0)" } ?? "") at terminal \(configuration.terminalID)")
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            Task { await self.cancel(number) }
        }
        return try result.get()
    }

    private func perform<Success: Sendable>(
        announcing content: @Sendable (Success) -> TerminalEvent.Content?,
        _ body: @Sendable (isolated Terminal) async throws(TerminalError) -> Success
    ) async -> Result<Success, TerminalError> {
        defer { running = nil }
        do throws(TerminalError) {
            try await refuseTestHost()
            try await recoverJournal()
            let result = try await body(self)
            if let content = content(result) { announce(content) }
            return .success(result)
        } catch {
            announce(.failed(error))
            return .failure(error)
        }
    }

    /// Cancels the running operation, unless the host has been asked: its answer is then valid, and
    /// a payment can be reversed.
    public func cancel() async -> CancelAnswer {
        guard let running else { return .nothingToCancel }
        if let referral = running.referral {
            guard referral.decline() else { return .notAllowed }
            announce(.progress(.cancelling))
        } else if !running.canBeCancelled {
            return .notAllowed
        } else if !running.isCancelling {
            self.running?.isCancelling = true
            announce(.progress(.cancelling))
            running.cancel()
        }
        let hasEnded = Race<Bool>()
        let waiting = Task {
            await running.ended()
            hasEnded.finish(true)
        }
        defer { waiting.cancel() }
        return await answer(hasEnded, within: configuration.limits.cancel, else: false) ? .cancelled : .cancelling
    }

    /// Cancels the operation with this number, but no later one.
    private func cancel(_ number: Int) async {
        if running?.number == number { _ = await cancel() }
    }

    /// Call it before the first byte that may change anything at the host: from here on, the
    /// operation cannot be cancelled.
    ///
    /// - Parameter number: The number of the caller's operation. A reader may still call after its
    ///   operation.
    /// - Throws: ``TerminalError/Code/cancelled`` if the operation is cancelled or over.
    func passPointOfNoReturn(of number: Int) throws(TerminalError) {
        guard let running, running.number == number, !running.isCancelling else { throw .cancelled }
        self.running?.canBeCancelled = false
    }

    /// As ``passPointOfNoReturn(of:)`` for a request that moves money; other requests leave the
    /// operation cancellable.
    func checkMayAsk(_ number: Int, movesMoney: Bool) throws(TerminalError) {
        guard !movesMoney else { return try passPointOfNoReturn(of: number) }
        guard let running, running.number == number, !running.isCancelling else { throw .cancelled }
    }

    /// Sends a request to the host that changes nothing there, or whose loss does no harm.
    ///
    /// - Parameter request: For the log of the payment; no card data.
    func asking<Success: Sendable>(
        _ request: String, _ limit: Duration? = nil,
        _ question: @escaping @Sendable (any PaymentHost) async throws(HostError) -> Success
    ) async throws(HostError) -> Success {
        let (host, isProduction) = (host, configuration.mode == .production)
        note(.request, request)
        do throws(HostError) {
            let answer = try await within(
                limit ?? configuration.limits.host, grace: configuration.limits.standDown,
                orElse: HostError(.noAnswer, "the host did not answer in time: check the connection")
            ) { () async throws(HostError) in
                if isProduction, let reason = await host.testOnlyReason {
                    throw HostError(
                        .unreachable, "the host is for tests (\(reason)), and the terminal is not: nothing was sent")
                }
                return try await question(host)
            }
            note(.answer, "to \(request)")
            return answer
        } catch {
            note(.error, "to \(request): \(error.message)")
            throw error
        }
    }

    /// Writes a line into the log of the running operation, if there is one.
    func note(_ mark: PaymentLog.Mark, _ text: @autoclosure () -> String) {
        running?.log?.write(mark, text(), at: clock())
    }
}

/// The current operation of a terminal.
struct RunningOperation {
    /// A counter, unique for each operation of the terminal.
    let number: Int
    let operation: TerminalOperation
    let requestID: String?
    /// Nil if the configuration has no log, or no file could be created.
    let log: PaymentLog?
    /// False once the host may have been asked.
    var canBeCancelled = true
    var isCancelling = false
    /// The pending request to the attendant; declining it ends the payment without an
    /// authorization.
    var referral: ReferralRequest?
    /// What the operation does about its order; nil for one without a request to the host that
    /// moves money, and before its card.
    var flow: OrderFlow?
    /// Those who wait for a write of the flow.
    var waiting: [CheckedContinuation<Void, Never>] = []
    let cancel: @Sendable () -> Void
    /// Returns when the operation has ended.
    let ended: @Sendable () async -> Void

    mutating func resumeWaiting() {
        for waiting in waiting { waiting.resume() }
        waiting = []
    }
}

/// The operations of a terminal.
public enum TerminalOperation: String, Sendable, Codable, CaseIterable {
    /// A payment: ``Terminal/processSale(_:)``.
    case sale
    /// A payment that only reserves the amount: ``Sale/isPreAuthorization``.
    case preAuthorization
    /// A refund to a card or for an earlier transaction: ``Terminal/processRefund(_:)``.
    case refund
    /// A capture of a pre-authorization, or of a tip: ``Terminal/capture(_:)``.
    case capture
    /// A reversal of an earlier payment: ``Terminal/reverse(_:)``.
    case reversal
    /// A new secure card: ``Terminal/registerSecureCard(_:idempotencyKey:)``.
    case registerSecureCard
    /// The retrieval of a secure card: ``Terminal/retrieveSecureCard(_:)``.
    case retrieveSecureCard
    /// A change of a secure card: ``Terminal/editSecureCard(_:idempotencyKey:)``.
    case editSecureCard
    /// The deletion of a secure card: ``Terminal/deleteSecureCard(_:token:idempotencyKey:)``.
    case deleteSecureCard
    /// A query of the host's list: ``Terminal/transactions(_:)``.
    case transactions
    /// A query of the terminal's settings at the host: ``Terminal/settings()``.
    case settings
}

/// The answer to a request to cancel.
public enum CancelAnswer: String, Sendable {
    /// The operation has ended, and nothing was charged.
    case cancelled
    /// The operation is ending: the reader is still being stopped.
    case cancelling
    /// The host has been asked, or the operation is about to end by itself: its result is valid. A
    /// payment can then be reversed.
    case notAllowed
    /// No operation was in progress.
    case nothingToCancel
}
