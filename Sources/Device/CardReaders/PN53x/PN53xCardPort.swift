internal import CardCapture
package import DeviceIO
package import SmartCard

/// Offers a card to the terminals that hold their field to a PN532: tap after tap.
///
/// Not yet tried with a real chip (docs/status.md).
package actor PN53xCardPort {
    package enum Event: Hashable, Sendable {
        /// The card is in the field, or will be with the next one.
        case waiting
        case activated
        /// A terminal has activated the chip, but not as a card.
        case notACard(mode: UInt8)
        /// The tap is over. `slowest` is the longest time between a command and the end of its
        /// answer.
        case over(PN53xDeparture, commands: Int, slowest: Duration)
        /// The card answers no more in this tap: the next tap finds it again.
        case cardSilent
        /// An answer of so many bytes is too long for the chip: `6F00` went to the terminal.
        case answerTooLong(Int)
    }

    /// What a card does with a command.
    private enum Answer {
        case bytes([UInt8])
        case silence
        case removed
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    private nonisolated let thread: DeviceThread
    private let line: LineSession<PN53xTarget>
    private let onTap: @Sendable () async -> any CardChannel
    private let tell: @Sendable (Event) -> Void
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameters:
    ///   - latency: How long the transfer to the chip and back may take.
    ///   - silence: How long a terminal may send nothing during a tap.
    ///   - rearming: How long the chip waits for a terminal before it is armed again, which also
    ///     shows whether it is still there.
    ///   - now: The time, for the measurement of answers.
    ///   - onTap: Returns the card after its reset.
    ///   - tell: Receives each event, on the thread of the device.
    ///   - open: Opens the line to the chip, on the device's thread; called again after a loss.
    package init(
        identity: PN53xCardIdentity, latency: Duration = .seconds(2), silence: Duration = .seconds(60),
        rearming: Duration = .seconds(60), now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        onTap: @escaping @Sendable () async -> any CardChannel,
        tell: @escaping @Sendable (Event) -> Void,
        line open: @escaping @Sendable (WakeEvent) throws(DeviceError) -> any ByteTransport
    ) throws(DeviceError) {
        thread = try DeviceThread(name: "PN532 card")
        (self.onTap, self.tell, self.now) = (onTap, tell, now)
        line = LineSession(thread, ReaderEvents()) { cancel throws(DeviceError) in
            let link = PN53xFrameLink(PN53xSerialWire(try open(cancel)), latency: latency)
            return try PN53xTarget(link, identity: identity, silence: silence, rearming: rearming)
        }
    }

    /// At a serial port such as `/dev/ttyUSB0`, to which the chip is connected in its HSU mode.
    package init(
        path: String, identity: PN53xCardIdentity, onTap: @escaping @Sendable () async -> any CardChannel,
        tell: @escaping @Sendable (Event) -> Void
    ) throws(DeviceError) {
        try self.init(
            identity: identity, onTap: onTap, tell: tell,
            line: { cancel throws(DeviceError) in
                try SerialPort(path: path, line: SerialLine(rate: 115_200), cancel: cancel)
            })
    }

    deinit { thread.stop() }

    /// Serves taps until the card removes itself or the task is cancelled. The card is out of the
    /// field then.
    ///
    /// - Throws: `.cancelled`, or the failure of the chip or its line. Another call opens the line
    ///   again.
    package nonisolated func serve() async throws(DeviceError) {
        try await DeviceThread.cancellable { cancellation async throws(DeviceError) in
            try await self.serve(cancellation)
        }
    }

    private func serve(_ cancellation: Cancellation) async throws(DeviceError) {
        do throws(DeviceError) {
            try line.attempt(cancellation) { _ throws(DeviceError) in }
            tell(.waiting)
            while try await serveTap(cancellation) {}
            leave()
        } catch {
            if error == .cancelled { leave() }
            throw error
        }
    }

    /// - Returns: False if the card has removed itself.
    private func serveTap(_ cancellation: Cancellation) async throws(DeviceError) -> Bool {
        let activation = try line.attempt(cancellation) { chip throws(DeviceError) in try chip.waitForTerminal() }
        guard activation.isCard else {
            tell(.notACard(mode: activation.mode))
            return true
        }
        tell(.activated)
        let (connection, channel) = (line.activation, await onTap())
        var (commands, slowest) = (0, Duration.zero)
        func end(_ departure: PN53xDeparture) -> Bool {
            tell(.over(departure, commands: commands, slowest: slowest))
            return true
        }
        while true {
            let reception = try line.attempt(cancellation) { chip throws(DeviceError) in
                self.line.activation == connection ? try chip.receive() : .over(.connectionLost)
            }
            guard case .command(let bytes) = reception else {
                guard case .over(let departure) = reception else { return true }
                return end(departure)
            }
            let start = now()
            commands += 1
            let answer: [UInt8]
            switch try await Self.answer(to: bytes, channel) {
            case .removed: return false
            case .silence:
                tell(.cardSilent)
                return true
            case .bytes(let bytes) where bytes.count > PN53xTarget.longestAnswer:
                tell(.answerTooLong(bytes.count))
                answer = [0x6F, 0x00]
            case .bytes(let bytes): answer = bytes
            }
            let departure = try line.attempt(cancellation) { chip throws(DeviceError) in
                self.line.activation == connection ? try chip.answer(answer) : .connectionLost
            }
            slowest = max(slowest, now() - start)
            if let departure { return end(departure) }
        }
    }

    private static func answer(to bytes: [UInt8], _ card: any CardChannel) async throws(DeviceError) -> Answer {
        guard let command = CommandAPDU(bytes) else { return .bytes([0x67, 0x00]) }
        do throws(CardChannelError) {
            return .bytes(try await card.transmit(command).bytes(fitting: command))
        } catch .cardRemoved {
            return .removed
        } catch .timedOut {
            return .silence
        } catch .cancelled {
            throw .cancelled
        } catch {
            return .bytes([0x6F, 0x00])
        }
    }

    /// Takes the card out of the field. A chip that does not obey is reset when its line is opened
    /// again.
    private func leave() {
        guard line.link != nil else { return }
        try? line.attempt(Cancellation()) { chip throws(DeviceError) in try chip.leave() }
    }
}

extension PN53xCardPort.Event: CustomStringConvertible {
    package var description: String {
        switch self {
        case .waiting: "the card waits for a terminal"
        case .activated: "a terminal has activated the card"
        case .notACard(let mode):
            "a terminal has activated the chip, but not as a card (mode \(String(mode, radix: 16, uppercase: true)))"
        case .over(let departure, let commands, let slowest):
            "\(departure) after \(commands) command\(commands == 1 ? "" : "s")\(Self.excess(slowest))"
        case .cardSilent: "the card is silent: the next tap finds it again"
        case .answerTooLong(let count):
            "an answer of \(count) bytes is too long for the chip, which takes \(PN53xTarget.longestAnswer): 6F00 is sent"
        }
    }

    /// The chip does not ask for more time, as far as is known: a terminal ends the tap.
    private static func excess(_ time: Duration) -> String {
        guard time > PN53xCardIdentity.frameWaitingTime else { return "" }
        let milliseconds = time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
        return "; the slowest answer took \(milliseconds) ms, a terminal waits 155 ms"
    }
}
