internal import Bytes
internal import DeviceIO

/// The bulk endpoints of a reader (USB CCID 1.1, 3 and 6).
final class CCIDBulkLink: CCIDLink {
    /// The maximum number of answers to earlier commands that are skipped.
    static let maximumStale = 16
    /// The maximum number of transfers for one message.
    static let maximumTransfers = 2048

    let transport: any USBTransport
    let descriptor: CCIDDescriptor
    private let interface: UInt8
    private let input: USBDescriptors.Endpoint
    private let output: USBDescriptors.Endpoint
    private let cancel: WakeEvent?
    private var sequences: [UInt8]
    /// Slot notifications received during exchanges and not yet taken, in order. If there are too
    /// many, only the latest are kept.
    private var notifications: [CCIDNotification] = []
    private static let keptNotifications = 64

    /// How long a reader may take to answer after it has reported that the card was removed; some
    /// never answer.
    static let removalGrace = Duration.milliseconds(200)

    /// - Parameter cancel: Ends waits; cleared when a cancelled command is aborted.
    init(
        _ transport: any USBTransport, _ interface: USBDescriptors.Interface, _ descriptor: CCIDDescriptor,
        cancel: WakeEvent?
    ) throws(DeviceError) {
        let bulk = interface.endpoints.filter { $0.transfer == .bulk }
        guard let input = bulk.first(where: \.isInput), let output = bulk.first(where: { !$0.isInput }) else {
            throw .malformed(.bulkEndpoint, .missing)
        }
        self.transport = transport
        self.interface = interface.number
        self.descriptor = descriptor
        self.input = input
        self.output = output
        self.cancel = cancel
        sequences = [UInt8](repeating: 0, count: descriptor.slotCount)
    }

    /// A command that is cancelled, times out or gets an invalid answer is aborted.
    func exchange(_ command: CCIDCommand, slot: Int, timeout: Duration, limit: Deadline) throws(DeviceError)
        -> CCIDAnswer
    {
        let sequence = sequences[slot]
        sequences[slot] &+= 1
        do throws(DeviceError) {
            let bytes = command.bytes(slot: UInt8(truncatingIfNeeded: slot), sequence: sequence)
            try transport.write(endpoint: output.address, bytes, by: min(.after(timeout), limit))
            let answer = try answer(slot, sequence: sequence, timeout: timeout, limit: limit)
            guard answer.kind == command.answer || answer.result != .done else {
                throw .malformed(.ccidResponse, .unexpected)
            }
            return answer
        } catch {
            switch error {
            case .stalled:
                try? transport.clearHalt(endpoint: output.address)
                try? transport.clearHalt(endpoint: input.address)
                abort(slot, sequence)
            case .cancelled, .timedOut, .malformed: abort(slot, sequence)
            default: break
            }
            throw error
        }
    }

    private func answer(_ slot: Int, sequence: UInt8, timeout: Duration, limit: Deadline) throws(DeviceError)
        -> CCIDAnswer
    {
        var deadline = min(Deadline.after(timeout), limit)
        var stale = 0
        while stale <= Self.maximumStale {
            guard let answer = try message(slot, by: deadline) else {
                return CCIDAnswer(kind: .data, card: .absent, result: .failed(CCIDError.mute.code))
            }
            guard answer.slot == UInt8(truncatingIfNeeded: slot), answer.sequence == sequence else {
                stale += 1
                continue
            }
            guard case .moreTime(let times) = answer.result else { return answer }
            guard !limit.hasPassed else { throw .timedOut }
            deadline = min(.after(timeout * max(1, Int(times))), limit)
        }
        throw .malformed(.ccidResponse, .unexpected)
    }

    /// One message, from as many transfers as necessary. Its first packet contains its length, and
    /// no more than that is read: some readers omit the empty packet that ends a message of whole
    /// packets. If it is sent, it comes before the next message and is skipped.
    ///
    /// - Returns: Nil if the slot's card is removed meanwhile and the reader does not answer.
    private func message(_ slot: Int, by deadline: Deadline) throws(DeviceError) -> CCIDAnswer? {
        let packet = max(input.largestPacket, 8)
        var deadline = deadline
        @Wiped var bytes: [UInt8]
        var requested = packet
        for _ in 0..<Self.maximumTransfers {
            guard var part = try part(atMost: requested, slot, by: &deadline) else { return nil }
            _bytes.append(wiping: &part)
            guard let length = CCIDAnswer.length(bytes) else { continue }
            guard length <= CCIDAnswer.longest else { throw .malformed(.ccidResponse, .tooLong(length)) }
            guard bytes.count < length else {
                guard let answer = CCIDAnswer(bytes) else { throw .malformed(.ccidResponse, .invalid) }
                return answer
            }
            requested = (length - bytes.count + packet - 1) / packet * packet
        }
        throw .malformed(.ccidResponse, .tooManyParts)
    }

    /// One transfer. Slot notifications that arrive meanwhile do not end it.
    private func part(atMost requested: Int, _ slot: Int, by deadline: inout Deadline) throws(DeviceError) -> [UInt8]? {
        var isRemoved = false
        while true {
            do throws(DeviceError) {
                if let part = try transport.readOrHear(endpoint: input.address, atMost: requested, by: deadline) {
                    return part
                }
            } catch .timedOut where isRemoved {
                return nil
            } catch {
                throw error
            }
            // A failure of the interrupt endpoint is ignored; the answer may still come.
            let changes = (try? takeNotifications()) ?? []
            notifications = Array(changes.suffix(Self.keptNotifications))
            if !isRemoved, notifications.contains(where: { $0.isRemoval(slot: slot) }) {
                isRemoved = true
                deadline = min(deadline, .after(Self.removalGrace))
            }
            guard !deadline.hasPassed else {
                if isRemoved { return nil }
                throw .timedOut
            }
        }
    }

    func takeNotifications() throws(DeviceError) -> [CCIDNotification] {
        while let bytes = try transport.heard() {
            if let notification = CCIDNotification(bytes, slotCount: descriptor.slotCount) {
                notifications.append(notification)
            }
        }
        defer { notifications = [] }
        return notifications
    }

    /// Aborts a command: through the control endpoint and, with the same sequence number, through
    /// the bulk pipe (5.3.1). Other answers are skipped until the reader confirms the abort.
    private func abort(_ slot: Int, _ sequence: UInt8) {
        cancel?.clear()
        let deadline = Deadline.after(.seconds(1))
        let request = USBRequest(
            .classOfInterface, 0x01, value: UInt16(sequence) << 8 | UInt16(truncatingIfNeeded: slot),
            index: UInt16(interface))
        do throws(DeviceError) {
            try transport.write(request, [], by: deadline)
            try transport.write(
                endpoint: output.address,
                CCIDCommand.abort.bytes(slot: UInt8(truncatingIfNeeded: slot), sequence: sequence), by: deadline)
        } catch {
            // A reader that does not support the request may still send the answer later: its
            // sequence number identifies it.
            return
        }
        for _ in 0...Self.maximumStale {
            do throws(DeviceError) {
                guard let answer = try message(slot, by: deadline) else { return }
                if answer.kind == .slotStatus, answer.slot == UInt8(truncatingIfNeeded: slot),
                    answer.sequence == sequence
                {
                    return
                }
            } catch .malformed {
                continue
            } catch {
                return
            }
        }
    }
}
