import Bytes
public import DeviceIO
import EMVKernel
import TLV

/// A MagTek device of the MMS framework (DynaFlex, DynaProx) as a reader of cards: it runs the EMV transaction itself and asks for the issuer's answer in
/// the middle (DynaFlex family programmer's manual).
///
/// What it hands on of a card is enciphered; see ``EncryptedTracks/template``.
public actor MMSReader: CardReader {
    public static let models = [
        ReaderModel(.magTekMMS, .hid, vendor: 0x0801, product: 0x2020, name: "MagTek DynaFlex"),
        ReaderModel(.magTekMMS, .hid, vendor: 0x0801, product: 0x2023, name: "MagTek DynaProx"),
        ReaderModel(.magTekMMS, .hid, vendor: 0x0801, product: 0x2024, name: "MagTek DynaFlex II Go"),
    ]

    /// Opens the way to the device; the event ends its waits.
    public typealias Opening = @Sendable (WakeEvent) throws(DeviceError) -> MMSLink

    public nonisolated let name: String
    public nonisolated let capabilities: ReaderCapabilities = [
        .contactChip, .contactlessChip, .magneticStripe, .ownKernel, .encryptsStripes, .cardEvents,
    ]
    public nonisolated let events = ReaderEvents()
    public nonisolated var testOnlyReason: String? { decryption?.testOnlyReason }

    private nonisolated let thread: DeviceThread
    private let open: Opening
    private let decryption: SwipeDecryption?
    private var link: MMSLink?
    private var wasOpen = false
    private nonisolated let claim = DeviceClaim()

    /// In seconds: how long the device waits for a card.
    private static let cardTimeout: UInt8 = 60
    /// Longer than a transaction takes once a card is there.
    private static let patience = Duration.seconds(90)

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// - Parameter decryption: Keys for what the device enciphers; without them it goes on as it is.
    public init(
        name: String, decryption: SwipeDecryption? = nil, open: @escaping Opening
    ) throws(DeviceError) {
        self.name = name
        self.decryption = decryption
        self.open = open
        thread = try DeviceThread(name: "MMS reader")
    }

    /// - Parameter hid: Such as `/dev/hidraw0`.
    public init(hid path: String, name: String = "MagTek DynaFlex", decryption: SwipeDecryption? = nil) throws(DeviceError) {
        try self.init(name: name, decryption: decryption) { cancel throws(DeviceError) in MMSLink(try HIDDevice(path: path, cancel: cancel))
        }
    }

    /// - Parameter serialPort: Such as `/dev/ttyUSB0`.
    public init(serialPort path: String, name: String = "MagTek DynaFlex", decryption: SwipeDecryption? = nil) throws(DeviceError) {
        try self.init(name: name, decryption: decryption) { cancel throws(DeviceError) in
            MMSLink(try SerialPort(path: path, line: MMSLine.settings, cancel: cancel))
        }
    }

    deinit { thread.stop() }

    /// How far a transaction has come.
    private enum Step: Sendable {
        case online(MMSCardData)
        case complete(MMSOutcome)
    }

    public nonisolated func capture(
        _ request: CaptureRequest, authorize: @escaping @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome {
        try request.checkAmounts()
        return try await claim.exclusively(orElse: DeviceClaim.captureRefusal) { () async throws(CaptureError) in
            try await self.transaction(request, authorize).approvedOfflineOnly(for: request)
        }
    }

    /// Lets the device go, and cancels what it is at; the next use opens it again.
    public nonisolated func close() async {
        claim.cancel()
        await letGo()
    }

    private func letGo() {
        guard link != nil else { return }
        link = nil
        wasOpen = false
        events.send(.disconnected(.closed))
    }

    private nonisolated func transaction(
        _ request: CaptureRequest, _ authorize: @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome {
        let start = MMSCommand.Start(timeout: Self.cardTimeout, transaction: request.transactionObjects)
        let first = try await step { link throws(DeviceError) in
            try link.discard()
            try link.request(MMSCommand.startTransaction, start.payload)
        }
        guard case .online(let data) = first else {
            guard case .complete(let outcome) = first else { throw .cancelled }
            return try self.outcome(outcome, nil, nil, request)
        }
        let card: CapturedCard
        do throws(SwipeDecryptionError) {
            card = try CapturedCard(data, opened: decryption?.template(of: data.encrypted))
        } catch {
            await standDown()
            throw .failed(error.description)
        }
        guard !Task.isCancelled else {
            await standDown()
            throw .cancelled
        }
        let answer = await authorize(card)
        // From here on the host knows of the transaction: it is brought to its end whatever becomes of the task.
        let resume = MMSCommand.resume(serialNumber: data.serialNumber, answer: answer.objects)
        var last = try await step(endsWithTask: false) { link throws(DeviceError) in
            try link.request(MMSCommand.resumeTransaction, resume)
        }
        // A device that did not hear the answer asks again; it gets the same.
        for _ in 0..<3 {
            guard case .online = last else { break }
            last = try await step(endsWithTask: false) { link throws(DeviceError) in
                try link.request(MMSCommand.resumeTransaction, resume)
            }
        }
        guard case .complete(let outcome) = last else {
            throw .failed("the device asks for the issuer's answer again and again: cancel and start anew")
        }
        return try self.outcome(outcome, card, answer, request)
    }

    /// The device waits for an answer that does not come.
    private func standDown() { recover(from: .cancelled) }

    // MARK: On the device's thread

    /// Sends what `command` does, then waits for what the device has to say.
    private nonisolated func step(
        endsWithTask: Bool = true, _ command: @escaping @Sendable (MMSLink) throws(DeviceError) -> Void
    ) async throws(CaptureError) -> Step {
        try await claim.step(endsWithTask: endsWithTask) { cancellation async throws(CaptureError) in
            try await self.run(command, cancellation)
        }
    }

    private func run(_ command: (MMSLink) throws(DeviceError) -> Void, _ cancellation: Cancellation) throws(CaptureError) -> Step {
        do throws(DeviceError) {
            try cancellation.begin(thread.cancelEvent)
            defer { cancellation.end() }
            let link = try connected()
            try command(link)
            let deadline = Deadline.after(.seconds(Int64(Self.cardTimeout)) + Self.patience)
            while true {
                switch MMSNotification(try link.notification(by: deadline)) {
                case .swiped: events.send(.swiped(readable: true))
                case .cardPresented(let technology): technology.interface.map { events.send(.cardPresented($0)) }
                case .cardRemoved(let technology): technology.interface.map { events.send(.cardRemoved($0)) }
                case .online(_, let payload): return .online(try MMSCardData(parsing: payload))
                case .complete(_, let outcome): return .complete(outcome)
                case .other: break
                }
            }
        } catch {
            recover(from: error)
            throw CaptureError(error)
        }
    }

    private func connected() throws(DeviceError) -> MMSLink {
        if let link { return link }
        if wasOpen { events.send(.reconnecting) }
        let opened = try open(thread.cancelEvent)
        link = opened
        wasOpen = true
        events.send(.connected)
        return opened
    }

    /// A transaction that is given up must not go on in the device.
    private func recover(from error: DeviceError) {
        guard let link else { return }
        var reason = error
        if error != .disconnected {
            thread.cancelEvent.clear()
            do throws(DeviceError) {
                try link.cancelTransaction()
                return
            } catch {
                reason = error
            }
        }
        self.link = nil
        events.send(.disconnected(ReaderEvent.DisconnectReason(reason)))
    }

    // MARK: What it comes to

    private nonisolated func outcome(
        _ outcome: MMSOutcome, _ card: CapturedCard?, _ answer: IssuerAnswer?, _ request: CaptureRequest
    ) throws(CaptureError) -> CaptureOutcome {
        let isApproved = answer?.isApproving(request.responseCodes) ?? false
        let wasAnswered = if case .answered = answer { true } else { false }
        switch outcome {
        case .approved(let signature):
            // A device that approves what the issuer declined is not believed.
            guard wasAnswered else { return CaptureOutcome(decision: .approvedOffline, card: card, signatureWanted: signature) }
            return CaptureOutcome(
                decision: isApproved ? .approvedOnline : .declinedOnline, card: card, signatureWanted: signature && isApproved)
        case .approvedOffline(let signature): return CaptureOutcome(decision: .approvedOffline, card: card, signatureWanted: signature)
        case .deferred(let signature):
            return CaptureOutcome(
                decision: isApproved ? .approvedOnline : wasAnswered ? .declinedOnline : .declinedOffline, card: card,
                signatureWanted: signature && isApproved)
        case .declined, .declinedOffline:
            return CaptureOutcome(decision: wasAnswered ? .declinedOnline : .declinedOffline, card: card, reversalWanted: isApproved)
        case .timedOut where answer == nil: throw .noCardPresented
        case .cancelledByHost, .cancelledByUser: throw .cancelled
        case .timedOut: return notPossible("the card did not answer in time: try again", card, isApproved, nil)
        case .failed(.technical?):
            return notPossible(
                "the chip could not be read: swipe the card", card, isApproved, Fallback(.technical, entryMode: .stripeAfterChip))
        case .failed(.emptyCandidateList?):
            return notPossible(
                "the chip has no application that is taken here: swipe the card", card, isApproved,
                Fallback(.emptyCandidateList, entryMode: .magneticStripe))
        case .failed(nil): return notPossible("the card could not be read: try again, or use another card", card, isApproved, nil)
        }
    }

    private nonisolated func notPossible(_ words: String, _ card: CapturedCard?, _ isApproved: Bool, _ fallback: Fallback?)
        -> CaptureOutcome
    {
        CaptureOutcome(decision: .notPossible(words), card: card, reversalWanted: isApproved, fallback: fallback)
    }
}

extension CaptureRequest {
    /// Transaction type, amounts, currency and its exponent.
    fileprivate var transactionObjects: [UInt8] {
        var builder = TLVBuilder()
        builder.append(0x9C, [kind.rawValue])
        builder.append(0x9F02, BCD.encode(amount, count: 6) ?? [])
        builder.append(0x9F03, BCD.encode(cashback, count: 6) ?? [])
        builder.append(0x5F2A, BCD.encode(UInt64(currencyCode), count: 2) ?? [])
        builder.append(0x5F36, [currencyExponent])
        return builder.bytes
    }
}

extension IssuerAnswer {
    /// `8A`, `91` and scripts. Without an answer the device is told `Z3`: unable to go online, declined (EMV 4.4 Book 4, annex A6).
    fileprivate var objects: [UInt8] {
        var builder = TLVBuilder()
        switch self {
        case .unreachable:
            builder.append(0x8A, Array("Z3".utf8))
            return builder.bytes
        case .answered(let answer):
            builder.append(0x8A, Array(answer.responseCode.utf8))
            if let data = answer.issuerAuthenticationData { builder.append(0x91, data) }
            return builder.bytes + answer.scripts.joined()
        }
    }
}

extension MMSNotification.Technology {
    fileprivate var interface: ReaderEvent.CardInterface? {
        switch self {
        case .contact: .contact
        case .contactless: .contactless
        case .none, .manualEntry, .stripe: nil
        }
    }
}
