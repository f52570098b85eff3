public import CardCapture
public import DeviceIO
internal import SmartCard

/// A chip card reader on USB, driven directly (USB CCID 1.1). Its slots are ``CardSlot``s.
public actor CCIDReader {
    /// A description of the open reader.
    public struct Information: Sendable {
        package let descriptor: CCIDDescriptor
        /// bcdDevice of the reader.
        public let version: UInt16
        /// Remarks about this model, as text for people.
        public let remarks: [String]
    }

    /// Opens the USB device of the reader; called each time that the reader is opened.
    public typealias Opening = @Sendable (WakeEvent) throws(DeviceError) -> any USBTransport

    /// Maker and model as the device reports them, or the path of its node.
    public nonisolated let name: String
    public nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    nonisolated let thread: DeviceThread
    private let opening: Opening
    private let interfaceNumber: UInt8?
    private let rules: CardRules
    /// The interface where its cards must be; nil for either.
    private let interface: ReaderEvent.CardInterface?
    private var pipe: Pipe?
    /// One for each slot, kept across openings.
    private var events: [ReaderEvents] = []
    private var activations = 0

    /// The state while the reader is open.
    private struct Pipe {
        let link: WatchedLink
        let quirks: CCIDQuirks
        var hasNotifications: Bool
        var slots: [SlotState]
    }

    private struct SlotState {
        let events: ReaderEvents
        var isPresent = false
        /// Number of the card's activation: a channel of an earlier activation is invalid.
        var activation = 0
        var card: CCIDCard?
    }

    /// - Parameters:
    ///   - interfaceNumber: The interface of a device with several readers; nil takes the first.
    ///   - rules: How cards are accepted and driven, if the reader leaves that to the host.
    ///   - interface: The interface where its cards must be, derived from the answer to reset
    ///     (PC/SC part 3); nil accepts both.
    public init(
        name: String, interfaceNumber: UInt8? = nil, rules: CardRules = .emv,
        interface: ReaderEvent.CardInterface? = .contact,
        opening: @escaping Opening
    ) throws(DeviceError) {
        self.name = name
        self.interfaceNumber = interfaceNumber
        self.rules = rules
        self.interface = interface
        self.opening = opening
        thread = try DeviceThread(name: "CCID reader")
    }

    /// The reader of a USB device.
    public init(
        _ node: DeviceNode, interfaceNumber: UInt8? = nil, rules: CardRules = .emv,
        interface: ReaderEvent.CardInterface? = .contact
    ) throws(DeviceError) {
        let name = [node.maker, node.model].filter { !$0.isEmpty }.joined(separator: " ")
        let path = node.node
        try self.init(
            name: name.isEmpty ? path : name, interfaceNumber: interfaceNumber, rules: rules, interface: interface
        ) { cancel throws(DeviceError) in try USBDevice(node: path, cancel: cancel) }
    }

    deinit { thread.stop() }

    // MARK: Opening

    /// Opens the reader for exclusive use.
    ///
    /// - Returns: Its slots, in order.
    @discardableResult
    public func open() throws(DeviceError) -> [CCIDSlot] {
        if pipe == nil { pipe = try makePipe() }
        guard let pipe else { return [] }
        var capabilities = interface?.capability ?? [.contactChip, .contactlessChip]
        if pipe.hasNotifications { capabilities.insert(.cardEvents) }
        if pipe.link.descriptor.pin.contains(.verification) { capabilities.insert(.pinPad) }
        return pipe.slots.enumerated().map { index, slot in
            CCIDSlot(
                reader: self, number: index, name: pipe.slots.count > 1 ? "\(name), slot \(index + 1)" : name,
                capabilities: capabilities,
                events: slot.events)
        }
    }

    /// Powers off every card and releases the reader; ``open()`` opens it again.
    public func close() {
        guard let pipe else { return }
        for index in pipe.slots.indices where pipe.slots[index].card != nil { powerOff(slot: index) }
        disconnect(.closed)
    }

    /// Nil while the reader is closed.
    public var information: Information? {
        pipe.map { pipe in
            var remarks: [String] = []
            if let version = pipe.quirks.brokenBefore, pipe.link.transport.descriptors.version < version {
                remarks.append("this firmware version has known faults: update it")
            }
            if pipe.quirks.leaksPIN {
                remarks.append("its PIN entry reveals the digits to the computer and is not used")
            }
            return Information(
                descriptor: pipe.link.descriptor, version: pipe.link.transport.descriptors.version, remarks: remarks)
        }
    }

    private func makePipe() throws(DeviceError) -> Pipe {
        thread.cancelEvent.clear()
        let transport = try opening(thread.cancelEvent)
        let readers = transport.descriptors.readers
        let found =
            interfaceNumber.map { requested in readers.first { $0.interface.number == requested } } ?? readers.first
        guard let (interface, parsed) = found else { throw .malformed(.chipCardInterface, .missing) }
        try transport.claim(interface: interface.number)
        let quirks = CCIDQuirks.of(transport.descriptors)
        var descriptor = parsed
        if quirks.leaksPIN { descriptor.pin = [] }
        if quirks.pinMeansExtendedAPDU {
            descriptor.pin = []
            descriptor.level = .extendedAPDU
        }
        let link = WatchedLink(try Self.link(transport, interface, descriptor, cancel: thread.cancelEvent))
        let interrupt = interface.endpoints.first { $0.transfer == .interrupt && $0.isInput }
        while events.count < descriptor.slotCount { events.append(ReaderEvents()) }
        var slots = events.prefix(descriptor.slotCount).map { SlotState(events: $0) }
        for index in slots.indices {
            let timeout = CCIDCard.timeout * quirks.openingTimeout
            slots[index].isPresent = try link.exchange(.slotStatus, slot: index, timeout: timeout).card != .absent
        }
        if let interrupt {
            try transport.listen(endpoint: interrupt.address, atMost: min(64, max(8, interrupt.largestPacket)))
            thread.watch(transport.readiness) { [weak self] in self?.assumeIsolated { $0.takeNotifications() } }
        }
        return Pipe(link: link, quirks: quirks, hasNotifications: interrupt != nil, slots: slots)
    }

    private static func link(
        _ transport: any USBTransport, _ interface: USBDescriptors.Interface, _ descriptor: CCIDDescriptor,
        cancel: WakeEvent
    ) throws(DeviceError) -> any CCIDLink {
        guard let version = ICCDLink.Version(interface) else {
            return try CCIDBulkLink(transport, interface, descriptor, cancel: cancel)
        }
        return ICCDLink(
            transport, interface: interface.number, version: version, descriptor: descriptor, cancel: cancel)
    }

    private func disconnect(_ reason: ReaderEvent.DisconnectReason) {
        guard let gone = pipe else { return }
        thread.unwatch(gone.link.transport.readiness)
        pipe = nil
        for slot in gone.slots {
            slot.events.send(.disconnected(reason))
            slot.events.finish()
        }
    }

    /// Handles an error of the device: a device that is gone is released.
    private func note(_ error: DeviceError) {
        if error == .disconnected { disconnect(.unplugged) }
    }

    // MARK: Cards that come and go

    private func takeNotifications() {
        guard let pipe, pipe.hasNotifications else { return }
        do throws(DeviceError) {
            for notification in try pipe.link.takeNotifications() {
                guard case .slots(let changes) = notification else { continue }
                for (slot, isPresent) in changes.sorted(by: { $0.key < $1.key }) { setPresent(isPresent, slot: slot) }
            }
        } catch .disconnected {
            note(.disconnected)
        } catch {
            // There are no more notifications: waits for a card poll from now on.
            self.pipe?.hasNotifications = false
            for slot in pipe.slots { slot.events.finish() }
        }
    }

    private func setPresent(_ isPresent: Bool, slot: Int) {
        guard let state = pipe?.slots[slot] else { return }
        if !isPresent { pipe?.slots[slot].card = nil }
        guard state.isPresent != isPresent else { return }
        pipe?.slots[slot].isPresent = isPresent
        state.events.send(isPresent ? .cardPresented(interface ?? .contact) : .cardRemoved(interface ?? .contact))
    }

    /// Asks the reader whether there is a card in the slot.
    func isPresent(slot: Int) throws(DeviceError) -> Bool {
        takeNotifications()
        guard let pipe, slot < pipe.slots.count else { throw .disconnected }
        // A cancellation that arrived as an earlier operation ended does not apply to this one.
        thread.cancelEvent.clear()
        do throws(DeviceError) {
            let answer = try pipe.link.exchange(.slotStatus, slot: slot, timeout: CCIDCard.timeout)
            setPresent(answer.card != .absent, slot: slot)
            // Notifications received meanwhile are newer than the answer.
            takeNotifications()
            return self.pipe?.slots[slot].isPresent ?? false
        } catch {
            note(error)
            throw error
        }
    }

    /// Whether the reader reports by itself when a card is inserted or removed.
    var tellsOfCards: Bool { pipe?.hasNotifications ?? false }

    // MARK: Exchange

    /// Powers the card on.
    ///
    /// - Returns: Number of the activation, and the card's protocol.
    func powerOn(
        slot: Int, _ cancellation: Cancellation
    ) throws(CCIDActivation.Failure) -> (activation: Int, card: CCIDCard) {
        guard let pipe, slot < pipe.slots.count else { throw .device(.disconnected) }
        do throws(DeviceError) {
            try cancellation.begin(thread.cancelEvent)
        } catch {
            throw .device(error)
        }
        defer { cancellation.end() }
        do throws(CCIDActivation.Failure) {
            let card = try CCIDActivation(link: pipe.link, quirks: pipe.quirks, rules: rules, interface: interface)
                .powerOn(slot: slot)
            activations += 1
            let activation = activations
            self.pipe?.slots[slot].card = card
            self.pipe?.slots[slot].activation = activation
            return (activation, card)
        } catch {
            if case .device(let error) = error { note(error) }
            throw error
        }
    }

    func powerOff(slot: Int) {
        guard let pipe, slot < pipe.slots.count else { return }
        self.pipe?.slots[slot].card = nil
        thread.cancelEvent.clear()
        do throws(DeviceError) {
            _ = try pipe.link.exchange(.powerOff, slot: slot, timeout: CCIDCard.timeout)
        } catch {
            note(error)
        }
    }

    func transmit(
        _ command: CommandAPDU, slot: Int, activation: Int, _ cancellation: Cancellation
    ) throws(CardChannelError) -> ResponseAPDU {
        try withCard(slot, activation: activation, cancellation: cancellation) { card, pipe throws(CardChannelError) in
            try card.transmit(command, pipe.link)
        }
    }

    /// Sends a command of the reader's maker, for which no card is required (USB CCID 1.1, 6.1.8:
    /// PC_to_RDR_Escape).
    ///
    /// - Parameter command: At most as long as the reader's messages, without their header.
    /// - Returns: The reader's answer.
    func escape(_ command: [UInt8], slot: Int, _ cancellation: Cancellation) throws(CaptureError) -> [UInt8] {
        guard let pipe, slot < pipe.slots.count else { throw CaptureError(.disconnected) }
        let maximum = pipe.link.descriptor.largestMessage - 10
        guard command.count <= maximum else { throw CaptureError(.rejected(.dataTooLong(maximum: maximum))) }
        let answer: CCIDAnswer
        do throws(DeviceError) {
            try cancellation.begin(thread.cancelEvent)
            defer { cancellation.end() }
            answer = try pipe.link.exchange(.escape(command), slot: slot, timeout: CCIDCard.timeout)
        } catch {
            note(error)
            throw CaptureError(error)
        }
        if case .failed(let code) = answer.result { throw .readerFailed(ReaderFailure(CCIDError(code))) }
        return answer.data
    }

    /// Nil if the reader's PIN pad does not support it.
    func enterPIN(_ entry: PINPadEntry, slot: Int, _ cancellation: Cancellation) throws(CardChannelError) -> StatusWord?
    {
        try withCard(slot, activation: nil, cancellation: cancellation) { card, pipe throws(CardChannelError) in
            let needed: CCIDDescriptor.PINSupport =
                switch entry.operation {
                case .verify: .verification
                case .change: .modification
                }
            // A reader at character level would need the host to handle every procedure byte.
            guard pipe.link.descriptor.pin.contains(needed), pipe.link.descriptor.level != .character else {
                return nil
            }
            return try card.enterPIN(entry, pipe.link)
        }
    }

    /// - Parameter activation: The activation of the channel; nil for the card in the slot.
    private func withCard<Answer>(
        _ slot: Int, activation: Int?, cancellation: Cancellation,
        operation: (inout CCIDCard, Pipe) throws(CardChannelError) -> Answer
    ) throws(CardChannelError) -> Answer {
        takeNotifications()
        guard let pipe, slot < pipe.slots.count else { throw CardChannelError(.disconnected) }
        guard var card = pipe.slots[slot].card, activation.map({ pipe.slots[slot].activation == $0 }) ?? true else {
            throw .cardRemoved
        }
        do throws(DeviceError) {
            try cancellation.begin(thread.cancelEvent)
        } catch {
            throw CardChannelError(error)
        }
        defer {
            cancellation.end()
            takeNotifications()
        }
        do throws(CardChannelError) {
            let answer = try operation(&card, pipe)
            self.pipe?.slots[slot].card = card
            return answer
        } catch {
            // The protocol state is kept after a failure, too.
            self.pipe?.slots[slot].card = card
            if error == .cardRemoved { setPresent(false, slot: slot) }
            if pipe.link.isGone { disconnect(.unplugged) }
            throw error
        }
    }
}

extension ReaderFamily {
    /// Chip card readers on USB, CCID and ICCD. With several slots, the first is opened.
    public static let ccid = ReaderFamily("CCID", models: CCIDReader.models, capabilities: [.contactChip, .cardEvents])
    {
        opening throws(DeviceError) in
        guard let slot = try await CCIDReader(opening.node, interface: opening.interface).open().first else {
            throw .malformed(.chipCardSlot, .missing)
        }
        return .chip(slot)
    }
}

/// Decides which bytes of a CCID reader's transfers a recording may show (USB CCID 1.1, 6):
/// headers, and everything that is not exchanged with a card. APDUs and PIN data follow the header.
package enum CCIDRedaction {
    package static let redaction: WireRecorder.Redaction = { _, _, bytes in
        bytes.count > headerLength && exchanging.contains(bytes[0])
            ? [headerLength..<bytes.count] : bytes.first.map(isMessage) == true ? [] : [0..<bytes.count]
    }

    private static let headerLength = 10
    /// PC_to_RDR_XfrBlock, Secure and Escape; RDR_to_PC_DataBlock and Escape.
    private static let exchanging: Set<UInt8> = [0x6F, 0x69, 0x6B, 0x80, 0x83]

    /// Whether the byte begins a CCID message. Other data may be the rest of one.
    private static func isMessage(_ first: UInt8) -> Bool {
        (0x50...0x51).contains(first) || (0x61...0x73).contains(first) || (0x80...0x84).contains(first)
    }
}
