private import Bytes

/// A server's answer (RFC 5321, 4.2): a code and its lines.
struct SMTPReply: Equatable {
    let code: Int
    /// Without the code; of each line at most 200 printable characters.
    let lines: [String]

    var isPositive: Bool { (200...299).contains(code) }
    /// Never changed by asking again.
    var isPermanent: Bool { (500...599).contains(code) }
    /// For messages: `550 no such mailbox`.
    var text: String { ([String(code)] + lines).joined(separator: " ").onOneLine(atMost: 200) }
}

/// Puts answers together from bytes, bounded in line and number of lines.
struct SMTPReplyReader {
    /// In bytes: twice the 512 of RFC 5321, 4.5.3.1.5.
    static let longestLine = 1024
    static let mostLines = 100

    struct Broken: Error {}

    private var line: [UInt8] = []
    private var lines: [String] = []
    private var code: Int?

    /// Whether a part of an answer has come.
    var isEmpty: Bool { line.isEmpty && lines.isEmpty }

    /// - Returns: The answer, if `byte` ended it.
    mutating func take(_ byte: UInt8) throws(Broken) -> SMTPReply? {
        guard byte == UInt8(ascii: "\n") else {
            guard line.count < Self.longestLine else { throw Broken() }
            line.append(byte)
            return nil
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        defer { line = [] }
        guard line.count >= 3, line.prefix(3).allSatisfy({ (0x30...0x39).contains($0) }),
            let code = Int(String(decoding: line.prefix(3), as: UTF8.self)), self.code ?? code == code,
            lines.count < Self.mostLines
        else { throw Broken() }
        let separator = line.dropFirst(3).first ?? UInt8(ascii: " ")
        guard separator == UInt8(ascii: " ") || separator == UInt8(ascii: "-") else { throw Broken() }
        lines.append(String(printable: Array(line.dropFirst(4).prefix(200))))
        self.code = code
        guard separator == UInt8(ascii: " ") else { return nil }
        defer { (lines, self.code) = ([], nil) }
        return SMTPReply(code: code, lines: lines)
    }
}
