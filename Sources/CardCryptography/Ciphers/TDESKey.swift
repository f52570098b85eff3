public import Bytes

/// A triple DES key (NIST SP 800-67; EMV 4.4 Book 2, B1.1) of one, two or three 8-byte parts. Parity bits are ignored.
///
/// One part K works as K‖K‖K, which is single DES; two parts K1‖K2 work as K1‖K2‖K1.
public struct TDESKey: Sendable, Equatable {
    /// The key as it was given: 8, 16 or 24 bytes.
    public let bytes: SecretBytes
    /// The three parts libcrypto's EDE takes, 24 bytes.
    private let parts: SecretBytes

    public init(_ bytes: SecretBytes) throws(CipherError) {
        let order: [Int]
        switch bytes.count {
        case 8: order = [0, 0, 0]
        case 16: order = [0, 1, 0]
        case 24: order = [0, 1, 2]
        default: throw .keyLength(bytes.count)
        }
        self.bytes = bytes
        parts = TDESKey.join(order, of: bytes)
    }

    /// Takes over 16 bytes that a derivation has made.
    init(doubleLength bytes: inout [UInt8]) {
        precondition(bytes.count == 16)
        self.bytes = SecretBytes(wiping: &bytes)
        parts = TDESKey.join([0, 1, 0], of: self.bytes)
    }

    private init(bytes: SecretBytes, parts: SecretBytes) {
        self.bytes = bytes
        self.parts = parts
    }

    /// The 8-byte parts of `bytes` that `order` numbers, one after another.
    private static func join(_ order: [Int], of bytes: SecretBytes) -> SecretBytes {
        var joined = bytes.withBytes { bytes in order.flatMap { part in (0..<8).map { bytes[part * 8 + $0] } } }
        return SecretBytes(wiping: &joined)
    }

    public static func == (left: TDESKey, right: TDESKey) -> Bool { left.bytes == right.bytes }
}

extension TDESKey {
    public func encryptECB(_ data: [UInt8]) throws(CipherError) -> [UInt8] {
        try BlockCipher.tdesECB.run(.encrypt, data.span, key: parts)
    }

    public func decryptECB(_ data: [UInt8]) throws(CipherError) -> [UInt8] {
        try BlockCipher.tdesECB.run(.decrypt, data.span, key: parts)
    }

    /// - Parameter iv: 8 bytes.
    public func encryptCBC(_ data: [UInt8], iv: [UInt8]) throws(CipherError) -> [UInt8] {
        try BlockCipher.tdesCBC.run(.encrypt, data.span, key: parts, iv: iv)
    }

    /// - Parameter iv: 8 bytes.
    public func decryptCBC(_ data: [UInt8], iv: [UInt8]) throws(CipherError) -> [UInt8] {
        try BlockCipher.tdesCBC.run(.decrypt, data.span, key: parts, iv: iv)
    }
}

extension TDESKey {
    /// The retail MAC over `data`: MAC algorithm 3 of ISO/IEC 9797-1 with DES (EMV 4.4 Book 2, A1.2.1). 8 bytes.
    ///
    /// Single DES in CBC mode under the first key part, then the whole key on the last block. With an 8-byte key this is
    /// MAC algorithm 1.
    public func retailMAC(_ data: [UInt8], padding: BlockPadding = .method2) -> [UInt8] {
        let padded = padding.pad(data, blockSize: 8)
        let zero = [UInt8](repeating: 0, count: 8)
        let chain = cbc(padded.span.extracting(droppingLast: 8), key: TDESKey.join([0, 0, 0], of: bytes), iv: zero).suffix(8)
        return cbc(padded.span.extracting(last: 8), key: parts, iv: chain.isEmpty ? zero : Array(chain))
    }

    /// CMAC (NIST SP 800-38B) over `data`. 8 bytes.
    public func cmac(_ data: [UInt8]) -> [UInt8] {
        MessageAuthentication.cmacTDES.code(over: data.span, key: parts)
    }

    /// The key check value: the first 3 bytes of a zero block enciphered (ANSI X9.24-1:2009, annex A). 3 bytes.
    public var checkValue: [UInt8] {
        let zero = [UInt8](repeating: 0, count: 8)
        return Array(cbc(zero.span, key: parts, iv: zero).prefix(3))
    }

    /// The first 8 bytes as a key of their own: single DES.
    var firstPart: TDESKey {
        let part = TDESKey.join([0], of: bytes)
        return TDESKey(bytes: part, parts: TDESKey.join([0, 0, 0], of: part))
    }

    /// ECB over data that is whole blocks by construction.
    func encryptBlocks(_ blocks: [UInt8]) -> [UInt8] {
        BlockCipher.tdesECB.transform(.encrypt, blocks.span, key: parts, iv: [])
    }

    /// ECB over data that is whole blocks by construction.
    func decryptBlocks(_ blocks: [UInt8]) -> [UInt8] {
        BlockCipher.tdesECB.transform(.decrypt, blocks.span, key: parts, iv: [])
    }

    /// CBC over data that is whole blocks by construction.
    func encryptBlocks(_ blocks: [UInt8], iv: [UInt8]) -> [UInt8] {
        BlockCipher.tdesCBC.transform(.encrypt, blocks.span, key: parts, iv: iv)
    }

    /// CBC over data that is whole blocks by construction.
    func decryptBlocks(_ blocks: [UInt8], iv: [UInt8]) -> [UInt8] {
        BlockCipher.tdesCBC.transform(.decrypt, blocks.span, key: parts, iv: iv)
    }

    /// CBC under a key of three parts, over data that is whole blocks by construction.
    private func cbc(_ blocks: Span<UInt8>, key: SecretBytes, iv: [UInt8]) -> [UInt8] {
        BlockCipher.tdesCBC.transform(.encrypt, blocks, key: key, iv: iv)
    }
}
