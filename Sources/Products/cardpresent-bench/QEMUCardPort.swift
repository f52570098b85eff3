import Console
import DeviceIO
import SmartCard
import VirtualCard

/// The card side of QEMU's `ccid-card-passthru`: a virtual card in the reader of an emulated
/// computer.
///
/// QEMU uses the VSCard protocol of libcacard: messages of a type, a reader's number and a length,
/// 32 bits each, most significant byte first, and their data. It passes T=0 commands, because its
/// reader uses T=0.
actor QEMUCardPort {
    private enum Message: UInt32 {
        case hello = 1
        case error = 2
        case readerAdded = 3
        case readerRemoved = 4
        case answerToReset = 5
        case cardRemoved = 6
        case command = 7
        case flush = 8
        case flushed = 9
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    private nonisolated let thread: DeviceThread
    private let hand: CardHand
    private let connection: ReaderConnection
    private let answerToReset: [UInt8]
    private let afterReset: @Sendable () async -> any CardChannel
    private var card: T0CardSide?
    private var received: [UInt8] = []

    /// The maximum length of a message after its header.
    private static let largestMessage = 65536 + 16

    /// - Parameters:
    ///   - reader: The address where QEMU listens.
    ///   - timeout: The time limit for connecting.
    ///   - answerToReset: The answer to reset of a T=0 card.
    ///   - afterReset: Returns the card at each insertion.
    init(
        _ reader: SoftwareReader, timeout: Duration, hand: CardHand, answerToReset: [UInt8],
        afterReset: @escaping @Sendable () async -> any CardChannel
    ) async throws {
        thread = try DeviceThread(name: "card port")
        connection = try await Self.connection(reader, timeout, hand)
        self.hand = hand
        self.answerToReset = answerToReset
        self.afterReset = afterReset
    }

    deinit { thread.stop() }

    /// Serves until QEMU ends.
    func serve() async throws(DeviceError) {
        try send(.hello, reader: .max, [0x56, 0x53, 0x43, 0x44, 0, 0, 0, 2, 0, 0, 0, 0])
        try send(.readerAdded, reader: .max, Array("card\0".utf8))
        hand.move(.insert)
        while true {
            do throws(DeviceError) {
                received += try connection.read()
            } catch .cancelled {
                for move in hand.takeMoves() { try await obey(move) }
            } catch {
                throw error
            }
            while let (message, data) = try takeMessage() {
                switch message {
                case .command: try await answer(data)
                case .flush: try send(.flushed, reader: 0, [])
                default: continue
                }
            }
        }
    }

    /// The first complete message of the received bytes.
    private func takeMessage() throws(DeviceError) -> (Message?, [UInt8])? {
        guard received.count >= 12 else { return nil }
        let numbers = (0..<3).map { word in
            received[(4 * word)..<(4 * word + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        guard numbers[2] <= Self.largestMessage else {
            throw .malformed(.ccidPassthruMessage, .tooLong(Int(numbers[2])))
        }
        let end = 12 + Int(numbers[2])
        guard received.count >= end else { return nil }
        defer { received.removeFirst(end) }
        return (Message(rawValue: numbers[0]), Array(received[12..<end]))
    }

    private func obey(_ move: CardHand.Move) async throws(DeviceError) {
        switch move {
        case .insert:
            card = T0CardSide(await afterReset())
            try send(.answerToReset, reader: 0, answerToReset)
        case .remove:
            card = nil
            try send(.cardRemoved, reader: 0, [])
        }
    }

    private func answer(_ command: [UInt8]) async throws(DeviceError) {
        guard var present = card else { return }
        // A failed card returns only a status word.
        let answer = (try? await present.answer(command)) ?? [0x6F, 0x00]
        card = present
        try send(.command, reader: 0, answer)
    }

    private func send(_ message: Message, reader: UInt32, _ data: [UInt8]) throws(DeviceError) {
        let head = [message.rawValue, reader, UInt32(clamping: data.count)].flatMap { word in
            [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) }
        }
        try connection.write(head + data)
    }

    private static func connection(_ reader: SoftwareReader, _ timeout: Duration, _ hand: CardHand) async throws
        -> ReaderConnection
    {
        let end = Deadline.after(timeout)
        while true {
            if let connection = try reader.connection(hand) { return connection }
            guard !end.hasPassed else { break }
            try await Task.sleep(for: .milliseconds(100))
        }
        let chardev =
            switch reader {
            case .unixSocket(let path): "path=\(path)"
            case .port(let host, let port): "host=\(host),port=\(port)"
            }
        throw InputError(
            "\(reader.name): connection refused; start QEMU with -chardev socket,id=card,\(chardev),server=on,wait=off")
    }
}

extension DeviceError.Message {
    fileprivate static let ccidPassthruMessage = Self("ccid-card-passthru message")
}
