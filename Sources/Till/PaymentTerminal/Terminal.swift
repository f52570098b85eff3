public import CardCapture

/// What a terminal can be made from in place of a configuration: such as a file, which also has
/// kernels for plain readers.
package protocol TerminalOrigin: Sendable {}

/// A point of sale with a reader and a host, and one operation at a time.
///
/// An operation is refused as busy while another one runs. Each step of a payment is in the journal
/// before it is executed, and messages to the host are in the journal until the host has accepted
/// them, also after a restart. Cancelling the task that awaits an operation has the same effect as
/// ``cancel()``.
public actor Terminal {
    /// The version of this library, as `cardpresent --version` prints it.
    public static let libraryVersion = "0.2.0"

    /// The original configuration, which never changes.
    public nonisolated let configuration: Configuration
    /// What the terminal was made from, if that has more than its configuration.
    package nonisolated let origin: (any TerminalOrigin)?
    let host: any PaymentHost
    let journal: any TransactionJournal
    package nonisolated let clock: @Sendable () -> Timestamp
    nonisolated let events = EventFeed()
    var desk = ReaderDesk()
    /// The reader and its connection. Each change comes as an event, too.
    public var deviceState: DeviceState { desk.state }
    private var readerTasks: [Task<Void, Never>] = []
    private var readerEvents: EventInbox<ReaderEvent>?
    private var cardholderRequests: EventInbox<ApplicationRequest>?
    /// Set during a query of the reader's battery.
    var batteryQuestion: Task<BatteryState, Never>?
    var listeners: [ObjectIdentifier: Task<Void, Never>] = [:]
    var running: RunningOperation?
    var operations = 0
    var pending = PendingWork()
    var history = CardHistory()
    var tidying: Task<Void, Never>?

    /// A terminal without a file: the kernels are passed when a plain reader is connected.
    ///
    /// - Parameters:
    ///   - host: Who decides on payments, in production a gateway.
    ///   - journal: What the terminal is about to do and owes the host; in production one on a
    ///     disk.
    ///   - clock: Tells the time that goes to hosts, cards and receipts.
    public init(
        configuration: Configuration, host: any PaymentHost, journal: any TransactionJournal,
        clock: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.init(configuration: configuration, origin: nil, host: host, journal: journal, clock: clock)
    }

    package init(
        configuration: Configuration, origin: (any TerminalOrigin)?, host: any PaymentHost,
        journal: any TransactionJournal, clock: @escaping @Sendable () -> Timestamp
    ) {
        self.configuration = configuration
        self.origin = origin
        self.host = host
        self.journal = journal
        self.clock = clock
    }

    deinit {
        for task in readerTasks { task.cancel() }
        for task in listeners.values { task.cancel() }
        pending.forwarder?.cancel()
        tidying?.cancel()
    }

    /// The name of the connected reader; nil if there is none, or it was lost.
    /// ``DeviceState/cardEntry`` says how that affects card data.
    public var connectedReader: String? { deviceInfo?.name }

    /// The connected reader with its last reported state; nil if there is none, or it was lost.
    public var deviceInfo: ReaderInfo? { deviceState.isConnected ? deviceState.reader : nil }

    /// The reader for card data; nil if there is none, or it was lost.
    var reader: (any CardReader)? { deviceState.isConnected ? desk.reader : nil }

    /// Connects `reader` for later operations, replacing the previous one.
    ///
    /// - Throws: ``TerminalError/Code/testEquipment`` if the reader is for tests and the terminal
    ///   is not; ``TerminalError/Code/readerNotEnabled`` if the terminal's list of devices does not
    ///   enable it.
    /// - Parameters:
    ///   - cardholder: The cardholder object of the reader's kernel, whose requests become events
    ///     of this terminal.
    ///   - identity: The known identity of the device, in addition to the driver's data.
    public func connect(
        _ reader: any CardReader, cardholder: TerminalCardholder? = nil, identity: ReaderIdentity? = nil
    ) throws(TerminalError) {
        do throws(TerminalError) {
            guard running == nil else { throw .busy }
            try refuseTestEquipment("reader", reader.testOnlyReason)
            try refuseNotEnabled(reader.name, (reader.identity ?? ReaderIdentity()).completed(by: identity))
        } catch {
            // Whoever opens a reader reports its failure.
            if deviceState.connection != .connecting {
                events.send(TerminalEvent(operation: nil, requestID: nil, content: .connectionFailed(error)))
            }
            throw error
        }
        release()
        let info = ReaderInfo(
            name: reader.name, capabilities: reader.capabilities,
            identity: (reader.identity ?? ReaderIdentity()).completed(by: identity))
        desk.attach(reader, info)
        readerEvents = reader.events.inbox()
        cardholderRequests = cardholder?.requests.inbox()
        for arrivals in [readerEvents?.arrivals, cardholderRequests?.arrivals].compactMap(\.self) {
            whileConnected { [weak self] in
                for await _ in arrivals { await self?.takeFromReader() }
            }
        }
        if reader.capabilities.contains(.battery) { watchBattery(of: reader) }
        announce(.readerConnected(info))
    }

    /// Stops using the reader; the driver itself remains open.
    ///
    /// - Throws: ``TerminalError/Code/busy`` while an operation is in progress.
    public func disconnect() throws(TerminalError) {
        guard running == nil else { throw .busy }
        release()
    }

    /// Brings the terminal back to the state after its creation: an operation is cancelled or, once
    /// the host was asked, awaited; the reader is disconnected; each listener and event stream ends
    /// after its remaining events.
    ///
    /// The terminal can be used again at once. The journal is not changed: what the host must still
    /// receive is sent later.
    public func reset() async {
        while let running {
            _ = await cancel()
            await running.ended()
        }
        release()
        events.finish()
        listeners = [:]
    }

    func release() {
        takeFromReader()
        (readerEvents, cardholderRequests) = (nil, nil)
        for task in readerTasks { task.cancel() }
        readerTasks = []
        if let info = desk.release() { announce(.readerDisconnected(info)) }
    }

    /// - Parameter reason: Why it is only for tests; nil if it is not.
    func refuseTestEquipment(_ what: String, _ reason: String?) throws(TerminalError) {
        guard configuration.mode == .production, let reason else { return }
        throw TerminalError(
            .testEquipment,
            "the \(what) is for tests (\(reason)), and the terminal is not: use another \(what), or set the mode to test (terminal.mode in a terminal's file)"
        )
    }

    /// - Throws: ``TerminalError/Code/testEquipment`` for a host where no cardholder is charged.
    ///   One that cannot be asked now is asked before the next request (``asking(_:_:_:)``).
    func refuseTestHost() async throws(TerminalError) {
        guard configuration.mode == .production else { return }
        let host = host
        let late = HostError(.noAnswer, "the host did not answer in time: check the connection")
        let reason = try? await within(
            configuration.limits.inquiry, grace: configuration.limits.standDown, orElse: late
        ) {
            () async throws(HostError) in await host.testOnlyReason
        }
        try refuseTestEquipment("host", reason)
    }

    /// Runs `watch` until the reader is replaced or disconnected, or the terminal is released.
    package func whileConnected(_ watch: @escaping @Sendable () async -> Void) {
        readerTasks.append(Task { await watch() })
    }

    /// Announces what reader and cardholder have sent until now. The terminal's own events come
    /// after it.
    func takeFromReader() {
        while let event = readerEvents?.next() { took(event) }
        while let request = cardholderRequests?.next() { tell(.applicationRequired(request)) }
    }

    func took(_ event: ReaderEvent) {
        let change = desk.take(event)
        tell(.reader(event))
        guard let change else { return }
        tell(change.isConnected ? .readerConnected(change.reader) : .readerDisconnected(change.reader))
    }
}
