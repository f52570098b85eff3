import SmartCard

/// The bulk messages of one CCID reader (USB CCID 1.1, 6.1 and 6.2): PC_to_RDR_XfrBlock and
/// RDR_to_PC_DataBlock contain commands and answers, as APDUs, as TPDUs of T=0, or in blocks of
/// T=1.
struct CCIDTraffic {
    private var out = Message()
    private var `in` = Message()
    /// The last request to the reader.
    private var asked: UInt8 = 0
    private var isBlockProtocol: Bool?
    private var checksum = CardParameters.Checksum.lrc
    private var command = Chain()
    private var answer = Chain()

    private struct Message {
        var bytes: [UInt8] = []
        var packet = 0
        var time = Duration.zero
    }

    private struct Chain {
        var bytes: [UInt8] = []
        var number: UInt8?
        /// Where an APDU in parts begins.
        var place = LogProblem.Place.whole
    }

    /// The part of an extended APDU in a message: wLevelParameter of PC_to_RDR_XfrBlock,
    /// bChainParameter of RDR_to_PC_DataBlock (6.1.4 and 6.2.1).
    private enum Part: UInt8 {
        case whole = 0
        case first = 1
        case last = 2
        case middle = 3
        /// No data; the other side must continue.
        case proceed = 0x10

        var hasBegun: Bool { self == .last || self == .middle }
        var goesOn: Bool { self == .first || self == .middle }
    }

    private static let headerLength = 10
    /// The maximum dwLength of extended APDUs.
    private static let maximumLength = 65_544 + headerLength

    private enum Kind {
        static let powerOn: UInt8 = 0x62
        static let powerOff: UInt8 = 0x63
        static let transfer: UInt8 = 0x6F
        static let data: UInt8 = 0x80
        /// PC_to_RDR_…, all of them.
        static let commands: Set<UInt8> = [
            0x61, 0x62, 0x63, 0x65, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x71, 0x72, 0x73,
        ]
    }

    /// Whether a transfer can be the first to a reader: a complete PC_to_RDR message.
    static func begins(_ transfer: USBCapture.Transfer) -> Bool {
        guard !transfer.isFromDevice, transfer.bytes.count >= headerLength, Kind.commands.contains(transfer.bytes[0])
        else { return false }
        return transfer.bytes.count <= headerLength + length(transfer.bytes)
    }

    private static func length(_ bytes: [UInt8]) -> Int {
        bytes[1..<5].reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    mutating func take(_ transfer: USBCapture.Transfer, _ conversation: inout Conversation) throws(LogProblem) {
        guard !transfer.bytes.isEmpty else { return }
        var message = transfer.isFromDevice ? `in` : out
        if message.bytes.isEmpty {
            message.packet = transfer.packet
            message.time = transfer.time
        }
        message.bytes += transfer.bytes
        var whole: Message?
        if message.bytes.count >= Self.headerLength {
            let expected = Self.headerLength + Self.length(message.bytes)
            guard expected <= Self.maximumLength else {
                if transfer.isFromDevice { `in` = Message() } else { out = Message() }
                return try conversation.report(.packet(transfer.packet), .notACCIDMessage(count: expected))
            }
            if message.bytes.count >= expected {
                message.bytes = Array(message.bytes.prefix(expected))
                whole = message
                message = Message()
            }
        }
        if transfer.isFromDevice { `in` = message } else { out = message }
        if let whole {
            if transfer.isFromDevice {
                try takeAnswer(whole, &conversation)
            } else {
                try takeCommand(whole, &conversation)
            }
        }
    }

    private mutating func takeCommand(_ message: Message, _ conversation: inout Conversation) throws(LogProblem) {
        asked = message.bytes[0]
        if asked == Kind.powerOn || asked == Kind.powerOff {
            try finish(&conversation)
            isBlockProtocol = nil
            (command, answer) = (Chain(), Chain())
        }
        guard asked == Kind.transfer else { return }
        let data = Array(message.bytes.dropFirst(Self.headerLength))
        let part = Part(rawValue: message.bytes[8])
        // Requests the rest of an answer.
        if data.isEmpty, part == .proceed { return }
        // PPS (ISO/IEC 7816-3, 9).
        guard data.first != 0xFF || part?.hasBegun == true, !data.isEmpty else { return asked = 0 }
        if isBlockProtocol == nil { isBlockProtocol = detectBlocks(data) }
        let place = LogProblem.Place.packet(message.packet)
        guard isBlockProtocol == true else {
            guard
                let whole = try join(
                    data, part: part, chain: &command, place: place, message: .command, conversation: &conversation)
            else {
                return
            }
            return try conversation.command(whole, at: place, time: message.time)
        }
        guard let block = try block(data, place, &conversation), case .information(let number, let more) = block.control
        else { return }
        // A block with the number of the last one is a repetition.
        guard number != command.number else { return }
        command.number = number
        command.bytes += block.information
        guard command.bytes.count <= Self.maximumLength else {
            command.bytes = []
            return try conversation.report(place, .chainTooLong(.command))
        }
        guard !more else { return }
        let whole = command.bytes
        command.bytes = []
        answer.bytes = []
        try conversation.command(whole, at: place, time: message.time)
    }

    private mutating func takeAnswer(_ message: Message, _ conversation: inout Conversation) throws(LogProblem) {
        guard message.bytes[0] == Kind.data else { return }
        let place = LogProblem.Place.packet(message.packet)
        let status = message.bytes[7]
        let data = Array(message.bytes.dropFirst(Self.headerLength))
        // bmCommandStatus: 2 requests more time, 1 means failure; bmICCStatus: 2 means no card.
        guard status >> 6 != 2 else { return }
        switch asked {
        case Kind.powerOn:
            guard status >> 6 == 0, !data.isEmpty else { return }
            try conversation.reader(.reset(data), at: place, time: message.time)
        case Kind.transfer:
            guard status >> 6 == 0 else {
                let event: APDUTrace.ReaderEvent = status & 0x03 == 2 ? .cardRemoved : .noAnswer
                if conversation.isWaiting { try conversation.reader(event, at: place, time: message.time) }
                return
            }
            try takeData(
                data, part: Part(rawValue: message.bytes[9]), place: place, time: message.time,
                conversation: &conversation)
        default: return
        }
    }

    private mutating func takeData(
        _ data: [UInt8], part: Part?, place: LogProblem.Place, time: Duration, conversation: inout Conversation
    ) throws(LogProblem) {
        guard isBlockProtocol == true else {
            // No answer yet: the reader requests the rest of the command.
            guard conversation.isWaiting, part != .proceed || !data.isEmpty else { return }
            guard
                let whole = try join(
                    data, part: part, chain: &answer, place: place, message: .answer, conversation: &conversation)
            else {
                return
            }
            return try conversation.answer(whole, at: place, time: time)
        }
        guard let block = try block(data, place, &conversation), case .information(let number, let more) = block.control
        else { return }
        guard number != answer.number else { return }
        answer.number = number
        answer.bytes += block.information
        guard answer.bytes.count <= Self.maximumLength else {
            answer.bytes = []
            return try conversation.report(place, .chainTooLong(.answer))
        }
        if !more {
            let whole = answer.bytes
            answer.bytes = []
            try conversation.answer(whole, at: place, time: time)
        }
    }

    /// The complete APDU after its last part; nil before.
    private func join(
        _ data: [UInt8], part: Part?, chain: inout Chain, place: LogProblem.Place, message: LogProblem.Message,
        conversation: inout Conversation
    ) throws(LogProblem) -> [UInt8]? {
        if part?.hasBegun == true {
            guard !chain.bytes.isEmpty else {
                try conversation.report(place, .partWithoutBeginning(message))
                return nil
            }
        } else {
            try reportCut(&chain, message, &conversation)
            chain.place = place
        }
        chain.bytes += data
        guard chain.bytes.count <= Self.maximumLength else {
            chain.bytes = []
            try conversation.report(place, .partsTooLong(message))
            return nil
        }
        guard part?.goesOn != true else { return nil }
        defer { chain.bytes = [] }
        return chain.bytes
    }

    private func reportCut(_ chain: inout Chain, _ message: LogProblem.Message, _ conversation: inout Conversation)
        throws(LogProblem)
    {
        guard !chain.bytes.isEmpty else { return }
        chain.bytes = []
        try conversation.report(chain.place, .noLastPart(message))
    }

    /// Called at the end of the capture, or of the card's session: a command with missing parts is
    /// reported. A missing answer is reported with its command.
    mutating func finish(_ conversation: inout Conversation) throws(LogProblem) {
        if isBlockProtocol != true { try reportCut(&command, .command, &conversation) }
    }

    // MARK: T=1

    /// Blocks of T=1 have a length and check bytes; only one APDU in thousands looks like a block
    /// by chance.
    private mutating func detectBlocks(_ data: [UInt8]) -> Bool {
        for kind in [CardParameters.Checksum.lrc, .crc] where (try? T1Block(parsing: data, kind)) != nil {
            checksum = kind
            return true
        }
        return false
    }

    private func block(
        _ data: [UInt8], _ place: LogProblem.Place, _ conversation: inout Conversation
    ) throws(LogProblem) -> T1Block? {
        do throws(T1Block.ParsingError) {
            return try T1Block(parsing: data, checksum)
        } catch {
            try conversation.report(place, error == .checksum ? .blockChecksum : .notABlock)
            return nil
        }
    }
}
