import CardCapture
import Outbox
import Testing

@testable import Mail

@Suite("Addresses and sessions of mails") struct MailTests {
    @Test(
        "Plain addresses are taken",
        arguments: ["a@b.ie", "o'neill+till@mail.example.com", "x@xn--d-6ga.example", "1.2_3@a-b.co"])
    func addresses(_ text: String) throws {
        #expect(try MailAddress(text).text == text)
    }

    @Test(
        "Tricks in addresses are refused",
        arguments: [
            "", "a", "@b.ie", "a@", "a@b", "a@@b.ie", "a@b.ie\r\nBcc: c@d.ie", "a@b.ie\n", "a b@c.ie", "A <a@b.ie>",
            "<a@b.ie>", "a@b.ie,c@d.ie", "\"a\"@b.ie", "a(x)@b.ie", ".a@b.ie", "a.@b.ie", "a..b@c.ie", "a@[127.0.0.1]",
            "a@127.0.0.1", "a@-b.ie", "a@b-.ie", "a@b..ie", "a@b.ie.", "a@b.ie>", "a\u{0}@b.ie",
            String(repeating: "a", count: 65) + "@b.ie", "a@" + String(repeating: "b", count: 64) + ".ie",
            "a@" + String(repeating: "b.", count: 126) + "ie", "4111111111111111@b.ie",
        ])
    func tricks(_ text: String) {
        #expect(throws: ContactError.invalidAddress) { try MailAddress(text) }
    }

    @Test(
        "Other scripts are refused with their cure",
        arguments: ["zoë@b.ie", "a@dömäin.example", "a@раураl.example", "ａ@b.ie"])
    func scripts(_ text: String) {
        #expect(throws: ContactError.notASCII) { try MailAddress(text) }
    }

    @Test("Numbers are those of E.164") func numbers() throws {
        #expect(try PhoneNumber("+353861234567").text == "+353861234567")
        for text in [
            "", "+", "353861234567", "+0861234567", "+123456", "+1234567890123456", "+353 86 1234567", "+35386123456٧",
            "+353861234567\n",
        ] {
            #expect(throws: ContactError.invalidNumber) { try PhoneNumber(text) }
        }
    }

    @Test("A40: The address comes first, else the number; both are checked") func destinations() throws {
        let (address, number) = (try MailAddress("a@b.ie"), try PhoneNumber("+353861234567"))
        #expect(try ReceiptDestination(email: "a@b.ie", phone: "+353861234567") == .mail(address))
        #expect(try ReceiptDestination(email: nil, phone: "+353861234567") == .shortMessage(number))
        #expect(throws: ContactError.invalidNumber) { try ReceiptDestination(email: "a@b.ie", phone: "1") }
        #expect(throws: ContactError.invalidAddress) { try ReceiptDestination(email: "a", phone: "+353861234567") }
        #expect(throws: ContactError.noDestination) { try ReceiptDestination(email: nil, phone: nil) }
    }

    @Test("A server that cannot be asked is told before anything is sent") func faultyServers() async throws {
        func fault(_ change: (inout MailServer) -> Void) async throws -> Delivery.Result {
            var server = MailServer(host: "localhost", port: 587, security: .startTLS)
            change(&server)
            let address = try MailAddress("a@b.ie")
            return await MailClient(server).send(
                MailMessage(
                    from: address, to: address, subject: "s", text: "t", html: "h", id: "i",
                    at: Timestamp(secondsSince1970: 0)))
        }
        #expect(try await fault { $0.port = 70_000 } == .failed("the mail server's port is from 1 to 65535"))
        #expect(
            try await fault { $0.clientName = "a\r\nMAIL" }
                == .failed("this program's name for the mail server is not a domain"))
        #expect(
            try await fault { $0.timeLimit = .max } == .failed("the time limit for mails is from 1 to 3600 seconds"))
        #expect(try await fault { $0.host = "" } == .failed("the mail server has no name"))
    }

    // RFC 5321, 4.5.2.
    @Test("Lines that begin with a dot get another one, and end with CR LF") func stuffing() {
        #expect(SMTPSession.stuffed(Array(".\n..a\r\nb.".utf8)) == Array("..\r\n...a\r\nb.\r\n".utf8))
        #expect(SMTPSession.stuffed(Array("a\r\r\n\r.\r\n".utf8)) == Array("a\r\n..\r\n".utf8))
    }

    private static func replies(_ text: String) throws -> [SMTPReply] {
        var reader = SMTPReplyReader()
        return try text.utf8.compactMap { try reader.take($0) }
    }

    @Test("Answers of several lines are put together, and endless ones refused") func replies() throws {
        #expect(
            try Self.replies("250-a\r\n250 STARTTLS\r\n220\r\n") == [
                SMTPReply(code: 250, lines: ["a", "STARTTLS"]), SMTPReply(code: 220, lines: [""]),
            ])
        for text in [
            "ab\r\n", "250-a\r\n251 b\r\n", "250x\r\n", String(repeating: "2", count: 1025),
            String(repeating: "250-a\r\n", count: 101), "\r\n",
        ] {
            #expect(throws: SMTPReplyReader.Broken.self) { try Self.replies(text) }
        }
    }
}
