import DeviceIO

/// How long an ABECS PIN pad may take (ABECS 2.12, 2.2.2).
package struct ABECSTiming: Sendable {
    /// For ACK to a command, EOT to a cancellation, and the next byte of a packet.
    package var byte = Duration.seconds(2)
    /// How long the line must be silent before a damaged packet is requested again.
    package var silence = Duration.milliseconds(500)
    /// For the answer to a command that needs no action of a person.
    package var answer = Duration.seconds(10)
    /// For the answer to a command that goes to the card.
    package var card = Duration.seconds(70)

    package init() {}
}

/// One connection to an ABECS PIN pad, for the thread that drives it.
final class ABECSLink: LineLink {
    /// The number of attempts for a command, a damaged answer and a cancellation.
    private static let tries = 3

    let transport: any ByteTransport
    private let timing: ABECSTiming
    private var decoder = ABECSFrameDecoder()
    private var input: LineInput
    /// A cancellation was sent, but its answer was not received yet.
    private var isCancelling = false

    init(_ transport: any ByteTransport, _ timing: ABECSTiming) {
        self.transport = transport
        self.timing = timing
        input = LineInput(transport)
    }

    func isConnected() -> Bool { input.isConnected() }

    /// Sends a cancellation to the PIN pad at once.
    func survives(_ error: DeviceError) -> Bool { error == .cancelled && (try? beginCancelling()) != nil }

    /// Sends CAN and does not wait: the answer is read before the next command.
    func beginCancelling() throws(DeviceError) {
        isCancelling = true
        try transport.write([ABECSFrame.Control.can.rawValue], by: .after(timing.byte))
    }

    /// Sends cancellations until the PIN pad answers. Everything else that arrives meanwhile
    /// belongs to the cancelled command.
    func cancel() throws(DeviceError) {
        if !isCancelling { try beginCancelling() }
        for attempt in 1...Self.tries {
            if attempt > 1 { try beginCancelling() }
            decoder = ABECSFrameDecoder()
            let deadline = Deadline.after(timing.byte)
            do throws(DeviceError) {
                while try event(by: deadline) != .control(.eot) {}
                isCancelling = false
                return
            } catch .timedOut {
                continue
            } catch {
                throw error
            }
        }
        throw .timedOut
    }

    /// Sends a command and returns its answer.
    /// - Parameters:
    ///   - deadline: For the answer.
    ///   - notify: Receives the lines that the PIN pad asks to display meanwhile.
    func perform(_ command: ABECSCommand, by deadline: Deadline, notify: ([String]) -> Void) throws(DeviceError)
        -> ABECSAnswer
    {
        if isCancelling { try cancel() }
        try send(command)
        while true {
            let packet = try packet(by: deadline)
            guard let answer = ABECSAnswer(packet) else { throw .malformed(.abecsAnswer, .invalid) }
            if let lines = answer.notification {
                notify(lines)
            } else if answer.id == command.id || answer.id == "ERR" {
                return answer
            }
            // A late answer to an earlier command, which no caller awaits any more.
        }
    }

    private func send(_ command: ABECSCommand) throws(DeviceError) {
        guard let frame = ABECSFrame.encode(command.bytes) else {
            throw .malformed(.abecsCommand, .tooLong(command.bytes.count))
        }
        for _ in 1...Self.tries {
            try transport.write(frame, by: .after(timing.byte))
            let deadline = Deadline.after(timing.byte)
            var reply: ABECSFrame.Control?
            while reply == nil {
                if case .control(let control) = try event(by: deadline), control == .ack || control == .nak {
                    reply = control
                }
            }
            if reply == .ack { return }
        }
        throw .rejected(.repeatedly(Self.tries))
    }

    private func packet(by deadline: Deadline) throws(DeviceError) -> [UInt8] {
        for attempt in 1...Self.tries {
            do throws(DeviceError) {
                while true {
                    let event = try event(by: deadline)
                    if case .packet(let packet) = event { return packet }
                    if event == .damaged { break }
                }
            } catch .timedOut where decoder.isInside {
                // Its end was lost.
            } catch {
                throw error
            }
            guard attempt < Self.tries else { break }
            decoder = ABECSFrameDecoder()
            input.discard()
            try transport.drain(silence: timing.silence)
            try transport.write([ABECSFrame.Control.nak.rawValue], by: .after(timing.byte))
        }
        throw .malformed(.abecsAnswer, .damaged)
    }

    /// The next event. Within a packet, each byte must arrive within the protocol's time.
    private func event(by deadline: Deadline) throws(DeviceError) -> ABECSFrameDecoder.Event {
        while true {
            while let byte = input.popFirst() {
                if let event = decoder.take(byte) { return event }
            }
            try deadline.check()
            try input.receive(by: decoder.isInside ? min(deadline, .after(timing.byte)) : deadline)
        }
    }
}
