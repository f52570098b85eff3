public import Bytes

/// An AES key (FIPS 197) of 16, 24 or 32 bytes.
public struct AESKey: Sendable, Equatable {
    public let bytes: SecretBytes

    public init(_ bytes: SecretBytes) throws(CipherError) {
        guard [16, 24, 32].contains(bytes.count) else { throw .keyLength(bytes.count) }
        self.bytes = bytes
    }

    var ecb: BlockCipher {
        switch bytes.count {
        case 16: .aes128ECB
        case 24: .aes192ECB
        default: .aes256ECB
        }
    }

    private var cbc: BlockCipher {
        switch bytes.count {
        case 16: .aes128CBC
        case 24: .aes192CBC
        default: .aes256CBC
        }
    }
}

extension AESKey {
    public func encryptECB(_ data: [UInt8]) throws(CipherError) -> [UInt8] {
        try ecb.run(.encrypt, data.span, key: bytes)
    }

    public func decryptECB(_ data: [UInt8]) throws(CipherError) -> [UInt8] {
        try ecb.run(.decrypt, data.span, key: bytes)
    }

    /// - Parameter iv: 16 bytes.
    public func encryptCBC(_ data: [UInt8], iv: [UInt8]) throws(CipherError) -> [UInt8] {
        try cbc.run(.encrypt, data.span, key: bytes, iv: iv)
    }

    /// - Parameter iv: 16 bytes.
    public func decryptCBC(_ data: [UInt8], iv: [UInt8]) throws(CipherError) -> [UInt8] {
        try cbc.run(.decrypt, data.span, key: bytes, iv: iv)
    }

    /// CMAC (NIST SP 800-38B, ISO/IEC 9797-1 MAC algorithm 5) over `data`. 16 bytes.
    public func cmac(_ data: [UInt8]) -> [UInt8] {
        let zero = [UInt8](repeating: 0, count: 16)
        return CMAC.code(over: data.span, blockSize: 16) { cbc.transform(.encrypt, $0, key: bytes, iv: zero) }
    }

    /// The key check value: the first 3 bytes of the CMAC over a zero block (ANSI X9.24-1:2017, annex C).
    public var checkValue: [UInt8] { Array(cmac([UInt8](repeating: 0, count: 16)).prefix(3)) }

    /// ECB over data that is whole blocks by construction.
    func encryptBlocks(_ blocks: [UInt8]) -> [UInt8] {
        ecb.transform(.encrypt, blocks.span, key: bytes, iv: [])
    }

    /// ECB over data that is whole blocks by construction.
    func decryptBlocks(_ blocks: [UInt8]) -> [UInt8] {
        ecb.transform(.decrypt, blocks.span, key: bytes, iv: [])
    }

    /// CBC over data that is whole blocks by construction.
    func encryptBlocks(_ blocks: [UInt8], iv: [UInt8]) -> [UInt8] {
        cbc.transform(.encrypt, blocks.span, key: bytes, iv: iv)
    }

    /// CBC over data that is whole blocks by construction.
    func decryptBlocks(_ blocks: [UInt8], iv: [UInt8]) -> [UInt8] {
        cbc.transform(.decrypt, blocks.span, key: bytes, iv: iv)
    }
}
