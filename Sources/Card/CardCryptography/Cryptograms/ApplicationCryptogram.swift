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

/// Why a cryptogram cannot be computed.
public enum CryptogramError: Error, Equatable, Sendable {
    /// A field has `count` bytes instead of `expected`.
    case fieldLength(count: Int, expected: Int)
    /// The proprietary authentication data have `count` bytes; 0 to 8 are allowed (EMV 4.4 Book 2,
    /// 8.2.2).
    case proprietaryDataLength(Int)
    /// The derivation is for the other block cipher.
    case cipher
    /// The issuer application data ends before the fields that the cryptogram version
    /// authenticates.
    case issuerApplicationDataTooShort
}

extension CryptogramError {
    static func check(_ field: [UInt8], count: Int) throws(CryptogramError) {
        guard field.count == count else { throw .fieldLength(count: field.count, expected: count) }
    }
}

extension CryptogramError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .fieldLength(let count, let expected): "a field of the cryptogram has \(count) bytes and not \(expected)"
        case .proprietaryDataLength(let count):
            "the proprietary authentication data have \(count) bytes: 0 to 8 are allowed"
        case .cipher: "the derivation is for the other block cipher"
        case .issuerApplicationDataTooShort:
            "the issuer application data end before the fields that this cryptogram version authenticates"
        }
    }
}
