private import Bytes
import Outbox

/// One mail over one connection (RFC 5321), step by step; a value without a connection.
///
/// Nothing of the mail, and no password, is sent before TLS. Until the end mark of the mail is sent,
/// a broken connection has certainly delivered nothing; behind it, that is not known.
struct SMTPSession {
    enum Step: Equatable {
        case send([UInt8])
        /// To be written, and when it is written, ``SMTPSession/bodyWritten()``.
        case sendBody([UInt8])
        case startTLS
        case end(Delivery.Result)
    }

    private enum Stage {
        case greeting, hello, startTLS, secureHello, authentication, sender, recipient, data, body, end
    }

    private let message: MailMessage
    private let settings: MailServer
    private var stage = Stage.greeting
    private(set) var isSecure: Bool

    /// - Parameter isSecure: Whether TLS is there from the beginning.
    init(_ message: MailMessage, at settings: MailServer, isSecure: Bool) {
        self.message = message
        self.settings = settings
        self.isSecure = isSecure
    }

    /// What is known if no more comes from the server.
    func cut(_ why: String) -> Delivery.Result { stage == .end ? .unknown(why) : .failed(why) }

    /// TLS is there: what the server has said before is forgotten (RFC 3207, 4.2).
    mutating func secured() -> Step {
        isSecure = true
        guard stage == .startTLS else { return .end(.failed("TLS came unasked")) }
        return hello(.secureHello)
    }

    mutating func bodyWritten() -> Step {
        stage = .end
        return .send(Array(".\r\n".utf8))
    }

    mutating func take(_ reply: SMTPReply) -> Step {
        switch stage {
        case .greeting:
            guard reply.code == 220 else { return fail(reply) }
            return hello(isSecure ? .secureHello : .hello)
        case .hello:
            guard reply.isPositive else { return fail(reply) }
            guard Self.offers("STARTTLS", in: reply) else {
                return .end(.failed("the server offers no STARTTLS: nothing was sent in the clear"))
            }
            return send("STARTTLS", .startTLS)
        case .startTLS:
            guard reply.code == 220 else { return fail(reply) }
            return .startTLS
        case .secureHello:
            guard reply.isPositive else { return fail(reply) }
            guard let credentials = settings.credentials else { return from }
            guard Self.offers("AUTH", "PLAIN", in: reply) else {
                return .end(.failed("the server does not take a password (AUTH PLAIN)"))
            }
            return send("AUTH PLAIN " + credentials.plain, .authentication)
        case .authentication:
            guard reply.code == 235 else { return fail(reply) }
            return from
        case .sender:
            guard reply.isPositive else { return refuse(reply) }
            return send("RCPT TO:<\(message.to)>", .recipient)
        case .recipient:
            guard reply.isPositive else { return refuse(reply) }
            return send("DATA", .data)
        case .data:
            guard reply.code == 354 else { return refuse(reply) }
            stage = .body
            return .sendBody(Self.stuffed(message.bytes))
        case .body: return fail(reply)
        case .end: return reply.isPositive ? .end(.delivered) : refuse(reply)
        }
    }

    private mutating func hello(_ next: Stage) -> Step { send("EHLO \(settings.clientName)", next) }
    private var from: Step {
        mutating get { send("MAIL FROM:<\(message.from)>", .sender) }
    }

    private mutating func send(_ line: String, _ next: Stage) -> Step {
        stage = next
        return .send(Array("\(line)\r\n".utf8))
    }

    /// Of the server or of what it was told about itself: another time it may do.
    private func fail(_ reply: SMTPReply) -> Step { .end(.failed("the mail server answered \(reply.text)")) }

    /// Of this mail.
    private func refuse(_ reply: SMTPReply) -> Step {
        reply.isPermanent ? .end(.refused("the mail server answered \(reply.text)")) : fail(reply)
    }

    /// Whether an extension is offered, with a parameter.
    private static func offers(_ keyword: String, _ parameter: String? = nil, in reply: SMTPReply) -> Bool {
        reply.lines.dropFirst().contains { line in
            let words = line.uppercased().split(separator: " ").map(String.init)
            return words.first == keyword && (parameter.map { words.dropFirst().contains($0) } ?? true)
        }
    }

    /// A line that begins with a dot gets another one (RFC 5321, 4.5.2); a line ends with CR LF, and
    /// so does the last.
    static func stuffed(_ bytes: [UInt8]) -> [UInt8] {
        let (cr, lf, dot) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"), UInt8(ascii: "."))
        var stuffed: [UInt8] = []
        var last = lf
        for byte in bytes where byte != cr {
            if last == lf, byte == dot { stuffed.append(dot) }
            if byte == lf { stuffed.append(cr) }
            stuffed.append(byte)
            last = byte
        }
        return last == lf ? stuffed : stuffed + [cr, lf]
    }
}
