import Bytes
import CardCapture
import CardCryptography
package import CardReaders
import DeviceIO
import Synchronization

/// A PIN pad with a kernel that answers in Miura's packets, from its side of the line, and
/// misbehaves on command.
package final class EmulatedMiura: Sendable {
    package enum Misbehavior: Sendable, Equatable {
        /// Answers come in packets of a few bytes, and unsolicited messages between them.
        case chains
        case dribbles
        /// The check of every packet behind the first answer is wrong.
        case damages
        case babbles
        case silent
        /// Keeps one byte less of each part of a file.
        case losesByte
        /// Keeps another last byte of each part of a file.
        case changesByte
        /// Refuses the parts of files, though it has taken their bytes.
        case refusesParts
        /// Goes away instead of sending the message of that number.
        case unplugs(Int)
    }

    private struct State {
        var commands: [[UInt8]] = []
        var sent = 0
        var isWaiting = false
        var taps = 0
        /// The card was inserted or swiped since cards are watched for.
        var wasCardUsed = false
        var hasField = true
        var files: [String: [UInt8]] = [:]
        var selected = ""
        var restarts = 0
    }

    private let state = Mutex(State())
    private let misbehavior: Misbehavior?
    /// What it answers to START and CONTINUE; nil leaves START waiting until it is aborted.
    private let start, proceed: [UInt8]?
    /// What it answers to ONLINE PIN; nil leaves the cardholder at the keys until it is aborted.
    private let pin: [UInt8]?
    /// What it answers to START CONTACTLESS, one after the other. Behind the last one it waits,
    /// until a card is in the slot or swiped.
    private let taps: [[UInt8]]
    /// The message about a card that comes when cards are watched for; nil if there is none.
    private let card: [UInt8]?
    /// The answer to BATTERY STATUS.
    private let battery: [UInt8]
    /// The answer to RESET DEVICE.
    private let reset: [UInt8]
    package let port: EmulatedPort

    /// - Parameter battery: Charged, at 87 percent.
    package init(
        _ misbehavior: Misbehavior? = nil, card: String?, start: String? = nil, proceed: String? = nil,
        pin: String? = nil,
        taps: [String] = [], battery: String = "E10A DFA2090102 DFA20A0157 9000", reset: String = "9000"
    ) throws {
        self.misbehavior = misbehavior
        self.card = try card.map { try [UInt8](hex: $0) }
        self.start = try start.map { try [UInt8](hex: $0) }
        self.proceed = try proceed.map { try [UInt8](hex: $0) }
        self.pin = try pin.map { try [UInt8](hex: $0) }
        self.taps = try taps.map { try [UInt8](hex: $0) }
        self.battery = try [UInt8](hex: battery)
        self.reset = try [UInt8](hex: reset)
        let pad = Mutex<EmulatedMiura?>(nil)
        port = EmulatedPort { line in pad.withLock { $0 }?.live(line) }
        pad.withLock { $0 = self }
    }

    /// Its files, by name.
    package var files: [String: [UInt8]] { state.withLock { $0.files } }
    /// How often it was restarted by command.
    package var restarts: Int { state.withLock { $0.restarts } }
    package var commands: [[UInt8]] { state.withLock { $0.commands } }
    /// Whether it waits for somebody to do something.
    package var isWaiting: Bool { state.withLock { $0.isWaiting } }

    /// An older PIN pad: START CONTACTLESS gets the last of `taps`, and the card is inserted then.
    package func insertsWithoutField() { state.withLock { $0.hasField = false } }

    package func reader() throws -> MiuraReader {
        var timing = MiuraTiming()
        (timing.answer, timing.transaction) = (misbehavior == .silent ? .milliseconds(40) : .seconds(20), .seconds(40))
        return try MiuraReader(
            name: "Miura", clock: { Timestamp(secondsSince1970: 1_795_264_496) }, timing: timing
        ) { [port] cancel throws(DeviceError) in try port.open(cancel) }
    }

    /// What it does with a connection, from its beginning to its end.
    package func live(_ line: DeviceLine) {
        // "Powered on", as it comes after connecting: E6 {C3 01, C4 text}.
        say([0xE6, 0x07, 0xC3, 0x01, 0x01, 0xC4, 0x02, 0x4F, 0x4E, 0x90, 0x00], isUnsolicited: true, line)
        var apdu: [UInt8] = []
        while let header = line.bytes(3), let rest = line.bytes(Int(header[2]) + 1) {
            precondition((header + rest).reduce(0, ^) == 0, "the driver's check is wrong")
            apdu += rest.dropLast()
            if header[1] & 0x01 != 0 { continue }
            let command = apdu
            apdu = []
            state.withLock { $0.commands.append(command) }
            if misbehavior == .silent { continue }
            handle(command, line)
        }
    }

    private func handle(_ command: [UInt8], _ line: DeviceLine) {
        switch (command[0], command[1]) {
        case (0xD0, 0x60):
            guard command[2] & 0x01 != 0 else { return }
            // The slot is empty; a wait begins with the slot as it is.
            state.withLock { $0.wasCardUsed = false }
            say([0xE1, 0x04, 0x48, 0x02, 0x00, 0x00, 0x90, 0x00], isUnsolicited: true, line)
        case (0xDE, 0xC1): tap(line)
        case (0xD0, 0xFF):
            let wasTransaction = state.withLock { state in
                defer { state.isWaiting = false }
                return state.isWaiting && [0xD1, 0xC1, 0xD6].contains(state.commands.dropLast().last?[1])
            }
            if wasTransaction { say([0x9F, 0x41], line) }
            say([0x90, 0x00], line)
        case (0xD0, 0x00):
            let restarts = command[2] == 0x01
            // Counted first: who has the answer may look.
            if restarts { state.withLock { $0.restarts += 1 } }
            say(reset, line)
            if restarts { line.unplug() }
        case (0x00, 0xA4): select(command, line)
        case (0x00, 0xD7): take(command, line)
        case (0xD0, 0x62): say(battery, line)
        case (0xDE, 0xD1):
            takesDigits(line)
            if let start { say(start, line) } else { state.withLock { $0.isWaiting = true } }
        case (0xDE, 0xD6):
            takesDigits(line)
            if let pin { say(pin, line) } else { state.withLock { $0.isWaiting = true } }
        case (0xDE, 0xD2): if let proceed { say(proceed, line) }
        default: say([0x90, 0x00], line)
        }
    }

    /// The third digit of a PIN.
    private func takesDigits(_ line: DeviceLine) {
        say(
            [0xE6, 0x0C, 0xC3, 0x01, 0x02, 0xC4, 0x01, 0x2A, 0xDF, 0xA2, 0x01, 0x01, 0x03, 0x00, 0x90, 0x00],
            isUnsolicited: true, line)
    }

    /// START CONTACTLESS: ended by a card in the slot (9F43) or a swipe (9F44).
    private func tap(_ line: DeviceLine) {
        let number = state.withLock { state in
            state.taps += 1
            return state.taps
        }
        if number <= taps.count {
            say(taps[number - 1], line)
            if let card, number == taps.count, !state.withLock({ $0.hasField }) { say(card, isUnsolicited: true, line) }
            return
        }
        let isUsed = state.withLock { state in
            defer { state.wasCardUsed = true }
            return state.wasCardUsed
        }
        guard let card, !isUsed else { return state.withLock { $0.isWaiting = true } }
        say(card, isUnsolicited: true, line)
        say([0x9F, card.starts(with: [0xE1, 0x04]) ? 0x43 : 0x44], line)
    }

    /// SELECT FILE: P1 01 empties, 80 asks for the MD5.
    private func select(_ command: [UInt8], _ line: DeviceLine) {
        let name = String(decoding: command[5..<5 + Int(command[4])], as: UTF8.self)
        let contents = state.withLock { state in
            state.selected = name
            if command[2] == 0x01 { state.files[name] = [] }
            return state.files[name, default: []]
        }
        let size = [0x80, 0x03] + [16, 8, 0].map { UInt8(truncatingIfNeeded: contents.count >> $0) }
        let digest = command[2] == 0x80 ? [0xDF, 0xA3, 0x04, 0x10] + MD5.hash(contents) : []
        say([0xE1, UInt8(size.count + digest.count)] + size + digest + [0x90, 0x00], line)
    }

    /// STREAM BINARY with its template E0 of offset, size and time limit; the bytes come behind it.
    private func take(_ command: [UInt8], _ line: DeviceLine) {
        let data = Array(command[5..<5 + Int(command[4])])
        precondition(
            data.starts(with: [0xE0, 0x13, 0xDF, 0xA3, 0x01, 0x03]) && data[9..<13] == [0xDF, 0xA3, 0x02, 0x03])
        func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
        let (offset, size) = (number(data[6..<9]), number(data[13..<16]))
        guard let bytes = line.bytes(size) else { return }
        if misbehavior == .refusesParts { return say([0x9F, 0x14], line) }
        state.withLock { state in
            let kept = state.files[state.selected, default: []].prefix(offset)
            var bytes = bytes
            if misbehavior == .losesByte { bytes.removeLast() }
            if misbehavior == .changesByte { bytes[size - 1] ^= 1 }
            state.files[state.selected] = kept + bytes
        }
        say([0x90, 0x00], line)
    }

    private func say(_ message: [UInt8], isUnsolicited: Bool = false, _ line: DeviceLine) {
        let number = state.withLock { state in
            state.sent += 1
            return state.sent
        }
        if misbehavior == .unplugs(number) { return line.unplug() }
        if misbehavior == .babbles, number > 2 { return line.write([0x00, 0x55, 0xAA]) }
        let size = misbehavior == .chains ? 7 : 254
        var rest = message[...]
        while !rest.isEmpty {
            let count = rest.count == size + 1 ? size - 1 : min(size, rest.count)
            let part = Array(rest.prefix(count))
            rest = rest.dropFirst(count)
            if misbehavior == .chains, !isUnsolicited {
                line.write(Self.packet([0x01, 0x40], [0xE6, 0x06, 0xC3, 0x01, 0x03, 0xC4, 0x01, 0x3F, 0x90, 0x00]))
            }
            var packet = Self.packet([0x01, (rest.isEmpty ? 0 : 0x01) | (isUnsolicited ? 0x40 : 0)], part)
            if misbehavior == .damages, number > 2 { packet[packet.count - 1] ^= 0x10 }
            if misbehavior == .dribbles { for byte in packet { line.write([byte]) } } else { line.write(packet) }
        }
    }

    private static func packet(_ head: [UInt8], _ part: [UInt8]) -> [UInt8] {
        var check: UInt8 = 0
        for byte in head + [UInt8(part.count)] + part { check ^= byte }
        return head + [UInt8(part.count)] + part + [check]
    }
}
