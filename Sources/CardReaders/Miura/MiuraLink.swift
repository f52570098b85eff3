import DeviceIO
import SmartCard

/// How long a Miura PIN pad may take.
package struct MiuraTiming: Sendable {
    /// For the answer to a command that needs no action of a person, and for the next packet of a
    /// message.
    package var answer = Duration.seconds(10)
    /// For the steps of a transaction, including those of the cardholder at the PIN pad.
    package var transaction = Duration.seconds(180)

    package init() {}
}

/// One connection to a Miura PIN pad, for the thread that drives it.
///
/// Answers have no numbers: each command is answered once, in order. So the link counts pending
/// answers. After an abort it reads them before it sends the next command.
final class MiuraLink: LineLink {
    private let transport: any ByteTransport
    private let timing: MiuraTiming
    private var assembler = MiuraAssembler()
    private var messages: ArraySlice<MiuraMessage> = []
    private var owed = 0

    init(_ transport: any ByteTransport, _ timing: MiuraTiming) {
        self.transport = transport
        self.timing = timing
    }

    func isConnected() -> Bool {
        do throws(DeviceError) {
            let bytes = try transport.read(atMost: 4096, by: .after(.zero))
            guard let new = try? assembler.take(bytes) else { return false }
            messages += new
            return true
        } catch {
            return error == .timedOut
        }
    }

    func survives(_ error: DeviceError) -> Bool { error == .cancelled && (try? abort()) != nil }

    /// Sends a command and returns its answer; unsolicited messages go to `notice`.
    func perform(
        _ command: CommandAPDU, by deadline: Deadline? = nil, _ notice: (MiuraMessage) -> Void
    ) throws(DeviceError) -> MiuraMessage {
        try drain(notice)
        let deadline = deadline ?? .after(timing.answer)
        try send(command)
        owed += 1
        return try answer(by: deadline, notice)
    }

    /// Sends a command that has no answer of its own.
    func send(_ command: CommandAPDU) throws(DeviceError) {
        for packet in MiuraPacket.packets(command.bytes) { try transport.write(packet.bytes, by: .after(timing.answer)) }
    }

    /// Tells the PIN pad to end its operation, and does not wait.
    func abort() throws(DeviceError) {
        try send(MiuraCommand.abort)
        owed += 1
    }

    /// Reads the pending answers to aborted commands.
    func drain(_ notice: (MiuraMessage) -> Void) throws(DeviceError) {
        let deadline = Deadline.after(timing.answer)
        while owed > 0 { _ = try answer(by: deadline, notice) }
    }

    func next(by deadline: Deadline) throws(DeviceError) -> MiuraMessage {
        while messages.isEmpty {
            try deadline.check()
            let bytes = try transport.read(atMost: 4096, by: deadline)
            do throws(MiuraAssembler.Failure) {
                messages = try assembler.take(bytes)[...]
            } catch {
                throw .malformed(.miuraPacket, .invalid)
            }
        }
        return messages.removeFirst()
    }

    private func answer(by deadline: Deadline, _ notice: (MiuraMessage) -> Void) throws(DeviceError) -> MiuraMessage {
        while true {
            let message = try next(by: deadline)
            guard message.isUnsolicited else {
                owed -= 1
                return message
            }
            notice(message)
        }
    }
}
