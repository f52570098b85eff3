import BenchHost
import Bytes
import CardCapture
import JSONDocument
import PaymentDoubles
import Synchronization
import TerminalMessages
import Testing

@testable import PaymentTerminal

@Suite("A till's conversation with a terminal", .timeLimit(.minutes(20))) struct TillSessionTests {
    /// What a session sends, in order.
    private final class Till: Sendable {
        let session: TillSession
        private let messages: AsyncStream<JSON>
        /// Those that came before one that was asked for.
        private let earlier = Mutex<[JSON]>([])

        init(_ terminal: Terminal) {
            let (messages, continuation) = AsyncStream.makeStream(of: JSON.self)
            self.messages = messages
            session = TillSession(terminal) { continuation.yield($0.json) }
        }

        func ask(_ request: String) async { await session.receive(Array(request.utf8)) }

        /// The next message of this kind, before or after others.
        func next(_ kind: String) async throws -> JSON {
            let kept = earlier.withLock { earlier in
                earlier.firstIndex { $0["message"]?.text == kind }.map { earlier.remove(at: $0) }
            }
            if let kept { return kept }
            for await message in messages {
                if message["message"]?.text == kind { return message }
                earlier.withLock { $0.append(message) }
            }
            throw HostError(.noAnswer, "the session has ended")
        }
    }

    private func terminal(_ reader: (any CardReader)? = PresentedCardReader(Self.swipe())) async throws -> Terminal {
        var configuration = Terminal.Configuration(
            merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro, mode: .test)
        configuration.callsIssuer = true
        configuration.limits.cancel = .seconds(600)
        configuration.limits.standDown = .seconds(600)
        let host = try BenchHost.temporary(issuer: TestIssuer(profiles: []))
        let terminal = Terminal(configuration: configuration, host: host, journal: MemoryJournal())
        if let reader { try await terminal.connect(reader) }
        return terminal
    }

    private static func swipe() -> CapturedCard {
        CapturedCard(
            entryMode: .magneticStripe, pan: SecretBytes("4111111111111111".utf8), expiry: "3112",
            track2: SecretBytes("4111111111111111=31122010000".utf8))
    }

    @Test("A sale is answered under its name; then the journal tells it and its receipt") func sale() async throws {
        let till = Till(try await terminal())
        await till.ask(#"{"request": "sale", "id": "1", "order": "o-1", "amount": "10.00", "currency": "EUR"}"#)
        let payment = try await till.next("payment")
        #expect(payment["id"]?.text == "1")
        #expect(payment["outcome"]?.text == "approved")
        #expect(payment["amount"]?.text == "10.00")
        #expect(payment["entryMode"]?.text == "magneticStripe")
        await till.ask(#"{"request": "inquiry", "id": "2", "order": "o-1"}"#)
        let told = try await till.next("payment")
        #expect(told["id"]?.text == "2")
        #expect(told["uniqueReference"]?.text == payment["uniqueReference"]?.text)
        await till.ask(#"{"request": "receipt", "id": "3", "order": "o-1"}"#)
        let receipt = try await till.next("receipt")
        #expect(receipt["merchant"]?.list?.first?["text"]?.text == "Corner Shop")
        await till.ask(#"{"request": "reversal", "id": "4", "order": "o-1"}"#)
        #expect(try await till.next("payment")["outcome"]?.text == "reversed")
        await till.ask(#"{"request": "inquiry", "id": "5", "order": "o-2"}"#)
        #expect(try await till.next("error")["code"]?.text == "transactionUnknown")
    }

    @Test("Secure cards, lists and settings are answered") func others() async throws {
        let till = Till(try await terminal())
        await till.ask(#"{"request": "registerSecureCard", "merchantReference": "c-1", "email": "a@example.com"}"#)
        let registered = try await till.next("secureCard")
        let token = try #require(registered["secureCard"]?["token"]?.text)
        await till.ask(
            #"{"request": "sale", "order": "o-1", "amount": "10.00", "currency": "EUR", "token": "\#(token)"}"#)
        #expect(try await till.next("payment")["outcome"]?.text == "approved")
        await till.ask(
            #"{"request": "editSecureCard", "merchantReference": "c-1", "keepsCard": true, "email": "b@example.com"}"#)
        #expect(try await till.next("secureCard")["secureCard"]?["email"]?.text == "b@example.com")
        await till.ask(#"{"request": "retrieveSecureCard", "merchantReference": "c-1"}"#)
        #expect(try await till.next("secureCard")["secureCard"]?["token"]?.text == token)
        await till.ask(#"{"request": "transactions", "id": "t", "order": "o-1"}"#)
        let list = try await till.next("transactions")
        #expect(list["transactions"]?.list?.map { $0["order"]?.text } == ["o-1"])
        #expect(list["id"]?.text == "t")
        await till.ask(#"{"request": "settings"}"#)
        #expect(try await till.next("settings")["terminal"]?.text == "BENCH001")
        await till.ask(#"{"request": "deleteSecureCard", "merchantReference": "c-1"}"#)
        #expect(try await till.next("secureCard")["secureCard"] == nil)
    }

    @Test("A referral is a question, and the first answer of its kind counts") func referral() async throws {
        let terminal = try await terminal()
        let till = Till(terminal)
        let events = terminal.eventStream()
        let following = Task { await till.session.follow(events) }
        defer { following.cancel() }
        // The reader's double asks for no call: without a reader the terminal does.
        await till.ask(#"{"request": "registerSecureCard", "merchantReference": "c-1"}"#)
        let token = try #require(try await till.next("secureCard")["secureCard"]?["token"]?.text)
        await till.ask(
            #"{"request": "sale", "id": "1", "order": "o-1", "amount": "10.02", "currency": "EUR", "token": "\#(token)"}"#
        )
        let question = try await till.next("question")
        #expect(question["question"]?.text == "referral")
        #expect(question["requestID"]?.text == "o-1")
        #expect(question["amount"]?.text == "10.02")
        let number = try #require(question["number"]?.integer)
        for (answer, isAccepted) in [
            (#""question": \#(number), "choice": 0"#, false), (#""question": \#(number + 1), "refused": true"#, false),
            (#""question": \#(number), "approvalCode": "12ab56""#, true),
            (#""question": \#(number), "refused": true"#, false),
        ] {
            await till.ask(#"{"request": "answer", \#(answer)}"#)
            #expect(try await till.next("answered")["isAccepted"]?.flag == isAccepted, "\(answer)")
        }
        let payment = try await till.next("payment")
        #expect(payment["approvalCode"]?.text == "12ab56")
        #expect(payment["outcome"]?.text == "approved")
    }

    @Test("Each question has its answers, and none outside its choices") func answers() async throws {
        let till = Till(try await terminal())
        let signature = try #require(Signature(strokes: [[.init(x: 0, y: 0), .init(x: 3, y: 4)]]))
        let requests = (
            SignatureRequest(card: nil, amount: "1.00 EUR", tip: nil),
            SignatureVerification(signature: signature, card: nil),
            ApplicationRequest(names: ["A", "B"]), SignatureRequest(card: nil, amount: "1.00 EUR", tip: nil),
            ReaderRequest(readers: [
                ReaderRequest.Candidate(name: "R", link: .usb, place: "/dev/x", identity: ReaderIdentity())
            ])
        )
        let contents: [TerminalEvent.Content] = [
            .signatureRequired(requests.0), .signatureToVerify(requests.1), .applicationRequired(requests.2),
            .signatureRequired(requests.3), .readerRequired(requests.4),
        ]
        let (events, continuation) = AsyncStream.makeStream(of: TerminalEvent.self)
        for content in contents {
            continuation.yield(TerminalEvent(operation: .sale, requestID: "o", content: content))
        }
        continuation.finish()
        await till.session.follow(events)
        func answered(_ answer: String) async throws -> Bool? {
            await till.ask(#"{"request": "answer", \#(answer)}"#)
            return try await till.next("answered")["isAccepted"]?.flag
        }
        #expect(try await answered(#""question": 1, "isGenuine": true"#) == false)
        #expect(try await answered(#""question": 1, "signature": [[[0, 0], [3, 4]]]"#) == true)
        guard case .signed(signature) = await requests.0.race.winner() else { throw HostError(.noAnswer, "not signed") }
        #expect(try await answered(#""question": 2, "isGenuine": false"#) == true)
        #expect(await requests.1.race.winner() == false)
        #expect(try await answered(#""question": 3, "choice": 2"#) == false, "there are two")
        #expect(try await answered(#""question": 3, "choice": 1"#) == true)
        #expect(await requests.2.race.winner() == 1)
        #expect(try await answered(#""question": 4, "refused": true"#) == true)
        guard case .declined = await requests.3.race.winner() else { throw HostError(.noAnswer, "not declined") }
        #expect(try await answered(#""question": 5, "choice": 1"#) == false)
        #expect(try await answered(#""question": 5, "choice": 0"#) == true)
        #expect(await requests.4.race.winner() == 0)
    }

    @Test("What waits for a card is cancelled, and another operation is refused meanwhile") func cancel() async throws {
        let reader = PatientReader()
        let till = Till(try await terminal(reader))
        await till.ask(#"{"request": "sale", "id": "1", "order": "o-1", "amount": "10.00", "currency": "EUR"}"#)
        for await _ in reader.isWaiting.stream { break }
        await till.ask(#"{"request": "sale", "id": "2", "order": "o-2", "amount": "10.00", "currency": "EUR"}"#)
        let busy = try await till.next("error")
        #expect(busy["id"]?.text == "2")
        #expect(busy["code"]?.text == "busy")
        await till.ask(#"{"request": "inquiry", "id": "3", "order": "o-1"}"#)
        #expect(try await till.next("error")["code"]?.text == "busy", "the journal has no outcome yet")
        await till.ask(#"{"request": "cancel", "id": "4"}"#)
        let cancelled = try await till.next("error")
        #expect(cancelled["id"]?.text == "1")
        #expect(cancelled["code"]?.text == "cancelled")
        #expect(try await till.next("cancel")["answer"]?.text == "cancelled")
    }

    @Test("So many requests at once, and no more; a request to cancel still fits") func flood() async throws {
        var reader = PatientReader()
        reader.standsDown = false
        let till = Till(try await terminal(reader))
        await till.ask(#"{"request": "sale", "id": "1", "order": "o-1", "amount": "10.00", "currency": "EUR"}"#)
        for await _ in reader.isWaiting.stream { break }
        // Each waits for the end of the sale.
        for number in 2...16 { await till.ask(#"{"request": "cancel", "id": "\#(number)"}"#) }
        await till.ask(#"{"request": "inquiry", "id": "17", "order": "o-9"}"#)
        await till.ask(#"{"request": "cancel", "id": "18"}"#)
        await till.ask(#"{"request": "cancel", "id": "19"}"#)
        for id in ["17", "19"] {
            let refused = try await till.next("error")
            #expect(refused["id"]?.text == id)
            #expect(refused["code"]?.text == "busy")
        }
    }

    @Test("What is no request is refused, under its name if it has one") func invalid() async throws {
        let till = Till(try await terminal(nil))
        await till.ask(#"{"request": "sale", "id": "9", "order": "o-1", "ammount": "1.00"}"#)
        let unknown = try await till.next("error")
        #expect(unknown["id"]?.text == "9")
        #expect(unknown["code"]?.text == "invalidRequest")
        #expect(unknown["description"]?.text?.hasPrefix("1:48: ammount: unknown key") == true)
        await till.ask(#"{"request": "settings", "id": "a\nb"}"#)
        #expect(try await till.next("error")["id"] == nil, "it is no line")
        await till.ask("rubbish")
        #expect(try await till.next("error")["id"] == nil)
        await till.ask(String(repeating: " ", count: JSON.maximumSize + 1))
        #expect(try await till.next("error")["description"]?.text?.contains("larger than 1024 KiB") == true)
    }
}
