import CardCapture
internal import DeviceIO

/// One connection to a reader on a line, for the thread that drives it.
protocol LineLink: AnyObject {
    /// Reads data that arrived unrequested; false if the connection was lost meanwhile.
    func isConnected() -> Bool

    /// Whether the connection is still usable after an operation failed with `error`; it sends the
    /// reader what is necessary. The cancellation has been cleared.
    func survives(_ error: DeviceError) -> Bool
}

/// The connection of a driver to its reader on a line: opened on first use, reopened after a loss,
/// dropped if its state is unknown. It belongs to the driver's actor and is used on its thread
/// only.
final class LineSession<Link: LineLink> {
    /// Opens a connection; the event ends its waits.
    typealias Connecting = @Sendable (WakeEvent) throws(DeviceError) -> Link

    private(set) var link: Link?
    /// Counts the activations of a card: a channel of an earlier activation is invalid. A new
    /// connection has no card.
    private(set) var activation = 0
    private let thread: DeviceThread
    private let events: ReaderEvents
    private let connect: Connecting

    init(_ thread: DeviceThread, _ events: ReaderEvents, connect: @escaping Connecting) {
        self.thread = thread
        self.events = events
        self.connect = connect
    }

    /// - Returns: The number of the new activation.
    @discardableResult
    func activate() -> Int {
        activation += 1
        return activation
    }

    func close() {
        activation += 1
        guard link != nil else { return }
        link = nil
        events.send(.disconnected(.closed))
    }

    /// One operation at the reader. After a fatal failure the connection is dropped and reopened
    /// for the next operation.
    func attempt<Result>(
        _ cancellation: Cancellation, _ body: (Link) throws(DeviceError) -> Result
    ) throws(DeviceError) -> Result {
        try cancellation.begin(thread.cancelEvent)
        defer { cancellation.end() }
        do throws(DeviceError) {
            return try body(connected())
        } catch {
            thread.cancelEvent.clear()
            guard let link, !link.survives(error) else { throw error }
            self.link = nil
            events.send(.disconnected(ReaderEvent.DisconnectReason(error)))
            throw error
        }
    }

    private func connected() throws(DeviceError) -> Link {
        if let link, link.isConnected() { return link }
        let isReconnecting = link != nil
        if isReconnecting { events.send(.reconnecting) }
        link = nil
        activation += 1
        let opened = try events.reportingFailure(isReconnecting: isReconnecting) { () throws(DeviceError) in
            try connect(thread.cancelEvent)
        }
        link = opened
        events.send(.connected)
        return opened
    }
}

/// Bytes that were received from a reader on a line and not yet processed.
struct LineInput {
    private let transport: any ByteTransport
    private var received = ReceivedBytes()

    init(_ transport: any ByteTransport) { self.transport = transport }

    mutating func popFirst() -> UInt8? { received.popFirst() }

    mutating func discard() { received = ReceivedBytes() }

    /// Waits for more bytes.
    mutating func receive(by deadline: Deadline) throws(DeviceError) {
        var bytes = try transport.read(atMost: 4096, by: deadline)
        received.append(wiping: &bytes)
    }

    /// Reads the available bytes; false if the connection was lost.
    mutating func isConnected() -> Bool {
        do throws(DeviceError) {
            try receive(by: .after(.zero))
            return true
        } catch {
            return error == .timedOut
        }
    }
}

extension Deadline {
    /// Call it before each further read: reads from a device that never stops sending do not time
    /// out by themselves.
    ///
    /// - Throws: ``DeviceError/timedOut``.
    func check() throws(DeviceError) {
        if hasPassed { throw .timedOut }
    }
}
