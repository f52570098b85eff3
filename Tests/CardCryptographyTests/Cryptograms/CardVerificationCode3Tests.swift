import Bytes
import CardCryptography
import Foundation
import Testing

/// CVC3 against published personalisation data and examples
/// (`Vectors/contactless/mastercard-cvc3.json`).
@Suite struct CardVerificationCode3Tests {
    private struct Document: Decodable {
        struct Personalisation: Decodable {
            let kdCvc3, ivcvc3Track1, ivcvc3Track2: String
        }
        struct Example: Decodable {
            let origin: String
            let issuerMasterKey, pan, psn, key, track1Template, track2Template: String?
            let un, atc, ivcvc3: String
            let cvc3: UInt16
        }
        let personalisation: Personalisation
        let computed: [Example]
    }

    private func document() throws -> Document {
        try JSONDecoder().decode(Document.self, from: Data(vectorText("contactless/mastercard-cvc3.json").utf8))
    }

    private func key(_ hex: String) throws -> CardKey { try CardKey(SecretBytes([UInt8](hex: hex)), .tdes) }

    /// Of the issuer's key as EMV 4.4 Book 2, option A, derives the card's.
    private func key(_ example: Document.Example) throws -> CardKey {
        if let key = example.key { return try self.key(key) }
        let digits = try #require(example.pan)
        let (pan, issuerKey) = (
            try #require(AccountNumber(ascii: Array(digits.utf8))), try #require(example.issuerMasterKey)
        )
        return try MasterKeyDerivation.optionA.cardMasterKey(
            from: key(issuerKey), pan: pan, panSequenceNumber: example.psn.flatMap { UInt8($0, radix: 16) })
    }

    @Test func everyPublishedExample() throws {
        let document = try document()
        #expect(document.computed.count == 3)
        for example in document.computed {
            let template = try [UInt8](hex: #require(example.track1Template ?? example.track2Template))
            let key = try key(example)
            let vector = try CardVerificationCode3.initialisationVector(track: template, key: key)
            #expect(vector.hex == example.ivcvc3)
            let code = try CardVerificationCode3.compute(
                initialisationVector: vector, unpredictableNumber: [UInt8](hex: example.un),
                counter: #require(UInt16(example.atc, radix: 16)), key: key)
            #expect(code == example.cvc3)
        }
        let vectors = Set(document.computed.map(\.ivcvc3))
        #expect(vectors.contains(document.personalisation.ivcvc3Track1))
        #expect(vectors.contains(document.personalisation.ivcvc3Track2))
    }

    @Test func whatIsNoKeyOrNumber() throws {
        let aes = try CardKey(SecretBytes([UInt8](repeating: 1, count: 16)), .aes)
        let tdes = try key("A3D0BC420A766611F7BC19E7F2E221AF")
        #expect(throws: CryptogramError.cipher) { try CardVerificationCode3.initialisationVector(track: [], key: aes) }
        #expect(throws: CryptogramError.cipher) {
            try CardVerificationCode3.compute(
                initialisationVector: [0, 0], unpredictableNumber: [0, 0, 0, 0], counter: 1, key: aes)
        }
        for (vector, number) in [
            ([UInt8](repeating: 0, count: 3), [UInt8](repeating: 0, count: 4)), ([0, 0], [0, 0, 0]),
        ] {
            #expect(throws: CryptogramError.self) {
                try CardVerificationCode3.compute(
                    initialisationVector: vector, unpredictableNumber: number, counter: 1, key: tdes)
            }
        }
    }
}
