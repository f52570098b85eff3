import Bytes

/// DS digest H, tag `DF61`: the one-way function of Mastercard's integrated data storage, which
/// ties what a terminal stores to the card and to the operator (EMV Contactless Book C-2, 8.2 and
/// 8.3).
///
/// The book was not available, and no vector is published: the functions are those that open
/// implementations agree on.
package enum DataStorageDigest: Sendable, Equatable {
    /// OWHF2, of data storage version 1: triple DES.
    case version1
    /// OWHF2AES, of data storage version 2.
    case version2

    /// - Parameters:
    ///   - input: DS input (terminal), tag `DF8109`, 8 bytes.
    ///   - identifier: DS ID, tag `9F5E`: the digits of PAN and PAN sequence number, 8 to 11 bytes.
    ///   - operatorIdentifier: Tag `9F5C`, or zeros where a permanent slot becomes volatile: 8
    ///     bytes.
    /// - Returns: 8 bytes.
    package func compute(
        input: [UInt8], identifier: [UInt8], operatorIdentifier: [UInt8]
    ) throws(CryptogramError) -> [UInt8] {
        try CryptogramError.check(input, count: 8)
        try CryptogramError.check(operatorIdentifier, count: 8)
        guard (8...11).contains(identifier.count) else { throw .fieldLength(count: identifier.count, expected: 8) }
        return switch self {
        case .version1: Self.owhf2(input, identifier, operatorIdentifier)
        case .version2: Self.owhf2AES(input, identifier, operatorIdentifier)
        }
    }

    /// Each half of the key begins with twice the numbers of six bytes of the identifier: the first
    /// six, and the last six.
    private static func owhf2(_ input: [UInt8], _ identifier: [UInt8], _ operatorIdentifier: [UInt8]) -> [UInt8] {
        func half(_ bytes: ArraySlice<UInt8>, _ end: ArraySlice<UInt8>) -> [UInt8] {
            bytes.map { 2 &* (10 &* ($0 >> 4) &+ $0 & 0x0F) } + end
        }
        let key =
            half(identifier.prefix(6), operatorIdentifier[4..<6]) + half(identifier.suffix(6), operatorIdentifier[6...])
        guard let cipher = try? TDESKey(SecretBytes(key)) else { preconditionFailure("the halves have 8 bytes each") }
        return xor(cipher.encryptBlocks(xor(operatorIdentifier, input)), input)
    }

    private static func owhf2AES(_ input: [UInt8], _ identifier: [UInt8], _ operatorIdentifier: [UInt8]) -> [UInt8] {
        let padded = [UInt8](repeating: 0, count: 11 - identifier.count) + identifier
        let block = input + operatorIdentifier
        guard let cipher = try? AESKey(SecretBytes(padded + operatorIdentifier[4...] + [0x3F])) else {
            preconditionFailure("the key has 11, 4 and 1 bytes")
        }
        return Array(xor(cipher.encryptBlocks(block), block).prefix(8))
    }

    private static func xor(_ left: [UInt8], _ right: [UInt8]) -> [UInt8] { zip(left, right).map { $0 ^ $1 } }
}
