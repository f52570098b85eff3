internal import Bytes
internal import COpenSSL

/// DES and triple DES (NIST SP 800-67) by libcrypto's low-level interface: key schedules on the
/// stack, wiped after use, and no context for a single block.
///
/// A key of 8 bytes is single DES; with 16 or 24 bytes it is encryption, decryption, encryption
/// under its parts. Blocks are numbers, most significant byte first.
@safe struct DESCipher {
    static let blockSize = 8

    /// The schedules of the key's parts: one for single DES, otherwise three.
    private let schedules: UnsafeMutableBufferPointer<DES_key_schedule>

    /// Passes the cipher to `body`; it is valid only during the call.
    ///
    /// - Parameter key: 8, 16 or 24 bytes.
    static func with<Result>(_ key: SecretBytes, _ body: (DESCipher) -> Result) -> Result {
        key.withBytes { key in
            let count = key.count == blockSize ? 1 : 3
            return unsafe withUnsafeTemporaryAllocation(of: DES_key_schedule.self, capacity: count) { schedules in
                defer { unsafe OPENSSL_cleanse(schedules.baseAddress, count * MemoryLayout<DES_key_schedule>.size) }
                for part in 0..<count {
                    if part * blockSize < key.count {
                        unsafe Self.schedule(key.block(from: part * blockSize), &schedules[part])
                    } else {
                        // Two parts are used as K1, K2, K1.
                        unsafe schedules.initializeElement(at: part, to: schedules[0])
                    }
                }
                return unsafe body(DESCipher(schedules: schedules))
            }
        }
    }

    /// `block` under single DES with `key`.
    static func encryptSingle(_ block: UInt64, key: UInt64) -> UInt64 {
        unsafe withUnsafeTemporaryAllocation(of: DES_key_schedule.self, capacity: 1) { schedules in
            defer { unsafe OPENSSL_cleanse(schedules.baseAddress, MemoryLayout<DES_key_schedule>.size) }
            unsafe schedule(key, &schedules[0])
            return unsafe DESCipher(schedules: schedules).encryptSingle(block)
        }
    }

    func encrypt(_ block: UInt64) -> UInt64 { run(.encrypt, block) }

    /// Single DES under the first part of the key.
    func encryptSingle(_ block: UInt64) -> UInt64 {
        guard let first = unsafe schedules.baseAddress else { return block }
        return unsafe Self.changed(block) {
            unsafe DES_ecb_encrypt($0, $0, first, BlockCipher.Direction.encrypt.rawValue)
        }
    }

    private func run(_ direction: BlockCipher.Direction, _ block: UInt64) -> UInt64 {
        guard let first = unsafe schedules.baseAddress else { return block }
        return unsafe Self.changed(block) { block in
            if unsafe schedules.count == 1 {
                unsafe DES_ecb_encrypt(block, block, first, direction.rawValue)
            } else {
                unsafe DES_ecb3_encrypt(block, block, first, first + 1, first + 2, direction.rawValue)
            }
        }
    }

    /// Whole blocks in ECB mode, or in CBC mode from `iv`, a block.
    func transform(_ direction: BlockCipher.Direction, _ blocks: Span<UInt8>, iv: [UInt8]?) -> [UInt8] {
        CipherMode.transform(direction, blocks, iv: iv) { run(direction, $0) }
    }

    private static func schedule(_ key: UInt64, _ schedule: inout DES_key_schedule) {
        _ = unsafe changed(key) { unsafe DES_set_key_unchecked($0, &schedule) }
    }

    /// Passes the bytes of `block` to `body`, which may change them, and wipes them.
    private static func changed(_ block: UInt64, _ body: (UnsafeMutablePointer<DES_cblock>) -> Void) -> UInt64 {
        var bytes = block.bigEndian
        unsafe withUnsafeMutablePointer(to: &bytes) { bytes in
            unsafe bytes.withMemoryRebound(to: DES_cblock.self, capacity: 1) { unsafe body($0) }
        }
        defer { bytes = 0 }
        return UInt64(bigEndian: bytes)
    }
}
