import SmartCard

/// TPDUs of T=0 from a sniffer (ISO/IEC 7816-3, 10.3): a header of five bytes, data in one
/// direction, two bytes of status. Procedure bytes are not included.
struct SniffedUnit {
    /// The parts of a unit that comes in several messages.
    private var collected: (bytes: [UInt8], place: LogProblem.Place, time: Duration?)?

    /// Header, 256 bytes, status.
    private static let longest = 263

    mutating func take(
        _ message: GSMTAPCapture.Message, at place: LogProblem.Place, time: Duration?,
        _ conversation: inout Conversation
    ) throws(LogProblem) {
        switch message.kind {
        case .answerToReset:
            try finish(&conversation)
            try conversation.reader(.reset(message.bytes), at: place, time: time)
        case .whole:
            try finish(&conversation)
            try exchange(message.bytes, at: place, time: time, &conversation)
        case .header:
            try finish(&conversation)
            collected = (message.bytes, place, time)
        case .commandData, .answerData, .status:
            guard var unit = collected else { return try conversation.report(place, .partWithoutHeader) }
            unit.bytes += message.bytes
            collected = unit
            if unit.bytes.count > Self.longest {
                collected = nil
                return try conversation.report(place, .partsTooLong(.tpdu))
            }
            guard message.kind == .status else { return }
            collected = nil
            try exchange(unit.bytes, at: unit.place, time: unit.time, &conversation)
        case nil: return
        }
    }

    /// Called at the end of the capture, and before another unit.
    mutating func finish(_ conversation: inout Conversation) throws(LogProblem) {
        guard let unit = collected else { return }
        collected = nil
        try conversation.report(unit.place, .noStatus)
    }

    private func exchange(
        _ bytes: [UInt8], at place: LogProblem.Place, time: Duration?, _ conversation: inout Conversation
    ) throws(LogProblem) {
        guard (7...Self.longest).contains(bytes.count) else {
            return try conversation.report(place, .notATPDU(count: bytes.count, longest: Self.longest))
        }
        let (header, data, status) = (Array(bytes.prefix(5)), Array(bytes[5..<bytes.count - 2]), Array(bytes.suffix(2)))
        if Self.answers.contains(header[1]) {
            try conversation.command(header, at: place, time: time)
            return try conversation.answer(data + status, at: place, time: time)
        }
        // If the card refuses the header, the data are never sent: their length alone is not
        // significant.
        try conversation.command(data.isEmpty ? Array(header.prefix(4)) : header + data, at: place, time: time)
        try conversation.answer(status, at: place, time: time)
    }

    /// Instructions whose data come from the card; a header does not contain the direction (ISO/IEC
    /// 7816-4, 5; EMV 4.4 Book 3, 6.5): GET CHALLENGE, READ BINARY, READ RECORD, GET RESPONSE, GET
    /// DATA.
    private static let answers: Set<UInt8> = [0x84, 0xB0, 0xB2, 0xC0, 0xCA]
}
