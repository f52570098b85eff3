public import Bytes
private import CardCryptography

/// The keys of a store, each derived from the integrator's key for one purpose (NIST SP 800-108r1,
/// one HMAC block: the key is as long as the digest, so the label alone is the input).
public struct SealingKeys: Sendable {
    /// The value in the store that identifies its key. 8 bytes, which reveal nothing about the key.
    let checkValue: [UInt8]
    private let sealing: AEADKey
    private let lookup: SecretBytes

    /// - Parameters:
    ///   - kind: the kind of data. Keys of one kind cannot open data of another.
    ///   - key: 32 random bytes.
    public init(_ kind: String, _ key: SecretBytes) throws(StoreError) {
        guard key.count == 32 else { throw .keyLength(key.count) }
        let derive = { (label: String) in
            var derived = HMACSHA256.authenticate(Array("CardPresent \(kind) 1, \(label)".utf8), key: key)
            return SecretBytes(wiping: &derived)
        }
        do {
            sealing = try AEADKey(derive("sealing"))
        } catch {
            throw .keyLength(key.count)
        }
        lookup = derive("lookup")
        checkValue = derive("check value").withBytes { bytes in (0..<8).map { bytes[$0] } }
    }

    /// `secret` sealed so that it can be opened only in the row and column of `place`.
    public func seal(_ secret: SecretBytes, for place: String) -> [UInt8] {
        sealing.seal(secret, authenticating: Array(place.utf8))
    }

    public func open(_ sealed: [UInt8], for place: String) throws(StoreError) -> SecretBytes {
        do {
            return try sealing.open(sealed, authenticating: Array(place.utf8))
        } catch {
            throw .damaged
        }
    }

    /// The search value for a card number: an HMAC-SHA-256, because a plain hash of so few digits
    /// can be inverted.
    public func lookupValue(of pan: SecretBytes) -> [UInt8] {
        var digits = pan.revealed()
        defer { wipe(&digits) }
        return HMACSHA256.authenticate(digits, key: lookup)
    }
}
