package import CardCapture
package import DeviceIO
import SmartCard

/// The protocol of a MagTek device that runs the EMV transaction itself and asks for the issuer's
/// answer during it.
///
/// Its calls block: use it only on the thread of its device.
package protocol DeviceKernel: AnyObject, SendableMetatype {
    static var capabilities: ReaderCapabilities { get }

    /// Asks the device for a property that every model has.
    ///
    /// - Throws: ``DeviceError/timedOut`` if it does not answer, ``DeviceError/malformed(_:_:)`` if
    ///   it is another device.
    func identify() throws(DeviceError)
    /// Discards notifications about earlier transactions.
    func discard() throws(DeviceError)
    /// - Parameter timeout: In seconds: how long the device waits for a card.
    func start(_ request: CaptureRequest, timeout: UInt8) throws(DeviceError)
    /// The next step that the device reports.
    func next(by deadline: Deadline) throws(DeviceError) -> DeviceStep
    /// - Parameter choice: The index of the choice that the cardholder selected, from 0; nil for
    ///   none.
    func choose(_ choice: Int?) throws(DeviceError)
    /// - Parameter serialNumber: As returned by the device with the card.
    func answer(_ answer: IssuerAnswer, serialNumber: [UInt8]) throws(DeviceError)
    /// Cancels the transaction in progress, if there still is one.
    func cancelTransaction() throws(DeviceError)
}

/// A step that a device with a kernel of its own reports in a transaction.
package enum DeviceStep: Sendable {
    case event(ReaderEvent)
    /// The device waits for a selection.
    case selection([String])
    /// The device waits for the issuer's answer.
    case online(DynaProCardData)
    case complete(DeviceOutcome)
    /// Does not affect the transaction.
    case other
}

/// A MagTek device with a kernel of its own as a `CardReader`.
///
/// The card data that it returns are encrypted; see ``EncryptedTracks/template``.
package actor MagTekReader<Kernel: DeviceKernel>: CardReader {
    /// Opens the connection to the device; the event ends its waits.
    package typealias Opening = @Sendable (WakeEvent) throws(DeviceError) -> Kernel
    /// Asks the cardholder to select one of the names: returns its index from 0, or nil to end the
    /// transaction.
    package typealias Choice = @Sendable ([String]) async -> Int?

    package nonisolated let name: String
    package nonisolated let events = ReaderEvents()
    package nonisolated let capabilities: ReaderCapabilities
    package nonisolated var testOnlyReason: String? { decryption?.testOnlyReason }

    private nonisolated let thread: DeviceThread
    private let open: Opening
    private nonisolated let choose: Choice
    private nonisolated let decryption: SwipeDecryption?
    private var kernel: Kernel?
    private var wasOpen = false
    private nonisolated let claim = DeviceClaim()

    /// In seconds: how long the device waits for a card.
    private static var cardTimeout: UInt8 { 60 }
    /// Longer than a transaction takes after a card is presented.
    private static var timeout: Duration { .seconds(90) }
    /// More than the number of applications of a card.
    private static var maximumChoices: Int { 32 }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - capabilities: Of the model.
    ///   - decryption: Keys for the data that the device encrypts; without keys, the data are
    ///     passed on encrypted.
    ///   - choose: Called by devices without a display. Without it the first application is used,
    ///     which the card prefers.
    package init(
        name: String, capabilities: ReaderCapabilities = Kernel.capabilities, decryption: SwipeDecryption? = nil,
        choose: @escaping Choice = { _ in 0 }, open: @escaping Opening
    ) throws(DeviceError) {
        self.name = name
        self.capabilities = capabilities
        self.decryption = decryption
        self.choose = choose
        self.open = open
        thread = try DeviceThread(name: "MagTek reader")
    }

    deinit { thread.stop() }

    package nonisolated func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        try await claim.capture(request) { () async throws(CaptureError) in
            try await self.transaction(request, authorize)
        }
    }

    /// Runs another operation on the device between transactions, such as reading a property.
    package nonisolated func perform<Result: Sendable>(
        _ body: @escaping @Sendable (Kernel) throws(DeviceError) -> Result
    ) async throws(CaptureError) -> Result {
        try await claim.perform(orElse: DeviceClaim.captureRefusal) { cancellation async throws(CaptureError) in
            try await self.attempt(cancellation, body)
        }
    }

    nonisolated func openDevice() async throws(DeviceError) {
        try await claim.perform(orElse: .busy(name, holder: nil)) { cancellation async throws(DeviceError) in
            try await self.identifyDevice(cancellation)
        }
    }

    /// Cancels the operation in progress and closes the device; the next use opens it again.
    package nonisolated func close() async {
        claim.cancel()
        await release()
    }

    private func release() {
        guard kernel != nil else { return }
        kernel = nil
        wasOpen = false
        events.send(.disconnected(.closed))
    }

    private nonisolated func transaction(
        _ request: CaptureRequest, _ authorize: @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome {
        switch try await untilCardSpeaks(request) {
        case .event, .selection, .other: throw .readerFailed(.repeatsApplicationSelection)
        case .complete(let outcome): return try outcome.captureOutcome(nil, nil, request)
        case .online(let data):
            let card: CapturedCard
            do throws(SwipeDecryptionError) {
                card = try CapturedCard(data, opened: decryption?.template(of: data.encrypted))
            } catch {
                await standDown()
                throw .swipeDecryption(error)
            }
            guard !Task.isCancelled else {
                await standDown()
                throw .cancelled
            }
            return try await finish(
                card, answer: await authorize(card), serialNumber: data.serialNumber, request: request)
        }
    }

    /// From the start to the online request of the device, or to an end without one.
    private nonisolated func untilCardSpeaks(_ request: CaptureRequest) async throws(CaptureError) -> DeviceStep {
        var step = try await step { kernel throws(DeviceError) in
            try kernel.discard()
            try kernel.start(request, timeout: Self.cardTimeout)
        }
        for _ in 0..<Self.maximumChoices {
            guard case .selection(let names) = step else { return step }
            events.send(.selectionRequired(names))
            let choice = await choose(names).flatMap { names.indices.contains($0) ? $0 : nil }
            guard !Task.isCancelled else {
                await standDown()
                throw .cancelled
            }
            step = try await self.step { kernel throws(DeviceError) in try kernel.choose(choice) }
        }
        await standDown()
        return step
    }

    /// The host has received the request: the transaction is completed even if the task is
    /// cancelled.
    private nonisolated func finish(
        _ card: CapturedCard, answer: IssuerAnswer, serialNumber: [UInt8], request: CaptureRequest
    ) async throws(CaptureError) -> CaptureOutcome {
        // A device that did not receive the answer asks again, and gets the same answer.
        for _ in 0..<4 {
            let last = try await step(endsWithTask: false) { kernel throws(DeviceError) in
                try kernel.answer(answer, serialNumber: serialNumber)
            }
            if case .complete(let outcome) = last { return try outcome.captureOutcome(card, answer, request) }
            guard case .online = last else { break }
        }
        await standDown()
        throw .readerFailed(.repeatsOnlineRequest)
    }

    /// Ends the device's wait for an answer that will not come.
    private func standDown() { recover(from: .cancelled) }

    // MARK: On the device's thread

    /// Runs `command`, then waits for the next step of the device.
    private nonisolated func step(
        endsWithTask: Bool = true, _ command: @escaping @Sendable (Kernel) throws(DeviceError) -> Void
    ) async throws(CaptureError) -> DeviceStep {
        try await claim.step(endsWithTask: endsWithTask) { cancellation async throws(CaptureError) in
            try await self.run(command, cancellation)
        }
    }

    private func run(_ command: (Kernel) throws(DeviceError) -> Void, _ cancellation: Cancellation) throws(CaptureError)
        -> DeviceStep
    {
        try attempt(cancellation) { kernel throws(DeviceError) in
            try command(kernel)
            let deadline = Deadline.after(.seconds(Int64(Self.cardTimeout)) + Self.timeout)
            while true {
                let step = try kernel.next(by: deadline)
                switch step {
                case .event(let event): events.send(event)
                case .other: break
                case .selection, .online, .complete: return step
                }
            }
        }
    }

    private func attempt<Result>(
        _ cancellation: Cancellation, _ body: (Kernel) throws(DeviceError) -> Result
    ) throws(CaptureError) -> Result {
        do throws(DeviceError) {
            try cancellation.begin(thread.cancelEvent)
            defer { cancellation.end() }
            return try body(connected())
        } catch {
            recover(from: error)
            throw CaptureError(error)
        }
    }

    /// A device that fails here is not asked to end a transaction.
    private func identifyDevice(_ cancellation: Cancellation) throws(DeviceError) {
        do throws(DeviceError) {
            try cancellation.begin(thread.cancelEvent)
            defer { cancellation.end() }
            try connected().identify()
        } catch {
            thread.cancelEvent.clear()
            if kernel != nil { events.send(.disconnected(ReaderEvent.DisconnectReason(error))) }
            kernel = nil
            throw error
        }
    }

    private func connected() throws(DeviceError) -> Kernel {
        if let kernel { return kernel }
        if wasOpen { events.send(.reconnecting) }
        let opened = try events.reportingFailure { () throws(DeviceError) in try open(thread.cancelEvent) }
        kernel = opened
        wasOpen = true
        events.send(.connected)
        return opened
    }

    /// An abandoned transaction must not continue in the device.
    private func recover(from error: DeviceError) {
        guard let kernel else { return }
        var reason = error
        if error != .disconnected {
            thread.cancelEvent.clear()
            do throws(DeviceError) {
                try kernel.cancelTransaction()
                return
            } catch {
                reason = error
            }
        }
        self.kernel = nil
        events.send(.disconnected(ReaderEvent.DisconnectReason(reason)))
    }
}

extension MagTekReader: OpeningDriver {}
