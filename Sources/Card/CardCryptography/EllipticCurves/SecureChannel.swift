internal import Bytes

/// The keys and the counter of offline data encipherment, which terminal and card share for one
/// transaction (EMV 4.4 Book 2, A2.3).
struct SecureChannel {
    /// K1 and K2: the terminal's keys for encipherment and authentication.
    private let encipherment: AESKey
    private let authentication: AESKey
    /// N, the number of messages so far. 65535 ends the channel.
    private var counter: UInt16 = 0

    /// - Parameters:
    ///   - sharedX: Z, the x-coordinate computed by both sides.
    ///   - unpredictableNumber: UNKD, 8 bytes.
    init(sharedX: [UInt8], unpredictableNumber: [UInt8]) {
        // Z of P-521 is padded to five blocks with leading zeros.
        let padding = [UInt8](repeating: 0, count: (16 - sharedX.count % 16) % 16)
        let zero = Self.key([UInt8](repeating: 0, count: 16))
        let derivation = Self.key(zero.cmac(padding + sharedX))
        func key(_ number: UInt8) -> AESKey {
            Self.key(
                derivation.encryptBlocks([number, 0x01, 0x00] + unpredictableNumber + [0xA5, 0xA5, 0xA5, 0x02, 0x00]))
        }
        encipherment = key(1)
        authentication = key(2)
    }

    /// The message enciphered, with an 8-byte MAC; nil if the counter is exhausted.
    mutating func seal(_ message: [UInt8]) -> [UInt8]? {
        guard counter < .max else { return nil }
        let enciphered = encipherment.counterMode(message, counter: counter)
        let sealed = enciphered + code(enciphered)
        counter += 1
        return sealed
    }

    /// The message in `sealed`; nil if its MAC is wrong, or the counter is exhausted.
    mutating func open(_ sealed: [UInt8]) -> [UInt8]? {
        guard counter < .max, sealed.count >= 8 else { return nil }
        let enciphered = Array(sealed.dropLast(8))
        guard constantTimeEqual(code(enciphered).span, sealed.span.extracting(last: 8)) else { return nil }
        let message = encipherment.counterMode(enciphered, counter: counter)
        counter += 1
        return message
    }

    /// A key of 16 derived bytes.
    private static func key(_ bytes: [UInt8]) -> AESKey {
        var bytes = bytes
        guard let key = try? AESKey(SecretBytes(wiping: &bytes)) else { preconditionFailure("16 bytes are a key") }
        return key
    }

    /// SV: the counter, then zeros.
    private var startingVariable: [UInt8] {
        [UInt8(truncatingIfNeeded: counter >> 8), UInt8(counter & 0xFF)] + [UInt8](repeating: 0, count: 14)
    }

    /// The MAC over the length of the additional data, which is zero, the starting variable and the
    /// ciphertext.
    private func code(_ enciphered: [UInt8]) -> [UInt8] {
        Array(authentication.cmac([UInt8](repeating: 0, count: 8) + startingVariable + enciphered).prefix(8))
    }
}
