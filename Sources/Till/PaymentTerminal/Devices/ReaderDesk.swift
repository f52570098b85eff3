import CardCapture

/// The reader of a terminal and each change of its state: a state machine over values, without
/// tasks and clocks. The terminal executes what a change requires.
///
/// It is part of the terminal's actor and not an actor of its own: a reader is not replaced during
/// an operation, and a second actor could not keep this rule between two of its calls.
struct ReaderDesk {
    /// A reader that is being opened.
    private struct Opening {
        let number: Int
        let reader: ReaderInfo
    }

    /// The reader that was connected last. It stays after a loss, because its driver may reconnect
    /// by itself.
    private(set) var reader: (any CardReader)?
    /// The state of ``reader``.
    private var attached = DeviceState.none
    /// The last one is shown.
    private var openings: [Opening] = []
    private var lastNumber = 0

    /// What the terminal shows.
    var state: DeviceState { openings.last.map { DeviceState(connection: .connecting, reader: $0.reader) } ?? attached }

    /// Begins to open a reader. A reader that is connected must be released before; one that was
    /// lost stays.
    ///
    /// - Returns: The number of the attempt.
    mutating func beginOpening(_ reader: ReaderInfo) -> Int {
        lastNumber += 1
        openings.append(Opening(number: lastNumber, reader: reader))
        return lastNumber
    }

    /// A reader could not be opened: another that is being opened, or the state before, is shown
    /// again.
    mutating func failOpening(_ number: Int) { openings.removeAll { $0.number == number } }

    /// A reader is open, in place of the one before and of all that are being opened.
    mutating func attach(_ reader: any CardReader, _ info: ReaderInfo) {
        self.reader = reader
        attached = DeviceState(connection: .connected, reader: info)
        openings = []
    }

    /// - Returns: The reader that was connected; nil if there was none, or it was lost.
    mutating func release() -> ReaderInfo? {
        defer { (reader, attached, openings) = (nil, .none, []) }
        return attached.isConnected ? attached.reader : nil
    }

    /// Processes an event of the attached reader's driver.
    ///
    /// - Returns: The reader and whether it is connected, if it was lost or came back.
    mutating func take(_ event: ReaderEvent) -> (reader: ReaderInfo, isConnected: Bool)? {
        if event == .connected, let learned = reader?.identity { attached.learn(learned) }
        guard attached.take(event), let info = attached.reader else { return nil }
        return (info, attached.isConnected)
    }

    /// The reader for an operation with a card. A reader that stopped answering or failed is tried
    /// again: its driver may reconnect.
    func readerForCard() throws(TerminalError) -> any CardReader {
        guard let reader else { throw .connectReaderFirst }
        switch state.connection {
        case .lost(.unplugged): throw .readerLost(.unplugged)
        case .lost(.closed): throw .readerLost(.closed)
        case .connecting: throw TerminalError(.readerNotConnected, "the reader is being connected: wait until it is")
        case .none, .connected, .reconnecting, .lost(.silent), .lost(.failed): return reader
        }
    }
}
