import Bytes
import CardModels
import DeviceIO
import Dispatch
import Foundation
import SmartCard
import VirtualCard

/// A card that can be put into an emulated reader.
struct EmulatedCard: Sendable {
    /// T=0 with TB1 and TC1, as EMV has it.
    static let t0: [UInt8] = [0x3B, 0x60, 0x00, 0x00]
    /// T=1, IFSC 254, BWI 4, CWI 5 (EMV 4.3 Book 1, 8.2).
    static let t1: [UInt8] = [0x3B, 0xE0, 0x00, 0x00, 0x81, 0x31, 0xFE, 0x45, 0xEB]

    /// PC/SC part 3, 3.1.3.2.3: a card in a field, without historical bytes.
    static let contactless: [UInt8] = [0x3B, 0x80, 0x80, 0x01, 0x01]

    var coldATR: [UInt8]
    var warmATR: [UInt8]
    /// Bit n for class n of voltages, as in bVoltageSupport.
    var voltages: UInt8 = 7
    var acceptsPPS = true
    var channel: any CardChannel

    init(_ atr: [UInt8], warm: [UInt8]? = nil, _ channel: any CardChannel) {
        coldATR = atr
        warmATR = warm ?? atr
        self.channel = channel
    }
}

/// A chip card reader as USB CCID 1.1 describes it, written from the specification and knowing
/// nothing of the driver: messages in, messages out, cards behind. A test can make it misbehave.
final class EmulatedReader: @unchecked Sendable {
    struct Shape: Sendable {
        /// The level of exchange in dwFeatures.
        enum Level: UInt32, CaseIterable, Sendable {
            case character = 0
            case tpdu = 0x10000
            case short = 0x20000
            case extended = 0x40000
        }

        var level = Level.tpdu
        /// dwFeatures without the level.
        var features: UInt32 = 0x30
        var slots = 1
        var protocols: UInt32 = 3
        var voltages: UInt8 = 7
        var largestMessage: UInt32 = 271
        var fieldSize: UInt32 = 254
        var largestDataRate: UInt32 = 344_100
        var pin: UInt8 = 0
        var notifies = true
        var packet = 64
        /// Whether a message of whole packets is followed by an empty one.
        var endsWholePackets = true
        var vendor: UInt16 = 0x1234
        var product: UInt16 = 0x0001
        var version: UInt16 = 0x0100
        /// Commands of its maker, with their answers; without any, it answers each with nothing.
        var escapes: [[UInt8]: [UInt8]] = [:]
    }

    /// What goes wrong with a command.
    enum Fault: Sendable {
        /// No answer to it comes, and the wait for one is over at once.
        case silence
        /// No answer comes until the command is called back; then it comes before the answer to
        /// that.
        case hang
        case stallOut
        case stallIn
        /// So many answers with another number come before it.
        case stale(Int)
        case wrongSlot
        case error(UInt8)
        /// The card wants more time, this many times the block waiting time, each once.
        case moreTime([UInt8])
        /// In transfers of so many bytes.
        case split(Int)
        /// So many empty transfers come before it.
        case emptyTransfers(Int)
        /// These bytes come instead.
        case garbage([UInt8])
        /// The answer is cut after so many bytes.
        case cut(Int)
        /// An answer to another kind of command.
        case otherKind
        /// The card is taken out before it.
        case removal
        /// It is cancelled as its answer has come.
        case lateCancel
    }

    enum PINAction: Sendable {
        case enters(String)
        case timesOut
        case cancels
    }

    private struct Slot {
        var card: EmulatedCard?
        var isPowered = false
        var t0: T0CardSide?
        var t1: T1Card?
        var characters = CharacterCard()
        var command: [UInt8] = []
        var answer: ArraySlice<UInt8> = []
        var abortedSequence: UInt8?
        var held: [UInt8]?
    }

    let shape: Shape
    private let lock = NSLock()
    private var slots: [Slot]
    private var faults: [Int: Fault] = [:]
    private var unplugCall: Int?
    private var calls = 0
    private var received: [[UInt8]] = []
    private var packets: [[UInt8]] = []
    private var notifications: [[UInt8]] = []
    private var hangListener: CheckedContinuation<Void, Never>?
    private var isHanging = false
    private var refusesRead = false
    private var isLateCancelled = false
    private var keyboard = PINAction.timesOut
    private(set) var openings = 0
    let interrupt: (read: Int32, write: Int32)

    init(_ shape: Shape = Shape(), card: EmulatedCard? = nil) {
        self.shape = shape
        slots = (0..<shape.slots).map { _ in Slot() }
        slots[0].card = card
        var ends: [Int32] = [0, 0]
        _ = unsafe pipe(&ends)
        interrupt = (ends[0], ends[1])
    }

    deinit {
        close(interrupt.read)
        close(interrupt.write)
    }

    private func locked<Value>(_ body: () throws(DeviceError) -> Value) throws(DeviceError) -> Value {
        lock.lock()
        defer { lock.unlock() }
        return try body()
    }

    private func change<Value>(_ body: () -> Value) -> Value { lock.withLock(body) }

    // MARK: What the test does

    /// By number of the command from 0, from now on.
    func fault(_ fault: Fault, at command: Int = 0) { change { faults[received.count + command] = fault } }

    /// The device is gone from this call of its transport on, counted from now.
    func unplug(atCall call: Int = 0) { change { unplugCall = calls + call } }

    func plugIn() {
        change {
            unplugCall = nil
            for index in slots.indices { slots[index].isPowered = false }
            packets = []
            notifications = []
        }
    }

    func insert(_ card: EmulatedCard, slot: Int = 0) { put(card, slot) }
    func remove(slot: Int = 0) { put(nil, slot) }
    func enter(_ action: PINAction) { change { keyboard = action } }

    private func put(_ card: EmulatedCard?, _ slot: Int) {
        change {
            slots[slot] = Slot(card: card)
            notify(slot)
        }
    }

    private func notify(_ slot: Int) {
        guard shape.notifies else { return }
        var bits = [UInt8](repeating: 0, count: (shape.slots + 3) / 4)
        for index in slots.indices where slots[index].card != nil { bits[index / 4] |= 1 << UInt8(2 * (index % 4)) }
        bits[slot / 4] |= 2 << UInt8(2 * (slot % 4))
        notifications.append([0x50] + bits)
        _ = unsafe write(interrupt.write, [1], 1)
    }

    /// The commands that came, whole messages.
    var commands: [[UInt8]] { change { received } }
    var callCount: Int { change { calls } }

    /// Returns when a command hangs.
    func waitUntilItHangs() async {
        await withCheckedContinuation { continuation in
            change {
                if isHanging { return continuation.resume() }
                hangListener = continuation
            }
        }
    }

    // MARK: The device

    func opened() { change { openings += 1 } }

    /// Every call of the transport begins so.
    func step() throws(DeviceError) {
        try locked { () throws(DeviceError) in
            calls += 1
            if let unplugCall, calls > unplugCall { throw .disconnected }
        }
    }

    /// USB CCID 1.1, 5.1.
    var classDescriptor: [UInt8] {
        func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }
        let parts: [[UInt8]] = [
            [54, 0x21, 0x10, 0x01, UInt8(shape.slots - 1), shape.voltages], word(shape.protocols), word(4000),
            word(4000), [0], word(10752),
            word(shape.largestDataRate), [0], word(shape.fieldSize), word(0), word(0),
            word(shape.features | shape.level.rawValue),
            word(shape.largestMessage), [0xFF, 0xFF, 0, 0, shape.pin, 1],
        ]
        return Array(parts.joined())
    }

    func control(_ request: USBRequest) throws(DeviceError) {
        try locked { () throws(DeviceError) in
            // ABORT: wValue has the number and the slot.
            guard request.request == 0x01, Int(request.value & 0xFF) < slots.count else { throw .stalled }
            slots[Int(request.value & 0xFF)].abortedSequence = UInt8(request.value >> 8)
        }
    }

    func take(_ message: [UInt8]) throws(DeviceError) {
        try locked { () throws(DeviceError) in
            let number = received.count
            received.append(message)
            isHanging = false
            if case .stallOut? = faults[number] { throw .stalled }
            answer(message, faults[number])
        }
    }

    /// One transfer of at most `count` bytes; nil if there is nothing, and then whether it is
    /// waited for.
    func give(_ count: Int) throws(DeviceError) -> (bytes: [UInt8]?, hangs: Bool) {
        try locked { () throws(DeviceError) in
            if refusesRead {
                refusesRead = false
                throw .stalled
            }
            guard !packets.isEmpty else {
                if isHanging {
                    hangListener?.resume()
                    hangListener = nil
                }
                return (nil, isHanging)
            }
            var bytes: [UInt8] = []
            while bytes.count < count {
                guard let packet = packets.first else { return (nil, false) }
                guard bytes.count + packet.count <= count else { throw .system(call: "libusb", code: EOVERFLOW) }
                packets.removeFirst()
                bytes += packet
                if packet.count < shape.packet { break }
            }
            return (bytes, false)
        }
    }

    /// Whether the operation is cancelled now that its answer is out.
    func isCancelledNow() -> Bool {
        change {
            defer { isLateCancelled = false }
            return isLateCancelled
        }
    }

    func heard() -> [UInt8]? {
        change {
            var byte: UInt8 = 0
            guard !notifications.isEmpty else { return nil }
            _ = unsafe read(interrupt.read, &byte, 1)
            return notifications.removeFirst()
        }
    }

    // MARK: Messages

    private func answer(_ message: [UInt8], _ fault: Fault?) {
        let slot = Int(message[5])
        guard slot < slots.count else { return send([0x81, 0, 0, 0, 0, message[5], message[6], 0x42, 5, 0], nil) }
        if case .removal? = fault {
            slots[slot] = Slot()
            notify(slot)
        }
        var reply = self.reply(message, slot)
        switch fault {
        case .silence: return
        case .hang:
            isHanging = true
            slots[slot].held = reply
            return
        case .stallIn:
            refusesRead = true
            return
        case .stale(let count):
            for difference in 1...max(count, 1) {
                var old = reply
                old[6] &-= UInt8(difference)
                send(old, nil)
            }
        case .wrongSlot:
            var other = reply
            other[5] ^= 0x7F
            send(other, nil)
        case .error(let code): reply = [reply[0], 0, 0, 0, 0, reply[5], reply[6], 0x40 | reply[7] & 3, code, 0]
        case .moreTime(let times):
            for time in times { send([0x80, 0, 0, 0, 0, reply[5], reply[6], 0x80 | reply[7] & 3, time, 0], nil) }
        case .emptyTransfers(let count): packets += [[UInt8]](repeating: [], count: count)
        case .garbage(let bytes): return send(bytes, nil)
        case .cut(let count): return send(Array(reply.prefix(count)), nil)
        case .lateCancel: isLateCancelled = true
        case .otherKind: reply = [0x84, 0, 0, 0, 0, reply[5], reply[6], reply[7] & 3, 0, 0]
        case .split(let count): return send(reply, count)
        case nil, .stallOut, .removal: break
        }
        send(reply, nil)
    }

    /// - Parameter size: Of transfers that are shorter than they could be.
    private func send(_ bytes: [UInt8], _ size: Int?) {
        let size = size ?? shape.packet
        for start in stride(from: 0, to: bytes.count, by: size) {
            packets.append(Array(bytes[start..<min(start + size, bytes.count)]))
        }
        if bytes.count % shape.packet == 0, shape.endsWholePackets { packets.append([]) }
    }

    private func reply(_ message: [UInt8], _ slot: Int) -> [UInt8] {
        let data = Array(message.dropFirst(10))
        let length = (0..<4).reduce(0) { $0 | Int(message[1 + $1]) << (8 * $1) }
        guard length == data.count else { return failed(0x80, message: message, slot: slot, error: 1) }
        switch message[0] {
        case 0x62: return powerOn(message, slot)
        case 0x63:
            slots[slot].isPowered = false
            return plain(0x81, message: message, slot: slot)
        case 0x65: return plain(0x81, message: message, slot: slot)
        case 0x61: return plain(0x82, message: message, slot: slot, data: data)
        case 0x6B:
            guard let answer = shape.escapes.isEmpty ? [] : shape.escapes[data] else {
                return failed(0x83, message: message, slot: slot, error: 0)
            }
            return plain(0x83, message: message, slot: slot, data: answer)
        case 0x6F:
            guard slots[slot].isPowered else { return failed(0x80, message: message, slot: slot, error: 0xFE) }
            return transfer(message, data, slot)
        case 0x69:
            guard slots[slot].isPowered else { return failed(0x80, message: message, slot: slot, error: 0xFE) }
            return secure(message, data, slot)
        case 0x72:
            guard slots[slot].abortedSequence == message[6] else {
                return failed(0x81, message: message, slot: slot, error: 0)
            }
            slots[slot].abortedSequence = nil
            if let held = slots[slot].held { send(held, nil) }
            slots[slot].held = nil
            return plain(0x81, message: message, slot: slot)
        default: return failed(0x81, message: message, slot: slot, error: 0)
        }
    }

    private func state(_ slot: Int) -> UInt8 { slots[slot].card == nil ? 2 : slots[slot].isPowered ? 0 : 1 }

    private func plain(_ type: UInt8, message: [UInt8], slot: Int, data: [UInt8] = [], parameter: UInt8 = 0) -> [UInt8]
    {
        [
            type, UInt8(data.count & 0xFF), UInt8(data.count >> 8), 0, 0, message[5], message[6], state(slot), 0,
            parameter,
        ] + data
    }

    private func failed(_ type: UInt8, message: [UInt8], slot: Int, error: UInt8) -> [UInt8] {
        [type, 0, 0, 0, 0, message[5], message[6], 0x40 | state(slot), error, 0]
    }

    private func powerOn(_ message: [UInt8], _ slot: Int) -> [UInt8] {
        guard let card = slots[slot].card else { return failed(0x80, message: message, slot: slot, error: 0xFE) }
        let requested: UInt8 = message[7] == 0 ? card.voltages : 1 << (message[7] - 1)
        guard requested & card.voltages != 0 else { return failed(0x80, message: message, slot: slot, error: 0xFE) }
        let isWarm = slots[slot].isPowered
        let channel = card.channel
        slots[slot] = Slot(card: card, isPowered: true)
        slots[slot].t0 = T0CardSide(channel)
        slots[slot].t1 = T1Card { command in
            guard let apdu = CommandAPDU(command) else { return [0x67, 0x00] }
            return Self.waiting { (try? await channel.transmit(apdu).bytes) ?? [0x6F, 0x00] }
        }
        slots[slot].t1?.fieldSize = 254
        return plain(0x80, message: message, slot: slot, data: isWarm ? card.warmATR : card.coldATR)
    }

    private func transfer(_ message: [UInt8], _ data: [UInt8], _ slot: Int) -> [UInt8] {
        let level = UInt16(message[8]) | UInt16(message[9]) << 8
        // A reader carries the blocks of T=1 to its field.
        let isT1 = [EmulatedCard.t1, EmulatedCard.contactless].contains(slots[slot].card?.coldATR)
        switch shape.level {
        case .extended: return chained(message, data: data, slot: slot, level: level)
        case .short:
            guard data.count <= 261 else { return failed(0x80, message: message, slot: slot, error: 1) }
            return plain(0x80, message: message, slot: slot, data: apdu(data, slot))
        case .tpdu where data.first == 0xFF && data.count >= 3, .character where data.first == 0xFF && data.count >= 3:
            guard slots[slot].card?.acceptsPPS == true else {
                return failed(0x80, message: message, slot: slot, error: 0xFE)
            }
            return plain(0x80, message: message, slot: slot, data: data)
        case .tpdu where isT1:
            guard case .bytes(let block)? = slots[slot].t1?.take(data, Int(message[7])) else {
                return failed(0x80, message: message, slot: slot, error: 0xFE)
            }
            return plain(0x80, message: message, slot: slot, data: block)
        case .tpdu: return plain(0x80, message: message, slot: slot, data: tpdu(data, slot))
        case .character where isT1:
            if !data.isEmpty, case .bytes(let block)? = slots[slot].t1?.take(data, Int(message[7])) {
                slots[slot].answer = block[...]
            }
            let part = Array(slots[slot].answer.prefix(Int(level)))
            slots[slot].answer = slots[slot].answer.dropFirst(part.count)
            return part.isEmpty
                ? failed(0x80, message: message, slot: slot, error: 0xFE)
                : plain(0x80, message: message, slot: slot, data: part)
        case .character:
            var characters = slots[slot].characters
            characters.take(data) { tpdu($0, slot) }
            let part = characters.give(Int(level))
            slots[slot].characters = characters
            return part.isEmpty
                ? failed(0x80, message: message, slot: slot, error: 0xFE)
                : plain(0x80, message: message, slot: slot, data: part)
        }
    }

    /// A whole command; what 61xx and 6Cxx of a T=0 card ask for is done here.
    private func apdu(_ bytes: [UInt8], _ slot: Int) -> [UInt8] {
        guard let channel = slots[slot].card?.channel, let command = CommandAPDU(bytes) else { return [0x67, 0x00] }
        return Self.waiting { (try? await ProcedureByteHandling(channel).transmit(command).bytes) ?? [0x6F, 0x00] }
    }

    private func tpdu(_ bytes: [UInt8], _ slot: Int) -> [UInt8] {
        guard let side = slots[slot].t0 else { return [0x6F, 0x00] }
        let (answer, after) = Self.waiting {
            var side = side
            let answer = (try? await side.answer(bytes)) ?? [0x6F, 0x00]
            return (answer, side)
        }
        slots[slot].t0 = after
        return answer
    }

    /// Table 6.1-4 and 6.2-3: parts of commands and answers.
    private func chained(_ message: [UInt8], data: [UInt8], slot: Int, level: UInt16) -> [UInt8] {
        let room = Int(shape.largestMessage) - 10
        guard data.count <= room else { return failed(0x80, message: message, slot: slot, error: 1) }
        var isFirst = false
        switch level {
        case 0, 2:
            slots[slot].answer = apdu(slots[slot].command + data, slot)[...]
            slots[slot].command = []
            isFirst = true
        case 1:
            slots[slot].command = data
            return plain(0x80, message: message, slot: slot, data: [], parameter: 0x10)
        case 3:
            slots[slot].command += data
            return plain(0x80, message: message, slot: slot, data: [], parameter: 0x10)
        case 0x10 where data.isEmpty: break
        default: return failed(0x80, message: message, slot: slot, error: 8)
        }
        let part = Array(slots[slot].answer.prefix(room))
        slots[slot].answer = slots[slot].answer.dropFirst(part.count)
        let isLast = slots[slot].answer.isEmpty
        return plain(
            0x80, message: message, slot: slot, data: part, parameter: isFirst ? (isLast ? 0 : 1) : (isLast ? 2 : 3))
    }

    // MARK: PIN pad

    /// Puts the digits into the command where the structure says (6.1.11 and 6.1.12). For a change
    /// the old PIN is what is entered, and the new one the same backwards.
    private func secure(_ message: [UInt8], _ data: [UInt8], _ slot: Int) -> [UInt8] {
        let isChange = data.first == 1
        // From the time out to the prologue: 14 bytes, or 19 with two offsets, the confirmation and
        // two more messages.
        let head = isChange ? 20 : 15
        guard data.first ?? 2 < 2, shape.pin >> (isChange ? 1 : 0) & 1 == 1, data.count >= head + 5 else {
            return failed(0x80, message: message, slot: slot, error: 0)
        }
        let digits: [UInt8]
        switch keyboard {
        case .timesOut: return failed(0x80, message: message, slot: slot, error: 0xF0)
        case .cancels: return failed(0x80, message: message, slot: slot, error: 0xEF)
        case .enters(let text): digits = text.utf8.map { $0 & 0x0F }
        }
        let (format, block, length) = (data[2], data[3], data[4])
        let (most, least) = isChange ? (data[7], data[8]) : (data[5], data[6])
        guard (Int(least)...Int(most)).contains(digits.count), format & 0x03 == 1 else {
            return failed(0x80, message: message, slot: slot, error: 15)
        }
        if isChange {
            guard data[9] == 3, data[11] == 3 else { return failed(0x80, message: message, slot: slot, error: 19) }
        }
        var command = Array(data[head...])
        // Everything from here on in nibbles of the command.
        func put(_ nibble: UInt8, _ place: Int) {
            let shift: UInt8 = place % 2 == 0 ? 4 : 0
            command[place / 2] = command[place / 2] & ~(0x0F << shift) | nibble << shift
        }
        func insert(_ digits: [UInt8], _ offset: UInt8) {
            let start = 2 * (5 + Int(offset))
            let unit = format & 0x80 == 0 ? 1 : 8
            for (index, digit) in digits.enumerated() where index < 2 * Int(block & 0x0F) {
                put(digit, start + Int(format >> 3 & 0x0F) * unit / 4 + index)
            }
            if block >> 4 == 4 { put(UInt8(digits.count), start + Int(length & 0x0F) / (length & 0x10 == 0 ? 4 : 1)) }
        }
        insert(digits, isChange ? data[5] : 0)
        if isChange { insert(digits.reversed(), data[6]) }
        guard shape.level == .tpdu, slots[slot].card?.coldATR == EmulatedCard.t1 else {
            return plain(
                0x80, message: message, slot: slot,
                data: shape.level == .tpdu ? tpdu(command, slot) : apdu(command, slot))
        }
        let body = Array(data[(head - 3)..<head]) + command
        guard case .bytes(let answer)? = slots[slot].t1?.take(body + [body.reduce(0, ^)], 1) else {
            return failed(0x80, message: message, slot: slot, error: 0xFE)
        }
        return plain(0x80, message: message, slot: slot, data: answer)
    }

    /// The card is an actor somewhere else; the device's thread waits for it.
    static func waiting<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Value {
        let done = DispatchSemaphore(value: 0)
        let holder = Holder<Value>()
        Task.detached {
            holder.value = await body()
            done.signal()
        }
        done.wait()
        guard let value = holder.value else { preconditionFailure("the card did not answer") }
        return value
    }
}

private final class Holder<Value>: @unchecked Sendable {
    var value: Value?
}

/// The card's side of the contacts with T=0, byte by byte (ISO/IEC 7816-3:2006, 10.3.3). Which way
/// data go, the instruction says.
struct CharacterCard {
    private static let withData: Set<UInt8> = [0x16, 0x18, 0x1E, 0x20, 0x24, 0x82, 0x88, 0xA4, 0xA8, 0xAE, 0xDA, 0xDC]

    private var taken: [UInt8] = []
    private var outgoing: ArraySlice<UInt8> = []

    mutating func take(_ bytes: [UInt8], answer: ([UInt8]) -> [UInt8]) {
        guard !bytes.isEmpty else { return }
        taken += bytes
        guard taken.count >= 5 else { return }
        let (instruction, length) = (taken[1], Int(taken[4]))
        let isIncoming = Self.withData.contains(instruction) && length > 0
        if isIncoming, taken.count < 5 + length {
            // The first byte alone where only the header is there, then all the rest; 60 before
            // each.
            outgoing += taken.count == 5 ? [0x60, ~instruction] : [0x60, instruction]
            return
        }
        let whole = answer(taken)
        outgoing += (whole.count > 2 ? [0x60, instruction] : []) + whole
        taken = []
    }

    mutating func give(_ count: Int) -> [UInt8] {
        let part = Array(outgoing.prefix(count))
        outgoing = outgoing.dropFirst(part.count)
        return part
    }
}
