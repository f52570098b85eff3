import CardCapture
import Outbox
import SeededNumbers
import Testing

@testable import Mail

/// What must hold of a session, whatever a server answers.
@Suite("Sessions with servers that answer anything") struct SMTPSessionTests {
    private static let texts = [
        "localhost", "STARTTLS", "AUTH PLAIN LOGIN", "AUTH LOGIN", "starttls", "STARTTLSX", "SIZE 1000", "", "go on",
    ]

    @Test("Ten thousand random sessions give away nothing before TLS, and say delivered of what was taken alone")
    func random() throws {
        let address = try MailAddress("till@shop.example")
        let message = MailMessage(
            from: address, to: address, subject: "s", text: "a secret text", html: "h", id: "i",
            at: Timestamp(secondsSince1970: 0))
        var delivered = 0
        for seed in 0..<10_000 {
            var numbers = SplitMix(seed: UInt64(seed))
            let isImplicit = Bool.random(using: &numbers)
            let server = MailServer(host: "localhost", port: 25, security: isImplicit ? .implicitTLS : .startTLS)
            var session = SMTPSession(message, at: server, isSecure: isImplicit)
            var isBodySent = false
            var sent = ""
            var end: Delivery.Result?
            var reply = SMTPReply(code: 0, lines: [])
            for _ in 0..<20 where end == nil {
                reply = Self.reply(to: sent, &numbers)
                var step = session.take(reply)
                if step == .startTLS {
                    #expect(!session.isSecure)
                    step = session.secured()
                }
                if case .sendBody(let bytes) = step {
                    #expect(session.isSecure)
                    #expect(bytes == message.bytes)
                    #expect(session.cut("cut") == .failed("cut"))
                    step = session.bodyWritten()
                    isBodySent = true
                    #expect(session.cut("cut") == .unknown("cut"))
                }
                switch step {
                case .send(let bytes):
                    sent = String(decoding: bytes, as: UTF8.self)
                    if !session.isSecure {
                        #expect(["EHLO localhost\r\n", "STARTTLS\r\n"].contains(sent))
                    }
                case .end(let result): end = result
                case .sendBody, .startTLS: Issue.record("seed \(seed): \(step)")
                }
            }
            if end == .delivered {
                delivered += 1
                #expect(isBodySent)
                #expect(reply.isPositive)
            }
            if case .refused = end { #expect(reply.isPermanent) }
        }
        #expect(delivered > 100)
    }

    /// Mostly what a server would say, so that the end of a session is met.
    private static func reply(to sent: String, _ numbers: inout SplitMix) -> SMTPReply {
        let texts = (0..<Int.random(in: 1...4, using: &numbers)).map { _ in Self.texts.randomElement(using: &numbers)! }
        if Int.random(in: 0...3, using: &numbers) > 0 {
            switch sent.prefix(4) {
            case "", "STAR": return SMTPReply(code: 220, lines: texts)
            case "EHLO": return SMTPReply(code: 250, lines: ["localhost", "STARTTLS"] + texts)
            case "DATA": return SMTPReply(code: 354, lines: texts)
            default: return SMTPReply(code: 250, lines: texts)
            }
        }
        let codes = [220, 250, 354, 235, 421, 450, 500, 550, 554, 221, 999, 0]
        return SMTPReply(code: codes.randomElement(using: &numbers)!, lines: texts)
    }
}
