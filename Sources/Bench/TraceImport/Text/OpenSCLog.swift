import Bytes

/// The output of `opensc-tool -s`, and OpenSC's debug log: `Sending: 00 A4 …` with
/// `Received (SW1=0x90, SW2=0x00):` and a dump of the data without the status word, or
/// `Outgoing APDU (5 bytes):` and `Incoming APDU (2 bytes):` with complete dumps (OpenSC/OpenSC,
/// issues 1676, 576 and 379). In a debug log opensc-tool's own lines repeat what the dumps have.
enum OpenSCLog {
    static func read(_ text: LogText, _ conversation: inout Conversation) throws(LogProblem) {
        let hasDumps = text.lines.contains { $0.content.contains("Outgoing APDU") }
        var dump: Dump?
        for line in text.lines {
            let content = line.content.drop { $0 == " " }
            if let open = dump {
                if let bytes = open.isFull ? nil : HexDump.bytes(content) {
                    dump?.append(bytes)
                    continue
                }
                try open.hand(to: &conversation)
                dump = nil
            }
            if hasDumps, content.hasPrefix("Sending: ") || content.hasPrefix("Received (") {
                continue
            } else if content.hasPrefix("Sending: ") {
                switch HexDigits.bytes(content.dropFirst(9)) {
                case .success(let bytes): try conversation.command(bytes, at: .line(line.number))
                case .failure(let error): try conversation.report(.line(line.number), .notHexadecimal(error))
                }
            } else if content.hasPrefix("Received (") {
                guard let status = status(content) else {
                    try conversation.report(.line(line.number), .unreadableStatusWord)
                    continue
                }
                dump = Dump(line: line.number, isCommand: false, length: nil, status: status)
            } else if let length = length(content, after: "Outgoing APDU") {
                dump = Dump(line: line.number, isCommand: true, length: length, status: [])
            } else if let length = length(content, after: "Incoming APDU") {
                dump = Dump(line: line.number, isCommand: false, length: length, status: [])
            }
        }
        try dump?.hand(to: &conversation)
    }

    private struct Dump {
        let line: Int
        let isCommand: Bool
        /// Nil if the log does not contain it.
        let length: Int?
        let status: [UInt8]
        var bytes: [UInt8] = []

        var isFull: Bool { length.map { bytes.count >= $0 } ?? false }

        mutating func append(_ more: [UInt8]) {
            bytes += more.prefix(length.map { $0 - bytes.count } ?? more.count)
        }

        func hand(to conversation: inout Conversation) throws(LogProblem) {
            if let length, length != bytes.count {
                return try conversation.report(.line(line), .wrongCount(.announced, length, shown: bytes.count))
            }
            if isCommand {
                try conversation.command(bytes, at: .line(line))
            } else {
                try conversation.answer(bytes + status, at: .line(line))
            }
        }
    }

    private static func status(_ line: Substring) -> [UInt8]? {
        let bytes = line.split { "(),:= ".contains($0) }.filter { $0.hasPrefix("0x") }.compactMap {
            UInt8($0.dropFirst(2), radix: 16)
        }
        return bytes.count == 2 ? bytes : nil
    }

    /// The number after `words`: `(5 bytes)` or `data [    5 bytes]`.
    private static func length(_ line: Substring, after words: String) -> Int? {
        guard let range = line.firstRange(of: words) else { return nil }
        let parts = line[range.upperBound...].split { "([ ])".contains($0) }
        guard let bytes = parts.firstIndex(where: { $0.hasPrefix("byte") }), bytes > 0,
            let count = Int(parts[bytes - 1])
        else {
            return nil
        }
        return (0...(1 << 17)).contains(count) ? count : nil
    }
}
