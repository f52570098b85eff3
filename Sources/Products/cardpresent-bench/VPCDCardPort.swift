import Console
import DeviceIO
import SmartCard
import VirtualCard

/// A virtual card in vpcd, the virtual reader of the vsmartcard project: any program that uses the
/// PC/SC service can use the card.
///
/// The card is in the reader as long as there is a connection. When vpcd ends, or closes it, the
/// card reconnects.
actor VPCDCardPort {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    private nonisolated let thread: DeviceThread
    private let reader: SoftwareReader
    private let hand: CardHand
    private let answerToReset: [UInt8]
    private let afterReset: @Sendable () async -> any CardChannel
    private let tell: @Sendable (String) -> Void
    private var isIn = true

    /// vpcd polls its card two or three times a second.
    private static let silence = Duration.seconds(5)

    /// - Parameters:
    ///   - answerToReset: The answer to reset of a T=1 card.
    ///   - afterReset: Returns the card in its state after a reset.
    ///   - tell: receives a line for each event of the card.
    init(
        _ reader: SoftwareReader, hand: CardHand, answerToReset: [UInt8],
        afterReset: @escaping @Sendable () async -> any CardChannel,
        tell: @escaping @Sendable (String) -> Void
    ) throws(DeviceError) {
        thread = try DeviceThread(name: "card port")
        self.reader = reader
        self.hand = hand
        self.answerToReset = answerToReset
        self.afterReset = afterReset
        self.tell = tell
    }

    deinit { thread.stop() }

    /// Serves until the process is ended.
    ///
    /// - Parameter timeout: The time limit for the first connection to vpcd. Later reconnections
    ///   have no limit.
    func serve(timeout: Duration) async throws {
        let end = Deadline.after(timeout)
        var wasThere = false
        var isSought = false
        while true {
            obeyHand()
            guard isIn else {
                try await Task.sleep(for: .milliseconds(100))
                continue
            }
            if let connection = try reader.connection(hand) {
                tell("the card is inserted")
                (wasThere, isSought) = (true, false)
                await serve(connection)
            } else if !wasThere, end.hasPassed {
                throw InputError(absence)
            } else {
                if !isSought {
                    tell(wasThere ? "the connection to vpcd is lost; reconnecting" : "\(absence); reconnecting")
                }
                isSought = true
                try await Task.sleep(for: .milliseconds(250))
            }
        }
    }

    private var absence: String {
        "\(reader.name): connection refused. Install the driver (Debian, Ubuntu: sudo apt install vsmartcard-vpcd) and restart pcscd (sudo systemctl restart pcscd, or sudo pcscd --foreground)"
    }

    /// Serves until the connection or the card is gone.
    private func serve(_ connection: ReaderConnection) async {
        var side = VPCDCardSide(answerToReset: answerToReset, afterReset: afterReset)
        var deadline = Deadline.after(Self.silence)
        while isIn {
            do {
                let answers = try await side.receive(try connection.read(by: deadline))
                deadline = .never
                if !answers.isEmpty { try connection.write(answers) }
            } catch DeviceError.cancelled {
                obeyHand()
            } catch DeviceError.timedOut where deadline != .never {
                tell("no request for the card so far: pcscd does not use vpcd, or its reader has another card")
                deadline = .never
            } catch CardChannelError.cardRemoved {
                isIn = false
                tell("the card is removed, as its profile says; \"insert\" inserts it again")
            } catch CardChannelError.timedOut {
                // The protocol cannot express a missing answer: otherwise the PC/SC service would
                // wait indefinitely.
                return tell("the card is silent: it is removed and inserted again")
            } catch {
                return
            }
        }
    }

    private func obeyHand() {
        for move in hand.takeMoves() {
            if isIn, move == .remove { tell("the card is removed") }
            isIn = move == .insert
        }
    }
}
