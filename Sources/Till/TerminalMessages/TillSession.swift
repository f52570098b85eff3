import JSONDocument
public import PaymentTerminal

/// A till's conversation with a terminal: requests come in, in any order and at any time; answers,
/// questions and events go out.
///
/// The end of a conversation ends no payment: what was begun goes on, and the journal has it.
public actor TillSession {
    /// How many requests may be in progress at once. A request to cancel is one more.
    static let maximumRequests = 16

    private let terminal: Terminal
    private let send: @Sendable (TerminalMessage) -> Void
    private var inProgress: [Int: Task<Void, Never>] = [:]
    private var begun = 0
    /// Those that were asked last, by their numbers.
    private var questions: [(number: Int, question: TerminalMessage.Question)] = []
    private var asked = 0

    /// - Parameter send: Is called with each message, by one task after the other, and must not
    ///   wait for the till.
    public init(_ terminal: Terminal, send: @escaping @Sendable (TerminalMessage) -> Void) {
        self.terminal = terminal
        self.send = send
    }

    /// Sends questions and events until the terminal ends, or the task is cancelled. What a request
    /// comes to is its answer, and no event.
    ///
    /// - Parameter events: Of ``PaymentTerminal/Terminal/eventStream(of:)``, from before the first
    ///   request.
    public func follow(_ events: AsyncStream<TerminalEvent>) async {
        for await event in events {
            if let question = event.question {
                ask(question, event.context)
            } else if !event.isResult {
                send(TerminalMessage(.event(event)))
            }
        }
    }

    /// Begins what a till asks, and returns.
    public func receive(_ document: [UInt8]) {
        let request: TillRequest
        do throws(DocumentError) {
            request = try TillRequest(parsing: document)
        } catch {
            let id = (try? JSON(parsing: document)).flatMap { TillRequest.id(of: $0) }
            return send(TerminalMessage(.error(TerminalError(.invalidRequest, "\(error)")), id: id))
        }
        if case .answer(let number, let answer) = request.content {
            return send(TerminalMessage(.answered(accept(answer, to: number)), id: request.id))
        }
        var limit = Self.maximumRequests
        if case .cancel = request.content { limit += 1 }
        guard inProgress.count < limit else {
            let error = TerminalError(.busy, "\(inProgress.count) requests are in progress: wait for their answers")
            return send(TerminalMessage(.error(error), id: request.id))
        }
        begun += 1
        let number = begun
        inProgress[number] = Task { [terminal] in
            let content = await Self.content(of: request.content, at: terminal)
            end(number, TerminalMessage(content, id: request.id))
        }
    }

    /// Returns when every request has its answer.
    public func finish() async {
        while let task = inProgress.values.first { await task.value }
    }

    private func end(_ number: Int, _ message: TerminalMessage) {
        inProgress[number] = nil
        send(message)
    }

    private static func content(of request: TillRequest.Content, at terminal: Terminal) async
        -> TerminalMessage.Content
    {
        do throws(TerminalError) {
            switch request {
            case .sale(let sale): return .payment(try await terminal.processSale(sale))
            case .refund(let refund): return .payment(try await terminal.processRefund(refund))
            case .capture(let capture): return .payment(try await terminal.capture(capture))
            case .reversal(let order): return .payment(try await terminal.reverse(order))
            case .inquiry(let order): return .payment(try await terminal.outcome(of: order))
            case .receipt(let order): return .receipt(try await terminal.outcome(of: order).receipt)
            case .registerSecureCard(let card, let key):
                return .secureCard(try await terminal.registerSecureCard(card, idempotencyKey: key))
            case .retrieveSecureCard(let reference):
                return .secureCard(.retrieved(try await terminal.retrieveSecureCard(reference)))
            case .editSecureCard(let card, let key):
                return .secureCard(try await terminal.editSecureCard(card, idempotencyKey: key))
            case .deleteSecureCard(let reference, let token, let key):
                return .secureCard(
                    try await terminal.deleteSecureCard(reference, token: token, idempotencyKey: key))
            case .transactions(let query): return .transactions(try await terminal.transactions(query))
            case .settings: return .settings(try await terminal.settings())
            case .cancel: return .cancel(await terminal.cancel())
            case .answer: return .answered(false)
            }
        } catch {
            return .error(error)
        }
    }

    // MARK: Questions

    private func ask(_ question: TerminalMessage.Question, _ context: TerminalEvent.Context) {
        asked += 1
        questions.append((asked, question))
        if questions.count > Self.maximumRequests { questions.removeFirst() }
        send(TerminalMessage(.question(asked, question, context)))
    }

    /// - Returns: Whether it was the first answer, and one that the question can have.
    private func accept(_ answer: TillRequest.Answer, to number: Int) -> Bool {
        guard let index = questions.firstIndex(where: { $0.number == number }),
            questions[index].question.accept(answer)
        else {
            return false
        }
        questions.remove(at: index)
        return true
    }
}

extension TerminalMessage.Question {
    fileprivate func accept(_ answer: TillRequest.Answer) -> Bool {
        switch (self, answer) {
        case (.signature(let request), .signature(let signature)): request.submit(signature)
        case (.signature(let request), .refused): request.decline()
        case (.signatureVerification(let request), .isGenuine(let isGenuine)): request.answer(isGenuine)
        case (.referral(let request), .approvalCode(let code)): request.submit(approvalCode: code)
        case (.referral(let request), .refused): request.decline()
        case (.application(let request), .choice(let index)) where request.names.indices.contains(index):
            request.choose(index)
        case (.application(let request), .refused): request.cancel()
        case (.reader(let request), .choice(let index)) where request.readers.indices.contains(index):
            request.choose(index)
        case (.reader(let request), .refused): request.cancel()
        default: false
        }
    }
}

extension TerminalEvent {
    /// Whether it is the end of an operation, which its caller has anyway.
    fileprivate var isResult: Bool {
        switch content {
        case .payment, .secureCard, .transactions, .settings, .failed: true
        default: false
        }
    }
}
