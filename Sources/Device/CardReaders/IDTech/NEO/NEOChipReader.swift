import Bytes
package import CardCapture
import DeviceIO
package import SmartCard
private import Synchronization

/// The contacts of a NEO reader, for our contact kernel, and its stripe reader beside them.
///
/// The reader's own contact kernel is not used: commands go to the chip unchanged. The driver looks
/// once a second whether a chip is there, because the public part of the guide has no event for it;
/// a chip that does not answer looks like empty contacts. Not yet tried with a reader
/// (docs/status.md).
package final class NEOChipReader: CardSlot, MagstripeSlot, WatchingReader {
    package static let capabilities: ReaderCapabilities = [.contactChip, .magneticStripe]

    /// For other operations of the reader, while no card is awaited.
    package let driver: NEOMagstripeReader
    private let arrivals = CardArrivals()
    private let arrived = Mutex(Arrived())

    /// What the last wait found.
    private struct Arrived {
        var activation = 0
        var swipe: CapturedSwipe?
    }

    package init(_ driver: NEOMagstripeReader) { self.driver = driver }

    package var name: String { driver.name }
    package var capabilities: ReaderCapabilities { Self.capabilities }
    package var events: ReaderEvents { driver.events }

    /// Waits for a chip without a time limit, until the task is cancelled.
    package func powerOn() async throws(CaptureError) -> any CardChannel {
        try await arrivals.wait(for: .chip, at: self)
        return ProcedureByteHandling(NEOChip(reader: self, activation: arrived.withLock { $0.activation }))
    }

    /// Runs even if the task was cancelled. Chip and reader may already be gone.
    package func powerOff() async {
        defer { arrivals.release(.chip, at: self) }
        try? await driver.perform(endedBy: Cancellation()) { device throws(DeviceError) in try device.endContacts() }
    }

    /// Powers the contacts on for a moment: a chip in them answers.
    package func isEmpty() async throws(CaptureError) -> Bool {
        try await arrivals.wait(for: .look, at: self)
        defer { arrivals.release(.look, at: self) }
        return try await driver.perform { device throws(DeviceError) in try device.hasEmptyContacts() }
    }

    package func swipe() async throws(CaptureError) -> CapturedSwipe {
        try await arrivals.wait(for: .stripe, at: self)
        defer { arrivals.release(.stripe, at: self) }
        let swipe = arrived.withLock { $0.swipe.take() } ?? CapturedSwipe()
        events.send(.swiped(readable: swipe.isReadable))
        return swipe
    }

    /// Cancels the operation in progress and closes the reader; the next use opens it again.
    package func close() async {
        arrivals.endAll()
        await driver.close()
    }

    func watch(for cards: Set<CardArrivals.Card>, _ cancellation: Cancellation) async throws(CaptureError)
        -> CardArrivals.Card
    {
        let activation = arrived.withLock { arrived in
            arrived.swipe = nil
            arrived.activation += 1
            return arrived.activation
        }
        let arrival = try await driver.perform(endedBy: cancellation) { device throws(DeviceError) in
            try device.nextCard(among: cards, activation: activation)
        }
        switch arrival {
        case .chip: return .chip
        case .swipe(let swipe):
            arrived.withLock { $0.swipe = swipe }
            return .stripe
        }
    }

    fileprivate func transmit(_ command: [UInt8], _ activation: Int) async throws(CardChannelError) -> ResponseAPDU {
        let exchange: NEOContacts.Exchange
        do throws(CaptureError) {
            exchange = try await driver.perform { device throws(DeviceError) in
                try device.transmit(command, activation: activation)
            }
        } catch {
            throw CardChannelError(neo: error)
        }
        switch exchange {
        case .answered(var bytes):
            defer { wipe(&bytes) }
            guard let response = ResponseAPDU(bytes: bytes) else { throw .malformedAnswer(.noStatusWord) }
            return response
        case .unanswered: throw .malformedAnswer(.notReceived)
        case .removed:
            events.send(.cardRemoved(.contact))
            throw .cardRemoved
        }
    }
}

/// The chip in the contacts.
private struct NEOChip: CardChannel {
    /// Five bytes, data and a length: longer ones are not described.
    private static let longestCommand = 261

    let reader: NEOChipReader
    let activation: Int

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        let bytes = command.bytes
        guard bytes.count <= Self.longestCommand, (command.expectedLength ?? 0) <= 256 else {
            throw .readerFailed(.shortCommandsOnly)
        }
        return try await reader.transmit(bytes, activation)
    }
}

extension CardChannelError {
    /// The error of an exchange after a failure of the reader.
    fileprivate init(neo error: CaptureError) {
        switch error {
        case .cancelled: self = .cancelled
        case .readerFailed(.driver(let failure)):
            self = (failure.cause as? DeviceError).map { CardChannelError($0) } ?? .readerFailed(.driver(failure))
        case .readerFailed(let failure): self = .readerFailed(failure)
        default: self = .cardRemoved
        }
    }
}
