internal import Bytes

/// The derivation of the session key for an application cryptogram from a card master key.
public enum SessionKeyDerivation: Sendable, Equatable {
    /// The card master key itself (Visa cryptogram version 10).
    case none
    /// EMV common session key derivation from the ATC only (EMV 4.4 Book 2, A1.3.1), the only one
    /// for AES.
    case common
    /// Mastercard's derivation, from ATC and unpredictable number (M/Chip 4, "MasterCard
    /// proprietary SKD"); triple DES.
    case mastercard
    /// UnionPay's derivation: the ATC and its inverse, each after six zero bytes, enciphered (JR/T
    /// 0025, the Chinese industry standard known as PBOC); triple DES.
    case unionPay

    /// - Parameters:
    ///   - atc: the application transaction counter, tag 9F36.
    ///   - unpredictableNumber: tag 9F37, 4 bytes; only ``mastercard`` uses it.
    public func sessionKey(
        from cardMasterKey: CardKey, atc: UInt16, unpredictableNumber: [UInt8]
    ) throws(CryptogramError) -> CardKey {
        switch (self, cardMasterKey) {
        case (.none, _): return cardMasterKey
        case (.common, .tdes(let key)): return .tdes(key.diversified(by: UInt64(atc) << 48))
        case (.common, .aes(let key)): return .aes(key.diversified(by: UInt128(atc) << 112))
        case (.mastercard, .tdes(let key)):
            try CryptogramError.check(unpredictableNumber, count: 4)
            return .tdes(key.diversified(by: UInt64(atc) << 48 | unpredictableNumber.span.block(from: 0) >> 32))
        case (.unionPay, .tdes(let key)): return .tdes(key.derived(UInt64(atc), UInt64(~atc)))
        case (.mastercard, .aes), (.unionPay, .aes): throw .cipher
        }
    }
}

extension CardKey {
    /// EMV 4.4 Book 2, A1.3.1: `diversifier` enciphered once if one block is the whole key,
    /// otherwise twice with its third byte F0 and 0F, truncated to the length of the key.
    ///
    /// - Parameter diversifier: R, one block: ATC ‖ 00 … for cryptograms, the application
    ///   cryptogram ‖ 00 … for secure messaging.
    public func commonSessionKey(diversifier: [UInt8]) throws(CryptogramError) -> CardKey {
        try CryptogramError.check(diversifier, count: blockSize)
        return diversified(by: diversifier)
    }

    /// ``commonSessionKey(diversifier:)`` for a diversifier that is one block by construction.
    func diversified(by diversifier: [UInt8]) -> CardKey {
        switch self {
        case .tdes(let key): .tdes(key.diversified(by: diversifier.span.block(from: 0)))
        case .aes(let key): .aes(key.diversified(by: diversifier.span.block(from: 0)))
        }
    }
}

extension TDESKey {
    /// A1.3.1 of EMV 4.4 Book 2, with triple DES.
    fileprivate func diversified(by diversifier: UInt64) -> TDESKey {
        let others = diversifier & ~(0xFF << 40)
        return derived(others | 0xF0 << 40, others | 0x0F << 40)
    }

    /// A double-length key from two enciphered blocks.
    fileprivate func derived(_ left: UInt64, _ right: UInt64) -> TDESKey {
        DESCipher.with(bytes) { TDESKey($0.encrypt(left), $0.encrypt(right)) }
    }
}

extension AESKey {
    /// A1.3.1 of EMV 4.4 Book 2, with AES.
    fileprivate func diversified(by diversifier: UInt128) -> AESKey {
        let cipher = keyed(.encrypt)
        guard bytes.count > BlockCipher.blockSize else { return AESKey(cipher(diversifier), 0, count: bytes.count) }
        let others = diversifier & ~(0xFF << 104)
        return AESKey(cipher(others | 0xF0 << 104), cipher(others | 0x0F << 104), count: bytes.count)
    }
}
