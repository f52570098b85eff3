import Bytes
import CardCapture
import EMVKernel
import Foundation
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

    @Test("G38: the answer as JSON has token, description and card, and nothing that was keyed for it") func json()
        async throws
    {
        let terminal = try await terminal(FakeHost())
        let response = try await terminal.registerSecureCard(card(.keyed(keyedCard(), cvv: SecretBytes("737".utf8))))
        let text = try String(decoding: JSONEncoder().encode(response), as: UTF8.self)
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(answer["secureCardReference"] as? String == FakeHost.token.text)
        #expect(answer["description"] as? String == "Secure Card Saved")
        let entry = try #require(answer["secureCard"] as? [String: Any])
        #expect(entry["merchantReference"] as? String == "customer-7")
        #expect(entry["tokenMethod"] == nil)
        #expect((entry["card"] as? [String: Any])?["maskedPAN"] as? String == "555555******4444")
        #expect(!text.contains("5555555555554444"))
        #expect(!text.contains("737"))
        let deleted = try await terminal.deleteSecureCard(MerchantReference("customer-7"))
        let last = try #require(try JSONSerialization.jsonObject(with: JSONEncoder().encode(deleted)) as? [String: Any])
        #expect(last.keys.sorted() == ["description"])
    }

    @Test(
        "G19: without token method and reader the error says to connect, and no read is tried",
        arguments: [nil, TokenMethod.reader])
    func connectFirst(_ method: TokenMethod?) async throws {
        let host = FakeHost()
        let terminal = try await terminal(host)
        for attempt in [terminal.registerSecureCard, terminal.editSecureCard] {
            let error = await #expect(throws: TerminalError.self) { try await attempt(card(method), nil) }
            #expect(error?.code == .readerNotConnected)
            #expect(error?.message == "no reader is connected: connect a reader first")
        }
        #expect(host.seen.registrations.isEmpty)
        #expect(host.seen.authorizations.isEmpty)
    }

    @Test(
        "a card from the reader is registered as it was captured, an enciphered one too",
        arguments: [chipCard(), encipheredCard()])
    func asCaptured(_ captured: CapturedCard) async throws {
        let host = FakeHost()
        let terminal = try await terminal(host, reader: FakeReader(obedient: captured))
        _ = try await terminal.registerSecureCard(card())
        let registration = try #require(host.seen.registrations.first)
        guard case .captured(let sent) = registration.card else {
            Issue.record("the card was not sent as it was captured")
            return
        }
        #expect(sent.entryMode == captured.entryMode)
        #expect(sent.track2 == captured.track2)
        #expect(sent.chip?.field55(for: .authorization) == captured.chip?.field55(for: .authorization))
        #expect(sent.encryptedTracks == captured.encryptedTracks)
        #expect((sent.pan == nil) == (captured.pan == nil))
        #expect(registration.readerName == "Fake reader 1")
    }

    @Test("the verification of a card follows the configuration and the host") func verificationPolicy() async throws {
        let cases: [(Terminal.Configuration.SecureCardVerification, Bool, asked: Int, error: TerminalError.Code?)] = [
            (.whereSupported, true, 1, nil), (.whereSupported, false, 0, nil), (.never, true, 0, nil),
            (.always, true, 1, nil),
            (.always, false, 0, .refused(.notSupported)),
        ]
        for (policy, canVerify, asked, code) in cases {
            let host = FakeHost()
            host.play { $0.verifiesAccounts = canVerify }
            let terminal = try await terminal(host, reader: FakeReader(obedient: chipCard())) {
                $0.secureCardVerification = policy
            }
            let secureCard = try card()
            do throws(TerminalError) {
                _ = try await terminal.registerSecureCard(secureCard)
                #expect(code == nil)
            } catch {
                #expect(error.code == code)
            }
            #expect(host.seen.authorizations.count == asked)
            #expect(host.seen.registrations.count == (code == nil ? 1 : 0))
        }
    }

    @Test("details alone are edited without a card, with a reader connected too; a new card needs one")
    func detailsAlone() async throws {
        let host = FakeHost()
        let reader = FakeReader(obedient: chipCard())
        let terminal = try await terminal(host, reader: reader)
        var secureCard = try card(.unchanged)
        secureCard.details.email = "jane@example.org"
        #expect(try await terminal.editSecureCard(secureCard).description == "Secure Card Updated")
        #expect(reader.requests.isEmpty && host.seen.registrations.count == 1 && host.seen.registrations[0].card == nil)
        let error = await #expect(throws: TerminalError.self) { try await terminal.registerSecureCard(secureCard) }
        #expect(error?.code == .refused(.invalidRequest))
    }

    @Test("G17 G18: a connected reader goes before keyed data, and is read if there are none") func readerOverrides()
        async throws
    {
        let host = FakeHost()
        let reader = FakeReader(obedient: chipCard())
        let terminal = try await terminal(host, reader: reader)
        #expect(await terminal.connectedReader == "Fake reader 1", "G23")
        _ = try await terminal.registerSecureCard(card(.keyed(keyedCard(), cvv: SecretBytes("737".utf8))))
        _ = try await terminal.editSecureCard(card())
        #expect(reader.requests.count == 2)
        for registration in host.seen.registrations {
            guard case .captured(let card) = registration.card else {
                Issue.record("keyed data were used")
                continue
            }
            #expect(card.pan == SecretBytes("4761739001010010".utf8))
            #expect(card.expiry == "3112")
            #expect(registration.cvv == nil)
            #expect(registration.entryMode == .chip, "G4")
            #expect(registration.readerName == "Fake reader 1", "G4")
        }
    }

    @Test("G2: a card in the reader is verified with 0.00, online, and no advice is owed") func verification()
        async throws
    {
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
            (FakeHost(failing: HostError(.unreachable, "no network: check the cable")), .hostFailed(.unreachable)),
            (FakeHost(failing: HostError(.noAnswer, "no answer")), .hostFailed(.noAnswer)),
            (FakeHost(failing: HostError(.cardRefused, "not a test card")), .refused(.cardRefused)),
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
        #expect(response.secureCardReference == nil)
        #expect(response.secureCard == nil)
        #expect(host.seen.deletions.map(\.1) == [FakeHost.token])
        _ = try await terminal.deleteSecureCard(MerchantReference("customer-7"), token: SecureCardReference("mine"))
        #expect(host.seen.deletions.map(\.1) == [FakeHost.token, SecureCardReference("mine")])
        #expect(host.seen.retrievals == 1)
    }
}
