public import CardCapture
public import DeviceIO
import MagneticStripe
public import SmartCard

/// A PIN pad with the protocol of Brazil's card industry (ABECS Pinpad, Communication Protocol and
/// Operation 2.12): its chip slot for our kernel, its stripe reader, its keypad and its display.
///
/// The PIN pad's own kernel is not used: commands go to the card unchanged (CHP).
public actor ABECSReader: CardSlot, MagstripeSlot, WatchingReader {
    /// PIN pads that appear as a serial port and support only this protocol. Open others by their
    /// path.
    public static let models = [ReaderModel(.serial, vendor: 0x1753, name: "Gertec PPC900 series")]

    /// The identity that a PIN pad reports (GIX).
    public struct Identity: Sendable, Equatable {
        /// Printable ASCII; empty where the PIN pad does not return it.
        public let manufacturer, model, serialNumber: String
        /// Version of the specification, such as `2.12`.
        public let specification: String
    }

    /// The texts for the cardholder, one string for each line.
    public struct Prompts: Sendable {
        /// While a chip card is awaited.
        public var insertCard = ["INSIRA O CARTAO"]
        /// While a swipe is awaited.
        public var swipeCard = ["PASSE O CARTAO"]
        /// While a chip card or a swipe is awaited.
        public var presentCard = ["INSIRA OU PASSE", "O CARTAO"]
        /// While a PIN is entered.
        public var enterPIN = ["DIGITE SUA SENHA"]

        /// Prompts in Portuguese, without accents.
        public init() {}
    }

    public nonisolated let name: String
    public nonisolated let capabilities = ReaderFamily.abecs.capabilities
    public nonisolated let events = ReaderEvents()
    let prompts: Prompts
    let timing: ABECSTiming
    nonisolated let thread: DeviceThread
    let line: LineSession<ABECSLink>
    nonisolated let claim = DeviceClaim()
    private nonisolated let arrivals = CardArrivals()

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// - Parameter open: Opens the line, on the device's thread; called again after a
    ///   disconnection.
    package init(
        name: String, prompts: Prompts = Prompts(), timing: ABECSTiming = ABECSTiming(),
        open: @escaping @Sendable (WakeEvent) throws(DeviceError) -> any ByteTransport
    ) throws(DeviceError) {
        self.name = name
        self.prompts = prompts
        self.timing = timing
        let (thread, events) = (try DeviceThread(name: "ABECS"), events)
        self.thread = thread
        // Every session begins with OPN after a cancellation, which ends any earlier command
        // (2.2.2.3).
        line = LineSession(thread, events) { cancel throws(DeviceError) in
            let link = ABECSLink(try open(cancel), timing)
            try link.cancel()
            let answer = try link.perform(ABECSCommand("OPN"), by: .after(timing.answer)) { events.send(.prompt($0)) }
            guard answer.status == .ok else { throw .rejected(.status("\(answer.status.rawValue)")) }
            return link
        }
    }

    /// On a serial port, 19200 bits a second (2.1).
    public init(path: String) throws(DeviceError) {
        try self.init(name: "PIN pad at \(path)") { cancel throws(DeviceError) in
            try SerialPort(path: path, line: SerialLine(rate: 19200), cancel: cancel)
        }
    }

    /// Over Bluetooth.
    public init(address: BluetoothAddress) throws(DeviceError) {
        try self.init(name: "PIN pad at \(address)") { cancel throws(DeviceError) in
            try RFCOMMConnection(address: address, by: .after(.seconds(15)), cancel: cancel)
        }
    }

    deinit { thread.stop() }

    /// Asks the PIN pad for its identity (GIX).
    ///
    /// - Throws: ``CaptureError/failed(_:)`` if
    ///   the PIN pad is in use or does not answer.
    public nonisolated func identify() async throws(CaptureError) -> Identity {
        try await claim.perform(orElse: DeviceClaim.captureRefusal) { cancellation async throws(CaptureError) in
            try await self.identify(cancellation)
        }
    }

    /// Shows `lines`, truncated, and without characters that are not in ISO/IEC 8859-1.
    public nonisolated func display(_ lines: [String]) async throws(CaptureError) {
        try await claim.perform(orElse: DeviceClaim.captureRefusal) { cancellation async throws(CaptureError) in
            try await self.display(lines, cancellation)
        }
    }

    /// Waits for a card without a time limit, until the task is cancelled.
    public nonisolated func powerOn() async throws(CaptureError) -> any CardChannel {
        try await arrivals.wait(for: .chip, at: self)
        do throws(CaptureError) {
            let (activation, atr) = try await claim.perform(orElse: DeviceClaim.captureRefusal) {
                cancellation async throws(CaptureError) in
                try await self.powerOn(cancellation)
            }
            return ProcedureByteHandling(ABECSCard(reader: self, activation: activation, answerToReset: atr))
        } catch {
            arrivals.release(.chip, at: self)
            throw error
        }
    }

    /// Runs even if the task was cancelled. Card and PIN pad may already be gone.
    public nonisolated func powerOff() async {
        defer { arrivals.release(.chip, at: self) }
        try? await claim.perform(orElse: DeviceClaim.captureRefusal, endsWithTask: false) {
            cancellation async throws(CaptureError) in
            try await self.powerOff(cancellation)
        }
    }

    /// Powers the slot on for a moment (CHP): the PIN pad says so if there is no card in it.
    public nonisolated func isEmpty() async throws(CaptureError) -> Bool {
        try await arrivals.wait(for: .look, at: self)
        defer { arrivals.release(.look, at: self) }
        return try await claim.perform(orElse: DeviceClaim.captureRefusal) { cancellation async throws(CaptureError) in
            try await self.isEmpty(cancellation)
        }
    }

    /// Cancels the operation in progress and closes the PIN pad; the next use opens it again.
    public nonisolated func close() async {
        arrivals.endAll()
        claim.cancel()
        await release()
    }

    public nonisolated func swipe() async throws(CaptureError) -> CapturedSwipe {
        try await arrivals.wait(for: .stripe, at: self)
        defer { arrivals.release(.stripe, at: self) }
        return try await claim.perform(orElse: DeviceClaim.captureRefusal) { cancellation async throws(CaptureError) in
            try await self.swipe(cancellation)
        }
    }

    private func release() { line.close() }

    private func powerOff(_ cancellation: Cancellation) throws(CaptureError) {
        line.activate()
        _ = try run(.chip(.powerOff), by: timing.answer, cancellation)
    }

    private func isEmpty(_ cancellation: Cancellation) throws(CaptureError) -> Bool {
        line.activate()
        guard try run(.chip(.powerOn), cancellation).status != .noCard else { return true }
        _ = try run(.chip(.powerOff), by: timing.answer, cancellation)
        return false
    }

    private func identify(_ cancellation: Cancellation) throws(CaptureError) -> Identity {
        let requested: [ABECSParameter.ID] = [.serialNumber, .model, .manufacturer, .specification]
        let list = requested.flatMap { [UInt8(truncatingIfNeeded: $0.rawValue >> 8), UInt8($0.rawValue & 0xFF)] }
        let answer = try succeeding(ABECSCommand("GIX", [ABECSParameter(.idList, list)]), cancellation)
        func text(_ id: ABECSParameter.ID) -> String {
            let value = answer.parameters?.first { $0.id == id.rawValue }?.value ?? []
            return String(decoding: value.filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
        }
        return Identity(
            manufacturer: text(.manufacturer), model: text(.model), serialNumber: text(.serialNumber),
            specification: text(.specification))
    }

    private func display(_ lines: [String], _ cancellation: Cancellation) throws(CaptureError) {
        _ = try succeeding(.display(lines), cancellation)
        events.send(.prompt(lines))
    }

    private func powerOn(_ cancellation: Cancellation) throws(CaptureError) -> (activation: Int, answerToReset: [UInt8])
    {
        line.activate()
        events.send(.cardPresented(.contact))
        let answer = try run(.chip(.powerOn), cancellation)
        switch answer.status {
        case .ok: break
        case .noCard: throw .noCardPresented
        default: throw .readerFailed(.driver(answer.status))
        }
        guard let bytes = ABECSChipAnswer(answer)?.bytes else {
            throw CaptureError(.malformed(.answerToReset, .invalid))
        }
        return (line.activation, bytes)
    }

    private func swipe(_ cancellation: Cancellation) throws(CaptureError) -> CapturedSwipe {
        let answer = try succeeding(ABECSCommand("GTK", [ABECSParameter(.tracks, Array("0111".utf8))]), cancellation)
        guard let swipe = Swipe(answer) else { throw CaptureError(.malformed(.trackData, .invalid)) }
        events.send(.swiped(readable: swipe.isReadable))
        return CapturedSwipe(tracks: swipe)
    }

    /// Waits for one of `cards`, without a time limit.
    nonisolated func watch(
        for cards: Set<CardArrivals.Card>, _ cancellation: Cancellation
    ) async throws(CaptureError) -> CardArrivals.Card {
        try await claim.exclusively(orElse: DeviceClaim.captureRefusal) { () async throws(CaptureError) in
            try await self.waitForEvent(cards, cancellation)
        }
    }

    /// CEX, which ends with an event or a key (3.3.1).
    private func waitForEvent(
        _ cards: Set<CardArrivals.Card>, _ cancellation: Cancellation
    ) throws(CaptureError) -> CardArrivals.Card {
        let prompt =
            cards.count > 1 ? prompts.presentCard : cards.contains(.chip) ? prompts.insertCard : prompts.swipeCard
        let checked = "0\(cards.contains(.stripe) ? 1 : 0)\(cards.contains(.chip) ? 1 : 0)000"
        return try cancellable(cancellation) { link throws(DeviceError) in
            let shown = try link.perform(.display(prompt), by: .after(self.timing.answer), notify: self.show)
            if shown.status == .ok { self.events.send(.prompt(prompt)) }
            let command = ABECSCommand("CEX", [ABECSParameter(.checkedEvents, Array(checked.utf8))])
            return try link.perform(command, by: .never, notify: self.show)
        }.card(among: cards)
    }

    func succeeding(_ command: ABECSCommand, _ cancellation: Cancellation) throws(CaptureError) -> ABECSAnswer {
        let answer = try run(command, cancellation)
        guard answer.status == .ok else {
            throw answer.status == .cancelled ? .cancelled : .readerFailed(.driver(answer.status))
        }
        return answer
    }

    func run(_ command: ABECSCommand, by limit: Duration? = nil, _ cancellation: Cancellation) throws(CaptureError)
        -> ABECSAnswer
    {
        let limit = limit ?? (command.id == "CHP" ? timing.card : timing.answer)
        return try cancellable(cancellation) { link throws(DeviceError) in
            try link.perform(command, by: .after(limit), notify: self.show)
        }
    }

    private func cancellable(
        _ cancellation: Cancellation, _ body: (ABECSLink) throws(DeviceError) -> ABECSAnswer
    ) throws(CaptureError) -> ABECSAnswer {
        do throws(DeviceError) { return try line.attempt(cancellation, body) } catch { throw CaptureError(error) }
    }

    var show: ([String]) -> Void {
        { [events] lines in events.send(.prompt(lines)) }
    }
}

extension ABECSAnswer {
    /// The card that CEX reports; a pressed key or no event fails.
    fileprivate func card(among cards: Set<CardArrivals.Card>) throws(CaptureError) -> CardArrivals.Card {
        switch status {
        case .ok: break
        case .cancelled: throw .cancelled
        case .timedOut, .noCard: throw .noCardPresented
        default: throw .readerFailed(.driver(status))
        }
        let happened = parameters?.first { $0.id == ABECSParameter.ID.event.rawValue }?.value
        let card: CardArrivals.Card? =
            switch happened.map({ String(decoding: $0, as: UTF8.self) }) {
            case "90": .stripe
            case "92": .chip
            default: nil
            }
        guard let card, cards.contains(card) else { throw .noCardPresented }
        return card
    }
}

extension ABECSCommand {
    /// DEX: at most 160 characters of ISO/IEC 8859-1, lines ended by `0D` (3.3.4).
    static func display(_ lines: [String]) -> ABECSCommand {
        let text = latin1(lines.joined(separator: "\r"), 160)
        return ABECSCommand("DEX", blocks: [decimal(text.count, 3) + text])
    }

    /// Two lines of sixteen characters, filled up with blanks.
    static func message(_ lines: [String]) -> [UInt8] {
        (0..<2).flatMap { index in
            let line = index < lines.count ? latin1(lines[index], 16) : []
            return line + [UInt8](repeating: 0x20, count: 16 - line.count)
        }
    }

    private static func latin1(_ text: String, _ longest: Int) -> [UInt8] {
        Array(
            text.unicodeScalars.compactMap { UInt8(exactly: $0.value) }.filter { $0 >= 0x20 || $0 == 0x0D }.prefix(
                longest))
    }
}

extension ABECSReader: LineDriver {}

extension ReaderFamily {
    /// PIN pads of the Brazilian specification, over Bluetooth or a serial port.
    public static let abecs = ReaderFamily(
        "ABECS", models: ABECSReader.models, capabilities: [.contactChip, .magneticStripe, .pinPad, .display]
    ) { opening throws(DeviceError) in
        let address = opening.node.bluetooth?.address
        let pad = if let address { try ABECSReader(address: address) } else { try ABECSReader(path: opening.path) }
        return .chipAndMagstripe(try await pad.ready(), pad)
    }
}

extension DeviceError.Message {
    package static let abecsAnswer = Self("ABECS answer")
    package static let abecsCommand = Self("ABECS command")
    package static let answerToReset = Self("answer to reset")
    package static let trackData = Self("track data")
}
