import Bytes
import CReference
import CardCryptography

/// Keys, MACs, PIN blocks and key blocks, against the same in C over libcrypto: as one writes it
/// first, and at its best.
///
/// All keys are test keys, and the card number is a published test number.
struct CipherBenchmark {
    private let keyBytes = [UInt8](0x01...0x10)
    private let tdes: TDESKey
    private let aes: AESKey
    private let pin: PIN
    private let pan: AccountNumber
    private let serialNumber: KeySerialNumber
    private let aesSerialNumber: AESKeySerialNumber
    /// As long as the data of a cryptogram (EMV 4.4 Book 2, table 37: 29 bytes) and a bit more.
    private let message = [UInt8](0..<37)
    private let panDigits = "4012888888881881"
    private let pinDigits = "1234"
    private let counter: UInt16 = 0x1234

    init() throws {
        tdes = try TDESKey(SecretBytes(keyBytes))
        aes = try AESKey(SecretBytes(keyBytes))
        // The counter with most bits set that ANSI X9.24-1:2009, annex A.4, gives an example for;
        // and one with eight for AES.
        guard let pin = PIN(ascii: pinDigits.utf8), let pan = AccountNumber(ascii: panDigits.utf8),
            let serialNumber = KeySerialNumber([0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xEF, 0xF8, 0x00]),
            let aesSerialNumber = AESKeySerialNumber([
                0x12, 0x34, 0x56, 0x78, 0x90, 0x12, 0x34, 0x56, 0x00, 0x0F, 0x00, 0xF0,
            ])
        else { throw BenchmarkError("a key serial number, PIN or number is none") }
        self.pin = pin
        self.pan = pan
        self.serialNumber = serialNumber
        self.aesSerialNumber = aesSerialNumber
    }

    private typealias Ciphers = UnsafePointer<reference_ciphers>

    /// What both do: its name, the limits against both references, and what either returns.
    private struct Work {
        let name: String
        let limits: (plain: Double, best: Double)
        let ours: () -> [UInt8]
        let reference: (Ciphers) -> [UInt8]
        /// Whether both did the same; without it they return the same bytes.
        var agree: (([UInt8], [UInt8]) -> Bool)?
    }

    func run() async throws -> [Comparison] {
        var comparisons: [Comparison] = []
        for work in try derivations() + macs() + pinBlocks() + keyBlocks() {
            for (ciphers, name, limit) in [
                (reference_plain_ciphers(), "a context for each operation", work.limits.plain),
                (reference_best_ciphers(), "contexts kept", work.limits.best),
            ] {
                guard let ciphers else { throw BenchmarkError("no reference") }
                let (one, other) = (work.ours(), work.reference(ciphers))
                guard !one.isEmpty, work.agree?(one, other) ?? (one == other) else {
                    throw BenchmarkError("\(work.name): both differ")
                }
                var comparison = Comparison(work.name, against: "libcrypto, \(name)", limit: limit)
                var count = 0
                await comparison.measure(times: 300) {
                    count &+= work.ours().count
                } reference: {
                    count &-= work.reference(ciphers).count
                }
                guard count == 0 else { throw BenchmarkError("\(work.name): both made unlike lengths") }
                comparisons.append(comparison)
            }
        }
        return comparisons
    }

    private func made(_ count: Int, _ body: (UnsafeMutablePointer<UInt8>) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            if let base = buffer.baseAddress { body(base) }
            initialized = count
        }
    }

    private func derivations() -> [Work] {
        [
            Work(name: "TDES DUKPT: transaction key from the base key, 9 counter bits", limits: (0.26, 1.2)) {
                let key = try? TDESDUKPT.transactionKey(baseDerivationKey: tdes, serialNumber: serialNumber)
                return key?.bytes.revealed() ?? []
            } reference: { ciphers in
                made(16) { reference_tdes_dukpt(ciphers, keyBytes, serialNumber.bytes, $0) }
            },
            Work(name: "AES DUKPT: PIN key from the base key, 8 counter bits", limits: (0.28, 1.0)) {
                let initial = try? AESDUKPT.initialKey(baseDerivationKey: aes, serialNumber: aesSerialNumber)
                let key = initial.flatMap {
                    try? AESDUKPT.workingKey(
                        .pinEncryption, type: .aes128, initialKey: $0, serialNumber: aesSerialNumber)
                }
                return key?.revealed() ?? []
            } reference: { ciphers in
                made(16) { reference_aes_dukpt(ciphers, keyBytes, aesSerialNumber.bytes, $0) }
            },
            Work(name: "EMV session key, TDES", limits: (0.5, 1.08)) {
                sessionKey(of: .tdes(tdes))
            } reference: { ciphers in
                made(16) { reference_tdes_session_key(ciphers, keyBytes, counter, $0) }
            },
            Work(name: "EMV session key, AES", limits: (0.62, 1.95)) {
                sessionKey(of: .aes(aes))
            } reference: { ciphers in
                made(16) { reference_aes_session_key(ciphers, keyBytes, counter, $0) }
            },
        ]
    }

    private func sessionKey(of masterKey: CardKey) -> [UInt8] {
        let key = try? SessionKeyDerivation.common.sessionKey(from: masterKey, atc: counter, unpredictableNumber: [])
        return key?.bytes.revealed() ?? []
    }

    private func macs() -> [Work] {
        [
            Work(name: "retail MAC, 37 bytes", limits: (0.38, 1.08)) {
                tdes.retailMAC(message)
            } reference: { ciphers in
                made(8) { reference_retail_mac(ciphers, keyBytes, message, message.count, $0) }
            },
            Work(name: "CMAC, TDES, 37 bytes", limits: (0.67, 1.07)) {
                tdes.cmac(message)
            } reference: { ciphers in
                made(8) { reference_tdes_cmac(ciphers, keyBytes, message, message.count, $0) }
            },
            Work(name: "CMAC, AES, 37 bytes", limits: (0.29, 0.9)) {
                aes.cmac(message)
            } reference: { ciphers in
                made(16) { reference_aes_cmac(ciphers, keyBytes, 16, message, message.count, $0) }
            },
        ]
    }

    private func pinBlocks() -> [Work] {
        [
            Work(name: "PIN block format 0, enciphered with TDES", limits: (0.65, 1.3)) {
                guard let block = try? PINBlock.format0(pan).encode(pin) else { return [] }
                return (try? tdes.encryptECB(block.revealed())) ?? []
            } reference: { ciphers in
                made(8) { reference_pin_block_0(ciphers, keyBytes, pinDigits, panDigits, $0) }
            },
            Work(name: "PIN block format 4", limits: (0.58, 1.0)) {
                PINBlockFormat4.encipher(pin, pan: pan, key: aes)
            } reference: { ciphers in
                made(16) { reference_pin_block_4(ciphers, keyBytes, pinDigits, panDigits, $0) }
            } agree: { one, other in
                [one, other].allSatisfy { (try? PINBlockFormat4.decipher($0, pan: pan, key: aes)) == pin }
            },
        ]
    }

    private func keyBlocks() throws -> [Work] {
        try keyBlocks(
            .derivationTDES, algorithm: "T", under: .tdes(tdes), count: 96, wrapping: (0.57, 1.02),
            unwrapping: (0.5, 0.99))
            + keyBlocks(
                .derivationAES, algorithm: "A", under: .aes(aes), count: 144, wrapping: (0.67, 1.55),
                unwrapping: (0.57, 1.7))
    }

    /// A block of `count` characters made and opened.
    private func keyBlocks(
        _ version: KeyBlockHeader.Version, algorithm: Character, under protectionKey: KeyBlock.ProtectionKey,
        count: Int,
        wrapping: (plain: Double, best: Double), unwrapping: (plain: Double, best: Double)
    ) throws -> [Work] {
        let header = KeyBlockHeader(
            version: version, usage: "P0", algorithm: algorithm, modeOfUse: "E", exportability: "E")
        let key = SecretBytes(message.prefix(16))
        let block = try KeyBlock.wrap(key, header: header, under: protectionKey)
        let letter = CChar(truncatingIfNeeded: version.rawValue.asciiValue ?? 0)
        func opened(_ block: [UInt8]) -> SecretBytes? {
            try? KeyBlock.unwrap(String(decoding: block, as: UTF8.self), under: protectionKey).key
        }
        return [
            Work(name: "TR-31 version \(version.rawValue), wrap", limits: wrapping) {
                (try? KeyBlock.wrap(key, header: header, under: protectionKey)).map { Array($0.utf8) } ?? []
            } reference: { ciphers in
                let text = made(count + 1) { text in
                    text.withMemoryRebound(to: CChar.self, capacity: count + 1) {
                        reference_wrap(ciphers, letter, keyBytes, Array(message.prefix(16)), $0)
                    }
                }
                return Array(text.dropLast())
            } agree: { one, other in
                opened(one) == key && opened(other) == key
            },
            Work(name: "TR-31 version \(version.rawValue), unwrap", limits: unwrapping) {
                (try? KeyBlock.unwrap(block, under: protectionKey))?.key.revealed() ?? []
            } reference: { ciphers in
                made(16) { _ = reference_unwrap(ciphers, keyBytes, block, $0) }
            },
        ]
    }
}
