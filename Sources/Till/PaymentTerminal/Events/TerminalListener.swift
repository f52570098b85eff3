public import CardCapture

/// The events of a terminal as callbacks, each with its operation and request.
///
/// Implement the methods that you need; the defaults do nothing. Each operation ends with exactly
/// one result or ``onError(_:_:)``.
public protocol TerminalListener: AnyObject, Sendable {
    /// Progress, as text for the operator.
    func onMessage(_ message: String, _ context: TerminalEvent.Context) async
    /// Also for pre-authorisations and captures.
    func onSaleResponse(_ response: PaymentResponse, _ context: TerminalEvent.Context) async
    /// A refund was decided, to a card or for an earlier transaction.
    func onRefundResponse(_ response: PaymentResponse, _ context: TerminalEvent.Context) async
    /// A secure card was registered, changed, deleted or retrieved.
    func onSecureCardResponse(_ response: SecureCardResponse, _ context: TerminalEvent.Context) async
    /// The last ten transactions, or the requested ones.
    func onTransactionListResponse(_ transactions: [TransactionRecord], _ context: TerminalEvent.Context) async
    /// The host returned the terminal's settings.
    func onSettingsRetrieved(_ settings: HostSettings, _ context: TerminalEvent.Context) async
    /// A payment was reversed on request, or the outcome of an earlier one has changed.
    func onReversalRetrieved(_ response: PaymentResponse, _ context: TerminalEvent.Context) async
    /// Answer the request, or the payment is reversed after ``TimeLimits/person``.
    func onSignatureRequired(_ request: SignatureRequest, _ context: TerminalEvent.Context) async
    /// Answer the request, or the payment is reversed after ``TimeLimits/person``.
    func onSignatureVerification(_ request: SignatureVerification, _ context: TerminalEvent.Context) async
    /// Answer the request, or the payment is declined after ``TimeLimits/referral``.
    func onReferral(_ request: ReferralRequest, _ context: TerminalEvent.Context) async
    /// Answer the request, or the transaction ends after ``TimeLimits/person``.
    func onSelectApplication(_ request: ApplicationRequest, _ context: TerminalEvent.Context) async
    /// An operation failed: ``TerminalError/code`` says why, and the message names the cure.
    func onError(_ error: TerminalError, _ context: TerminalEvent.Context) async
    /// Several readers were found: answer the request, or none is connected after
    /// ``TimeLimits/person``.
    func onSelectReader(_ request: ReaderRequest) async
    /// A reader is being opened.
    func onDeviceConnecting(_ device: ReaderInfo) async
    /// A reader could not be opened, or was refused: the message names the cure.
    func onDeviceConnectionError(_ error: TerminalError) async
    /// A reader is ready, for the first time or again.
    func onDeviceConnected(_ device: ReaderInfo) async
    /// The caller disconnected the reader, or it was lost.
    func onDeviceDisconnected(_ device: ReaderInfo) async
    /// An update of a reader has begun, before it is connected.
    func onDeviceUpdateStarted(_ device: ReaderInfo) async
    /// The update has ended; `failure` is nil if it is complete.
    func onDeviceUpdateFinished(_ device: ReaderInfo, _ failure: TerminalError?) async
    /// The reader failed, or was lost while it was connected.
    func onDeviceError(_ message: String) async
    /// Battery, cards, prompts, PIN and update progress of the reader.
    func onDeviceEvent(_ event: ReaderEvent, _ context: TerminalEvent.Context) async
    /// From 0 to 1.
    func onAutoConfigProgressUpdate(_ progress: Double) async
}

extension TerminalEvent {
    /// The operation and the request of an event.
    public struct Context: Sendable, Equatable {
        /// Nil between operations.
        public let operation: TerminalOperation?
        /// The order id or merchant reference of the
        /// operation; nil for an operation without either.
        public let requestID: String?
    }

    /// The operation and the request that the event belongs to.
    public var context: Context { Context(operation: operation, requestID: requestID) }
}

extension TerminalListener {
    public func onMessage(_ message: String, _ context: TerminalEvent.Context) async {}
    public func onSaleResponse(_ response: PaymentResponse, _ context: TerminalEvent.Context) async {}
    public func onRefundResponse(_ response: PaymentResponse, _ context: TerminalEvent.Context) async {}
    public func onSecureCardResponse(_ response: SecureCardResponse, _ context: TerminalEvent.Context) async {}
    public func onTransactionListResponse(_ transactions: [TransactionRecord], _ context: TerminalEvent.Context) async {
    }
    public func onSettingsRetrieved(_ settings: HostSettings, _ context: TerminalEvent.Context) async {}
    public func onReversalRetrieved(_ response: PaymentResponse, _ context: TerminalEvent.Context) async {}
    public func onSignatureRequired(_ request: SignatureRequest, _ context: TerminalEvent.Context) async {}
    public func onSignatureVerification(_ request: SignatureVerification, _ context: TerminalEvent.Context) async {}
    public func onReferral(_ request: ReferralRequest, _ context: TerminalEvent.Context) async {}
    public func onSelectApplication(_ request: ApplicationRequest, _ context: TerminalEvent.Context) async {}
    public func onError(_ error: TerminalError, _ context: TerminalEvent.Context) async {}
    public func onSelectReader(_ request: ReaderRequest) async {}
    public func onDeviceConnecting(_ device: ReaderInfo) async {}
    public func onDeviceConnectionError(_ error: TerminalError) async {}
    public func onDeviceConnected(_ device: ReaderInfo) async {}
    public func onDeviceDisconnected(_ device: ReaderInfo) async {}
    public func onDeviceUpdateStarted(_ device: ReaderInfo) async {}
    public func onDeviceUpdateFinished(_ device: ReaderInfo, _ failure: TerminalError?) async {}
    public func onDeviceError(_ message: String) async {}
    public func onDeviceEvent(_ event: ReaderEvent, _ context: TerminalEvent.Context) async {}
    public func onAutoConfigProgressUpdate(_ progress: Double) async {}

    func receive(_ event: TerminalEvent) async {
        let context = event.context
        switch event.content {
        case .progress(let progress): await onMessage(progress.description, context)
        case .readerConnecting(let info): await onDeviceConnecting(info)
        case .connectionFailed(let error): await onDeviceConnectionError(error)
        case .readerRequired(let request): await onSelectReader(request)
        case .readerConnected(let info): await onDeviceConnected(info)
        case .readerDisconnected(let info): await onDeviceDisconnected(info)
        case .updateStarted(let info): await onDeviceUpdateStarted(info)
        case .updateFinished(let info, let failure): await onDeviceUpdateFinished(info, failure)
        case .reader(let event): await receive(event, context)
        case .applicationRequired(let request): await onSelectApplication(request, context)
        case .signatureRequired(let request): await onSignatureRequired(request, context)
        case .signatureToVerify(let request): await onSignatureVerification(request, context)
        case .referralRequired(let request): await onReferral(request, context)
        case .payment(let response) where response.operation == .refund: await onRefundResponse(response, context)
        case .payment(let response): await onSaleResponse(response, context)
        case .secureCard(let response): await onSecureCardResponse(response, context)
        case .transactions(let transactions): await onTransactionListResponse(transactions, context)
        case .settings(let settings): await onSettingsRetrieved(settings, context)
        case .cleared(let response): await onReversalRetrieved(response, context)
        case .failed(let error): await onError(error, context)
        }
    }

    private func receive(_ event: ReaderEvent, _ context: TerminalEvent.Context) async {
        switch event {
        case .prompt(let lines, _): await onMessage(lines.joined(separator: "\n"), context)
        case .progress(_, let progress): await onAutoConfigProgressUpdate(progress)
        case .connected, .reconnecting, .disconnected(.closed), .battery, .cardPresented, .cardRemoved, .swiped,
            .userInterface,
            .instruction, .selectionRequired, .pinProgress:
            break
        case .disconnected(let reason): await onDeviceError(reason.description)
        }
        await onDeviceEvent(event, context)
    }
}
