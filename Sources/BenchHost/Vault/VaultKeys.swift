import Bytes
import CardCryptography

/// The keys of a vault, each derived from the integrator's vault key for one purpose (NIST SP 800-108r1, one HMAC block: the key is as
/// long as the digest, so the label alone is the input).
struct VaultKeys: Sendable {
    /// What stands in the vault to know its key by. 8 bytes, which tell nothing about the key.
    let checkValue: [UInt8]
    private let sealing: AEADKey
    private let lookup: SecretBytes

    /// - Parameter vaultKey: 32 random bytes.
    init(_ vaultKey: SecretBytes) throws(VaultError) {
        guard vaultKey.count == 32 else { throw .keyLength(vaultKey.count) }
        let derive = { (label: String) in
            var key = HMACSHA256.authenticate(Array("CardPresent vault 1, \(label)".utf8), key: vaultKey)
            return SecretBytes(wiping: &key)
        }
        do {
            sealing = try AEADKey(derive("sealing"))
        } catch {
            throw .keyLength(vaultKey.count)
        }
        lookup = derive("lookup")
        checkValue = derive("check value").withBytes { bytes in (0..<8).map { bytes[$0] } }
    }

    /// `secret` sealed so that it opens in the row and column that `place` names and nowhere else.
    func seal(_ secret: SecretBytes, for place: String) -> [UInt8] {
        sealing.seal(secret, authenticating: Array(place.utf8))
    }

    func open(_ sealed: [UInt8], for place: String) throws(VaultError) -> SecretBytes {
        do {
            return try sealing.open(sealed, authenticating: Array(place.utf8))
        } catch {
            throw .damaged
        }
    }

    /// What stands for a card number where rows are found by it: an HMAC-SHA-256, since a plain hash of so few digits is no secret.
    func lookupValue(of pan: SecretBytes) -> [UInt8] {
        var digits = pan.revealed()
        defer { wipe(&digits) }
        return HMACSHA256.authenticate(digits, key: lookup)
    }
}
