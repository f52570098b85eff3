/// Why a cryptogram cannot be computed.
public enum CryptogramError: Error, Equatable, Sendable {
    /// A field of `count` bytes where `expected` are due.
    case fieldLength(count: Int, expected: Int)
    /// Proprietary authentication data of `count` bytes; 0 to 8 fit (EMV 4.4 Book 2, 8.2.2).
    case proprietaryDataLength(Int)
    /// The derivation is one for the other block cipher.
    case cipher
    /// The issuer application data ends before the fields that the cryptogram version authenticates.
    case issuerApplicationDataTooShort
}

extension CryptogramError {
    static func check(_ field: [UInt8], count: Int) throws(CryptogramError) {
        guard field.count == count else { throw .fieldLength(count: field.count, expected: count) }
    }
}
