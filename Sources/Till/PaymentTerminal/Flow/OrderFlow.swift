import CardCapture
import EMVKernel

/// The operation of one order, from its card to the answer for the caller: a value.
///
/// ``next(_:)`` takes what has happened, and says what to do. Whoever does it comes back with the
/// next event. Nothing is asked, written or waited for here, so that every decision of a running
/// operation about money can be tried without a reader, a host or a journal.
///
/// What it promises, with any events in any order:
/// - The host is asked once, and for what moves money only after the journal has the order.
/// - *Approved* is answered only if the host has authorized the amount, and the card has agreed.
/// - *Declined* and every error say that nothing is charged: nothing has left the terminal, or the
///   host has refused or declined it.
/// - *Reversed* and *unknown* come with a reversal that is due.
/// - *Stored offline* is answered only if nothing has left, or if the card has approved alone, and
///   with the message that is due.
struct OrderFlow: Sendable {
    /// What the host is asked for.
    enum Request: Sendable {
        /// - reader: The name of the reader that reads the card; nil if its data are there.
        case payment(Payment, reader: String?)
        case refund(ReferencedRequest)
        case capture(ReferencedRequest)
        /// The card in the reader is to be kept at the host; its account is verified first by an
        /// authorization of 0.00, or it is only read.
        case registration(isVerified: Bool)
    }

    /// A message to the host that is asked for its answer.
    enum Question: Sendable {
        case authorization(AuthorizationRequest)
        case refund(ReferencedRequest)
        case capture(ReferencedRequest)
    }

    /// Where the operation stands.
    enum Step: Sendable {
        /// The card is being read, or has its answer and decides.
        case reading
        case writing(Record)
        case asking
        /// The attendant calls the issuer.
        case calling(referral: AuthorizationResponse)
        case booking(code: String, referral: AuthorizationResponse)
        case signing(Decision)
        /// The host's interface is asked whether it carries a field that comes after the decision.
        case lookingUp(PaymentField, Decision)
        case over
    }

    /// What is being written into the journal.
    enum Record: Sendable {
        /// That the request may leave.
        case request(PaymentCard?)
        case answer(AuthorizationResponse)
        /// That the approval code of a call may leave.
        case code(String, referral: AuthorizationResponse)
        case booking(AuthorizationResponse, code: String)
        case outcome(Decision)
        /// That the order came to nothing.
        case nothing(TerminalError)
    }

    /// The verdict on the payment, and what is told with it.
    struct Decision: Sendable {
        var verdict: PaymentVerdict
        /// Nil if the reader did not complete the transaction.
        var card: CapturedCardView?
        /// The failure at the terminal.
        var reason: String?
    }

    /// What has happened.
    enum Event: Sendable {
        /// The card asks for its issuer's answer; or the data of the request are complete, with a
        /// card or without.
        ///
        /// - refusal: Why the terminal does not accept this card at this reader.
        case cardRead(PaymentCard?, refusal: TerminalError? = nil)
        /// The journal has what was to be written.
        case written
        case notWritten(TerminalError)
        case hostAnswered(AuthorizationResponse)
        case hostFailed(HostError)
        /// The reader has an answer that wants a call to the issuer.
        case callRequired
        case codeGiven(String)
        case noCode(ReferralFailure)
        case booked(AuthorizationResponse)
        case notBooked(HostError)
        case cardDecided(CardDecision)
        /// The reader has failed, its time is up, or the operation was cancelled.
        case readerFailed(TerminalError)
        /// Nil on paper.
        case signed(Signature?)
        case notSigned(ReversalReason)
        case fieldLookedUp(isCarried: Bool)
    }

    /// A card's decision, and what the terminal knows of the card and the operation then.
    struct CardDecision: Sendable {
        let capture: CaptureOutcome
        /// Why the terminal does not accept this card at this reader.
        var refusal: TerminalError?
        /// Whether it is on the exception file.
        var isListed = false
        var isCancelled = false
        /// ``JournalEntry/cardDigest``.
        var digest: [UInt8]?
    }

    /// What is to be done next.
    enum Effect: Sendable {
        /// Write the entry durably, then ``Event/written`` or ``Event/notWritten(_:)``.
        ///
        /// - isFirst: The request leaves next: from here on the operation cannot be cancelled.
        case write(JournaledOrder, isFirst: Bool = false)
        case ask(Question)
        case tellCard(IssuerAnswer)
        case askForCode(AuthorizationResponse)
        case book(code: String)
        case tellReader(ReferralAnswer)
        case requestSignature(CapturedCardView)
        case lookUp(PaymentField)
        /// A write of the reader's side is in progress: the event comes again after it.
        case wait
        case end(End)
        /// A card that may be registered, with the host's reference of its verification.
        case register(CapturedCard, verification: String?)
    }

    /// The end of the operation.
    struct End: Sendable {
        let result: Result<PaymentResponse, TerminalError>
        let entry: JournalEntry
        /// Whether the order stays open, and whether the journal has this entry of it; nil for one
        /// that needs nothing more.
        var open: Open?
        /// Whether a message about it may have been carried out.
        var isInDoubt = false

        enum Open: Sendable {
            case written, unwritten
        }
    }

    let request: Request
    let configuration: Terminal.Configuration
    /// The terms that the host's interface does not carry.
    let notSent: Set<PaymentField>
    var rules: PaymentRules
    var order: JournaledOrder
    var exchange = HostExchange.notAsked
    var step = Step.reading
    /// Whether the reader's part is over: what still comes from it is not told to the host.
    var isReaderDone = false
    /// Why the terminal did not send the request; nil if the reason is not in the terminal.
    var obstacle: TerminalError?
    /// Why a referral was not approved; nil without a referral, and after an approval.
    var referralFailure: ReferralFailure?

    /// - Parameter takesWithoutHost: Whether the payment may be accepted without the host.
    init(
        _ request: Request, _ order: JournaledOrder, _ configuration: Terminal.Configuration,
        takesWithoutHost: Bool = false, notSent: Set<PaymentField> = []
    ) {
        self.request = request
        self.order = order
        self.configuration = configuration
        self.notSent = notSent
        rules = PaymentRules(
            amount: order.entry.amount, allowsPartialApproval: order.entry.allowsPartialApproval,
            responseCodes: configuration.responseCodes, takesCardApproval: takesWithoutHost,
            deferrable: takesWithoutHost ? configuration.offline.deferredAuthorization : [])
    }

    /// Whether a reader reads the card, and has its word on the answer.
    var hasReader: Bool {
        switch request {
        case .payment(_, let reader): reader != nil
        case .registration: true
        case .refund, .capture: false
        }
    }

    /// Whether the issuer's answer may want a call.
    var mayCallIssuer: Bool {
        if case .payment = request { true } else { false }
    }

    var isWriting: Bool {
        if case .writing = step { true } else { false }
    }

    /// The payment's request with a card; nil for what is no payment with one.
    func authorization(_ card: PaymentCard) -> AuthorizationRequest? {
        let entry = order.entry
        switch request {
        case .payment(let payment, let reader):
            return payment.request(card, at: entry.timestamp, terminalID: configuration.terminalID, through: reader)
        case .registration(isVerified: true):
            return AuthorizationRequest(
                orderID: entry.orderID, purpose: .accountVerification, amount: entry.amount,
                timestamp: entry.timestamp, terminalID: configuration.terminalID, card: card)
        case .registration(isVerified: false), .refund, .capture: return nil
        }
    }

    /// What to do after an event. One that comes too late changes nothing: the reader that it is
    /// about hears that there is no answer.
    mutating func next(_ event: Event) -> Effect {
        switch event {
        case .cardRead(let card, let refusal): return read(card, refusal)
        case .hostAnswered(let answer): return answered(answer)
        case .hostFailed(let error): return failed(error)
        case .callRequired: return call()
        case .codeGiven(let code): return given(code)
        case .noCode(let failure): return notGiven(failure)
        case .booked(let answer): return booked(answer)
        case .notBooked(let error): return notBooked(error)
        case .written: return written(nil)
        case .notWritten(let error): return written(error)
        case .cardDecided(let decision): return readerEnds { $0.decide(decision) }
        case .readerFailed(let error): return readerEnds { $0.abandon(because: error) }
        case .signed(let signature): return signed(signature)
        case .notSigned(let cause): return notSigned(cause)
        case .fieldLookedUp(let isCarried): return lookedUp(isCarried)
        }
    }

    /// Begins to write the order in another stage. The order itself stays as it is until the
    /// journal has it.
    mutating func write(
        _ record: Record, isFirst: Bool = false, _ change: (inout JournalEntry) -> Void
    ) -> Effect {
        var next = order
        change(&next.entry)
        assert(order.entry.stage.mayBecome(next.entry.stage), "\(order.entry.stage) becomes \(next.entry.stage)")
        pendingWrite = next
        step = .writing(record)
        return .write(next, isFirst: isFirst)
    }

    /// The order as it is being written.
    private var pendingWrite: JournaledOrder?

    /// The journal has answered.
    private mutating func written(_ error: TerminalError?) -> Effect {
        guard case .writing(let record) = step, let next = pendingWrite else { return .wait }
        pendingWrite = nil
        if error == nil {
            order = next
            if order.keeping == .new { order.keeping = .journaled }
        }
        switch record {
        case .request(let card): return requestWritten(card, error)
        case .answer(let answer): return answerWritten(answer, error)
        case .code(let code, let referral): return codeWritten(code, referral, error)
        case .booking(let answer, let code): return bookingWritten(answer, code, error)
        case .outcome(let decision): return outcomeWritten(decision, error)
        case .nothing(let cause): return nothingWritten(cause, error)
        }
    }
}

extension JournalEntry.Stage {
    /// Whether an operation may bring its order from this stage to another one. An outcome is
    /// final.
    fileprivate func mayBecome(_ next: JournalEntry.Stage) -> Bool {
        switch (self, next) {
        case (.begun, .asking), (.begun, .owing), (.begun, .finished): true
        // A second time before an approval code leaves.
        case (.asking, .asking), (.answered, .asking): true
        case (.asking, .answered), (.asking, .owing), (.asking, .finished): true
        case (.answered, .owing), (.answered, .finished): true
        case (_, .begun), (.begun, .answered), (.answered, .answered), (.owing, _), (.finished, _): false
        }
    }
}
