public import CardCapture
internal import DeviceIO
public import SmartCard

/// A slot of a chip card reader on USB.
public struct CCIDSlot: CardSlot {
    public let name: String
    public let capabilities: ReaderCapabilities
    public let events: ReaderEvents
    /// From 0.
    public let number: Int
    private let reader: CCIDReader

    /// The interval for polling a reader without notifications during a wait for a card.
    static let pollingInterval = Duration.milliseconds(250)

    init(reader: CCIDReader, number: Int, name: String, capabilities: ReaderCapabilities, events: ReaderEvents) {
        self.reader = reader
        self.number = number
        self.name = name
        self.capabilities = capabilities
        self.events = events
    }

    /// The reader's own PIN pad; nil if it has none.
    public var pinPad: CCIDPINPad? { capabilities.contains(.pinPad) ? CCIDPINPad(reader: reader, slot: number) : nil }

    /// Asks the reader, without powering the card.
    ///
    /// - Throws: ``DeviceIO/DeviceError`` if the reader is closed, gone or does not answer.
    public var isCardPresent: Bool {
        get async throws(DeviceError) { try await reader.isPresent(slot: number) }
    }

    /// Waits for a card until the task is cancelled, powers it on and opens a channel to it.
    public func powerOn() async throws(CaptureError) -> any CardChannel {
        try await waitForCard()
        return try await activate()
    }

    /// A channel to the card in the slot.
    ///
    /// - Throws: ``CaptureError/noCardPresented`` if there is none.
    package func activate() async throws(CaptureError) -> CCIDChannel {
        do throws(CCIDActivation.Failure) {
            let (activation, card) = try await DeviceThread.cancellable {
                cancellation async throws(CCIDActivation.Failure) in
                try await reader.powerOn(slot: number, cancellation)
            }
            return CCIDChannel(
                reader: reader, slot: number, activation: activation, answerToReset: card.answerToReset,
                parameters: card.parameters)
        } catch {
            switch error {
            case .noCard: throw .noCardPresented
            case .reader(let error): throw .readerFailed(ReaderFailure(error))
            case .card(let failure): throw .readerFailed(failure)
            case .device(let error): throw CaptureError(error)
            }
        }
    }

    /// Sends a command of the reader's maker (USB CCID 1.1, 6.1.8: PC_to_RDR_Escape), which needs
    /// no card.
    ///
    /// - Returns: The reader's answer.
    /// - Throws: ``CaptureError/readerFailed(_:)`` if the reader does not support it, or if it is
    ///   longer than the reader's messages.
    package func escape(_ command: [UInt8]) async throws(CaptureError) -> [UInt8] {
        try await DeviceThread.cancellable { cancellation async throws(CaptureError) in
            try await reader.escape(command, slot: number, cancellation)
        }
    }

    public func powerOff() async { await reader.powerOff(slot: number) }

    public func isEmpty() async throws(CaptureError) -> Bool {
        do throws(DeviceError) {
            return try await !isCardPresent
        } catch {
            throw CaptureError(error)
        }
    }

    /// Subscribes to events before it asks the reader, so that no insertion is missed.
    private func waitForCard() async throws(CaptureError) {
        do throws(DeviceError) {
            while true {
                let arrivals = events.stream()
                if try await reader.isPresent(slot: number) { return }
                if await reader.tellsOfCards {
                    arriving: for await event in arrivals {
                        if case .cardPresented = event { break arriving }
                    }
                } else {
                    try? await Task.sleep(for: Self.pollingInterval)
                }
                if Task.isCancelled { throw .cancelled }
            }
        } catch {
            throw CaptureError(error)
        }
    }
}

/// A powered card in a slot, until it is removed or powered off.
package struct CCIDChannel: CardChannel {
    /// The bytes as the card sent them.
    package let answerToReset: [UInt8]
    package let parameters: CardParameters
    private let reader: CCIDReader
    private let slot: Int
    private let activation: Int

    init(reader: CCIDReader, slot: Int, activation: Int, answerToReset: [UInt8], parameters: CardParameters) {
        self.reader = reader
        self.slot = slot
        self.activation = activation
        self.answerToReset = answerToReset
        self.parameters = parameters
    }

    /// Handles `61xx` and `6Cxx` of a T=0 card; the status words of a T=1 card are returned
    /// unchanged.
    package func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        let direct = Direct(channel: self)
        return parameters.transmissionProtocol == .t0
            ? try await ProcedureByteHandling(direct).transmit(command) : try await direct.transmit(command)
    }

    /// Sends each command in one exchange.
    private struct Direct: CardChannel {
        let channel: CCIDChannel

        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
            try await DeviceThread.cancellable { cancellation async throws(CardChannelError) in
                try await channel.reader.transmit(
                    command, slot: channel.slot, activation: channel.activation, cancellation)
            }
        }
    }
}
