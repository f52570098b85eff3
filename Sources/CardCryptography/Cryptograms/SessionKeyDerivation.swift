internal import Bytes

/// How a card master key becomes the key of one transaction's application cryptogram.
public enum SessionKeyDerivation: Sendable, Equatable {
    /// The card master key itself (Visa cryptogram version 10).
    case none
    /// EMV common session key derivation from the ATC alone (EMV 4.4 Book 2, A1.3.1), the only one for AES.
    case common
    /// Mastercard's, from ATC and unpredictable number (M/Chip 4, "MasterCard proprietary SKD"); triple DES.
    case mastercard
    /// UnionPay's: the ATC, and its inverse, each behind six zero bytes, enciphered (JR/T 0025, the Chinese industry standard known as PBOC);
    /// triple DES.
    case unionPay

    /// - Parameters:
    ///   - atc: the application transaction counter, tag 9F36.
    ///   - unpredictableNumber: tag 9F37, 4 bytes; only ``mastercard`` looks at it.
    public func sessionKey(
        from cardMasterKey: CardKey, atc: UInt16, unpredictableNumber: [UInt8]
    ) throws(CryptogramError) -> CardKey {
        let counter = [UInt8(truncatingIfNeeded: atc >> 8), UInt8(atc & 0xFF)]
        switch self {
        case .none: return cardMasterKey
        case .common:
            return try cardMasterKey.commonSessionKey(
                diversifier: counter + [UInt8](repeating: 0, count: cardMasterKey.blockSize - counter.count))
        case .mastercard:
            guard cardMasterKey.cipher == .tdes else { throw .cipher }
            try CryptogramError.check(unpredictableNumber, count: 4)
            return try cardMasterKey.commonSessionKey(diversifier: counter + [0, 0] + unpredictableNumber)
        case .unionPay:
            guard cardMasterKey.cipher == .tdes else { throw .cipher }
            let zeros = [UInt8](repeating: 0, count: 6)
            var key = cardMasterKey.encryptBlocks(zeros + counter + zeros + counter.map(~))
            return cardMasterKey.derived(from: &key)
        }
    }
}

extension CardKey {
    /// EMV 4.4 Book 2, A1.3.1: `diversifier` enciphered once where one block is the whole key, otherwise twice with its third byte F0 and 0F, cut
    /// to the length of the key.
    ///
    /// - Parameter diversifier: R, one block: ATC ‖ 00 … for cryptograms, the application cryptogram ‖ 00 … for secure messaging.
    public func commonSessionKey(diversifier: [UInt8]) throws(CryptogramError) -> CardKey {
        try CryptogramError.check(diversifier, count: blockSize)
        return diversified(by: diversifier)
    }

    /// ``commonSessionKey(diversifier:)`` for a diversifier that is one block by construction.
    func diversified(by diversifier: [UInt8]) -> CardKey {
        var key: [UInt8]
        if bytes.count == blockSize && cipher == .aes {
            key = encryptBlocks(diversifier)
        } else {
            var (left, right) = (diversifier, diversifier)
            left[2] = 0xF0
            right[2] = 0x0F
            key = encryptBlocks(left + right)
        }
        return derived(from: &key)
    }
}
