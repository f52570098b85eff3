internal import Bytes

/// The derivation of a card's master key from an issuer master key (EMV 4.4 Book 2, A1.4).
public enum MasterKeyDerivation: Sendable, Equatable {
    /// A1.4.1, triple DES: from the rightmost 16 digits of PAN and PAN sequence number.
    case optionA
    /// A1.4.2, triple DES: as option A for a PAN of up to 16 digits, from a decimalised SHA-1 of a
    /// longer one.
    case optionB
    /// A1.4.3, AES: from PAN and PAN sequence number in one block.
    case optionC

    /// The cipher of both keys.
    public var cipher: CardKey.Cipher { self == .optionC ? .aes : .tdes }

    /// The card's master key: double length with odd parity for triple DES, the issuer key's length
    /// for AES.
    ///
    /// - Parameters:
    ///   - issuerMasterKey: A key of the option's cipher, otherwise ``CryptogramError/cipher`` is
    ///     thrown; for triple DES 16 bytes.
    ///   - panSequenceNumber: tag 5F34, two digits in format n; absent counts as 00.
    public func cardMasterKey(
        from issuerMasterKey: CardKey, pan: AccountNumber, panSequenceNumber: UInt8?
    ) throws(CryptogramError) -> CardKey {
        guard issuerMasterKey.cipher == cipher else { throw .cipher }
        let sequenceNumber = panSequenceNumber ?? 0
        let digits =
            pan.withDigits { unpacked in unpacked.indices.map { unpacked[$0] } } + [
                sequenceNumber >> 4, sequenceNumber & 0x0F,
            ]
        let diversifier: [UInt8] =
            switch self {
            case .optionA: rightmost(16, of: digits)
            case .optionB: pan.count > 16 ? decimalisedHash(of: digits) : rightmost(16, of: digits)
            case .optionC: rightmost(32, of: digits)
            }
        let block = packNibbles(diversifier)
        var key = issuerMasterKey.encryptBlocks(block + block.map(~))
        if cipher == .tdes { setOddParity(&key) }
        return issuerMasterKey.derived(from: &key)
    }

    /// Padded with zeros on the left if there are fewer digits than `count`.
    private func rightmost(_ count: Int, of digits: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: max(0, count - digits.count)) + digits.suffix(count)
    }

    /// The first 16 decimal digits of the SHA-1 over `digits`, then its digits A to F as 0 to 5 if
    /// there are fewer.
    private func decimalisedHash(of digits: [UInt8]) -> [UInt8] {
        let even = digits.count.isMultiple(of: 2) ? digits : [0] + digits
        let hash = unpackNibbles(SHA1.hash(packNibbles(even)).span)
        return Array((hash.filter { $0 < 10 } + hash.filter { $0 >= 10 }.map { $0 - 10 }).prefix(16))
    }
}

/// The master keys of an issuer, or those of one card, by purpose (EMV 4.4 Book 2, 8.3 and 9.4).
public struct MasterKeySet: Sendable, Equatable {
    /// For application cryptograms and response cryptograms, MK AC.
    public var applicationCryptogram: CardKey
    /// For MACs over the issuer's commands, MK SMI.
    public var integrity: CardKey
    /// For encipherment of the issuer's commands, MK SMC.
    public var confidentiality: CardKey

    public init(applicationCryptogram: CardKey, integrity: CardKey, confidentiality: CardKey) {
        self.applicationCryptogram = applicationCryptogram
        self.integrity = integrity
        self.confidentiality = confidentiality
    }

    /// The keys of the card with `pan`, if these are its issuer's; see
    /// ``MasterKeyDerivation/cardMasterKey(from:pan:panSequenceNumber:)``.
    public func cardKeys(
        by derivation: MasterKeyDerivation, pan: AccountNumber, panSequenceNumber: UInt8?
    ) throws(CryptogramError) -> MasterKeySet {
        MasterKeySet(
            applicationCryptogram: try derivation.cardMasterKey(
                from: applicationCryptogram, pan: pan, panSequenceNumber: panSequenceNumber),
            integrity: try derivation.cardMasterKey(from: integrity, pan: pan, panSequenceNumber: panSequenceNumber),
            confidentiality: try derivation.cardMasterKey(
                from: confidentiality, pan: pan, panSequenceNumber: panSequenceNumber))
    }
}
