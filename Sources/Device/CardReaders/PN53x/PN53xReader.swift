public import CardCapture
public import DeviceIO
public import SmartCard

/// A contactless reader with an NXP PN532 or PN533: the chip controls the field; ISO/IEC 14443-4 is
/// implemented here.
///
/// Cards of type A and B at 106 kbit/s. Commands of class `FF` are answered here, as readers of the
/// PC/SC service do: GET DATA gives the card's identifier and its historical bytes (PC/SC part 3,
/// 3.2.2.1.3). Not yet tested with a real reader (docs/status.md).
public actor PN53xReader: CardSlot {
    public nonisolated let name: String
    public nonisolated let capabilities = ReaderFamily.pn53x.capabilities
    public nonisolated let events = ReaderEvents()
    private nonisolated let thread: DeviceThread
    private let commandTimeout: Duration
    let line: LineSession<PN53xChip>
    nonisolated let claim = DeviceClaim()
    private var card: ContactlessCard?

    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    /// - Parameters:
    ///   - commandTimeout: How long a whole command may take, including all the time that the card
    ///     requests.
    ///   - connect: Opens the connection to the chip, on the device's thread; called again after a
    ///     disconnection.
    init(
        name: String, commandTimeout: Duration = .seconds(90),
        connect: @escaping @Sendable (WakeEvent) throws(DeviceError) -> any PN53xLink
    ) throws(DeviceError) {
        self.name = name
        self.commandTimeout = commandTimeout
        thread = try DeviceThread(name: "PN53x")
        line = LineSession(thread, events) { cancel throws(DeviceError) in
            try PN53xChip(connect(cancel), cancel: cancel)
        }
    }

    /// A PN532 on a line.
    ///
    /// - Parameter latency: How long the transfer to the chip and back may take; some serial
    ///   adapters take more than a second for the first answer.
    package init(
        name: String, latency: Duration = .seconds(2),
        line open: @escaping @Sendable (WakeEvent) throws(DeviceError) -> any ByteTransport
    ) throws(DeviceError) {
        try self.init(name: name) { cancel throws(DeviceError) in
            PN53xFrameLink(PN53xSerialWire(try open(cancel)), latency: latency)
        }
    }

    /// A PN533 on USB, or the PN532 of an ACR122U.
    package init(
        name: String, isACR122: Bool, latency: Duration = .seconds(2),
        device open: @escaping @Sendable (WakeEvent) throws(DeviceError) -> any USBTransport
    ) throws(DeviceError) {
        try self.init(name: name) { cancel throws(DeviceError) -> any PN53xLink in
            let transport = try open(cancel)
            guard isACR122 else { return PN53xFrameLink(try PN53xUSBWire(transport), latency: latency) }
            return try ACR122Link(transport, latency: latency, cancel: cancel)
        }
    }

    /// A PN532 on a serial port such as `/dev/ttyUSB0`, in its HSU mode, at 115,200 bits a second;
    /// the first use opens it.
    public init(path: String) throws(DeviceError) {
        try self.init(
            name: "PN532 at \(path)",
            line: { cancel throws(DeviceError) in
                try SerialPort(path: path, line: SerialLine(rate: 115_200), cancel: cancel)
            })
    }

    deinit { thread.stop() }

    /// Waits for a card without a time limit, until the task is cancelled.
    ///
    /// - Throws: ``CardCapture/CaptureError/severalCards`` if there is more than one in the field.
    public nonisolated func powerOn() async throws(CaptureError) -> any CardChannel {
        let (activation, identity) = try await claim.perform(orElse: DeviceClaim.captureRefusal) {
            cancellation async throws(CaptureError) in try await self.powerOn(cancellation)
        }
        return PN53xCard(reader: self, activation: activation, historicalBytes: identity.historicalBytes)
    }

    /// Releases the card and switches the field off.
    public nonisolated func powerOff() async {
        try? await claim.perform(orElse: DeviceClaim.captureRefusal, endsWithTask: false) {
            cancellation async throws(CaptureError) in
            await self.release(cancellation)
        }
    }

    /// Polls the field once, and switches it off.
    public nonisolated func isEmpty() async throws(CaptureError) -> Bool {
        try await claim.perform(orElse: DeviceClaim.captureRefusal) { cancellation async throws(CaptureError) in
            try await self.isEmpty(cancellation)
        }
    }

    /// GetFirmwareVersion and its answer, which needs no card: the way to the chip and back.
    package nonisolated func exchangeWithChip() async throws(CaptureError) {
        try await claim.perform(orElse: DeviceClaim.captureRefusal) { cancellation async throws(CaptureError) in
            try await self.exchangeWithChip(cancellation)
        }
    }

    /// Cancels the operation in progress and closes the reader; the next use opens it again.
    public nonisolated func close() async {
        claim.cancel()
        await release()
    }

    fileprivate nonisolated func transmit(_ command: CommandAPDU, _ activation: Int) async throws(CardChannelError)
        -> ResponseAPDU
    {
        try await claim.perform(orElse: DeviceClaim.channelRefusal) { cancellation async throws(CardChannelError) in
            try await self.transmit(command, activation, cancellation)
        }
    }

    private func release() {
        card = nil
        line.close()
    }

    private func release(_ cancellation: Cancellation) {
        let released = card
        card = nil
        line.activate()
        // A reader that was never opened has no field.
        guard line.link != nil else { return }
        try? line.attempt(cancellation) { chip throws(DeviceError) in try chip.release(released) }
    }

    private func isEmpty(_ cancellation: Cancellation) throws(CaptureError) -> Bool {
        card = nil
        line.activate()
        do throws(DeviceError) {
            return try line.attempt(cancellation) { chip throws(DeviceError) in try chip.isFieldEmpty() }
        } catch {
            throw CaptureError(error)
        }
    }

    private func exchangeWithChip(_ cancellation: Cancellation) throws(CaptureError) {
        do throws(DeviceError) {
            try line.attempt(cancellation) { chip throws(DeviceError) in _ = try chip.version() }
        } catch {
            throw CaptureError(error)
        }
    }

    private func powerOn(_ cancellation: Cancellation) throws(CaptureError) -> (
        activation: Int, identity: FieldIdentity
    ) {
        card = nil
        line.activate()
        let field: PN53xChip.Field
        do throws(DeviceError) {
            field = try line.attempt(cancellation) { chip throws(DeviceError) in try chip.waitForCard() }
        } catch {
            throw CaptureError(error)
        }
        switch field {
        case .empty: throw .noCardPresented
        case .severalCards: throw .severalCards
        case .refused(let error): throw .readerFailed(.driver(error))
        case .card(let found):
            card = found
            return (line.activation, found.identity)
        }
    }

    private func transmit(_ command: CommandAPDU, _ activation: Int, _ cancellation: Cancellation)
        throws(CardChannelError) -> ResponseAPDU
    {
        guard line.activation == activation, var card else { throw .cardRemoved }
        if let answer = card.identity.answer(to: command) { return answer }
        let limit = Deadline.after(commandTimeout)
        // After a command without an answer, the card is no longer usable.
        self.card = nil
        var result: Result<ResponseAPDU, CardChannelError> = .failure(.cardRemoved)
        do throws(DeviceError) {
            try line.attempt(cancellation) { chip throws(DeviceError) in
                // The line may have been reopened meanwhile.
                guard self.line.activation == activation else { return }
                var failure: DeviceError?
                do throws(CardChannelError) {
                    result = .success(
                        try card.exchange.transmit(command) { block, time throws(CardChannelError) in
                            do throws(DeviceError) {
                                try limit.check()
                                return try chip.transceive(block, waitingTime: time)
                            } catch {
                                failure = error
                                throw CardChannelError(error)
                            }
                        })
                } catch {
                    if let failure { throw failure }
                    result = .failure(error)
                }
            }
        } catch {
            throw CardChannelError(error)
        }
        switch result {
        case .success: self.card = card
        case .failure(let error): if error == .cardRemoved { events.send(.cardRemoved(.contactless)) }
        }
        return try result.get()
    }
}

/// The card in the field.
package struct PN53xCard: CardChannel {
    private let reader: PN53xReader
    private let activation: Int
    /// From its answer to select; empty for a type B card.
    package let historicalBytes: [UInt8]

    fileprivate init(reader: PN53xReader, activation: Int, historicalBytes: [UInt8]) {
        self.reader = reader
        self.activation = activation
        self.historicalBytes = historicalBytes
    }

    package func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        try await reader.transmit(command, activation)
    }
}

extension PN53xReader: LineDriver {}

extension ReaderFamily {
    /// Contactless readers with a PN533 on USB, the ACR122U with its PN532, and a PN532 on a serial
    /// port, where devices cannot be identified.
    public static let pn53x = ReaderFamily("PN53x", models: PN53xReader.models, capabilities: .contactlessChip) {
        opening throws(DeviceError) in
        let path = opening.path
        guard opening.node.kind == .usb else { return .chip(try await PN53xReader(path: path).ready()) }
        let reader = try PN53xReader(name: opening.name, isACR122: PN53xReader.isACR122(opening.node)) {
            cancel throws(DeviceError) in
            try USBDevice(node: path, cancel: cancel)
        }
        return .chip(try await reader.ready())
    }
}

extension PN53xReader {
    private static let acr122 = ReaderModel(.usb, vendor: 0x072F, product: 0x2200, name: "ACS ACR122U")

    /// Published lists of ids differ on which SCM product is the SCL3712.
    static let models: [ReaderModel] = [
        ReaderModel(.usb, vendor: 0x04CC, product: 0x2533, name: "NXP PN533"),
        ReaderModel(.usb, vendor: 0x04E6, product: 0x5591, name: "SCM SCL3711"),
        ReaderModel(.usb, vendor: 0x04E6, product: 0x5593, name: "SCM SCL3712"),
        ReaderModel(.usb, vendor: 0x04E6, product: 0x5594, name: "SCM SCL3712 (5594)"),
        ReaderModel(.usb, vendor: 0x1FD3, product: 0x0608, name: "ASK LoGO"), acr122,
    ]

    static func isACR122(_ node: DeviceNode) -> Bool { acr122.matches(node) }
}

extension DeviceError.Message {
    package static let pn53xFrame = Self("PN53x frame")
    package static let pn53xAnswer = Self("PN53x answer")
    package static let acr122Answer = Self("ACR122U answer")
}
