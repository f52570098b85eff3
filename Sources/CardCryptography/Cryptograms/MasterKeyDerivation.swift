internal import Bytes

/// How an issuer master key becomes a card's own (EMV 4.4 Book 2, A1.4).
public enum MasterKeyDerivation: Sendable, Equatable {
    /// A1.4.1: from the rightmost 16 digits of PAN and PAN sequence number.
    case optionA
    /// A1.4.2: as option A for a PAN of up to 16 digits, from a decimalised SHA-1 of a longer one.
    case optionB

    /// The card's double-length master key, with odd parity.
    ///
    /// - Parameters:
    ///   - issuerMasterKey: 16 bytes as the book has it.
    ///   - panSequenceNumber: tag 5F34, two digits in format n; absent counts as 00.
    public func cardMasterKey(from issuerMasterKey: TDESKey, pan: AccountNumber, panSequenceNumber: UInt8?) -> TDESKey {
        let sequenceNumber = panSequenceNumber ?? 0
        let digits = pan.withDigits { unpacked in unpacked.indices.map { unpacked[$0] } } + [sequenceNumber >> 4, sequenceNumber & 0x0F]
        let diversifier = packNibbles(self == .optionB && pan.count > 16 ? decimalisedHash(of: digits) : rightmost16(of: digits))
        var key = issuerMasterKey.encryptBlocks(diversifier + diversifier.map(~))
        setOddParity(&key)
        return TDESKey(doubleLength: &key)
    }

    private func rightmost16(of digits: [UInt8]) -> [UInt8] {
        [UInt8](repeating: 0, count: max(0, 16 - digits.count)) + digits.suffix(16)
    }

    /// The first 16 decimal digits of the SHA-1 over `digits`, then its digits A to F as 0 to 5 if there are fewer.
    private func decimalisedHash(of digits: [UInt8]) -> [UInt8] {
        let even = digits.count.isMultiple(of: 2) ? digits : [0] + digits
        let hash = unpackNibbles(SHA1.hash(packNibbles(even)).span)
        return Array((hash.filter { $0 < 10 } + hash.filter { $0 >= 10 }.map { $0 - 10 }).prefix(16))
    }
}
