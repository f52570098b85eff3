import Bytes
import CardCryptography
import Testing

/// Keys that everybody has are known as such; the vectors that they are published in are the
/// reference.
@Suite struct PublishedTestKeysTests {
    @Test func examplesOfDUKPT() throws {
        for file in ["ansi-x9.24/dukpt-tdes.json", "ansi-x9.24/dukpt-aes.json"] {
            let text = try vectorText(file)
            let keys = text.matches(of: /"(?:bdk|initialKey)": *"([0-9A-F]+)"/).map(\.1)
            #expect(keys.count >= 2)
            for key in keys { #expect(PublishedTestKeys.contains(SecretBytes(try [UInt8](hex: key))), "\(file)") }
        }
        #expect(!PublishedTestKeys.contains(SecretBytes(SecureRandom.bytes(16))))
    }

    @Test("the published authority keys count as test keys, under their index only") func authorities() throws {
        let published = try CAPublicKeyFile.parse(vectorText("keys/ca-test-keys.tsv"))
        #expect(published.count == 9)
        #expect(published.allSatisfy { $0.isTest })
        for key in published {
            #expect(
                !CAPublicKey(rid: key.rid, index: key.index ^ 1, key: key.key).isTest,
                "the same modulus under another index is another key"
            )
        }
    }

    /// Whoever makes a key of his own says so in the file.
    @Test func markInAFile() throws {
        let modulus = String(repeating: "A1", count: 63) + "A3"
        let keys = try CAPublicKeyFile.parse(
            "Visa A000000003 01 03 \(modulus)\nTest A000000003 02 03 \(modulus)\nVisa TEST A000000003 03 03 \(modulus)\n"
        )
        #expect(keys.map(\.isTest) == [false, true, true])
    }
}
