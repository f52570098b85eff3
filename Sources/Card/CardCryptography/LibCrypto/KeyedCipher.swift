internal import Bytes
internal import COpenSSL

/// A context of libcrypto with a key, for any number of blocks. The context is wiped and freed at
/// the end.
///
/// Modes are implemented over single blocks (``CipherMode``, ``CMAC``): in libcrypto, setting an
/// initialization vector takes as long as four blocks.
@safe struct KeyedCipher: ~Copyable {
    private let context: OpaquePointer
    private let direction: BlockCipher.Direction

    /// - Parameter key: A key with the length of the cipher's keys.
    init(_ cipher: BlockCipher, _ direction: BlockCipher.Direction, key: SecretBytes) {
        let context = unsafe LibCrypto.demand(EVP_CIPHER_CTX_new(), "EVP_CIPHER_CTX_new")
        key.withBytes { key in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe LibCrypto.demand(
                    EVP_CipherInit_ex2(context, cipher.implementation, key.baseAddress, nil, direction.rawValue, nil),
                    "EVP_CipherInit_ex2")
            }
        }
        unsafe self.context = context
        self.direction = direction
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }

    /// Sets another key of the same length: the leftmost bytes of both halves.
    func rekey(_ left: UInt128, _ right: UInt128) {
        var key = (left.bigEndian, right.bigEndian)
        unsafe withUnsafeMutableBytes(of: &key) { key in
            unsafe LibCrypto.demand(
                EVP_CipherInit_ex2(
                    context, nil, key.baseAddress?.assumingMemoryBound(to: UInt8.self), nil, direction.rawValue, nil),
                "EVP_CipherInit_ex2")
            unsafe OPENSSL_cleanse(key.baseAddress, key.count)
        }
    }

    /// One block.
    func callAsFunction(_ block: UInt128) -> UInt128 {
        var block = block.bigEndian
        unsafe withUnsafeMutableBytes(of: &block) { block in
            let bytes = unsafe block.baseAddress?.assumingMemoryBound(to: UInt8.self)
            // EVP_Cipher does not hold blocks back, so padding has no effect.
            let count = unsafe EVP_Cipher(context, bytes, bytes, UInt32(truncatingIfNeeded: block.count))
            LibCrypto.demand(count > 0 ? 1 : 0, "EVP_Cipher")
        }
        return UInt128(bigEndian: block)
    }

    /// Whole blocks in ECB mode, or in CBC mode from `iv`, a block.
    func transform(_ blocks: Span<UInt8>, iv: [UInt8]?) -> [UInt8] {
        CipherMode.transform(direction, blocks, iv: iv) { self($0) }
    }
}

/// AES (FIPS 197) for keys of one length, fetched once from libcrypto's provider and never
/// released.
///
/// Sendable although it holds a pointer: the fetched object is never changed, and can be shared
/// between threads.
@safe struct BlockCipher: @unchecked Sendable {
    enum Direction: Int32 {
        case decrypt = 0
        case encrypt = 1
    }

    let implementation: OpaquePointer

    static let aes128 = BlockCipher("AES-128-ECB")
    static let aes192 = BlockCipher("AES-192-ECB")
    static let aes256 = BlockCipher("AES-256-ECB")
    /// Block length in bytes.
    static let blockSize = 16

    private init(_ name: String) {
        unsafe implementation = LibCrypto.demand(EVP_CIPHER_fetch(nil, name, nil), "EVP_CIPHER_fetch")
    }
}

/// A block of a cipher as a number, most significant byte first: 8 bytes of DES, 16 of AES.
typealias CipherBlock = BitwiseCopyable & FixedWidthInteger & UnsignedInteger

extension Span<UInt8> {
    /// The block from `start` on, most significant byte first, with zeros after the last byte.
    func block<Block: CipherBlock>(from start: Int) -> Block {
        let size = Block.bitWidth / 8
        guard count - start < size else {
            return unsafe Block(bigEndian: bytes.unsafeLoadUnaligned(fromByteOffset: start, as: Block.self))
        }
        return (0..<size).reduce(0) { $0 << 8 | (start + $1 < count ? Block(self[start + $1]) : 0) }
    }
}

extension Array where Element == UInt8 {
    /// The bytes of `number`, most significant first.
    init(bigEndian number: some CipherBlock) {
        self = unsafe Swift.withUnsafeBytes(of: number.bigEndian) { unsafe Array($0) }
    }
}

/// ECB and CBC (NIST SP 800-38A, 6.1 and 6.2) over a block cipher.
enum CipherMode {
    /// - Parameters:
    ///   - blocks: Whole blocks.
    ///   - iv: A block for CBC, nil for ECB.
    ///   - cipher: Processes one block in the same direction.
    static func transform<Block: CipherBlock>(
        _ direction: BlockCipher.Direction, _ blocks: Span<UInt8>, iv: [UInt8]?, _ cipher: (Block) -> Block
    ) -> [UInt8] {
        let size = Block.bitWidth / 8
        precondition(blocks.count.isMultiple(of: size) && iv.map { $0.count == size } ?? true)
        var chain: Block? = iv?.span.block(from: 0)
        return unsafe [UInt8](unsafeUninitializedCapacity: blocks.count) { output, initialized in
            initialized = blocks.count
            let bytes = UnsafeMutableRawBufferPointer(output)
            for start in stride(from: 0, to: blocks.count, by: size) {
                let block: Block = blocks.block(from: start)
                let result: Block
                switch direction {
                case .encrypt:
                    result = cipher(block ^ (chain ?? 0))
                    if chain != nil { chain = result }
                case .decrypt:
                    result = cipher(block) ^ (chain ?? 0)
                    if chain != nil { chain = block }
                }
                unsafe bytes.storeBytes(of: result.bigEndian, toByteOffset: start, as: Block.self)
            }
        }
    }
}
