import Bytes
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
    /// Within a stream nothing else can be sent: the PIN pad takes all bytes for the file's.
    private var isStreaming = false

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

    func survives(_ error: DeviceError) -> Bool { error == .cancelled && !isStreaming && (try? abort()) != nil }

    /// Sends a command and returns its answer; unsolicited messages go to `notice`.
    func perform(
        _ command: CommandAPDU, by deadline: Deadline? = nil, _ notice: (MiuraMessage) -> Void
    ) throws(DeviceError) -> MiuraMessage {
        try drain(notice)
        let deadline = deadline ?? .after(timing.answer)
        try begin(command)
        return try answer(by: deadline, notice)
    }

    /// The answer to a command that must not be refused.
    @discardableResult
    func succeed(_ command: CommandAPDU, _ notice: (MiuraMessage) -> Void) throws(DeviceError) -> MiuraMessage {
        let answer = try perform(command, notice)
        guard answer.isSuccess else { throw .rejected(.status(answer.status.hex)) }
        return answer
    }

    /// Sends a command and behind it `bytes`, outside packets, which have one answer.
    ///
    /// - Parameter sent: Called with the end of the bytes that are sent, an index of `bytes`.
    func stream(
        _ command: CommandAPDU, _ bytes: ArraySlice<UInt8>, sent: (Int) -> Void, _ notice: (MiuraMessage) -> Void
    ) throws(DeviceError) {
        try drain(notice)
        try send(command)
        isStreaming = true
        var rest = bytes
        while !rest.isEmpty {
            try transport.write(Array(rest.prefix(4096)), by: .after(timing.answer))
            rest = rest.dropFirst(4096)
            sent(rest.startIndex)
        }
        owed += 1
        let answer = try answer(by: .after(timing.answer), notice)
        guard answer.isSuccess else { throw .rejected(.status(answer.status.hex)) }
        isStreaming = false
    }

    /// Sends a command that has no answer of its own.
    func send(_ command: CommandAPDU) throws(DeviceError) {
        for packet in MiuraPacket.packets(command.bytes) {
            try transport.write(packet.bytes, by: .after(timing.answer))
        }
    }

    /// Sends a command whose answer is read by ``next(by:)``, among unsolicited messages.
    func begin(_ command: CommandAPDU) throws(DeviceError) {
        try send(command)
        owed += 1
    }

    /// Tells the PIN pad to end its operation, and does not wait.
    func abort() throws(DeviceError) { try begin(MiuraCommand.abort) }

    /// Reads the pending answers to aborted commands.
    func drain(_ notice: (MiuraMessage) -> Void) throws(DeviceError) {
        let deadline = Deadline.after(timing.answer)
        while owed > 0 { _ = try answer(by: deadline, notice) }
    }

    /// The next message, solicited or not.
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
        let message = messages.removeFirst()
        if !message.isUnsolicited { owed = max(0, owed - 1) }
        return message
    }

    private func answer(by deadline: Deadline, _ notice: (MiuraMessage) -> Void) throws(DeviceError) -> MiuraMessage {
        while true {
            let message = try next(by: deadline)
            guard message.isUnsolicited else { return message }
            notice(message)
        }
    }
}
