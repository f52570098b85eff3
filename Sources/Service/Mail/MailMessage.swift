private import Bytes
public import CardCapture

/// A mail with a text and a page of the same content (RFC 5322, RFC 2046 multipart/alternative).
///
/// All of it is ASCII in lines of at most 78 bytes that end with CR LF: the contents are in base64,
/// so no text of theirs is a header, a boundary or the end of the mail.
public struct MailMessage: Sendable, Equatable {
    public let from: MailAddress
    public let to: MailAddress
    /// As it is sent.
    public let bytes: [UInt8]

    /// - Parameters:
    ///   - subject: Characters that steer become spaces; at most 100 characters stay.
    ///   - id: Unique: the part of the message's id before the `@` and the sender's domain. Other
    ///     characters than letters, digits, `.` and `-` become `-`.
    public init(
        from: MailAddress, to: MailAddress, subject: String, text: String, html: String, id: String, at time: Timestamp
    ) {
        self.from = from
        self.to = to
        let domain = from.text.split(separator: "@").last ?? ""
        let lines =
            [
                "Date: \(time.mailDate)", "From: <\(from)>", "To: <\(to)>",
                "Message-ID: <\(Self.identifier(id))@\(domain)>",
                "Subject: " + Self.encodedWords(subject.onOneLine(atMost: 100)), "MIME-Version: 1.0",
                "Content-Type: multipart/alternative; boundary=\"\(Self.boundary)\"", "",
            ] + Self.part("text/plain", text) + Self.part("text/html", html) + ["--\(Self.boundary)--"]
        bytes = lines.flatMap { Array("\($0)\r\n".utf8) }
    }

    /// Its underscore is no character of base64.
    private static let boundary = "=_receipt_"

    private static func part(_ type: String, _ text: String) -> [String] {
        let encoded = Array(text.replacing("\r\n", with: "\n").replacing("\n", with: "\r\n").utf8).text(in: .standard)
        let digits = Array(encoded.utf8)
        let lines = stride(from: 0, to: digits.count, by: 76).map { start in
            String(decoding: digits.dropFirst(start).prefix(76), as: UTF8.self)
        }
        return ["--\(boundary)", "Content-Type: \(type); charset=utf-8", "Content-Transfer-Encoding: base64", ""]
            + lines
    }

    /// RFC 2047, each word at most 75 characters and whole in UTF-8; on lines of their own.
    private static func encodedWords(_ text: String) -> String {
        var words: [[UInt8]] = [[]]
        for scalar in text.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            if let last = words.last, last.count + bytes.count > 36 { words.append([]) }
            words[words.count - 1] += bytes
        }
        return words.map { "=?UTF-8?B?\($0.text(in: .standard))?=" }.joined(separator: "\r\n ")
    }

    private static func identifier(_ text: String) -> String {
        String(text.prefix(40).map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") ? $0 : "-" })
    }
}

extension Timestamp {
    /// RFC 5322, 3.3: `29 Nov 2026 01:00:00 +0100`.
    fileprivate var mailDate: String {
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let parts = date.split(separator: "-")
        let month = parts.dropFirst().first.flatMap { Int($0) } ?? 1
        let minutes = (utcOffset / 60).magnitude
        func two(_ number: UInt) -> String { (number < 10 ? "0" : "") + String(number) }
        let offset = (utcOffset < 0 ? "-" : "+") + two(minutes / 60) + two(minutes % 60)
        let name = months.indices.contains(month - 1) ? months[month - 1] : months[0]
        return "\(parts.last ?? "01") \(name) \(parts.first ?? "1970") \(time) \(offset)"
    }
}
