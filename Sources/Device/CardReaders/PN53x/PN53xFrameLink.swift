internal import Bytes
internal import DeviceIO

/// Transfers frames to a chip and back.
protocol PN53xWire: AnyObject {
    /// Sent before the first frame.
    var wakeUp: [UInt8] { get }
    /// Whether the chip is a PN532, which requires SAMConfiguration first.
    var hasSecurityModule: Bool { get }

    func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError)
    /// Reads at least one byte.
    func read(by deadline: Deadline) throws(DeviceError) -> [UInt8]
}

/// A chip on a connection that transfers its frames unchanged.
final class PN53xFrameLink: PN53xLink {
    /// How often a command that was not understood is sent again, and a damaged answer is requested
    /// again.
    private static let repetitions = 2
    /// The maximum number of answers to earlier commands that are skipped.
    private static let maximumStale = 16

    let longestBlock = 254
    let frameSizeInteger: UInt8 = 8
    private let wire: any PN53xWire
    private let latency: Duration
    private var decoder = PN53xDecoder()
    private var input = ReceivedBytes()

    /// - Parameter latency: How long the transfer to the chip and back may take.
    init(_ wire: any PN53xWire, latency: Duration) {
        self.wire = wire
        self.latency = latency
    }

    func wake() throws(DeviceError) {
        try wire.write(wire.wakeUp, by: .after(latency))
        guard wire.hasSecurityModule else { return try drain() }
        do throws(DeviceError) {
            _ = try perform(.withoutSecurityModule, time: .zero)
        } catch .timedOut {
            // The chip woke up too late for the first frame.
            try wire.write(wire.wakeUp, by: .after(latency))
            _ = try perform(.withoutSecurityModule, time: .zero)
        } catch {
            throw error
        }
    }

    func perform(_ command: PN53xCommand, time: Duration) throws(DeviceError) -> Wiped {
        let frame = PN53xFrame.encode(command.bytes)
        try wire.write(frame, by: .after(latency))
        let deadline = Deadline.after(time + latency)
        var (isAcknowledged, resent, refused, stale) = (false, 0, 0, 0)
        while true {
            switch try next(by: deadline) {
            case .acknowledged: isAcknowledged = true
            // An answer without acknowledgment: the acknowledgment was lost.
            case .answer(let bytes):
                if bytes.wrappedValue[0] == command.answerCode { return bytes.dropping(first: 1) }
                stale += 1
                guard stale <= Self.maximumStale else { throw .malformed(.pn53xAnswer, .unexpected) }
            case .syntaxError:
                // The chip has executed nothing.
                guard resent < Self.repetitions else { throw .rejected(.commandNotSupported) }
                resent += 1
                try wire.write(frame, by: deadline)
            case .damaged:
                // Before the acknowledgment, the damaged frame may be the acknowledgment: the
                // answer follows.
                guard isAcknowledged else { continue }
                guard refused < Self.repetitions else { throw .malformed(.pn53xFrame, .damaged) }
                refused += 1
                try wire.write(PN53xFrame.refusal, by: deadline)
            }
        }
    }

    func abort() throws(DeviceError) {
        try wire.write(PN53xFrame.acknowledgment, by: .after(latency))
        try drain()
    }

    /// Ends a command during which the chip sleeps: it must be woken first.
    func abortAsleep() throws(DeviceError) {
        try wire.write(wire.wakeUp, by: .after(latency))
        try abort()
    }

    func isConnected() -> Bool {
        do throws(DeviceError) {
            _ = try wire.read(by: .after(.zero))
            return true
        } catch {
            return error == .timedOut
        }
    }

    private func next(by deadline: Deadline) throws(DeviceError) -> PN53xDecoder.Event {
        while true {
            while let byte = input.popFirst() {
                if let event = decoder.take(byte) { return event }
            }
            try deadline.check()
            var bytes = try wire.read(by: deadline)
            input.append(wiping: &bytes)
        }
    }

    /// Reads until the chip is silent, so that the command in progress has ended. If the chip never
    /// stops sending, the next command handles it.
    private func drain() throws(DeviceError) {
        (input, decoder) = (ReceivedBytes(), PN53xDecoder())
        let limit = Deadline.after(.seconds(1))
        do throws(DeviceError) {
            while !limit.hasPassed { _ = try wire.read(by: min(.after(.milliseconds(50)), limit)) }
        } catch .timedOut {
            return
        } catch {
            throw error
        }
    }
}

/// A PN532 on a serial line: 115,200 bits per second, eight bits, no parity, one stop bit ("HSU").
final class PN53xSerialWire: PN53xWire {
    let wakeUp = PN53xFrame.wakeUp
    let hasSecurityModule = true
    private let transport: any ByteTransport

    init(_ transport: any ByteTransport) { self.transport = transport }

    func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) { try transport.write(bytes, by: deadline) }
    func read(by deadline: Deadline) throws(DeviceError) -> [UInt8] { try transport.read(atMost: 4096, by: deadline) }
}

/// A PN533 on USB: frames over the bulk endpoints of its one interface.
final class PN53xUSBWire: PN53xWire {
    /// Ends a command of another program that is still in progress.
    let wakeUp = PN53xFrame.acknowledgment
    let hasSecurityModule = false
    /// Room for the longest frame, in whole packets.
    private static let longestTransfer = 320
    private let transport: any USBTransport
    private let input, output: UInt8

    init(_ transport: any USBTransport) throws(DeviceError) {
        for interface in transport.descriptors.interfaces {
            let bulk = interface.endpoints.filter { $0.transfer == .bulk }
            guard let input = bulk.first(where: \.isInput), let output = bulk.first(where: { !$0.isInput }) else {
                continue
            }
            try transport.claim(interface: interface.number)
            self.transport = transport
            self.input = input.address
            self.output = output.address
            return
        }
        throw .malformed(.bulkEndpoint, .missing)
    }

    func write(_ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
        try transport.write(endpoint: output, bytes, by: deadline)
    }

    func read(by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try transport.read(endpoint: input, atMost: Self.longestTransfer, by: deadline)
    }
}

/// The connection to a chip: one command, one answer. For the thread of its reader.
protocol PN53xLink: AnyObject {
    /// The maximum length of a block to a card, in bytes.
    var longestBlock: Int { get }
    /// FSDI: the maximum frame size from a card that the connection supports.
    var frameSizeInteger: UInt8 { get }

    /// Makes the chip, which may be asleep or in the middle of a command, ready for commands.
    func wake() throws(DeviceError)

    /// Sends a command and waits for its answer, which is returned without its code. A command that
    /// the chip may have executed is not sent again.
    ///
    /// - Parameter time: How long the chip may need for it.
    func perform(_ command: PN53xCommand, time: Duration) throws(DeviceError) -> Wiped

    /// Ends the command in progress; a later answer to it is skipped.
    func abort() throws(DeviceError)

    /// Skips unrequested input; false if the connection was lost.
    func isConnected() -> Bool
}
