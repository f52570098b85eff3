internal import Bytes
public import CardCapture
public import DeviceIO
public import SmartCard

/// A Phoenix or Smartmouse: a serial port whose data line is the card's contact. The host runs T=0
/// with the card, character by character.
public actor PhoenixReader: CardSlot {
    /// The jumper settings of such a reader.
    public struct Wiring: Sendable {
        /// Bits per second: the card's clock divided by 372. 9600 with 3.57 MHz, 16129 with 6 MHz.
        public var rate: UInt32 = 9600
        /// Whether RTS off resets the card, as in Smartmouse mode; RTS on does in Phoenix mode.
        public var resetsWhenOff = false
        /// Whether CTS reports that a card is present; otherwise a card is always assumed to be
        /// present.
        public var hasCardSwitch = true

        /// A Phoenix at 3.57 MHz with a card switch.
        public init() {}
    }

    public nonisolated let name: String
    public nonisolated let capabilities = ReaderFamily.phoenix.capabilities
    public nonisolated let events = ReaderEvents()
    private nonisolated let thread: DeviceThread
    private let commandTimeout: Duration
    let line: LineSession<PhoenixPort>
    nonisolated let claim = DeviceClaim()

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - timeout: How long a character of the card may take; its work waiting time is about a
    ///     second.
    ///   - commandTimeout: How long a whole command may take, including all the time that the card
    ///     requests.
    ///   - open: Opens the line, on the device's thread; called again after a disconnection.
    public init(
        name: String, wiring: Wiring = Wiring(), timeout: Duration = .seconds(2),
        commandTimeout: Duration = .seconds(60),
        open: @escaping @Sendable (WakeEvent) throws(DeviceError) -> any SerialTransport
    ) throws(DeviceError) {
        self.name = name
        self.commandTimeout = commandTimeout
        thread = try DeviceThread(name: "Phoenix")
        line = LineSession(thread, events) { cancel throws(DeviceError) in
            PhoenixPort(try open(cancel), wiring, timeout)
        }
    }

    /// On a serial port such as `/dev/ttyUSB0`; the first use opens it.
    public init(path: String, wiring: Wiring = Wiring()) throws(DeviceError) {
        try self.init(name: "Phoenix reader at \(path)", wiring: wiring) { cancel throws(DeviceError) in
            try SerialPort(path: path, line: SerialLine(rate: wiring.rate), cancel: cancel)
        }
    }

    deinit { thread.stop() }

    /// Waits for a card without a time limit, until the task is cancelled.
    public nonisolated func powerOn() async throws(CaptureError) -> any CardChannel {
        let activation = try await claim.perform(orElse: DeviceClaim.captureRefusal) {
            cancellation async throws(CaptureError) in
            try await self.powerOn(cancellation)
        }
        return ProcedureByteHandling(PhoenixCard(reader: self, activation: activation))
    }

    /// The reader controls the card's power; the card is held in reset.
    public nonisolated func powerOff() async {
        try? await claim.exclusively(orElse: DeviceClaim.captureRefusal) { () async throws(CaptureError) in
            await self.hold()
        }
    }

    /// Asks the card switch. A reader without one cannot look.
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

    private func release() {
        hold()
        line.close()
    }

    private func hold() {
        line.activate()
        try? line.link?.setReset(true)
    }

    private func isEmpty(_ cancellation: Cancellation) throws(CaptureError) -> Bool {
        do throws(DeviceError) {
            return try line.attempt(cancellation) { port throws(DeviceError) in port.hasCard != true }
        } catch {
            throw CaptureError(error)
        }
    }

    private func powerOn(_ cancellation: Cancellation) throws(CaptureError) -> Int {
        line.activate()
        let answer: [UInt8]
        do throws(DeviceError) {
            answer = try line.attempt(cancellation) { port throws(DeviceError) in
                try port.waitForCard()
                return try port.reset()
            }
        } catch {
            guard error != .timedOut else { throw .readerFailed(.cardMute) }
            throw CaptureError(error)
        }
        let reset: AnswerToReset
        do throws(AnswerToResetError) {
            reset = try AnswerToReset(parsing: answer)
        } catch {
            throw .readerFailed(.answerToReset(error))
        }
        guard reset.specificProtocol ?? reset.protocols.first == 0,
            CardParameters(reset, requested: .t0)?.rate == .initial
        else {
            throw .readerFailed(.initialRateRequired)
        }
        events.send(.cardPresented(.contact))
        return line.activation
    }

    private func transmit(_ command: CommandAPDU, _ activation: Int, _ cancellation: Cancellation)
        throws(CardChannelError) -> ResponseAPDU
    {
        guard line.activation == activation else { throw .cardRemoved }
        let deadline = Deadline.after(commandTimeout)
        var exchange = T0Exchange(try command.t0())
        var step = exchange.start
        while case .send(let bytes, let count) = step {
            var received: [UInt8]
            do throws(DeviceError) {
                received = try line.attempt(cancellation) { port throws(DeviceError) in
                    try port.exchange(bytes, expected: count, by: deadline)
                }
            } catch {
                // The card is in the middle of a command: only a reset makes it usable again.
                line.activate()
                if error == .timedOut, line.link?.hasCard == false {
                    events.send(.cardRemoved(.contact))
                    throw .cardRemoved
                }
                throw CardChannelError(error)
            }
            defer { wipe(&received) }
            step = try exchange.take(received)
        }
        guard case .done(var bytes) = step else { throw .malformedAnswer(.noStatusWord) }
        // The step gives up its hold of the answer, so that this wipes it.
        step = .send([], expected: 0)
        guard let response = ResponseAPDU(wiping: &bytes) else { throw .malformedAnswer(.noStatusWord) }
        return response
    }
}

private struct PhoenixCard: CardChannel {
    let reader: PhoenixReader
    let activation: Int

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        try await reader.transmit(command, activation)
    }
}

/// The characters of a card in inverse convention: least significant bit last, and a low level for
/// a one (ISO/IEC 7816-3:2006, 8.1).
package enum InverseConvention {
    /// Converts a byte of the port to a byte of the card, or back.
    package static func convert(_ byte: UInt8) -> UInt8 {
        ~(0..<8).reduce(UInt8(0)) { converted, bit in
            let value = byte >> bit & 1
            return converted | value << (7 - bit)
        }
    }

    /// The initial character `3F` as read by a port with the least significant bit first and no
    /// parity.
    package static let initialCharacter: UInt8 = 0x03
}

/// The serial port of a Phoenix reader, for the thread that drives it.
final class PhoenixPort: LineLink {
    private let transport: any SerialTransport
    private let wiring: PhoenixReader.Wiring
    private let timeout: Duration
    private var isInverse = false

    init(_ transport: any SerialTransport, _ wiring: PhoenixReader.Wiring, _ timeout: Duration) {
        self.transport = transport
        self.wiring = wiring
        self.timeout = timeout
    }

    /// There is no unrequested input; a missing port is detected at the next use.
    func isConnected() -> Bool { true }

    /// A cancelled or failed exchange leaves the card in the middle of a command: the next use
    /// begins with a reset.
    func survives(_ error: DeviceError) -> Bool { error == .cancelled || error == .timedOut }

    /// Nil if the reader cannot detect cards.
    var hasCard: Bool? { wiring.hasCardSwitch ? (try? transport.modemLines)?.contains(.clearToSend) : nil }

    /// Polls the modem line ten times a second: there is no notification of changes.
    func waitForCard() throws(DeviceError) {
        while wiring.hasCardSwitch, try !transport.modemLines.contains(.clearToSend) {
            do throws(DeviceError) {
                _ = try transport.read(atMost: 64, by: .after(.milliseconds(100)))
            } catch .timedOut {} catch {
                throw error
            }
        }
    }

    func setReset(_ isHeld: Bool) throws(DeviceError) {
        let isOn = isHeld != wiring.resetsWhenOff
        try transport.setModemLines(on: isOn ? .requestToSend : [], off: isOn ? [] : .requestToSend)
    }

    /// The answer to reset (ISO/IEC 7816-3). The initial character is read without parity, because
    /// it determines the parity.
    func reset() throws(DeviceError) -> [UInt8] {
        try transport.configure(SerialLine(rate: wiring.rate))
        try setReset(true)
        // The reset must last 400 clock cycles, a tenth of a millisecond. Earlier input is
        // discarded meanwhile.
        try transport.drain(silence: .milliseconds(10))
        try transport.discard()
        try setReset(false)
        let first = try transport.read(exactly: 1, by: .after(timeout))[0]
        isInverse = first == InverseConvention.initialCharacter
        try transport.configure(SerialLine(rate: wiring.rate, parity: isInverse ? .odd : .even, stopBits: 2))
        var answer = [isInverse ? 0x3F : first]
        while answer.count < AnswerToReset.maximumLength, (try? AnswerToReset(parsing: answer)) == nil {
            do throws(DeviceError) {
                answer += try receive(1)
            } catch .timedOut {
                break
            } catch {
                throw error
            }
        }
        return answer
    }

    /// Sends bytes, which the reader's single data line echoes, and receives `expected` bytes.
    func exchange(_ bytes: [UInt8], expected: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try deadline.check()
        if !bytes.isEmpty {
            let characters = isInverse ? bytes.map(InverseConvention.convert) : bytes
            try transport.write(characters, by: .after(timeout))
            guard try transport.read(exactly: characters.count, by: .after(timeout)) == characters else {
                throw .malformed(.echo, .differs)
            }
        }
        return try receive(expected, by: deadline)
    }

    private func receive(_ count: Int, by deadline: Deadline = .never) throws(DeviceError) -> [UInt8] {
        let characters = try transport.read(exactly: count, by: min(deadline, .after(timeout)))
        return isInverse ? characters.map(InverseConvention.convert) : characters
    }
}

/// Decides which bytes of a Phoenix reader's line a recording may show: only lengths, because the
/// line has no frames.
package enum PhoenixRedaction {
    package static let redaction: WireRecorder.Redaction = WireRecorder.everything
}

extension PhoenixReader: LineDriver {}

extension ReaderFamily {
    /// Phoenix and Smartmouse on a serial port, where devices cannot be identified.
    public static let phoenix = ReaderFamily("Phoenix/Smartmouse", capabilities: .contactChip) {
        opening throws(DeviceError) in
        .chip(try await PhoenixReader(path: opening.path).ready())
    }
}
