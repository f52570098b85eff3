import CardBench

/// The screen of a lane.
final class Screen: TerminalListener {
    func onMessage(_ message: String, _ context: TerminalEvent.Context) async {
        print(message)
    }

    func onSaleResponse(_ response: PaymentResponse, _ context: TerminalEvent.Context) async {
        print(context.requestID ?? "", response.description)
    }

    func onSelectApplication(_ request: ApplicationRequest, _ context: TerminalEvent.Context) async {
        // Show request.names, and answer when a key is pressed; not answering ends the transaction
        // in a minute.
        request.choose(0)
    }

    func onSignatureRequired(_ request: SignatureRequest, _ context: TerminalEvent.Context) async {
        let strokes: [[Signature.Point]] = [[Signature.Point(x: 20, y: 60), Signature.Point(x: 280, y: 40)]]
        if let signature = Signature(strokes: strokes) { request.submit(signature) } else { request.decline() }
    }

    func onReversalRetrieved(_ response: PaymentResponse, _ context: TerminalEvent.Context) async {
        print("an earlier payment has changed:", response.orderID, response.outcome)
    }

    func onError(_ error: TerminalError, _ context: TerminalEvent.Context) async {
        print(error.message)
    }
}

enum Listening {
    static func listen(_ terminal: Terminal) async {
        let screen = Screen()
        await terminal.add(screen)
    }

    static func stream(_ terminal: Terminal) async {
        for await event in terminal.eventStream() {
            if case .reader(.battery(let state)) = event.content { print(state) }
        }
    }

    static func cancel(_ terminal: Terminal) async {
        switch await terminal.cancel() {
        case .cancelled, .nothingToCancel: print("nothing was charged")
        case .cancelling: print("the reader still has to stand down")
        case .notAllowed: print("too late: the result counts, and can be reversed")
        }
    }
}
