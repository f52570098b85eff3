public import Bytes

/// An AES key (FIPS 197) of 16, 24 or 32 bytes.
public struct AESKey: Sendable, Equatable {
    public let bytes: SecretBytes

    public init(_ bytes: SecretBytes) throws(CipherError) {
        guard [16, 24, 32].contains(bytes.count) else { throw .keyLength(bytes.count) }
        self.bytes = bytes
    }

    /// A derived key: the leftmost bytes of two blocks.
    ///
    /// - Parameter count: The length of an AES key in bytes.
    init(_ left: UInt128, _ right: UInt128, count: Int) {
        bytes = SecretBytes(left, right, count: count)
    }

    private var cipher: BlockCipher {
        switch bytes.count {
        case 16: .aes128
        case 24: .aes192
        default: .aes256
        }
    }

    /// A cipher context with this key, for algorithms with several steps.
    func keyed(_ direction: BlockCipher.Direction) -> KeyedCipher {
        KeyedCipher(cipher, direction, key: bytes)
    }
}

extension AESKey {
    public func encryptECB(_ data: [UInt8]) throws(CipherError) -> [UInt8] {
        try run(.encrypt, data)
    }

    public func decryptECB(_ data: [UInt8]) throws(CipherError) -> [UInt8] {
        try run(.decrypt, data)
    }

    /// - Parameter iv: 16 bytes.
    public func encryptCBC(_ data: [UInt8], iv: [UInt8]) throws(CipherError) -> [UInt8] {
        try run(.encrypt, data, iv: iv)
    }

    /// - Parameter iv: 16 bytes.
    public func decryptCBC(_ data: [UInt8], iv: [UInt8]) throws(CipherError) -> [UInt8] {
        try run(.decrypt, data, iv: iv)
    }

    /// ECB without `iv`, CBC with it.
    private func run(_ direction: BlockCipher.Direction, _ data: [UInt8], iv: [UInt8]? = nil) throws(CipherError)
        -> [UInt8]
    {
        let blockSize = BlockCipher.blockSize
        if let iv, iv.count != blockSize { throw .initializationVector(count: iv.count, blockSize: blockSize) }
        guard data.count.isMultiple(of: blockSize) else {
            throw .notWholeBlocks(count: data.count, blockSize: blockSize)
        }
        return keyed(direction).transform(data.span, iv: iv)
    }

    /// CMAC (NIST SP 800-38B, ISO/IEC 9797-1 MAC algorithm 5) over `data`. 16 bytes.
    public func cmac(_ data: [UInt8]) -> [UInt8] {
        let cipher = keyed(.encrypt)
        return Array(bigEndian: CMAC.code(over: data.span, subkey: CMAC.subkey { cipher($0) }) { cipher($0) })
    }

    /// The key check value: the first 3 bytes of the CMAC over a zero block (ANSI X9.24-1:2017,
    /// annex C).
    public var checkValue: [UInt8] { Array(cmac([UInt8](repeating: 0, count: 16)).prefix(3)) }

    /// ECB over data that is whole blocks by construction.
    func encryptBlocks(_ blocks: [UInt8]) -> [UInt8] {
        keyed(.encrypt).transform(blocks.span, iv: nil)
    }

    /// ECB over data that is whole blocks by construction.
    func decryptBlocks(_ blocks: [UInt8]) -> [UInt8] {
        keyed(.decrypt).transform(blocks.span, iv: nil)
    }

    /// CBC over data that is whole blocks by construction.
    func encryptBlocks(_ blocks: [UInt8], iv: [UInt8]) -> [UInt8] {
        keyed(.encrypt).transform(blocks.span, iv: iv)
    }

    /// CBC over data that is whole blocks by construction.
    func decryptBlocks(_ blocks: [UInt8], iv: [UInt8]) -> [UInt8] {
        keyed(.decrypt).transform(blocks.span, iv: iv)
    }
}

extension AESKey {
    /// Counter mode over one message (EMV 4.4 Book 2, A1.1.3; EMV Contactless Book E, 8.6.2): the
    /// same in both directions.
    ///
    /// - Parameter counter: The message's number, the first two bytes of the starting variable;
    ///   zeros follow.
    func counterMode(_ data: [UInt8], counter: UInt16) -> [UInt8] {
        let start = [UInt8(truncatingIfNeeded: counter >> 8), UInt8(counter & 0xFF)] + [UInt8](repeating: 0, count: 12)
        var result = data
        for offset in stride(from: 0, to: data.count, by: 16) {
            let number = offset / 16
            // A message of a card command has few blocks, so two bytes are enough to number them.
            let index = [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
            let stream = encryptBlocks(start + index)
            for position in offset..<min(offset + 16, data.count) { result[position] ^= stream[position - offset] }
        }
        return result
    }
}
