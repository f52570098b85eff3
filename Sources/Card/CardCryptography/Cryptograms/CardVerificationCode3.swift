import Bytes

/// CVC3, tags `9F60` and `9F61`: the code of a Mastercard contactless card in mag-stripe mode for
/// one transaction.
///
/// Source: published implementations with examples, `Vectors/contactless/mastercard-cvc3.json`; the
/// payment system's book was not available.
package enum CardVerificationCode3 {
    /// The value that represents a track in the code: the last 2 bytes of the retail MAC over the
    /// track as personalised.
    ///
    /// - Parameters:
    ///   - track: The value of tag `56` or `9F6B`, with zeros at the positions of the dynamic
    ///     digits.
    ///   - key: The card's key for CVC3, triple DES.
    /// - Returns: 2 bytes.
    package static func initialisationVector(track: [UInt8], key: CardKey) throws(CryptogramError) -> [UInt8] {
        guard key.cipher == .tdes else { throw .cipher }
        return Array(key.mac(track).suffix(2))
    }

    /// The code: the last 16 bits of the initialisation vector, unpredictable number and counter
    /// enciphered.
    ///
    /// - Parameters:
    ///   - initialisationVector: 2 bytes, from ``initialisationVector(track:key:)``.
    ///   - unpredictableNumber: Tag `9F6A`, 8 digits in format n, 4 bytes.
    ///   - counter: Tag `9F36`.
    ///   - key: The card's key for CVC3, triple DES.
    package static func compute(
        initialisationVector: [UInt8], unpredictableNumber: [UInt8], counter: UInt16, key: CardKey
    ) throws(CryptogramError) -> UInt16 {
        guard key.cipher == .tdes else { throw .cipher }
        try CryptogramError.check(initialisationVector, count: 2)
        try CryptogramError.check(unpredictableNumber, count: 4)
        let block =
            initialisationVector + unpredictableNumber + [
                UInt8(truncatingIfNeeded: counter >> 8), UInt8(counter & 0xFF),
            ]
        let code = key.encryptBlocks(block).suffix(2)
        return code.reduce(0) { $0 << 8 | UInt16($1) }
    }
}
