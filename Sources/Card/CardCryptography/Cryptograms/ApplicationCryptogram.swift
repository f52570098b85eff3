internal import Bytes

/// The application cryptogram, tag 9F26: ARQC, TC or AAC (EMV 4.4 Book 2, 8.1). 8 bytes.
public enum ApplicationCryptogram {
    /// - Parameters:
    ///   - input: the concatenated authenticated data (8.1.1); see
    ///     ``CryptogramVersion/input(terminalData:applicationInterchangeProfile:atc:issuerApplicationData:)``.
    ///   - sessionKey: SK AC.
    public static func compute(_ input: [UInt8], sessionKey: CardKey, padding: BlockPadding = .method2) -> [UInt8] {
        Array(sessionKey.mac(input, padding: padding).prefix(8))
    }

    /// Whether `cryptogram` is correct for `input`, in constant time.
    public static func isValid(
        _ cryptogram: [UInt8], for input: [UInt8], sessionKey: CardKey, padding: BlockPadding = .method2
    ) -> Bool {
        constantTimeEqual(compute(input, sessionKey: sessionKey, padding: padding).span, cryptogram.span)
    }
}
