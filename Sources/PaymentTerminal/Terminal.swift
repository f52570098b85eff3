public import CardReaders

/// A point of sale: a reader on one side, a host on the other, and one operation at a time between them.
///
/// An operation asked for while another runs is refused as busy. Cancelling the task that awaits an operation cancels it, but never what is
/// owed to the host because of it: a reversal is sent all the same.
public actor Terminal {
    public nonisolated let configuration: TerminalConfiguration
    let host: any PaymentHost
    let clock: @Sendable () -> Timestamp
    private(set) var reader: (any CardReader)?
    /// Completions that the host has not taken yet, oldest first. They are offered again before the next operation asks the host anything.
    public private(set) var undelivered: [Completion] = []
    private var isBusy = false
    private var nextSequenceCounter: UInt32

    public init(configuration: TerminalConfiguration, host: any PaymentHost, clock: @escaping @Sendable () -> Timestamp) {
        self.configuration = configuration
        self.host = host
        self.clock = clock
        nextSequenceCounter = configuration.nextSequenceCounter
    }

    /// The name of the connected reader, nil if there is none: with a reader, card data come from the card and are not for the user to edit.
    public var connectedReader: String? { reader?.name }

    /// Takes `reader` for the operations to come, in place of the one before.
    public func connect(_ reader: any CardReader) throws(TerminalError) {
        guard !isBusy else { throw .busy }
        self.reader = reader
    }

    public func disconnect() throws(TerminalError) {
        guard !isBusy else { throw .busy }
        reader = nil
    }
}

extension Terminal {
    /// Runs `operation` unless another runs.
    func exclusively<Result>(_ operation: () async throws(TerminalError) -> Result) async throws(TerminalError) -> Result {
        guard !isBusy else { throw .busy }
        isBusy = true
        defer { isBusy = false }
        if !undelivered.isEmpty { await offerUndelivered() }
        return try await operation()
    }

    /// The transaction sequence counter of a new transaction: eight digits, then again from 1.
    func takeSequenceCounter() -> UInt32 {
        defer { nextSequenceCounter = nextSequenceCounter >= 99_999_999 ? 1 : nextSequenceCounter + 1 }
        return nextSequenceCounter
    }

    /// Gives the host `result` for the order, now or later.
    ///
    /// - Returns: Whether the host has taken it.
    func complete(_ orderID: OrderID, _ result: Completion.Result) async -> Bool {
        undelivered.append(Completion(orderID: orderID, result: result))
        // A task of its own, because it must not end with the operation when that is cancelled.
        await Task { await offerUndelivered() }.value
        return !undelivered.contains { $0.orderID == orderID }
    }

    private func offerUndelivered() async {
        var kept: [Completion] = []
        for completion in undelivered {
            do throws(HostError) {
                try await host.complete(completion)
            } catch {
                kept.append(completion)
            }
        }
        undelivered = kept
    }
}
