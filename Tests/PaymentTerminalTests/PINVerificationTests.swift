import Bytes
import CardCapture
import PaymentTerminal
import TLV
import Testing

@Suite("What a response says of the PIN, the application and a decline") struct PINVerificationTests {
    private func card(_ cvmResults: [UInt8], entryMode: UInt8 = 0x05, pin: EncipheredPINBlock? = nil) -> CapturedCard {
        var card = chipCard()
        card.chip?.elements[.cvmResults] = cvmResults
        card.chip?.elements[.pointOfServiceEntryMode] = [entryMode]
        card.pin = pin
        return card
    }

    private func response(_ card: CapturedCard, responseCode: String = "00") async throws -> PaymentResponse {
        let host = FakeHost(responseCode: responseCode)
        let reader = FakeReader(card) { answer throws(CaptureError) in
            CaptureOutcome(decision: responseCode == "00" ? .approvedOnline : .declinedOnline, card: card)
        }
        return try await terminal(host, reader: reader).processSale(
            Sale(orderID: OrderID("o-1"), amount: euros("12.34")))
    }

    /// CVM codes 01 to 05 and results 00 to 02 (EMV 4.4 Book 3, annex C3; Book 4, annex A4); 010002
    /// of a tap is the cardholder's own device (EMV Contactless Book C-2, 7.5).
    @Test(
        "E15: a PIN that the card accepted is verified",
        arguments: [
            ("010002", 0x05, true), ("410302", 0x05, true), ("440302", 0x05, true), ("440301", 0x05, false),
            ("410300", 0x05, false), ("030300", 0x05, true), ("050301", 0x05, false), ("010002", 0x07, false),
            ("1E0300", 0x05, false), ("1F0302", 0x05, false), ("420300", 0x05, false), ("3F0000", 0x05, false),
        ] as [(String, UInt8, Bool)])
    func offlinePIN(results: String, entryMode: UInt8, isVerified: Bool) async throws {
        let response = try await response(card(try [UInt8](hex: results), entryMode: entryMode))
        #expect(response.isPINVerified == isVerified)
    }

    @Test("E15: a PIN that went to the issuer is verified once it has approved") func onlinePIN() async throws {
        let pin = EncipheredPINBlock(format: .iso0, block: [UInt8](repeating: 7, count: 8), ksn: [1, 2, 3])
        let chip = card([0x42, 0x03, 0x00], pin: pin)
        #expect(try await response(chip).isPINVerified)
        #expect(try await !response(chip, responseCode: "55").isPINVerified)
        var stripe = stripeCard()
        stripe.pin = pin
        #expect(try await response(stripe).isPINVerified)
        #expect(try await !response(stripeCard()).isPINVerified)
    }

    @Test("E15: label and preferred name are told apart") func names() async throws {
        var named = card([0x1F, 0x03, 0x02])
        let plain = try #require(try await response(named).receipt.chip)
        #expect(plain.applicationLabel == "VISA CREDIT")
        #expect(plain.preferredName == nil)
        #expect(plain.label == "VISA CREDIT")
        named.chip?.elements[.applicationPreferredName] = Array("Carte Bleue".utf8)
        named.chip?.elements[.issuerCodeTableIndex] = [0x01]
        let chip = try #require(try await response(named).receipt.chip)
        #expect(chip.applicationLabel == "VISA CREDIT")
        #expect(chip.preferredName == "Carte Bleue")
        #expect(chip.label == "Carte Bleue")
    }

    /// The pattern of PaySimple's page "Payment failure codes": 4005 do not honour, 4041 lost card,
    /// 4054 expired.
    @Test(
        "E13: a decline has the four digits",
        arguments: [("05", 4005), ("41", 4041), ("54", 4054), ("N7", nil), ("+5", nil)] as [(String, Int?)])
    func declineCode(responseCode: String, code: Int?) async throws {
        let host = FakeHost(responseCode: responseCode)
        let response = try await terminal(host, reader: FakeReader(obedient: stripeCard())).processSale(
            Sale(orderID: OrderID("o-1"), amount: euros("12.34")))
        #expect(response.outcome == .declined)
        #expect(response.declineCode == code)
    }

    @Test("E13: an approval has no code of a decline") func approved() async throws {
        #expect(try await response(stripeCard()).declineCode == nil)
    }
}
