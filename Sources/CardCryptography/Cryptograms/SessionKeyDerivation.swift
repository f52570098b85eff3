/// How a card master key becomes the key of one transaction's application cryptogram.
public enum SessionKeyDerivation: Sendable, Equatable {
    /// The card master key itself (Visa cryptogram version 10).
    case none
    /// EMV common session key derivation from the ATC alone (EMV 4.4 Book 2, A1.3.1).
    case common
    /// Mastercard's, from ATC and unpredictable number (M/Chip 4, "MasterCard proprietary SKD").
    case mastercard

    /// - Parameters:
    ///   - atc: the application transaction counter, tag 9F36.
    ///   - unpredictableNumber: tag 9F37, 4 bytes; only ``mastercard`` looks at it.
    public func sessionKey(
        from cardMasterKey: TDESKey, atc: UInt16, unpredictableNumber: [UInt8]
    ) throws(CryptogramError) -> TDESKey {
        let counter = [UInt8(atc >> 8), UInt8(atc & 0xFF)]
        switch self {
        case .none: return cardMasterKey
        case .common: return try cardMasterKey.commonSessionKey(diversifier: counter + [0, 0, 0, 0, 0, 0])
        case .mastercard:
            try CryptogramError.check(unpredictableNumber, count: 4)
            return try cardMasterKey.commonSessionKey(diversifier: counter + [0, 0] + unpredictableNumber)
        }
    }
}

extension TDESKey {
    /// EMV 4.4 Book 2, A1.3.1: each half is `diversifier` enciphered, its third byte F0 for the left and 0F for the right.
    ///
    /// - Parameter diversifier: R, 8 bytes: ATC ‖ 00 … for cryptograms, the application cryptogram for secure messaging.
    public func commonSessionKey(diversifier: [UInt8]) throws(CryptogramError) -> TDESKey {
        try CryptogramError.check(diversifier, count: 8)
        var (left, right) = (diversifier, diversifier)
        left[2] = 0xF0
        right[2] = 0x0F
        var key = encryptBlocks(left + right)
        return TDESKey(doubleLength: &key)
    }
}
