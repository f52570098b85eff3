import CardCapture
public import EMVKernel
public import TLV

/// The cardholder at a terminal, for the kernel of a chip reader: choices become events of the
/// terminal that the reader is connected to.
///
/// Give one to the ``ChipReader`` and the same one to ``Terminal/connect(_:cardholder:identity:)``.
public final class TerminalCardholder: Cardholder {
    public let pinPad: (any PINPad)?
    /// The requests to the cardholder.
    let requests = Broadcast<ApplicationRequest>()
    private let capabilities: AdditionalTerminalCapabilities
    private let limit: Duration

    /// - Parameters:
    ///   - capabilities: The capabilities of the kernel, with the character sets for names.
    ///   - limit: The time limit for a choice, after which the transaction ends.
    public init(
        pinPad: (any PINPad)?, capabilities: AdditionalTerminalCapabilities, limit: Duration = TimeLimits().person
    ) {
        self.pinPad = pinPad
        self.capabilities = capabilities
        self.limit = limit
    }

    public func chooseApplication(_ candidates: [Candidate]) async -> Int? {
        await choose(candidates.map { $0.displayName(capabilities) })
    }

    /// Asks the cardholder to choose one of `names`, for a reader with a kernel but no display.
    ///
    /// - Returns: The index of the name; nil ends the transaction.
    public func choose(_ names: [String]) async -> Int? {
        let request = ApplicationRequest(names: names)
        requests.send(request)
        return await answer(request.race, within: limit, else: nil)
    }
}

/// The first answer, or `otherwise` once `limit` has passed or the task was cancelled.
func answer<Answer: Sendable>(_ race: Race<Answer>, within limit: Duration, else otherwise: Answer) async -> Answer {
    let timer = Task.detached {
        try? await Task.sleep(for: limit)
        race.finish(otherwise)
    }
    return await withTaskCancellationHandler {
        defer { timer.cancel() }
        return await race.winner()
    } onCancel: {
        race.finish(otherwise)
    }
}
