import Bytes
import SmartCard

/// Takes the frames of an ISO/IEC 14443-4 conversation apart into commands and answers: I-blocks are put together, R- and S-blocks and everything of
/// ISO/IEC 14443-3 are left out.
struct ContactlessBlocks {
    private enum State {
        /// Before RATS: anticollision, selection.
        case selecting
        case waitingForATS
        case blocks
    }

    /// A log may begin in the middle.
    private var state = State.blocks
    private var command = Chain()
    private var answer = Chain()

    private struct Chain {
        var bytes: [UInt8] = []
        var lastBlock: [UInt8] = []
        var isOpen = false
        /// Of its first block.
        var start: (place: LogProblem.Place, time: Duration?)?
    }

    /// No command or answer is longer.
    private static let maximumLength = 65_544

    /// REQA or WUPA, of seven bits.
    mutating func takeShortFrame() { state = .selecting }

    mutating func take(
        _ frame: [UInt8], isReaders: Bool, at place: LogProblem.Place, time: Duration?, _ conversation: inout Conversation
    ) throws(LogProblem) {
        guard frame.count > 2, let first = frame.first else {
            if isReaders { state = .selecting }
            return
        }
        if isReaders && [0x93, 0x95, 0x97].contains(first) || isReaders && frame.starts(with: [0x50, 0x00]) {
            state = .selecting
            return
        }
        let isRATS = isReaders && first == 0xE0 && frame.count == 4
        guard isRATS || state != .selecting else { return }
        guard CRCA.check(frame) else { return try conversation.report(place, "the check bytes of the frame are wrong") }
        let body = Array(frame.dropLast(2))
        if isRATS {
            state = .waitingForATS
        } else if state == .waitingForATS {
            guard !isReaders else { return }
            state = .blocks
            (command, answer) = (Chain(), Chain())
            try conversation.reader(.other("ATS \(body.hex)"), at: place, time: time)
        } else if first & 0xE2 == 0x02 {
            try takeInformation(body, isReaders, place, time, &conversation)
        }
    }

    private mutating func takeInformation(
        _ block: [UInt8], _ isReaders: Bool, _ place: LogProblem.Place, _ time: Duration?, _ conversation: inout Conversation
    ) throws(LogProblem) {
        let control = block[0]
        let header = 1 + (control & 0x08 != 0 ? 1 : 0) + (control & 0x04 != 0 ? 1 : 0)
        guard block.count >= header else { return try conversation.report(place, "the block ends within its prologue") }
        var chain = isReaders ? command : answer
        defer { if isReaders { command = chain } else { answer = chain } }
        // The other side has not heard it, and it is sent again: a new block has the other number.
        guard chain.lastBlock != block else { return }
        chain.lastBlock = block
        if !chain.isOpen {
            chain.bytes = []
            chain.start = (place, time)
        }
        chain.bytes += block[header...]
        chain.isOpen = control & 0x10 != 0
        guard chain.bytes.count <= Self.maximumLength else {
            chain = Chain()
            return try conversation.report(place, "the chain of blocks is longer than any command or answer")
        }
        guard !chain.isOpen else { return }
        let start = chain.start ?? (place, time)
        if isReaders {
            try conversation.command(chain.bytes, at: start.place, time: start.time)
        } else {
            try conversation.answer(chain.bytes, at: place, time: time)
        }
    }
}

/// CRC_A (ISO/IEC 14443-3, 6.2.4 and annex B).
enum CRCA {
    static func check(_ frame: [UInt8]) -> Bool {
        var register: UInt16 = 0x6363
        for byte in frame.dropLast(2) {
            var byte = byte ^ UInt8(register & 0xFF)
            byte ^= byte << 4
            register = register >> 8 ^ UInt16(byte) << 8 ^ UInt16(byte) << 3 ^ UInt16(byte) >> 4
        }
        return frame.count > 2 && frame.suffix(2).elementsEqual([UInt8(register & 0xFF), UInt8(register >> 8)])
    }
}
