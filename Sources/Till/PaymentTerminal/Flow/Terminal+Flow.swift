import CardCapture
import EMVKernel

/// The shell of ``OrderFlow``: it does what the flow of the running operation says.
extension Terminal {
    func begin(_ flow: OrderFlow) { running?.flow = flow }

    /// The response of the running operation.
    ///
    /// - Parameter event: What ends the reader's part; or the request that has none.
    func finish(_ event: OrderFlow.Event) async throws(TerminalError) -> PaymentResponse {
        guard case .end(let end) = await advance(event, of: operations) else { throw .operationOver }
        if let open = end.open { keepOpen(end.entry, isWritten: open == .written, told: end.entry) }
        if end.isInDoubt { pending.orders.doubt(end.entry.orderID) }
        var response = try end.result.get()
        switch (end.open, end.entry.due) {
        case (.written?, .reversal), (.written?, .reversalIfOurs):
            // It is tried once before the caller gets the response.
            announce(.progress(.reversing))
            response = await recover(end.entry).response ?? response
        case (.written?, _), (.unwritten?, _): forward()
        case (nil, _): break
        }
        var entry = end.entry
        entry.response = response
        history.note(entry)
        return response
    }

    /// The card that is to be registered, with the host's reference of its verification.
    func finishRegistration(
        _ event: OrderFlow.Event
    ) async throws(TerminalError) -> (CapturedCard, verification: String?) {
        switch await advance(event, of: operations) {
        case .register(let card, let verification): return (card, verification)
        case .end(let end):
            _ = try end.result.get()
            throw .operationOver
        default: throw .operationOver
        }
    }

    /// Gives the flow an event and does what it says, until the effect is for the caller of this.
    ///
    /// - Parameter number: The operation's. A reader that was left behind still calls after it: its
    ///   events come too late.
    private func advance(_ event: OrderFlow.Event, of number: Int) async -> OrderFlow.Effect {
        var event = event
        while true {
            guard running?.number == number, let effect = running?.flow?.next(event), let flow = running?.flow else {
                return .tellCard(.unreachable)
            }
            if !flow.isWriting { running?.resumeWaiting() }
            switch effect {
            case .write(let order, let isFirst): event = await write(order, isFirst: isFirst, of: number)
            case .ask(let question):
                do throws(HostError) {
                    event = .hostAnswered(try await askAboutMoney(flow.order.entry, question))
                } catch {
                    event = .hostFailed(error)
                }
            case .askForCode(let referral):
                do throws(ReferralFailure) {
                    event = .codeGiven(try await approvalCode(for: flow.order.entry, referral))
                } catch {
                    event = .noCode(error)
                }
            case .book(let code):
                do throws(HostError) {
                    event = .booked(try await bookReferral(flow.order.entry, code))
                } catch {
                    event = .notBooked(error)
                }
            case .requestSignature(let card):
                switch await signature(card, flow.order.entry) {
                case .signed(let signature): event = .signed(signature)
                case .notSigned(let cause): event = .notSigned(cause)
                }
            case .lookUp(let field):
                // What is sent in the background is refused there, if the host does not support it.
                let waits = field == .declineAdvice && pending.isHostAway
                let isCarried = waits ? true : await hostCarries(field)
                event = .fieldLookedUp(isCarried: isCarried)
            case .wait: await withCheckedContinuation { running?.waiting.append($0) }
            case .tellCard, .tellReader, .end, .register: return effect
            }
        }
    }

    private func write(_ order: JournaledOrder, isFirst: Bool, of number: Int) async -> OrderFlow.Event {
        var order = order
        do throws(TerminalError) {
            if isFirst { try checkMayAsk(number, movesMoney: order.keeping != .nowhere) }
            try await save(&order)
            return .written
        } catch {
            return .notWritten(error)
        }
    }

    // MARK: The reader

    /// Makes the reader read a card, within its time limit.
    func capture(_ reader: any CardReader, _ request: CaptureRequest) async throws(TerminalError) -> CaptureOutcome {
        let number = operations
        var request = request
        if running?.flow?.mayCallIssuer == true {
            request.resolveReferral = { [self] in await resolveReferral(of: number) }
        }
        await endBatteryQuestion()
        announce(.progress(.waitingForCard))
        if let instruction = reader.capabilities.invitation { announce(.reader(.instruction(instruction))) }
        let capture: CaptureOutcome
        do throws(CaptureError) {
            capture = try await within(
                configuration.limits.reader, grace: configuration.limits.standDown,
                orElse: .readerTimedOut
            ) { [request] () async throws(CaptureError) in
                try await reader.capture(request) { [self] card in
                    let answer = await authorize(card, of: number)
                    return reader.capabilities.contains(.ownKernel) ? await request.resolved(answer) : answer
                }
            }
        } catch {
            throw TerminalError(error)
        }
        guard case .notPossible(let obstacle) = capture.decision else { return capture }
        throw .notPossible(obstacle, fallback: capture.fallback)
    }

    func decision(on capture: CaptureOutcome) -> OrderFlow.CardDecision {
        OrderFlow.CardDecision(
            capture: capture, refusal: capture.card.flatMap { refusal(of: $0) },
            isListed: capture.card.map { isListed(.captured($0)) } ?? false,
            isCancelled: running?.isCancelling == true, digest: digest(of: capture.card))
    }

    private func authorize(_ card: CapturedCard, of number: Int) async -> IssuerAnswer {
        let event = OrderFlow.Event.cardRead(.captured(card), refusal: refusal(of: card))
        guard case .tellCard(let answer) = await advance(event, of: number) else { return .unreachable }
        return answer
    }

    private func resolveReferral(of number: Int) async -> ReferralAnswer {
        guard case .tellReader(let answer) = await advance(.callRequired, of: number) else { return .declined }
        return answer
    }
}

extension TerminalError {
    /// A fault of the program: nothing ends an operation but its own part of it. What the host did
    /// is not known then.
    fileprivate static let operationOver = TerminalError(
        .hostFailed(.noAnswer), "the outcome of this request is not known: ask again later")
}
