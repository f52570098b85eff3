public import Bytes

/// A triple DES key (NIST SP 800-67; EMV 4.4 Book 2, B1.1) of one, two or three 8-byte parts. Parity bits are ignored.
///
/// One part K works as K‖K‖K, which is single DES; two parts K1‖K2 work as K1‖K2‖K1.
public struct TDESKey: Sendable, Equatable {
    /// The key as it was given: 8, 16 or 24 bytes.
    public let bytes: SecretBytes

    public init(_ bytes: SecretBytes) throws(CipherError) {
        guard [8, 16, 24].contains(bytes.count) else { throw .keyLength(bytes.count) }
        self.bytes = bytes
    }

    /// Takes over 16 bytes that a derivation has made.
    init(doubleLength bytes: inout [UInt8]) {
        precondition(bytes.count == 16)
        self.bytes = SecretBytes(wiping: &bytes)
    }

    public static func == (left: TDESKey, right: TDESKey) -> Bool { left.bytes == right.bytes }
}

extension TDESKey {
    public func encryptECB(_ data: [UInt8]) throws(CipherError) -> [UInt8] {
        try run(.encrypt, data)
    }

    public func decryptECB(_ data: [UInt8]) throws(CipherError) -> [UInt8] {
        try run(.decrypt, data)
    }

    /// - Parameter iv: 8 bytes.
    public func encryptCBC(_ data: [UInt8], iv: [UInt8]) throws(CipherError) -> [UInt8] {
        try run(.encrypt, data, iv: iv)
    }

    /// - Parameter iv: 8 bytes.
    public func decryptCBC(_ data: [UInt8], iv: [UInt8]) throws(CipherError) -> [UInt8] {
        try run(.decrypt, data, iv: iv)
    }

    /// ECB without `iv`, CBC with it.
    private func run(_ direction: BlockCipher.Direction, _ data: [UInt8], iv: [UInt8]? = nil) throws(CipherError) -> [UInt8] {
        let blockSize = DESCipher.blockSize
        if let iv, iv.count != blockSize { throw .initializationVector(count: iv.count, blockSize: blockSize) }
        guard data.count.isMultiple(of: blockSize) else { throw .notWholeBlocks(count: data.count, blockSize: blockSize) }
        return DESCipher.transform(direction, data.span, key: bytes, iv: iv ?? [])
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
        let first = bytes.withBytes { bytes in SecretBytes((0..<8).map { bytes[$0] }) }
        let chain = DESCipher.transform(.encrypt, padded.span.extracting(droppingLast: 8), key: first, iv: zero).suffix(8)
        return DESCipher.transform(.encrypt, padded.span.extracting(last: 8), key: bytes, iv: chain.isEmpty ? zero : Array(chain))
    }

    /// CMAC (NIST SP 800-38B) over `data`. 8 bytes.
    public func cmac(_ data: [UInt8]) -> [UInt8] {
        DESCipher.cmac(data.span, key: bytes)
    }

    /// The key check value: the first 3 bytes of a zero block enciphered (ANSI X9.24-1:2009, annex A). 3 bytes.
    public var checkValue: [UInt8] {
        let zero = [UInt8](repeating: 0, count: 8)
        return Array(encryptBlocks(zero).prefix(3))
    }

    /// ECB over data that is whole blocks by construction.
    func encryptBlocks(_ blocks: [UInt8]) -> [UInt8] {
        DESCipher.transform(.encrypt, blocks.span, key: bytes, iv: [])
    }

    /// ECB over data that is whole blocks by construction.
    func decryptBlocks(_ blocks: [UInt8]) -> [UInt8] {
        DESCipher.transform(.decrypt, blocks.span, key: bytes, iv: [])
    }

    /// CBC over data that is whole blocks by construction.
    func encryptBlocks(_ blocks: [UInt8], iv: [UInt8]) -> [UInt8] {
        DESCipher.transform(.encrypt, blocks.span, key: bytes, iv: iv)
    }

    /// CBC over data that is whole blocks by construction.
    func decryptBlocks(_ blocks: [UInt8], iv: [UInt8]) -> [UInt8] {
        DESCipher.transform(.decrypt, blocks.span, key: bytes, iv: iv)
    }
}
