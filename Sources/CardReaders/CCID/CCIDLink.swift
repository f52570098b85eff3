internal import DeviceIO

/// The pipe to a reader: one command, one answer, for every slot (USB CCID 1.1, 3 and 6).
final class CCIDLink {
    /// The most that a card may ask for more time, all in all.
    static let longestExchange = Duration.seconds(120)
    /// Answers to earlier commands that are passed over.
    static let mostStale = 16

    let transport: any USBTransport
    let interface: USBDescriptors.Interface
    let descriptor: CCIDDescriptor
    private let input: UInt8
    private let output: UInt8
    private let cancel: WakeEvent?
    private var sequences: [UInt8]
    /// What the reader told of its slots and nobody has taken yet, in order.
    private var notifications: [CCIDNotification] = []

    /// How long a reader may take to answer for a card that it has said is gone; some never do.
    static let removalGrace = Duration.milliseconds(200)

    /// - Parameter cancel: What ends waits; cleared when a cancelled command is called back.
    init(
        _ transport: any USBTransport, _ interface: USBDescriptors.Interface, _ descriptor: CCIDDescriptor, cancel: WakeEvent?
    ) throws(DeviceError) {
        let bulk = interface.endpoints.filter { $0.transfer == .bulk }
        guard let input = bulk.first(where: \.isInput), let output = bulk.first(where: { !$0.isInput }) else {
            throw .malformed("a chip card reader without bulk endpoints")
        }
        self.transport = transport
        self.interface = interface
        self.descriptor = descriptor
        self.input = input.address
        self.output = output.address
        self.cancel = cancel
        sequences = [UInt8](repeating: 0, count: descriptor.slotCount)
    }

    /// Sends `command` and waits for its answer: as long as `patience`, and longer each time that the reader says the card needs it.
    ///
    /// A command that is cancelled or takes too long is called back, so that the reader is ready for the next.
    func exchange(_ command: CCIDCommand, slot: Int, patience: Duration) throws(DeviceError) -> CCIDAnswer {
        let sequence = sequences[slot]
        sequences[slot] &+= 1
        let limit = Deadline.after(Self.longestExchange)
        do throws(DeviceError) {
            try transport.write(endpoint: output, command.bytes(slot: UInt8(slot), sequence: sequence), by: .after(patience))
            return try answer(slot, sequence, patience, limit)
        } catch .cancelled {
            callBack(slot, sequence)
            throw .cancelled
        } catch .timedOut {
            callBack(slot, sequence)
            throw .timedOut
        } catch {
            throw error
        }
    }

    private func answer(_ slot: Int, _ sequence: UInt8, _ patience: Duration, _ limit: Deadline) throws(DeviceError) -> CCIDAnswer {
        var deadline = min(Deadline.after(patience), limit)
        for _ in 0..<Self.mostStale + 1024 {
            guard let answer = try message(slot, by: &deadline) else { return CCIDAnswer(removedFrom: UInt8(slot), sequence) }
            guard answer.slot == UInt8(slot), answer.sequence == sequence else { continue }
            guard case .moreTime(let times) = answer.result else { return answer }
            deadline = min(.after(patience * max(1, Int(times))), limit)
        }
        throw .malformed("answers to commands that were not given")
    }

    /// What the reader told of its slots since the last call.
    func takeNotifications() throws(DeviceError) -> [CCIDNotification] {
        while let bytes = try transport.heard() {
            if let notification = CCIDNotification(bytes, slotCount: descriptor.slotCount) { notifications.append(notification) }
        }
        defer { notifications = [] }
        return notifications
    }

    /// One message, from as many transfers as it takes; nil if the slot's card is taken out meanwhile and the reader answers no more.
    private func message(_ slot: Int, by deadline: inout Deadline) throws(DeviceError) -> CCIDAnswer? {
        var bytes: [UInt8] = []
        var isRemoved = false
        for _ in 0..<64 {
            do throws(DeviceError) {
                guard let part = try transport.readOrHear(endpoint: input, atMost: descriptor.largestMessage, by: deadline) else {
                    notifications = try takeNotifications()
                    isRemoved = isRemoved || notifications.contains { $0.isRemoval(slot: slot) }
                    if isRemoved { deadline = min(deadline, .after(Self.removalGrace)) }
                    continue
                }
                bytes += part
            } catch .timedOut where isRemoved {
                return nil
            } catch {
                throw error
            }
            if let answer = CCIDAnswer(bytes) { return answer }
            let isPart =
                bytes.count >= 10 && CCIDAnswer(Array(bytes.prefix(10)) + [UInt8](repeating: 0, count: descriptor.largestMessage)) != nil
            guard isPart else { break }
        }
        throw .malformed("a message of \(bytes.count) bytes")
    }

    /// Takes a command back: by the control endpoint and, with the same number, by the pipe (5.3.1). Other answers are passed over until the
    /// reader says that it has done so.
    private func callBack(_ slot: Int, _ sequence: UInt8) {
        cancel?.clear()
        var deadline = Deadline.after(.seconds(1))
        let request = USBRequest(
            .classOfInterface, 0x01, value: UInt16(sequence) << 8 | UInt16(slot), index: UInt16(interface.number))
        do throws(DeviceError) {
            try transport.write(request, [], by: deadline)
            try transport.write(endpoint: output, CCIDCommand.abort.bytes(slot: UInt8(slot), sequence: sequence), by: deadline)
            while let answer = try message(slot, by: &deadline), answer.kind != .slotStatus {}
        } catch {
            // A reader that does not know the request may still send the answer later: its number tells.
        }
    }
}
