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
        case .notWholeBlocks(let count, let blockSize): "\(count) bytes are not a whole number of \(blockSize)-byte blocks"
        case .initializationVector(let count, let blockSize):
            "the initialization vector has \(count) bytes where the block has \(blockSize)"
        case .authentication: "the data does not authenticate"
        }
    }
}
