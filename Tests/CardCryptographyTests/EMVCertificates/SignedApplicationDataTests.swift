import Bytes
import Testing

@testable import CardCryptography

@Suite struct SignedStaticApplicationDataTests {
    @Test func verifiesTheMastercardTestCard() throws {
        let card = try TestCard.contact()
        let (ssad, issuer, staticData) = (try hex(#require(card.ssad)), try card.issuer.key, try hex(card.staticData))
        #expect(
            try SignedStaticApplicationData.verify(ssad, issuer: issuer, staticData: staticData).hex
                == card.expected.dataAuthenticationCode)
        for index in staticData.indices {
            var changed = staticData
            changed[index] ^= 1
            #expect(throws: CertificateError.hash) {
                try SignedStaticApplicationData.verify(ssad, issuer: issuer, staticData: changed)
            }
        }
        #expect(throws: CertificateError.lengthMismatch) {
            try SignedStaticApplicationData.verify(Array(ssad.dropLast()), issuer: issuer, staticData: staticData)
        }
    }
}

@Suite struct SignedDynamicApplicationDataTests {
    @Test func recoversTheCDAOfTheMastercardTestCard() throws {
        let card = try TestCard.contactless()
        let (sdad, key, number) = (
            try hex(#require(card.sdad)), try card.icc.key, try hex(#require(card.unpredictableNumber))
        )
        let data = try SignedDynamicApplicationData.recoverCDA(sdad, key: key, unpredictableNumber: number)
        #expect(data.iccDynamicNumber.hex == card.expected.iccDynamicNumber)
        #expect([data.cryptogramInformationData].hex == card.expected.cryptogramInformationData)
        #expect(data.applicationCryptogram.hex == card.expected.applicationCryptogram)
        let (sent, answered) = (try hex(#require(card.cdol1Data)), try hex(#require(card.answerWithoutSDAD)))
        try data.verifyTransactionData(sent + answered)
        #expect(throws: CertificateError.transactionDataHash) { try data.verifyTransactionData(sent) }
        #expect(throws: CertificateError.hash) {
            try SignedDynamicApplicationData.recoverCDA(sdad, key: key, unpredictableNumber: [0, 0, 0, 0])
        }
        #expect(throws: CertificateError.format) {
            try SignedStaticApplicationData.verify(sdad, issuer: key, staticData: number)
        }
    }

    /// Dynamic data whose inner lengths lie, signed by a card that has the right key (EMV 4.4 Book
    /// 2, 6.5.2 and 6.6.2).
    @Test(
        arguments: [
            [5, 1, 0], [5, 1, 1, 2], [5, 1, 3, 8, 1, 2], [5, 1, 10, 9], [5, 1, 0xFF, 2], [5, 1, 104, 2],
        ] as [[UInt8]])
    func innerLengthsThatLie(_ start: [UInt8]) throws {
        let card = try RSAPrivateKey.generate(modulusBits: 1024, exponent: 3)
        let sdad = try card.signBlock(start + [UInt8](repeating: 0xBB, count: 106 - start.count), hashedWith: [9])
        #expect(throws: CertificateError.innerLength) {
            try SignedDynamicApplicationData.verifyDDA(sdad, key: card.publicKey, terminalDynamicData: [9])
        }
        #expect(throws: CertificateError.innerLength) {
            try SignedDynamicApplicationData.recoverCDA(sdad, key: card.publicKey, unpredictableNumber: [9])
        }
    }

    @Test func dynamicDataOfDDAIsTooShortForCDA() throws {
        let card = try RSAPrivateKey.generate(modulusBits: 1024, exponent: 3)
        let sdad = try SignedDynamicApplicationData.signDDA(
            iccDynamicNumber: [1, 2, 3], terminalDynamicData: [9], by: card)
        #expect(throws: CertificateError.innerLength) {
            try SignedDynamicApplicationData.recoverCDA(sdad, key: card.publicKey, unpredictableNumber: [9])
        }
    }
}
