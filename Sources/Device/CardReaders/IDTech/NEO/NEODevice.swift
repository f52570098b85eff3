import Bytes
package import CardCapture
package import DeviceIO
import MagneticStripe
import TLV

/// An ID TECH reader of the NEO family (VP3300 and similar models), over USB HID or a serial line
/// (80139403-002): swipes, taps that its own kernels decide, and chip cards in its contacts, whose
/// commands it passes on.
package final class NEODevice: SwipeSource {
    package static let models = [ReaderModel(.hid, vendor: 0x0ACD, product: 0x3530, name: "ID TECH VP3300")]
    package static let capabilities: ReaderCapabilities = .magneticStripe

    /// 115200 bits per second, eight bits, no parity.
    package static let line = SerialLine(rate: 115_200)

    private let transport: any ByteTransport
    private var received: [UInt8] = []
    var contacts = NEOContacts()

    /// The time limit for the answer to a command.
    static let timeout = Duration.seconds(2)
    /// How long the reader waits for a card, in seconds; the request is repeated until there is
    /// one.
    static let turn: UInt8 = 60
    /// The time limit for a transaction with a card that came at the end of a turn.
    private static let transaction = Duration.seconds(15)

    package init(_ transport: any ByteTransport) { self.transport = transport }

    deinit { wipe(&received) }

    /// Discards the answers to earlier commands.
    package func prepare() throws(DeviceError) {
        try transport.drain(silence: .zero)
        wipe(&received)
        // The guide does not say whether the pass-through mode allows a ping.
        guard !contacts.isPassingThrough else { return }
        let answer = try perform(.ping, within: Self.timeout)
        switch answer.status {
        case .ok: return
        case .notAllowed:
            // A program that ended in the middle of a payment leaves the reader in the mode.
            try endPassThrough()
            _ = try exchange(.ping)
        default: throw Self.refusal(answer)
        }
    }

    package func standDown() throws(DeviceError) {
        wipe(&received)
        try transport.write(NEOCommand.cancel.bytes, by: .after(Self.timeout))
        if contacts.isPassingThrough {
            for command in [NEOCommand.powerOff, .passThrough(false)] {
                try transport.write(command.bytes, by: .after(Self.timeout))
            }
        }
        contacts = NEOContacts()
        try transport.drain(silence: .milliseconds(100))
    }

    package func nextSwipe() throws(DeviceError) -> CapturedSwipe {
        while true {
            if let swipe = try nextSwipe(seconds: Self.turn) { return swipe }
        }
    }

    /// - Parameter seconds: How long the reader waits.
    /// - Returns: Nil if no stripe came.
    func nextSwipe(seconds: UInt8) throws(DeviceError) -> CapturedSwipe? {
        guard var answer = try nextCard(.activate(.stripe, seconds: seconds), seconds: seconds, {}) else { return nil }
        defer { wipe(&answer.data) }
        return answer.status == .failed ? CapturedSwipe() : try Self.swipe(answer.data)
    }

    /// Waits for a card in the field or a swipe, however long it takes.
    ///
    /// - Parameter detected: Called when the reader has found a card in the field.
    package func nextCard(for request: CaptureRequest, detected: () -> Void) throws(DeviceError) -> NEOPresentation {
        let command = NEOCommand.activate([.stripe, .field], seconds: Self.turn, for: request)
        while true {
            guard var answer = try nextCard(command, seconds: Self.turn, detected) else { continue }
            defer { wipe(&answer.data) }
            guard answer.isSwipe else { return .tap(try NEOTap(answer)) }
            return .swipe(answer.status == .failed ? CapturedSwipe() : try Self.swipe(answer.data))
        }
    }

    /// The answer with a card, or with the reason why it could not be read; nil after the reader's
    /// time limit.
    private func nextCard(
        _ command: NEOCommand, seconds: UInt8, _ detected: () -> Void
    ) throws(DeviceError) -> NEOResponse? {
        try transport.write(command.bytes, by: .after(Self.timeout))
        let answer = try answer(to: command, by: .after(.seconds(Int64(seconds)) + Self.transaction), detected)
        switch answer.status {
        case .timeout: return nil
        case .ok, .onlineRequired, .failed: return answer
        default: throw Self.refusal(answer)
        }
    }

    /// Waits without a command.
    func pause(_ time: Duration) throws(DeviceError) {
        let deadline = Deadline.after(time)
        do throws(DeviceError) {
            while !deadline.hasPassed {
                var more = try transport.read(atMost: 4096, by: deadline)
                wipe(&more)
            }
        } catch .timedOut {} catch {
            throw error
        }
    }

    package func firmwareVersion() throws(DeviceError) -> String { Self.text(try exchange(.firmwareVersion)) }

    package func serialNumber() throws(DeviceError) -> String { Self.text(try exchange(.serialNumber)) }

    private static func text(_ data: [UInt8]) -> String {
        String(decoding: data.filter { (0x20...0x7E).contains($0) }, as: UTF8.self)
    }

    /// Executes a command and returns its data.
    ///
    /// - Throws: ``DeviceError/rejected(_:)`` for every status except success.
    package func exchange(_ command: NEOCommand) throws(DeviceError) -> [UInt8] {
        let answer = try perform(command, within: Self.timeout)
        guard answer.status == .ok else { throw Self.refusal(answer) }
        return answer.data
    }

    /// Executes a command and returns its answer with any status.
    func perform(_ command: NEOCommand, within limit: Duration) throws(DeviceError) -> NEOResponse {
        try transport.write(command.bytes, by: .after(Self.timeout))
        return try answer(to: command, by: .after(limit))
    }

    /// The next answer to `command`. Late answers to other commands are skipped.
    ///
    /// - Parameter event: Called for the event that a card was found, the only one.
    private func answer(
        to command: NEOCommand, by deadline: Deadline, _ event: () -> Void = {}
    ) throws(DeviceError) -> NEOResponse {
        while true {
            while let (parsed, count) = try NEOResponse.parse(received) {
                var response = parsed
                // Includes the padding of the report.
                received.removeFirst(wiping: count + received.dropFirst(count).prefix { $0 == 0 }.count)
                let isAnswer = response.command == command.command
                if isAnswer, response.status != .event { return response }
                if isAnswer { event() }
                wipe(&response.data)
            }
            try deadline.check()
            var more = try transport.read(atMost: 4096, by: deadline)
            received.append(wiping: &more)
        }
    }

    /// Data objects follow an attribution byte. The object of the stripe is an envelope of its own.
    private static func swipe(_ data: [UInt8]) throws(DeviceError) -> CapturedSwipe {
        var bytes = Array(data.dropFirst())
        defer { wipe(&bytes) }
        var walker = TLVWalker()
        var found: [UInt8]?
        do {
            while found == nil, let node = try walker.next(in: bytes.span) {
                if node.tag == .neoSwipe { found = Array(bytes[node.value]) }
            }
        } catch {
            throw .malformed(.neoDataObject, .invalid)
        }
        guard var found else { return CapturedSwipe() }
        defer { wipe(&found) }
        guard var envelope = try SwipeEnvelope.unwrap(found) else { throw .malformed(.idTechSwipe, .truncated) }
        defer { wipe(&envelope) }
        let swipe = try IDTechSwipe(parsing: envelope)
        return CapturedSwipe(tracks: swipe.tracks, encrypted: swipe.encrypted)
    }

    static func refusal(_ answer: NEOResponse) -> DeviceError {
        switch answer.status {
        case .unknownCommand, .unknownSubcommand: .rejected(.commandNotSupported)
        case .wrongParameter, .unsupportedParameter, .malformedData: .rejected(.invalidParameter)
        case .wrongChecksum, .wrongTag: .rejected(.damagedCommand)
        case .notAllowed:
            .rejected(.notAllowedNow)
        case .timeout: .timedOut
        default: .rejected(.status("\(answer.statusCode)"))
        }
    }
}

package typealias NEOMagstripeReader = MagstripeDriver<NEODevice>

extension MagstripeDriver where Source == NEODevice {
    /// - Parameter path: Such as `/dev/hidraw0`.
    package init(hid path: String) throws(DeviceError) {
        try self.init(name: "ID TECH NEO", capabilities: NEODevice.capabilities) { cancel throws(DeviceError) in
            NEODevice(NEOReports(try HIDDevice(path: path, cancel: cancel)))
        }
    }

    /// - Parameter path: Such as `/dev/ttyACM0`.
    package init(serialPort path: String) throws(DeviceError) {
        try self.init(name: "ID TECH NEO", capabilities: NEODevice.capabilities) { cancel throws(DeviceError) in
            NEODevice(try SerialPort(path: path, line: NEODevice.line, cancel: cancel))
        }
    }
}
