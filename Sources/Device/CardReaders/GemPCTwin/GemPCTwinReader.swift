public import CardCapture
public import DeviceIO
public import SmartCard

/// A GemPC Twin on a serial port, or a compatible reader. It is used at its APDU level, where it
/// handles T=0 and T=1 itself; a reader without that level supports only T=0 cards.
public actor GemPCTwinReader: CardSlot {
    public nonisolated let name: String
    public nonisolated let capabilities = ReaderFamily.gemPCTwin.capabilities
    public nonisolated let events = ReaderEvents()
    private nonisolated let thread: DeviceThread
    let line: LineSession<GemPCLink>
    nonisolated let claim = DeviceClaim()

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - timeout: How long an answer, or a further request for time, may take.
    ///   - open: Opens the line, on the device's thread; called again after a disconnection.
    public init(
        name: String, timeout: Duration = .seconds(3),
        open: @escaping @Sendable (WakeEvent) throws(DeviceError) -> any ByteTransport
    ) throws(DeviceError) {
        self.name = name
        let (thread, events) = (try DeviceThread(name: "GemPC Twin"), events)
        self.thread = thread
        line = LineSession(thread, events) { cancel throws(DeviceError) in
            let link = GemPCLink(try open(cancel), timeout, events)
            // Gemplus's escape command that switches to the APDU level.
            let answer = try link.perform(0x6B, data: [0xA0, 0x02])
            link.takesAPDUs = answer.type == 0x83 && !answer.hasFailed
            return link
        }
    }

    /// On a serial port such as `/dev/ttyUSB0`, at 115,200 bits
    /// a second with two stop bits; the first use opens it.
    public init(path: String) throws(DeviceError) {
        try self.init(name: "GemPC Twin at \(path)") { cancel throws(DeviceError) in
            try SerialPort(path: path, line: SerialLine(rate: 115_200, stopBits: 2), cancel: cancel)
        }
    }

    deinit { thread.stop() }

    /// Waits for a card without a time limit, until the task is cancelled.
    public nonisolated func powerOn() async throws(CaptureError) -> any CardChannel {
        let activation = try await claim.perform(orElse: DeviceClaim.captureRefusal) {
            cancellation async throws(CaptureError) in
            try await self.powerOn(cancellation)
        }
        return ProcedureByteHandling(GemPCCard(reader: self, activation: activation))
    }

    public nonisolated func powerOff() async {
        try? await claim.perform(orElse: DeviceClaim.captureRefusal, endsWithTask: false) {
            cancellation async throws(CaptureError) in
            await self.stopCard(cancellation)
        }
    }

    /// Asks the reader for the state of its slot (USB CCID 1.1, 6.1.3: PC_to_RDR_GetSlotStatus).
    public nonisolated func isEmpty() async throws(CaptureError) -> Bool {
        try await claim.perform(orElse: DeviceClaim.captureRefusal) { cancellation async throws(CaptureError) in
            try await self.isEmpty(cancellation)
        }
    }

    /// Cancels the operation in progress and closes the reader; the next use opens it again.
    public nonisolated func close() async {
        claim.cancel()
        await release()
    }

    fileprivate nonisolated func transmit(_ command: CommandAPDU, _ activation: Int) async throws(CardChannelError)
        -> ResponseAPDU
    {
        try await claim.perform(orElse: DeviceClaim.channelRefusal) { cancellation async throws(CardChannelError) in
            try await self.transmit(command, activation, cancellation)
        }
    }

    private func release() { line.close() }

    private func stopCard(_ cancellation: Cancellation) {
        line.activate()
        _ = try? line.attempt(cancellation) { link throws(DeviceError) in try link.perform(0x63) }
    }

    private func isEmpty(_ cancellation: Cancellation) throws(CaptureError) -> Bool {
        do throws(DeviceError) {
            return try line.attempt(cancellation) { link throws(DeviceError) in try !link.perform(0x65).hasCard }
        } catch {
            throw CaptureError(error)
        }
    }

    private func powerOn(_ cancellation: Cancellation) throws(CaptureError) -> Int {
        line.activate()
        let answer: GemPCMessage
        do throws(DeviceError) {
            answer = try line.attempt(cancellation) { link throws(DeviceError) in
                if try !link.perform(0x65).hasCard { try link.waitForCard() }
                return try link.perform(0x62)
            }
        } catch {
            throw CaptureError(error)
        }
        guard answer.hasCard else { throw .noCardPresented }
        guard !answer.hasFailed, answer.type == 0x80 else {
            throw .readerFailed(ReaderFailure(CCIDError(answer.error)))
        }
        let reset: AnswerToReset
        do throws(AnswerToResetError) {
            reset = try AnswerToReset(parsing: answer.data)
        } catch {
            throw .readerFailed(.answerToReset(error))
        }
        guard line.link?.takesAPDUs == true || reset.protocols.first == 0 else {
            throw .readerFailed(.answerToReset(.protocols(reset.protocols)))
        }
        return line.activation
    }

    private func transmit(_ command: CommandAPDU, _ activation: Int, _ cancellation: Cancellation)
        throws(CardChannelError) -> ResponseAPDU
    {
        // At the APDU level, short commands; otherwise the T=0 form.
        let bytes = try command.t0()
        let answer: GemPCMessage?
        do throws(DeviceError) {
            answer = try line.attempt(cancellation) { link throws(DeviceError) in
                guard self.line.activation == activation else { return nil }
                return try link.perform(0x6F, data: link.takesAPDUs ? command.bytes : bytes)
            }
        } catch {
            throw CardChannelError(error)
        }
        guard let answer, answer.hasCard else { throw .cardRemoved }
        guard !answer.hasFailed, answer.type == 0x80 else {
            throw CardChannelError(CCIDError(answer.error))
        }
        guard let response = ResponseAPDU(bytes: answer.data) else { throw .malformedAnswer(.noStatusWord) }
        return response
    }
}

/// The card in the reader.
private struct GemPCCard: CardChannel {
    let reader: GemPCTwinReader
    let activation: Int

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        try await reader.transmit(command, activation)
    }
}

/// One connection to a GemPC Twin, for the thread that drives it.
final class GemPCLink: LineLink {
    private static let tries = 3
    /// How often a card may request more time within a command.
    private static let maximumRequests = 100

    var takesAPDUs = false
    private let transport: any ByteTransport
    private let timeout: Duration
    private let events: ReaderEvents
    private var decoder = GemPCDecoder()
    private var input: LineInput
    private var sequence: UInt8 = 0

    init(_ transport: any ByteTransport, _ timeout: Duration, _ events: ReaderEvents) {
        self.transport = transport
        self.timeout = timeout
        self.events = events
        input = LineInput(transport)
    }

    func isConnected() -> Bool { input.isConnected() }

    /// A cancelled wait for a card leaves no answer pending. A pending answer is skipped by its
    /// sequence number.
    func survives(_ error: DeviceError) -> Bool { error == .cancelled }

    /// Sends a command, which the reader echoes, and returns its answer.
    func perform(_ type: UInt8, data: [UInt8] = []) throws(DeviceError) -> GemPCMessage {
        sequence &+= 1
        let command = GemPCMessage(type: type, sequence: sequence, data: data)
        try transport.write(GemPCFrame.encode(command.bytes), by: .after(timeout))
        var (attempts, requests) = (1, 0)
        var deadline = Deadline.after(timeout)
        while true {
            switch try next(by: deadline) {
            case .message(let bytes):
                guard let message = GemPCMessage(bytes) else { throw .malformed(.gemPCMessage, .invalid) }
                // An echo, or the answer to an abandoned command.
                guard message.type >= 0x80, message.sequence == sequence else { continue }
                guard message.wantsTime else { return message }
                fallthrough
            case .wait:
                requests += 1
                guard requests <= Self.maximumRequests else { throw .timedOut }
                deadline = .after(timeout)
            case .refused:
                guard attempts < Self.tries else { throw .rejected(.repeatedly(attempts)) }
                attempts += 1
                try transport.write(GemPCFrame.encode(command.bytes), by: .after(timeout))
                deadline = .after(timeout)
            case .card(let isPresent):
                // When a card is moved, the answer may be lost; the slot's state then replaces it.
                if !isPresent { return GemPCMessage(type: 0x81, sequence: sequence, specific: [0x42, 0xFE, 0]) }
            case .damaged: throw .malformed(.gemPCMessage, .damaged)
            }
        }
    }

    func waitForCard() throws(DeviceError) {
        while try next(by: .never) != .card(isPresent: true) {}
    }

    private func next(by deadline: Deadline) throws(DeviceError) -> GemPCDecoder.Event {
        while true {
            while let byte = input.popFirst() {
                guard let event = decoder.take(byte) else { continue }
                if case .card(let isPresent) = event {
                    events.send(isPresent ? .cardPresented(.contact) : .cardRemoved(.contact))
                }
                return event
            }
            try deadline.check()
            try input.receive(by: deadline)
        }
    }
}

extension GemPCTwinReader: LineDriver {}

extension ReaderFamily {
    /// GemPC Twin on a serial port, where devices cannot be identified.
    public static let gemPCTwin = ReaderFamily("GemPC Twin serial", capabilities: .contactChip) {
        opening throws(DeviceError) in
        .chip(try await GemPCTwinReader(path: opening.path).ready())
    }
}

extension DeviceError.Message {
    package static let gemPCMessage = Self("CCID message")
}
