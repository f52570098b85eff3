package import CardCapture
package import DeviceIO
import SmartCard

/// A MagTek device that runs the EMV transaction itself and asks for the issuer's answer in the middle, as one of their protocols has it.
///
/// Its calls block: it is used on its device's thread only.
package protocol DeviceKernel: AnyObject, SendableMetatype {
    static var capabilities: ReaderCapabilities { get }

    /// Throws away what the device has told of earlier transactions.
    func discard() throws(DeviceError)
    /// - Parameter timeout: In seconds: how long the device waits for a card.
    func start(_ request: CaptureRequest, timeout: UInt8) throws(DeviceError)
    /// What the device tells next.
    func next(by deadline: Deadline) throws(DeviceError) -> DeviceStep
    /// - Parameter choice: Of the choices that the device gave, from 0; nil for none.
    func choose(_ choice: Int?) throws(DeviceError)
    /// - Parameter serialNumber: As the device gave it with the card.
    func answer(_ answer: IssuerAnswer, serialNumber: [UInt8]) throws(DeviceError)
    /// Ends the transaction under way; there may be none any more.
    func cancelTransaction() throws(DeviceError)
}

/// What a device with a kernel of its own tells in a transaction.
package enum DeviceStep: Sendable {
    case event(ReaderEvent)
    /// The device waits for the choice.
    case selection([String])
    /// It goes on with the issuer's answer.
    case online(DynaProCardData)
    case complete(DeviceOutcome)
    /// Of no concern to a transaction's course.
    case other
}

/// A MagTek device with a kernel of its own as a reader of cards.
///
/// What it hands on of a card is enciphered; see ``EncryptedTracks/template``.
package actor MagTekReader<Kernel: DeviceKernel>: CardReader {
    /// Opens the way to the device; the event ends its waits.
    package typealias Opening = @Sendable (WakeEvent) throws(DeviceError) -> Kernel
    /// Asks the cardholder which of the names to take: its place from 0, or nil to end the transaction.
    package typealias Choice = @Sendable ([String]) async -> Int?

    package nonisolated let name: String
    package nonisolated let events = ReaderEvents()
    package nonisolated var capabilities: ReaderCapabilities { Kernel.capabilities }
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
    /// Longer than a transaction takes once a card is there.
    private static var timeout: Duration { .seconds(90) }
    /// More choices than a card has applications.
    private static var maximumChoices: Int { 32 }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - decryption: Keys for what the device enciphers; without them it goes on as it is.
    ///   - choose: Is asked by devices without a display of their own. Without it the first is taken, which is the one that the card prefers.
    package init(
        name: String, decryption: SwipeDecryption? = nil, choose: @escaping Choice = { _ in 0 }, open: @escaping Opening
    ) throws(DeviceError) {
        self.name = name
        self.decryption = decryption
        self.choose = choose
        self.open = open
        thread = try DeviceThread(name: "MagTek reader")
    }

    deinit { thread.stop() }

    package nonisolated func capture(
        _ request: CaptureRequest, authorize: @escaping @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome {
        try await claim.capture(request) { () async throws(CaptureError) in try await self.transaction(request, authorize) }
    }

    /// Lets the device go, and cancels what it is at; the next use opens it again.
    package nonisolated func close() async {
        claim.cancel()
        await letGo()
    }

    private func letGo() {
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
            return try await finish(card, answer: await authorize(card), serialNumber: data.serialNumber, request: request)
        }
    }

    /// From the start to the device's question to the issuer, or its end without one.
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

    /// The host knows of the transaction: it is completed even if the task is cancelled.
    private nonisolated func finish(
        _ card: CapturedCard, answer: IssuerAnswer, serialNumber: [UInt8], request: CaptureRequest
    ) async throws(CaptureError) -> CaptureOutcome {
        // A device that did not hear the answer asks again; it gets the same.
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

    /// The device waits for an answer that does not come.
    private func standDown() { recover(from: .cancelled) }

    // MARK: On the device's thread

    /// Sends what `command` does, then waits for what the device has to say.
    private nonisolated func step(
        endsWithTask: Bool = true, _ command: @escaping @Sendable (Kernel) throws(DeviceError) -> Void
    ) async throws(CaptureError) -> DeviceStep {
        try await claim.step(endsWithTask: endsWithTask) { cancellation async throws(CaptureError) in
            try await self.run(command, cancellation)
        }
    }

    private func run(_ command: (Kernel) throws(DeviceError) -> Void, _ cancellation: Cancellation) throws(CaptureError) -> DeviceStep {
        do throws(DeviceError) {
            try cancellation.begin(thread.cancelEvent)
            defer { cancellation.end() }
            let kernel = try connected()
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
        } catch {
            recover(from: error)
            throw CaptureError(error)
        }
    }

    private func connected() throws(DeviceError) -> Kernel {
        if let kernel { return kernel }
        if wasOpen { events.send(.reconnecting) }
        let opened = try open(thread.cancelEvent)
        kernel = opened
        wasOpen = true
        events.send(.connected)
        return opened
    }

    /// A transaction that is given up must not go on in the device.
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
