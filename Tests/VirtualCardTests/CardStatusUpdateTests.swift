import Bytes
import CardCryptography
import SmartCard
import TLV
import Testing
import VirtualCard

/// The card status update that comes with ARPC method 2 (EMV 4.4 Book 3, C10 and 10.11.1 of the
/// Common Core Definitions).
@Suite struct CardStatusUpdateTests {
    private static let cdol1 = [UInt8](repeating: 0, count: 29)

    /// A card of the Common Core Definitions after a transaction whose issuer sent `update`, and
    /// what its second GENERATE AC gave.
    private func card(_ update: [UInt8], proprietary: [UInt8] = [], covered: Bool = true) async throws -> (
        card: VirtualCard, type: UInt8?
    ) {
        var profile = CardProfile.commonCoreStyle(.aes)
        profile.interchangeProfile.insert(.issuerAuthenticationSupported)
        profile.cdol2 = DOL(entries: [DOL.Entry(.authorisationResponseCode, 2)])
        let card = VirtualCard(try personalize(profile))
        let aid = profile.applications[0].aid
        for command in [CommandAPDU.select(aid), .getProcessingOptions([0x83, 0x00])] {
            _ = try await card.transmit(command)
        }
        let wrong = CommandAPDU.verify(qualifier: 0x80, [0x24, 0x99, 0x99, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])
        #expect(try await card.transmit(wrong).status == .counter(2))
        let first = try DataElements(parsing: try await card.transmit(.generateAC(0x80, Self.cdol1)).data)

        // EMV 4.4 Book 2, A1.4.3, A1.3.1 and 8.2.2 out of AES: card key, session key of counter 1,
        // CMAC.
        let issuerKey = try AESKey(SecretBytes([UInt8](hex: "0123456789ABCDEFFEDCBA9876543210")))
        let cardKey = try issuerKey.encryptECB([UInt8](hex: "00000000000000476173900101011901"))
        let sessionKey = try AESKey(SecretBytes(cardKey)).encryptECB([UInt8](hex: "00010000000000000000000000000000"))
        let message = try #require(first[.applicationCryptogram]) + update + (covered ? proprietary : [])
        let arpc = try AESKey(SecretBytes(sessionKey)).cmac(message).prefix(4)
        let status = try await card.transmit(.externalAuthenticate(arpc + update + proprietary)).status
        guard status == .success else { return (card, nil) }
        let second = try await card.transmit(.generateAC(0x40, [0x30, 0x30])).data
        return (card, try DataElements(parsing: second)[.cryptogramInformationData]?.first)
    }

    private func select(_ card: VirtualCard) async throws -> StatusWord {
        try await card.transmit(.select(card.card.profile.applications[0].aid)).status
    }

    @Test("A card status update decides on approval and PIN tries") func approves() async throws {
        let (card, type) = try await card([0x00, 0x80, 0, 0])
        #expect(type == 0x40)
        #expect(try await select(card) == .success)
        #expect(await card.pinTriesLeft == 2)
        #expect(try await self.card([0x00, 0x00, 0, 0]).type == 0x00, "no approval, no TC")
    }

    @Test("A card status update blocks the application or the card") func blocks() async throws {
        let (application, applicationType) = try await card([0x00, 0xA0, 0, 0])
        #expect(applicationType == 0x00)
        #expect(try await select(application) == .selectedFileInvalidated)
        let (blocked, _) = try await card([0x00, 0xC0, 0, 0])
        #expect(try await select(blocked) == .functionNotSupported)
    }

    @Test(
        "The counter counts only where bit 5 of byte 2 says so; zero blocks the PIN",
        arguments: [
            ([0x03, 0x90, 0, 0], 3), ([0x00, 0x90, 0, 0], 0), ([0x01, 0x80, 0, 0], 2), ([0x0F, 0x90, 0, 0], 3),
        ]
            as [([UInt8], UInt8)])
    func pinTryCounter(_ update: [UInt8], _ tries: UInt8) async throws {
        #expect(try await card(update).card.pinTriesLeft == tries)
    }

    @Test("Book 2, part IV, 8.2.2: proprietary data is in the ARPC if and only if byte 1, bit 8 of the CSU is set")
    func proprietaryData()
        async throws
    {
        #expect(try await card([0x80, 0x80, 0, 0], proprietary: [1, 2, 3], covered: true).type == 0x40)
        #expect(try await card([0x80, 0x80, 0, 0], proprietary: [1, 2, 3], covered: false).type == nil)
        #expect(try await card([0x00, 0x80, 0, 0], proprietary: [1, 2, 3], covered: false).type == 0x40)
        #expect(try await card([0x00, 0x80, 0, 0], proprietary: [1, 2, 3], covered: true).type == nil)
    }
}
