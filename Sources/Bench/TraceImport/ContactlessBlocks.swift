import Bytes
import SmartCard

/// Extracts commands and answers from the frames of an ISO/IEC 14443-4 conversation: combines
/// I-blocks, and skips R- and S-blocks and everything of ISO/IEC 14443-3. Cards of type A and B
/// differ in how they are selected and in their check bytes.
struct ContactlessBlocks {
    private enum State {
        /// Before RATS or ATTRIB: anticollision, selection.
        case selecting
        case waitingForATS
        case waitingForAttribution
        case blocks
    }

    /// A log may begin in the middle.
    private var state = State.blocks
    /// Nil until a frame shows the type.
    private var type: ContactlessType?
    /// The answer to request of a card of type B.
    private var atqb: [UInt8]?
    private var command = Chain()
    private var answer = Chain()

    private struct Chain {
        var bytes: [UInt8] = []
        var lastBlock: [UInt8] = []
        var isOpen = false
        /// The place and time of its first block.
        var start: (place: LogProblem.Place, time: Duration?)?
    }

    /// No command or answer is longer.
    private static let maximumLength = 65_544

    /// REQA or WUPA, of seven bits.
    mutating func takeShortFrame() { select(.a) }

    private mutating func select(_ type: ContactlessType) { (state, self.type, atqb) = (.selecting, type, nil) }

    mutating func take(
        _ frame: [UInt8], isReaders: Bool, at place: LogProblem.Place, time: Duration?,
        _ conversation: inout Conversation
    ) throws(LogProblem) {
        guard frame.count > 2, let first = frame.first else {
            // Older clients do not say that REQA (26) and WUPA (52) have seven bits.
            if isReaders, frame == [0x26] || frame == [0x52] { return takeShortFrame() }
            if state != .selecting { try conversation.note(place, .noise) }
            return
        }
        if isReaders && ContactlessType.b.selects(frame) { return select(.b) }
        if isReaders && ContactlessType.a.selects(frame) { return select(.a) }
        let body = Array(frame.dropLast(2))
        if !isReaders, state == .selecting, first == 0x50, frame.count >= 14, ContactlessType.b.checks(frame) {
            return atqb = body
        }
        let isRATS = isReaders && first == 0xE0 && frame.count == 4
        let isATTRIB = isReaders && first == 0x1D && frame.count >= 11 && ContactlessType.b.checks(frame)
        guard isRATS || isATTRIB || state != .selecting else { return }
        if type == nil || isATTRIB { type = ContactlessType.allCases.first { $0.checks(frame) } }
        guard type?.checks(frame) == true else { return try conversation.note(place, .frameChecksum) }
        if isRATS {
            state = .waitingForATS
        } else if isATTRIB {
            state = .waitingForAttribution
        } else if state != .blocks {
            guard !isReaders else { return }
            let introduction = state == .waitingForATS ? "ATS \(body.hex)" : atqb.map { "ATQB \($0.hex)" }
            state = .blocks
            (command, answer) = (Chain(), Chain())
            if let introduction { try conversation.reader(.other(introduction), at: place, time: time) }
        } else if first & 0xE2 == 0x02 {
            try takeInformation(body, isReaders: isReaders, place: place, time: time, conversation: &conversation)
        }
    }

    private mutating func takeInformation(
        _ block: [UInt8], isReaders: Bool, place: LogProblem.Place, time: Duration?, conversation: inout Conversation
    ) throws(LogProblem) {
        let control = block[0]
        let header = 1 + (control & 0x08 != 0 ? 1 : 0) + (control & 0x04 != 0 ? 1 : 0)
        guard block.count >= header else { return try conversation.report(place, .cutBlock) }
        var chain = isReaders ? command : answer
        defer { if isReaders { command = chain } else { answer = chain } }
        // The other side did not receive it, and it is sent again: a new block has the other
        // number.
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
            return try conversation.report(place, .chainTooLong(.commandOrAnswer))
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
