import Bytes
import CardCapture
import PaymentTerminal
import Testing

@Suite struct SecureCardTests {
    private func card(_ method: TokenMethod? = nil) throws -> SecureCard {
        SecureCard(merchantReference: try MerchantReference("customer-7"), tokenMethod: method)
    }

    @Test("G8 G9 G12 G28: keyed and OCR data are registered without a reader") func keyed() async throws {
        let host = FakeHost()
        let terminal = try await terminal(host)
        let response = try await terminal.registerSecureCard(card(.keyed(keyedCard(), cvv: SecretBytes("737".utf8))))
        #expect(response.description == "Secure Card Saved")
        #expect(response.secureCardReference == FakeHost.token)
        #expect(response.secureCard?.card?.maskedPAN == "555555******4444")
        #expect(host.seen.registrations[0].cvv == SecretBytes("737".utf8))
        _ = try await terminal.registerSecureCard(card(.ocr(keyedCard())))
        #expect(host.seen.registrations[1].cvv == nil)
    }

    @Test("G19: without token method and reader the error says to connect, and no read is tried", arguments: [nil, TokenMethod.reader])
    func connectFirst(_ method: TokenMethod?) async throws {
        let host = FakeHost()
        let terminal = try await terminal(host)
        for attempt in [terminal.registerSecureCard, terminal.editSecureCard] {
            let error = await #expect(throws: TerminalError.self) { try await attempt(card(method)) }
            #expect(error?.code == .readerNotConnected)
            #expect(error?.message == "no reader is connected: connect a reader first")
        }
        #expect(host.seen.registrations.isEmpty && host.seen.authorizations.isEmpty)
    }

    /// A number that nobody here can read cannot be kept, and no authorisation is spent on it.
    @Test func encipheredCardsAreNotRegistered() async throws {
        let host = FakeHost()
        let terminal = try await terminal(host, reader: FakeReader(obedient: encipheredCard()))
        let error = await #expect(throws: TerminalError.self) { try await terminal.registerSecureCard(card()) }
        #expect(error?.code == .invalidCardData)
        #expect(
            error?.message
                == "the reader enciphers the card number: use a host that opens its tracks, or give the reader's driver the keys")
        #expect(host.seen.authorizations.isEmpty && host.seen.registrations.isEmpty)
    }

    @Test("G17 G18: a connected reader goes before keyed data, and is read if there are none") func readerOverrides() async throws {
        let host = FakeHost()
        let reader = FakeReader(obedient: chipCard())
        let terminal = try await terminal(host, reader: reader)
        #expect(await terminal.connectedReader == "Fake reader 1", "G23")
        _ = try await terminal.registerSecureCard(card(.keyed(keyedCard(), cvv: SecretBytes("737".utf8))))
        _ = try await terminal.editSecureCard(card())
        #expect(reader.requests.count == 2)
        for registration in host.seen.registrations {
            #expect(registration.card.pan == SecretBytes("4761739001010010".utf8))
            #expect(registration.card.expiry.mmyy == "1231")
            #expect(registration.cvv == nil)
            #expect(registration.entryMode == .chip && registration.readerName == "Fake reader 1", "G4")
        }
    }

    @Test("G2: a card in the reader is verified with 0.00, online, and no advice is owed") func verification() async throws {
        let host = FakeHost()
        let reader = FakeReader(obedient: chipCard())
        _ = try await terminal(host, reader: reader).registerSecureCard(card())
        #expect(reader.requests.map(\.amount) == [0])
        #expect(reader.requests.map(\.forcesOnline) == [true])
        #expect(host.seen.authorizations.map(\.purpose) == [.accountVerification])
        #expect(host.seen.authorizations[0].amount.minorUnits == 0)
        #expect(host.seen.advices.isEmpty)
    }

    @Test("G2: what is not verified is not stored") func failedVerification() async throws {
        for (host, code) in [
            (FakeHost(responseCode: "05"), TerminalError.Code.cardDeclined),
            (FakeHost(failing: HostError(.unreachable, "no network: check the cable")), .hostUnreachable),
            (FakeHost(failing: HostError(.noAnswer, "no answer")), .noHostAnswer),
            (FakeHost(failing: HostError(.cardRefused, "not a test card")), .cardRefused),
        ] {
            let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard()))
            let error = await #expect(throws: TerminalError.self) { try await terminal.registerSecureCard(card()) }
            #expect(error?.code == code)
            #expect(host.seen.registrations.isEmpty)
        }
    }

    @Test("G21 G24 G28: update is retrieve, change, edit") func edit() async throws {
        let host = FakeHost()
        let terminal = try await terminal(host)
        var card = try await terminal.retrieveSecureCard(MerchantReference("customer-7"))
        card.details.email = "jane@example.org"
        card.tokenMethod = .ocr(try keyedCard())
        let response = try await terminal.editSecureCard(card)
        #expect(response.description == "Secure Card Updated")
        #expect(response.secureCard?.details.email == "jane@example.org")
    }

    @Test("G25 G26 G28: delete resolves the token itself, and the answer has none") func delete() async throws {
        let host = FakeHost()
        let terminal = try await terminal(host)
        let response = try await terminal.deleteSecureCard(MerchantReference("customer-7"))
        #expect(response.description == "Secure Card Deleted")
        #expect(response.secureCardReference == nil && response.secureCard == nil)
        #expect(host.seen.deletions.map(\.1) == [FakeHost.token])
        _ = try await terminal.deleteSecureCard(MerchantReference("customer-7"), token: SecureCardReference("mine"))
        #expect(host.seen.deletions.map(\.1) == [FakeHost.token, SecureCardReference("mine")])
        #expect(host.seen.retrievals == 1)
    }
}
