internal import Bytes
internal import DeviceIO

/// A chip card that is itself a USB device, driven by control transfers (USB ICCD 1.0, 6.1 and
/// 6.2). Its responses are converted to a reader's answers.
final class ICCDLink: CCIDLink {
    /// bInterfaceProtocol, for interfaces without bulk endpoints.
    enum Version: UInt8 {
        case a = 1
        case b = 2

        init?(_ interface: USBDescriptors.Interface) {
            guard interface.classCode == 0x0B, !interface.endpoints.contains(where: { $0.transfer == .bulk }) else {
                return nil
            }
            self.init(rawValue: interface.protocolCode)
        }
    }

    private enum Request {
        static let powerOn: UInt8 = 0x62
        static let powerOff: UInt8 = 0x63
        static let transfer: UInt8 = 0x65
        static let dataBlock: UInt8 = 0x6F
        static let slotStatus: UInt8 = 0x81
        static let statusOfVersionA: UInt8 = 0xA0
    }

    /// The interval for polling the card until it has finished.
    static let pollingInterval = Duration.milliseconds(10)

    let transport: any USBTransport
    let descriptor: CCIDDescriptor
    private let interface: UInt8
    private let version: Version
    private let cancel: WakeEvent

    /// - Parameter cancel: Ends waits; cleared when a cancelled command is aborted.
    init(
        _ transport: any USBTransport, interface: UInt8, version: Version, descriptor: CCIDDescriptor, cancel: WakeEvent
    ) {
        self.transport = transport
        self.interface = interface
        self.version = version
        self.descriptor = descriptor
        self.cancel = cancel
    }

    func exchange(_ command: CCIDCommand, slot: Int, timeout: Duration, limit: Deadline) throws(DeviceError)
        -> CCIDAnswer
    {
        let deadline = min(Deadline.after(timeout), limit)
        do throws(DeviceError) {
            switch command {
            case .powerOn: return try powerOn(deadline, timeout, limit)
            case .powerOff:
                try write(Request.powerOff, [], deadline)
                return CCIDAnswer(kind: .slotStatus, card: .inactive, result: .done)
            case .slotStatus: return try status(deadline)
            case .transfer(let data, let times, let level):
                // Version A has no parameters; in B the upper byte is the level, the lower byte the
                // waiting times.
                let value = version == .a ? 0 : UInt16(truncatingIfNeeded: level << 8) | UInt16(times)
                try write(Request.transfer, data, deadline, value: value)
                return try answer(timeout, limit)
            case .setParameters, .escape, .secure, .abort:
                return CCIDAnswer(kind: command.answer, card: .active, result: .failed(CCIDError.notSupported.code))
            }
        } catch .stalled {
            // The card refuses a request that does not fit its state: it is not powered.
            return CCIDAnswer(kind: command.answer, card: .inactive, result: .failed(CCIDError.mute.code))
        } catch {
            if error != .disconnected { abort() }
            throw error
        }
    }

    /// The only way to abort a command is to power off.
    private func abort() {
        cancel.clear()
        try? write(Request.powerOff, [], .after(.seconds(1)))
    }

    // MARK: Requests

    /// Powers the card off first, because it keeps its state from one program to the next.
    private func powerOn(_ deadline: Deadline, _ timeout: Duration, _ limit: Deadline) throws(DeviceError) -> CCIDAnswer
    {
        try write(Request.powerOff, [], deadline)
        switch version {
        case .a:
            _ = try status(deadline)
            let answerToReset = try read(Request.powerOn, atMost: 33, deadline)
            return CCIDAnswer(kind: .data, card: .active, result: .done, data: answerToReset)
        case .b:
            // 5 V, nominally.
            try write(Request.powerOn, [], deadline, value: 1)
            return try answer(timeout, limit)
        }
    }

    private func status(_ deadline: Deadline) throws(DeviceError) -> CCIDAnswer {
        switch version {
        case .a:
            while true {
                guard let state = try read(Request.statusOfVersionA, atMost: 1, deadline).first else {
                    throw .malformed(.slotStatus, .empty)
                }
                // Bit 7: no card is present; bit 6: the card is busy.
                if state & 0x80 != 0 { return CCIDAnswer(kind: .slotStatus, card: .absent, result: .done) }
                if state & 0x40 == 0 { return CCIDAnswer(kind: .slotStatus, card: .active, result: .done) }
                guard !deadline.hasPassed else { throw .timedOut }
                try cancel.wait(until: .after(Self.pollingInterval))
            }
        case .b:
            let bytes = try read(Request.slotStatus, atMost: 3, deadline)
            guard bytes.count == 3, let card = CCIDAnswer.Card(rawValue: bytes[0] & 0x03) else {
                throw .malformed(.slotStatus, .invalid)
            }
            return CCIDAnswer(
                kind: .slotStatus, card: card, result: CCIDAnswer.Result(bytes[0], bytes[1]), parameter: bytes[2])
        }
    }

    /// Waits for the answer to a transfer.
    private func answer(_ timeout: Duration, _ limit: Deadline) throws(DeviceError) -> CCIDAnswer {
        var deadline = min(Deadline.after(timeout), limit)
        guard version == .b else {
            let state = try status(deadline)
            guard state.card == .active else {
                return CCIDAnswer(kind: .data, card: state.card, result: .failed(CCIDError.mute.code))
            }
            let data = try read(Request.dataBlock, atMost: UInt16(clamping: descriptor.largestMessage - 10), deadline)
            return CCIDAnswer(kind: .data, card: .active, result: .done, data: data)
        }
        while true {
            let block = try block(deadline)
            if let answer = block.answer { return answer }
            guard !limit.hasPassed else { throw .timedOut }
            // The card is busy: the wait restarts.
            deadline = min(.after(timeout), limit)
            try cancel.wait(until: .after(block.delay))
        }
    }

    /// A data block of version B: its first byte identifies the content. If there is no answer yet,
    /// it says how long to wait before the next request.
    private func block(_ deadline: Deadline) throws(DeviceError) -> (answer: CCIDAnswer?, delay: Duration) {
        var bytes = try read(Request.dataBlock, atMost: UInt16(clamping: descriptor.largestMessage - 9), deadline)
        defer { wipe(&bytes) }
        guard let type = bytes.first else { throw .malformed(.iccdDataBlock, .empty) }
        switch type {
        case 0x00, 0x01, 0x02, 0x03, 0x10:
            return (
                CCIDAnswer(kind: .data, card: .active, result: .done, parameter: type, data: Array(bytes.dropFirst())),
                .zero
            )
        case 0x40 where bytes.count >= 3:
            let card = CCIDAnswer.Card(rawValue: bytes[1] & 0x03) ?? .inactive
            return (CCIDAnswer(kind: .data, card: card, result: .failed(bytes[2])), .zero)
        case 0x80 where bytes.count >= 3:
            let units = Int(bytes[1]) | Int(bytes[2]) << 8
            return (nil, units == 0 ? Self.pollingInterval : min(.milliseconds(10 * units), .seconds(1)))
        default: throw .malformed(.iccdDataBlock, .unknownType)
        }
    }

    private func write(_ request: UInt8, _ bytes: [UInt8], _ deadline: Deadline, value: UInt16 = 0) throws(DeviceError)
    {
        try transport.write(
            USBRequest(.classOfInterface, request, value: value, index: UInt16(interface)), bytes, by: deadline)
    }

    private func read(_ request: UInt8, atMost count: UInt16, _ deadline: Deadline) throws(DeviceError) -> [UInt8] {
        try transport.read(
            USBRequest(.classOfInterface, request, index: UInt16(interface)), atMost: count, by: deadline)
    }
}
