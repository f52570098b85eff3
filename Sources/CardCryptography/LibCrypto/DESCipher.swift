internal import Bytes
internal import COpenSSL

/// DES and triple DES (NIST SP 800-67) by libcrypto's low-level interface: key schedules on the stack, wiped after use, and no context to be made for one block.
///
/// A key of 8 bytes is single DES; of 16 or 24 bytes it works as encryption, decryption, encryption under its parts.
enum DESCipher {
    static let blockSize = 8

    /// Enciphers or deciphers whole blocks: CBC from `iv`, or ECB where it is empty.
    static func transform(
        _ direction: BlockCipher.Direction, _ blocks: Span<UInt8>, key: SecretBytes, iv: [UInt8]
    ) -> [UInt8] {
        precondition(blocks.count.isMultiple(of: blockSize))
        return key.withBytes { key in
            unsafe withSchedules(key) { schedules in
                unsafe [UInt8](unsafeUninitializedCapacity: blocks.count) { output, initialized in
                    initialized = blocks.count
                    unsafe blocks.withUnsafeBufferPointer { input in
                        if iv.isEmpty {
                            unsafe ecb(direction, input: input, output: output, schedules: schedules)
                        } else {
                            unsafe cbc(direction, input: input, output: output, schedules: schedules, iv: iv)
                        }
                    }
                }
            }
        }
    }

    /// CMAC (NIST SP 800-38B) over `data`, 8 bytes.
    static func cmac(_ data: Span<UInt8>, key: SecretBytes) -> [UInt8] {
        let zero = [UInt8](repeating: 0, count: blockSize)
        return key.withBytes { key in
            unsafe withSchedules(key) { schedules in
                CMAC.code(over: data, blockSize: blockSize) { blocks in
                    unsafe [UInt8](unsafeUninitializedCapacity: blocks.count) { output, initialized in
                        initialized = blocks.count
                        unsafe blocks.withUnsafeBufferPointer {
                            unsafe cbc(.encrypt, input: $0, output: output, schedules: schedules, iv: zero)
                        }
                    }
                }
            }
        }
    }

    // MARK: DUKPT

    /// `block` (8 bytes) under single DES with the first 8 bytes of `key`, in place.
    static func encryptSingle(_ block: inout UInt64, key: UInt64) {
        unsafe withUnsafeTemporaryAllocation(of: DES_key_schedule.self, capacity: 1) { schedule in
            guard let schedule = schedule.baseAddress else { return }
            var key = key.bigEndian
            defer {
                unsafe OPENSSL_cleanse(schedule, MemoryLayout<DES_key_schedule>.size)
                unsafe OPENSSL_cleanse(&key, MemoryLayout<UInt64>.size)
            }
            unsafe withUnsafeMutablePointer(to: &key) { key in
                unsafe key.withMemoryRebound(to: const_DES_cblock.self, capacity: 1) { unsafe DES_set_key_unchecked($0, schedule) }
            }
            block = block.bigEndian
            unsafe withUnsafeMutablePointer(to: &block) { block in
                unsafe block.withMemoryRebound(to: const_DES_cblock.self, capacity: 1) {
                    unsafe DES_ecb_encrypt($0, $0, schedule, BlockCipher.Direction.encrypt.rawValue)
                }
            }
            block = UInt64(bigEndian: block)
        }
    }

    // MARK: Schedules

    private typealias Schedules = UnsafeMutableBufferPointer<DES_key_schedule>

    /// Gives `body` the schedules of the key's parts: one for single DES, otherwise three.
    private static func withSchedules<Result>(_ key: Span<UInt8>, _ body: (Schedules) -> Result) -> Result {
        let count = key.count == blockSize ? 1 : 3
        return unsafe withUnsafeTemporaryAllocation(of: DES_key_schedule.self, capacity: count) { schedules in
            guard let base = schedules.baseAddress else { preconditionFailure("an allocation without an address") }
            defer { unsafe OPENSSL_cleanse(base, count * MemoryLayout<DES_key_schedule>.size) }
            unsafe key.withUnsafeBufferPointer { key in
                guard let bytes = key.baseAddress else { return }
                for part in 0..<count {
                    let start = part * blockSize
                    guard start < key.count else {
                        // Two parts work as K1, K2, K1.
                        unsafe (base + part).initialize(to: base.pointee)
                        continue
                    }
                    unsafe UnsafeMutablePointer(mutating: bytes + start).withMemoryRebound(to: const_DES_cblock.self, capacity: 1) {
                        unsafe DES_set_key_unchecked($0, base + part)
                    }
                }
            }
            return unsafe body(schedules)
        }
    }

    private static func ecb(
        _ direction: BlockCipher.Direction, input: UnsafeBufferPointer<UInt8>, output: UnsafeMutableBufferPointer<UInt8>,
        schedules: Schedules
    ) {
        guard let from = input.baseAddress, let to = output.baseAddress, let first = schedules.baseAddress else {
            return
        }
        for start in stride(from: 0, to: input.count, by: blockSize) {
            unsafe UnsafeMutablePointer(mutating: from + start).withMemoryRebound(to: const_DES_cblock.self, capacity: 1) { from in
                unsafe (to + start).withMemoryRebound(to: const_DES_cblock.self, capacity: 1) { to in
                    if schedules.count == 1 {
                        unsafe DES_ecb_encrypt(from, to, first, direction.rawValue)
                    } else {
                        unsafe DES_ecb3_encrypt(from, to, first, first + 1, first + 2, direction.rawValue)
                    }
                }
            }
        }
    }

    private static func cbc(
        _ direction: BlockCipher.Direction, input: UnsafeBufferPointer<UInt8>, output: UnsafeMutableBufferPointer<UInt8>,
        schedules: Schedules, iv: [UInt8]
    ) {
        guard let from = input.baseAddress, let to = output.baseAddress, let first = schedules.baseAddress else {
            return
        }
        var chain = iv
        unsafe chain.withUnsafeMutableBufferPointer { chain in
            guard let chain = chain.baseAddress else { return }
            unsafe chain.withMemoryRebound(to: DES_cblock.self, capacity: 1) { chain in
                if schedules.count == 1 {
                    unsafe DES_ncbc_encrypt(from, to, input.count, first, chain, direction.rawValue)
                } else {
                    unsafe DES_ede3_cbc_encrypt(from, to, input.count, first, first + 1, first + 2, chain, direction.rawValue)
                }
            }
        }
    }
}
