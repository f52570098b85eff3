public import Bytes

/// A triple DES key (NIST SP 800-67; EMV 4.4 Book 2, B1.1) of one, two or three 8-byte parts.
/// Parity bits are ignored.
///
/// One part K works as K‖K‖K, which is single DES; two parts K1‖K2 work as K1‖K2‖K1.
public struct TDESKey: Sendable, Equatable {
    /// The original key: 8, 16 or 24 bytes.
    public let bytes: SecretBytes

    public init(_ bytes: SecretBytes) throws(CipherError) {
        guard [8, 16, 24].contains(bytes.count) else { throw .keyLength(bytes.count) }
        self.bytes = bytes
    }

    /// A derived double-length key.
    init(_ left: UInt64, _ right: UInt64) {
        bytes = SecretBytes(UInt128(left) << 64 | UInt128(right), 0, count: 16)
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
    private func run(_ direction: BlockCipher.Direction, _ data: [UInt8], iv: [UInt8]? = nil) throws(CipherError)
        -> [UInt8]
    {
        let blockSize = DESCipher.blockSize
        if let iv, iv.count != blockSize { throw .initializationVector(count: iv.count, blockSize: blockSize) }
        guard data.count.isMultiple(of: blockSize) else {
            throw .notWholeBlocks(count: data.count, blockSize: blockSize)
        }
        return DESCipher.with(bytes) { $0.transform(direction, data.span, iv: iv) }
    }
}

extension TDESKey {
    /// The retail MAC over `data`: MAC algorithm 3 of ISO/IEC 9797-1 with DES (EMV 4.4 Book 2,
    /// A1.2.1). 8 bytes.
    ///
    /// Single DES in CBC mode under the first key part, then the whole key on the last block. With
    /// an 8-byte key this is MAC algorithm 1.
    public func retailMAC(_ data: [UInt8], padding: BlockPadding = .method2) -> [UInt8] {
        let (rest, isMarked) = (data.count % 8, padding == .method2)
        let hasLastBlock = isMarked || rest > 0 || data.isEmpty
        let start = hasLastBlock ? data.count - rest : data.count - 8
        return DESCipher.with(bytes) { cipher in
            var chain: UInt64 = 0
            for place in stride(from: 0, to: start, by: 8) {
                chain = cipher.encryptSingle(chain ^ data.span.block(from: place))
            }
            let marker: UInt64 = isMarked ? CMAC.marker(after: rest) : 0
            return Array(bigEndian: cipher.encrypt(chain ^ data.span.block(from: start) ^ marker))
        }
    }

    /// CMAC (NIST SP 800-38B) over `data`. 8 bytes.
    public func cmac(_ data: [UInt8]) -> [UInt8] {
        DESCipher.with(bytes) { cipher in
            Array(bigEndian: CMAC.code(over: data.span, subkey: CMAC.subkey(cipher.encrypt), cipher.encrypt))
        }
    }

    /// The key check value: the first 3 bytes of an encrypted zero block (ANSI X9.24-1:2009, annex
    /// A). 3 bytes.
    public var checkValue: [UInt8] {
        let zero = [UInt8](repeating: 0, count: 8)
        return Array(encryptBlocks(zero).prefix(3))
    }

    /// ECB over data that is whole blocks by construction.
    func encryptBlocks(_ blocks: [UInt8]) -> [UInt8] {
        DESCipher.with(bytes) { $0.transform(.encrypt, blocks.span, iv: nil) }
    }

    /// ECB over data that is whole blocks by construction.
    func decryptBlocks(_ blocks: [UInt8]) -> [UInt8] {
        DESCipher.with(bytes) { $0.transform(.decrypt, blocks.span, iv: nil) }
    }

    /// CBC over data that is whole blocks by construction.
    func encryptBlocks(_ blocks: [UInt8], iv: [UInt8]) -> [UInt8] {
        DESCipher.with(bytes) { $0.transform(.encrypt, blocks.span, iv: iv) }
    }

    /// CBC over data that is whole blocks by construction.
    func decryptBlocks(_ blocks: [UInt8], iv: [UInt8]) -> [UInt8] {
        DESCipher.with(bytes) { $0.transform(.decrypt, blocks.span, iv: iv) }
    }
}

/// Sets the last bit of each byte for an odd number of ones, as in DES keys (NIST SP 800-67, 3.2).
func setOddParity(_ key: inout [UInt8]) {
    for index in key.indices {
        let bits = key[index] & 0xFE
        key[index] = bits | UInt8(truncatingIfNeeded: 1 - bits.nonzeroBitCount % 2)
    }
}
