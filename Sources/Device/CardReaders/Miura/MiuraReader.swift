import Bytes
public import CardCapture
public import DeviceIO
import EMVKernel
import MagneticStripe
import SmartCard
import TLV

/// A PIN pad with a kernel of its own and Miura's payment interface (MPI), over Bluetooth, TCP or a
/// serial port.
///
/// It must return card data in the clear. A PIN pad that is configured to encrypt them for a
/// decryption service (P2PE, SRED) cannot be used by a terminal that needs the PAN; the capture
/// then fails with an error.
///
/// After a swipe whose service code requires a PIN the cardholder enters it at the PIN pad, which
/// enciphers it for the issuer.
public actor MiuraReader: CardReader {
    /// Identified by their Bluetooth name, as in Miura's library. Miura publishes no USB ids: open
    /// USB devices by path.
    public static let models = [
        ReaderModel(.bluetooth, bluetoothName: "Miura", service: .serialPort, name: "Miura PIN pad")
    ]
    /// The TCP port of the PIN pad.
    public static let port: UInt16 = 6543

    public nonisolated let name: String
    public nonisolated let capabilities = ReaderFamily.miura.capabilities
    public nonisolated let events = ReaderEvents()
    private nonisolated let thread: DeviceThread
    private let clock: @Sendable () -> Timestamp
    private let timing: MiuraTiming
    let line: LineSession<MiuraLink>
    nonisolated let claim = DeviceClaim()
    private nonisolated let learned: MiuraIdentity
    private let notices: MiuraNotices

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// - Parameter open: Opens the line, on the device's thread; called again after a
    ///   disconnection.
    package init(
        name: String, clock: @escaping @Sendable () -> Timestamp = Timestamp.now, timing: MiuraTiming = MiuraTiming(),
        open: @escaping @Sendable (WakeEvent) throws(DeviceError) -> any ByteTransport
    ) throws(DeviceError) {
        self.name = name
        self.clock = clock
        self.timing = timing
        let (thread, notices, learned) = (try DeviceThread(name: "Miura"), MiuraNotices(events), MiuraIdentity())
        self.thread = thread
        self.notices = notices
        self.learned = learned
        // Every session begins with a soft reset, which ends operations of an earlier session.
        line = LineSession(thread, events) { cancel throws(DeviceError) in
            let link = MiuraLink(try open(cancel), timing)
            let answer = try link.succeed(MiuraCommand.reset, notices.take)
            learned.learn(fromReset: answer.body)
            return link
        }
    }

    /// Over Bluetooth; the first use connects, for up to 15 seconds.
    public init(address: BluetoothAddress, clock: @escaping @Sendable () -> Timestamp = Timestamp.now)
        throws(DeviceError)
    {
        try self.init(name: "Miura at \(address)", clock: clock) { cancel throws(DeviceError) in
            try RFCOMMConnection(address: address, by: .after(.seconds(15)), cancel: cancel)
        }
    }

    /// Over TCP to ``port``; the first use connects, for up to 10 seconds.
    public init(host: String, clock: @escaping @Sendable () -> Timestamp = Timestamp.now) throws(DeviceError) {
        try self.init(name: "Miura at \(host)", clock: clock) { cancel throws(DeviceError) in
            try TCPConnection(host: host, port: Self.port, by: .after(.seconds(10)), cancel: cancel)
        }
    }

    /// As a CDC serial port, whose rate does not matter.
    public init(path: String, clock: @escaping @Sendable () -> Timestamp = Timestamp.now) throws(DeviceError) {
        try self.init(name: "Miura at \(path)", clock: clock) { cancel throws(DeviceError) in
            try SerialPort(path: path, line: SerialLine(rate: 115_200), cancel: cancel)
        }
    }

    deinit { thread.stop() }

    public nonisolated var identity: ReaderIdentity? { learned.value }

    public nonisolated func capture(
        _ request: CaptureRequest, authorize: @escaping CardReader.Authorize
    ) async throws(CaptureError) -> CaptureOutcome {
        try await claim.capture(request) { () async throws(CaptureError) in
            try await self.transaction(request, authorize)
        }
    }

    /// Cancels the operation in progress and closes the PIN pad; the next use opens it again.
    public nonisolated func close() async {
        claim.cancel()
        await release()
    }

    func release() { line.close() }

    private nonisolated func transaction(
        _ request: CaptureRequest, _ authorize: @Sendable (CapturedCard) async -> IssuerAnswer
    ) async throws(CaptureError) -> CaptureOutcome {
        let begun = try await claim.step { cancellation async throws(CaptureError) in
            try await self.begin(request, cancellation)
        }
        switch begun {
        case .ended(let outcome): return outcome
        case .stripe(let card):
            guard !Task.isCancelled else { throw .cancelled }
            return await .decided(card, request, authorize)
        case .online(let elements, let card):
            guard !Task.isCancelled else {
                await abandon()
                throw .cancelled
            }
            // From here on the host may have the request: the transaction is completed even if the
            // task is cancelled.
            let answer = await authorize(card)
            do throws(CaptureError) {
                let message = try await claim.step(endsWithTask: false) { cancellation async throws(CaptureError) in
                    try await self.proceed(answer, cancellation)
                }
                return await finish(
                    message, answer: answer, isApproved: answer.isApproving(request.responseCodes), earlier: elements,
                    card: card)
            } catch {
                return CaptureOutcome(
                    decision: .notPossible(.reader(error)), card: card,
                    requiresReversal: answer.isApproving(request.responseCodes))
            }
        }
    }

    public nonisolated func battery() async throws(CaptureError) -> BatteryState? {
        try await claim.perform(orElse: DeviceClaim.captureRefusal) { cancellation async throws(CaptureError) in
            try await self.battery(cancellation)
        }
    }

    private enum Beginning {
        case ended(CaptureOutcome)
        case online(DataElements, CapturedCard)
        case stripe(CapturedCard)
    }

    private func battery(_ cancellation: Cancellation) throws(CaptureError) -> BatteryState {
        let answer = try attempt(cancellation) { link throws(DeviceError) in
            try link.perform(MiuraCommand.battery, self.notice)
        }
        guard answer.isSuccess else { throw .readerFailed(.driver(MiuraFailure(status: answer.status))) }
        return BatteryState(miura: (try? DataElements(parsing: answer.body)) ?? DataElements())
    }

    private func begin(_ request: CaptureRequest, _ cancellation: Cancellation) throws(CaptureError) -> Beginning {
        let time = clock()
        let presented = try attempt(cancellation) { link throws(DeviceError) in
            try self.waitForCard(request, at: time, link)
        }
        let (answer, isTap): (MiuraMessage, Bool)
        switch presented {
        case .stripe(let stripe): return try swiped(stripe, request, cancellation)
        case .enciphered: throw .readerFailed(.cardDataEncrypted)
        case .unreadable(let fallback):
            return .ended(CaptureOutcome(decision: .notPossible(.chipNotReadable), card: nil, fallback: fallback))
        case .cancelled: throw .cancelled
        case .tap(let message): (answer, isTap) = (message, true)
        case .chip:
            answer = try attempt(cancellation) { link throws(DeviceError) in
                try link.perform(
                    MiuraCommand.start(request, at: time), by: .after(self.timing.transaction), self.notice)
            }
            isTap = false
        }
        guard answer.isSuccess else { return .ended(try outcome(MiuraFailure(status: answer.status))) }
        guard let (template, elements) = Self.parse(answer.body) else {
            abandon()
            return .ended(CaptureOutcome(decision: .notPossible(.reader(.readerFailed(.invalidAnswer))), card: nil))
        }
        let card = CapturedCard(miura: elements, isTap: isTap)
        switch template {
        case .miuraApproved:
            return .ended(
                CaptureOutcome(decision: .approvedOffline, card: card, requiresSignature: elements.requiresSignature))
        case .miuraDeclined: return .ended(CaptureOutcome(decision: .declinedOffline, card: card))
        case .miuraOnlineRequired:
            guard let card else {
                abandon()
                throw .readerFailed(.cardDataEncrypted)
            }
            return .online(elements, card)
        default:
            abandon()
            throw .readerFailed(.unknownRequest)
        }
    }

    /// A swiped card, with its PIN where the service code requires one.
    private func swiped(
        _ stripe: MiuraStripe, _ request: CaptureRequest, _ cancellation: Cancellation
    ) throws(CaptureError) -> Beginning {
        guard stripe.requiresPIN(for: request) else { return .stripe(stripe.card) }
        let withoutPIN = Beginning.ended(CaptureOutcome(decision: .notPossible(.pinNotEntered), card: stripe.card))
        guard let track = stripe.maskedTrack2 else { return withoutPIN }
        let answer = try attempt(cancellation) { link throws(DeviceError) in
            try link.perform(
                MiuraCommand.onlinePIN(request, maskedTrack2: track), by: .after(self.timing.transaction), self.notice)
        }
        switch MiuraPINEntry(answer) {
        case .entered(let pin):
            var card = stripe.card
            card.pin = pin
            return .stripe(card)
        case .leftOut: return withoutPIN
        case .failed(let failure): throw .readerFailed(failure)
        }
    }

    private func proceed(_ answer: IssuerAnswer, _ cancellation: Cancellation) throws(CaptureError) -> MiuraMessage {
        try attempt(cancellation) { link throws(DeviceError) in
            try link.perform(MiuraCommand.proceed(answer), by: .after(self.timing.transaction), self.notice)
        }
    }

    /// The outcome of the PIN pad's final answer. An approval is ignored if the issuer declined.
    private func finish(
        _ message: MiuraMessage, answer: IssuerAnswer, isApproved: Bool, earlier: DataElements, card: CapturedCard
    ) -> CaptureOutcome {
        guard message.isSuccess, let (template, later) = Self.parse(message.body) else {
            if message.isSuccess { abandon() }
            let failure =
                message.isSuccess ? ReaderFailure.invalidAnswer : .driver(MiuraFailure(status: message.status))
            return CaptureOutcome(
                decision: .notPossible(.reader(.readerFailed(failure))), card: card, requiresReversal: isApproved)
        }
        var elements = earlier
        elements.update(with: later)
        let whole = CapturedCard(miura: elements, isTap: card.entryMode != .chip) ?? card
        let isOffline = if case .unreachable = answer { true } else { false }
        if template == .miuraApproved, isApproved || isOffline {
            return CaptureOutcome(
                decision: isApproved ? .approvedOnline : .approvedOffline, card: whole,
                requiresSignature: elements.requiresSignature)
        }
        return CaptureOutcome(
            decision: isOffline ? .declinedOffline : .declinedOnline, card: whole, requiresReversal: isApproved)
    }

    /// The template of an answer, and its data objects.
    private static func parse(_ body: [UInt8]) -> (Tag, DataElements)? {
        guard let first = body.first, let elements = try? DataElements(parsing: body) else { return nil }
        return (Tag(rawValue: UInt32(first)), elements)
    }

    private func outcome(_ failure: MiuraFailure) throws(CaptureError) -> CaptureOutcome {
        switch failure {
        case .noCard: throw .cardRemoved
        case .cancelled: throw .cancelled
        case .card(let fallback):
            CaptureOutcome(
                decision: .notPossible(.reader(.readerFailed(.driver(failure)))), card: nil, fallback: fallback)
        case .invalidData, .notReady, .noCAPublicKey, .noPINKey, .pinEntry, .fileDiffers, .other:
            throw .readerFailed(.driver(failure))
        }
    }

    private enum Presented {
        case chip
        case stripe(MiuraStripe)
        /// The PIN pad has begun the transaction, and this is its answer.
        case tap(MiuraMessage)
        case enciphered
        case unreadable(Fallback)
        case cancelled
    }

    /// Waits for a card in the slot, through the stripe reader and, if the PIN pad has one, in the
    /// field. The PIN pad ends the wait for a tap itself when a card is inserted or swiped.
    private func waitForCard(_ request: CaptureRequest, at time: Timestamp, _ link: MiuraLink) throws(DeviceError)
        -> Presented
    {
        try show(["Present, insert", "or swipe card"], link)
        try link.drain(notice)
        try link.send(MiuraCommand.cardStatus(isWatching: true))
        func startField() throws(DeviceError) { try link.begin(MiuraCommand.startContactless(request, at: time)) }
        try startField()
        while true {
            let message = try link.next(by: .never)
            guard message.isUnsolicited else {
                if message.isSuccess {
                    events.send(.cardPresented(.contactless))
                    try link.send(MiuraCommand.cardStatus(isWatching: false))
                    return .tap(message)
                }
                switch MiuraTapEnd(status: message.status) {
                case .timedOut: try startField()
                case .cancelled:
                    try link.send(MiuraCommand.cardStatus(isWatching: false))
                    return .cancelled
                case .tryOtherInterface: try show(["Insert or swipe", "card"], link)
                case .otherInterface, .notAvailable: break
                }
                continue
            }
            notice(message)
            guard let presented = try presented(message, link, startField: startField) else { continue }
            try link.send(MiuraCommand.cardStatus(isWatching: false))
            return presented
        }
    }

    /// The card of a message about slot and stripe; nil if there is none yet.
    ///
    /// - Parameter startField: Called when a swipe, which ended the wait for a tap, cannot be used.
    private func presented(
        _ message: MiuraMessage, _ link: MiuraLink, startField: () throws(DeviceError) -> Void
    ) throws(DeviceError) -> Presented? {
        guard let elements = try? DataElements(parsing: message.body), let status = elements.miuraCard else {
            return nil
        }
        if status.isPresent {
            notices.hasCard = true
            events.send(.cardPresented(.contact))
            return status.isChip ? .chip : .unreadable(Fallback(.technical, entryMode: .stripeAfterChip))
        }
        guard status.isSwiped else { return nil }
        events.send(.swiped(readable: elements.contains(.miuraTrack2)))
        // What comes with encrypted data is masked.
        if elements.contains(0xDFAE02) { return .enciphered }
        guard let characters = elements[.miuraTrack2] else {
            try show(["Swipe again"], link)
            try startField()
            return nil
        }
        guard let stripe = MiuraStripe(track2: characters, masked: elements[.miuraMaskedTrack2]) else { return nil }
        // A stripe that indicates a chip must not replace the chip.
        if stripe.serviceCode?.hasChip == true {
            try show(["Insert card"], link)
            try startField()
            return nil
        }
        return .stripe(stripe)
    }

    private func show(_ lines: [String], _ link: MiuraLink) throws(DeviceError) {
        _ = try link.perform(MiuraCommand.display(lines), notice)
        events.send(.prompt(lines))
    }

    /// Aborts the transaction after a cancellation, or if the card cannot be used.
    private func abandon() { try? line.link?.abort() }

    func attempt<Result>(
        _ cancellation: Cancellation, _ body: (MiuraLink) throws(DeviceError) -> Result
    ) throws(CaptureError) -> Result {
        do throws(DeviceError) {
            return try line.attempt(cancellation, body)
        } catch {
            throw CaptureError(error)
        }
    }

    var notice: (MiuraMessage) -> Void { notices.take }
}

extension MiuraFailure {
    var description: String {
        switch self {
        case .noCard: "there is no card in the PIN pad"
        case .cancelled: "cancelled at the PIN pad"
        case .card(nil): "the card failed: try another card"
        case .card(_?): "the chip cannot be used: swipe the card"
        case .invalidData: "the PIN pad rejects the transaction's data: its configuration may be missing"
        case .notReady: "the PIN pad is not ready for a transaction: cancel at the PIN pad and try again"
        case .noPINKey: "the PIN pad has no key for PINs: have its PIN key loaded"
        case .pinEntry(let code): "the PIN pad could not take the PIN, error \([code].hex): try again"
        case .noCAPublicKey: "the PIN pad has no valid CA public key of the payment system: load its configuration"
        case .fileDiffers: "the PIN pad has other contents of the file than were sent: load it again"
        case .other(let status): "the PIN pad refused the command, status \(status.hex)"
        }
    }
}

extension DataElements {
    /// Whether the cardholder has to sign after the PIN pad's verification.
    fileprivate var requiresSignature: Bool { self[.cvmResults].flatMap(CVMResults.init)?.requiresSignature ?? false }
}

extension MiuraReader: LineDriver {}

extension ReaderFamily {
    /// Miura PIN pads over Bluetooth or a serial port, with a kernel of their own.
    public static let miura = ReaderFamily(
        "Miura MPI", models: MiuraReader.models,
        capabilities: [.contactChip, .contactlessChip, .magneticStripe, .ownKernel, .pinPad, .display, .battery]
    ) { opening throws(DeviceError) in
        guard let address = opening.node.bluetooth?.address else {
            return .reader(try await MiuraReader(path: opening.path, clock: opening.clock).ready())
        }
        return .reader(try await MiuraReader(address: address, clock: opening.clock).ready())
    }
}

extension DeviceError.Message {
    package static let miuraPacket = Self("Miura packet")
}
