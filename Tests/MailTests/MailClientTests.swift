import Bytes
import CardCapture
import Foundation
import Outbox
import Testing

@testable import Mail

@Suite("Mails to a server of aiosmtpd", .timeLimit(.minutes(20))) struct MailClientTests {
    private static func message(text: String = "AMOUNT 5.50 EUR\n.\nThank you\n") throws -> MailMessage {
        MailMessage(
            from: try MailAddress("till@shop.example"), to: try MailAddress("aoife@example.com"),
            subject: "Café Łódź: receipt sale-17\r\nBcc: evil@example.org", text: text, html: "<p>5.50 €</p>\n",
            id: "receipt sale-17", at: Timestamp(secondsSince1970: 1_795_910_400, utcOffset: 3600))
    }

    private func send(
        _ mode: String, _ message: MailMessage? = nil, configure: (inout MailServer, MailPeer) -> Void = { _, _ in },
        then check: (Delivery.Result, MailPeer) throws -> Void
    ) async throws {
        let peer = try MailPeer(mode)
        defer { peer.end() }
        var server = MailServer(
            host: "localhost", port: peer.port, security: mode == "implicit" ? .implicitTLS : .startTLS)
        server.trustedCertificates = peer.certificate
        configure(&server, peer)
        let result = await MailClient(server).send(try message ?? Self.message())
        try check(result, peer)
    }

    @Test("A mail arrives as text and page, with STARTTLS and with TLS at once", arguments: ["starttls", "implicit"])
    func arrives(_ mode: String) async throws {
        try await send(mode) { result, peer in
            #expect(result == .delivered)
            let mails = try peer.mails()
            try #require(mails.count == 1)
            #expect(mails[0].from == "till@shop.example")
            #expect(mails[0].to == ["aoife@example.com"])
            #expect(mails[0].subject == "Café Łódź: receipt sale-17  Bcc: evil@example.org")
            #expect(mails[0].date == "Sun, 29 Nov 2026 01:00:00 +0100")
            #expect(mails[0].fromHeader == "till@shop.example")
            #expect(mails[0].toHeader == "aoife@example.com")
            #expect(mails[0].type == "multipart/alternative")
            #expect(mails[0].defects == [])
            #expect(mails[0].text == "AMOUNT 5.50 EUR\r\n.\r\nThank you\r\n")
            #expect(mails[0].html == "<p>5.50 €</p>\r\n")
            #expect(mails[0].bareLineFeeds == 0)
            #expect(mails[0].longestLine <= 78)
            let clear = try peer.clear()
            #expect(mode == "implicit" || !clear.contains("MAIL FROM"))
        }
    }

    @Test("A name and a password are sent within TLS") func authentication() async throws {
        func credentials(_ password: String) -> MailServer.Credentials {
            MailServer.Credentials(user: "till", password: SecretBytes(password.utf8))
        }
        try await send("auth", configure: { server, _ in server.credentials = credentials("grün 7") }) { result, peer in
            #expect(result == .delivered)
            let users = try peer.mails().map(\.user)
            #expect(users == ["till"])
            let clear = try peer.clear()
            #expect(!clear.contains("AUTH"))
        }
        try await send("auth", configure: { server, _ in server.credentials = credentials("wrong") }) { result, peer in
            guard case .failed(let why) = result else { throw Unexpected(result: result) }
            #expect(why.contains("535"))
            let mails = try peer.mails()
            #expect(mails.isEmpty)
        }
    }

    @Test("A server without STARTTLS is told nothing but a greeting") func withoutTLS() async throws {
        try await send("plain") { result, peer in
            #expect(result == .failed("the server offers no STARTTLS: nothing was sent in the clear"))
            let clear = try peer.clear()
            #expect(clear == "EHLO localhost\r\n")
        }
    }

    @Test("A certificate that is not trusted, or of another name, gets no mail", arguments: [false, true])
    func otherCertificate(isTrusted: Bool) async throws {
        try await send(
            "starttls",
            configure: { server, _ in
                if isTrusted { server.host = "127.0.0.1" } else { server.trustedCertificates = nil }
            }
        ) { result, peer in
            #expect(result == .failed("TLS with the mail server failed"))
            let mails = try peer.mails()
            #expect(mails.isEmpty)
        }
    }

    @Test("An answer that was put in before TLS ends the connection") func injection() async throws {
        try await send("injecting") { result, _ in
            #expect(result == .failed("the mail server sent more than its answer before TLS"))
        }
    }

    @Test(
        "Permanent answers refuse the mail, temporary ones put it off",
        arguments: [
            ("recipient-unknown", Delivery.Result.refused("the mail server answered 550 no such mailbox")),
            ("recipient-busy", .failed("the mail server answered 451 try later")),
            ("content-refused", .refused("the mail server answered 554 not wanted")),
            ("content-busy", .failed("the mail server answered 452 no room")),
        ])
    func refusals(_ mode: String, _ expected: Delivery.Result) async throws {
        try await send(mode) { result, peer in
            #expect(result == expected)
            let mails = try peer.mails()
            #expect(mails.isEmpty)
        }
    }

    @Test("A server that says nothing is left in time") func silence() async throws {
        try await send("silent", configure: { server, _ in server.timeLimit = 1 }) { result, _ in
            #expect(result == .failed("the mail server did not answer in time"))
        }
    }

    @Test("No answer to the end of the mail: it may have arrived") func silenceAtEnd() async throws {
        try await send("silent-at-end", configure: { server, _ in server.timeLimit = 1 }) { result, peer in
            #expect(result == .unknown("the mail server did not answer in time"))
            let mails = try peer.mails()
            #expect(mails.count == 1)
        }
        try await send("cut-at-end") { result, peer in
            guard case .unknown = result else { throw Unexpected(result: result) }
            let mails = try peer.mails()
            #expect(mails.count == 1)
        }
    }

    @Test("A connection that is cut within the mail: nothing has arrived") func cutInData() async throws {
        let long = String(repeating: "A line of a long receipt\n", count: 400_000)
        try await send("cut-in-data", try Self.message(text: long)) { result, peer in
            guard case .failed = result else { throw Unexpected(result: result) }
            let mails = try peer.mails()
            #expect(mails.isEmpty)
        }
    }

    @Test("Nobody at the port: it failed") func nobody() async throws {
        try await send("starttls", configure: { server, peer in server.port = 1 }) { result, _ in
            #expect(result == .failed("the mail server is not reached"))
        }
    }
}

private struct Unexpected: Error { let result: Delivery.Result }
