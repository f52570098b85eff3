public import Bytes

/// A key that an issuer shares with its cards, in one of the two block ciphers of EMV (EMV 4.4 Book
/// 2, annex B1).
public enum CardKey: Sendable, Equatable {
    case tdes(TDESKey)
    case aes(AESKey)

    public enum Cipher: Sendable, Equatable {
        /// Blocks of 8 bytes.
        case tdes
        /// Blocks of 16 bytes.
        case aes
    }

    /// - Parameter bytes: 8, 16 or 24 bytes for triple DES, 16, 24 or 32 for AES.
    public init(_ bytes: SecretBytes, _ cipher: Cipher) throws(CipherError) {
        switch cipher {
        case .tdes: self = .tdes(try TDESKey(bytes))
        case .aes: self = .aes(try AESKey(bytes))
        }
    }

    public var cipher: Cipher {
        switch self {
        case .tdes: .tdes
        case .aes: .aes
        }
    }

    public var bytes: SecretBytes {
        switch self {
        case .tdes(let key): key.bytes
        case .aes(let key): key.bytes
        }
    }

    /// The length of a block in bytes, n of the book: 8 or 16.
    public var blockSize: Int {
        switch self {
        case .tdes: 8
        case .aes: 16
        }
    }

    /// The check value by the method of the cipher, 3 bytes; see ``TDESKey/checkValue`` and
    /// ``AESKey/checkValue``.
    public var checkValue: [UInt8] {
        switch self {
        case .tdes(let key): key.checkValue
        case .aes(let key): key.checkValue
        }
    }
}

extension CardKey {
    /// The whole MAC over `message`: with triple DES algorithm 3, 8 bytes (EMV 4.4 Book 2, A1.2.1);
    /// with AES CMAC, 16 bytes (A1.2.2).
    ///
    /// - Parameter padding: For triple DES; CMAC has its own padding.
    public func mac(_ message: [UInt8], padding: BlockPadding = .method2) -> [UInt8] {
        switch self {
        case .tdes(let key): key.retailMAC(message, padding: padding)
        case .aes(let key): key.cmac(message)
        }
    }

    /// ECB over data that is whole blocks by construction.
    func encryptBlocks(_ blocks: [UInt8]) -> [UInt8] {
        switch self {
        case .tdes(let key): key.encryptBlocks(blocks)
        case .aes(let key): key.encryptBlocks(blocks)
        }
    }

    /// ECB over data that is whole blocks by construction.
    func decryptBlocks(_ blocks: [UInt8]) -> [UInt8] {
        switch self {
        case .tdes(let key): key.decryptBlocks(blocks)
        case .aes(let key): key.decryptBlocks(blocks)
        }
    }

    /// CBC from a zero block, over data that is whole blocks by construction (EMV 4.4 Book 2,
    /// A1.1).
    func encryptChained(_ blocks: [UInt8]) -> [UInt8] {
        let iv = [UInt8](repeating: 0, count: blockSize)
        return switch self {
        case .tdes(let key): key.encryptBlocks(blocks, iv: iv)
        case .aes(let key): key.encryptBlocks(blocks, iv: iv)
        }
    }

    /// CBC from a zero block, over data that is whole blocks by construction (EMV 4.4 Book 2,
    /// A1.1).
    func decryptChained(_ blocks: [UInt8]) -> [UInt8] {
        let iv = [UInt8](repeating: 0, count: blockSize)
        return switch self {
        case .tdes(let key): key.decryptBlocks(blocks, iv: iv)
        case .aes(let key): key.decryptBlocks(blocks, iv: iv)
        }
    }

    /// A key of this cipher and length from the leftmost derived bytes; wipes them.
    func derived(from bytes: inout [UInt8]) -> CardKey {
        defer { wipe(&bytes) }
        let length = cipher == .tdes ? 16 : self.bytes.count
        guard let key = try? CardKey(SecretBytes(bytes.prefix(length)), cipher) else {
            preconditionFailure("a derivation makes at least as many bytes as the key has")
        }
        return key
    }
}

/// Why a cipher refuses its input. No case carries key or data bytes.
public enum CipherError: Error, Equatable, Sendable {
    /// The algorithm has no key of `count` bytes.
    case keyLength(Int)
    /// `count` bytes of data are not a whole number of blocks.
    case notWholeBlocks(count: Int, blockSize: Int)
    /// The initialization vector has `count` bytes instead of one block.
    case initializationVector(count: Int, blockSize: Int)
    /// The authentication tag is wrong: the key, the data or the associated data differ from those
    /// of the encryption.
    case authentication
}

extension CipherError: CustomStringConvertible {
    public var description: String {
        switch self {
        case .keyLength(let count): "a key of \(count) bytes does not fit the cipher"
        case .notWholeBlocks(let count, let blockSize):
            "\(count) bytes are not a whole number of \(blockSize)-byte blocks"
        case .initializationVector(let count, let blockSize):
            "the initialization vector has \(count) bytes where the block has \(blockSize)"
        case .authentication: "the data does not authenticate"
        }
    }
}
