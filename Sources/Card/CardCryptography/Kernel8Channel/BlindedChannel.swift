internal import Bytes

/// The secure channel of kernel 8 between kernel and card, for one transaction (EMV Contactless
/// Book E, 7.2, 8.6 and 3.2).
///
/// Both sides have the same keys and counters. The book was not available: the formulas are those
/// of the only open implementation, Denom (https://github.com/Digrol/Denom, MIT-0).
package struct BlindedChannel: Sendable {
    /// The values that both sides derive, for vectors and comparisons with other implementations.
    /// Keys have 16 bytes.
    package struct Keys: Sendable {
        /// Z, the x-coordinate that both sides compute.
        package let sharedX: [UInt8]
        /// KD.
        package let derivation: AESKey
        /// SKC.
        package let confidentiality: AESKey
        /// SKI.
        package let integrity: AESKey
    }

    package let keys: Keys
    /// KMC: the number of messages of the kernel so far.
    package private(set) var kernelCounter: UInt16 = 0
    /// CMC: the number of messages of the card so far, starting at 8000.
    package private(set) var cardCounter: UInt16 = 0x8000

    /// - Parameter sharedX: Z, as long as a coordinate of the curve.
    init(sharedX: [UInt8]) {
        let derivation = Self.key([UInt8](repeating: 0, count: 16)).cmac(sharedX)
        let derivationKey = Self.key(derivation)
        func session(_ number: UInt8) -> AESKey {
            Self.key(derivationKey.encryptBlocks([number] + Self.derivationData))
        }
        keys = Keys(sharedX: sharedX, derivation: derivationKey, confidentiality: session(1), integrity: session(2))
    }

    /// The derivation data after the key's number.
    private static let derivationData: [UInt8] = [
        0x01, 0x00, 0x54, 0x33, 0x4A, 0x32, 0x59, 0x57, 0x77, 0x3D, 0xA5, 0xA5, 0xA5, 0x01, 0x80,
    ]

    // MARK: Messages

    /// Encrypts or decrypts a message of the card without MAC: the blinding factor, or a record.
    /// Nil if the counter is exhausted.
    package mutating func combineCardMessage(_ data: [UInt8]) -> [UInt8]? {
        guard let counter = nextCardCounter() else { return nil }
        return keys.confidentiality.counterMode(data, counter: counter)
    }

    /// The answer to READ DATA: `object` encrypted, then its MAC. Nil if the counter is exhausted.
    package mutating func sealReadData(_ object: [UInt8]) -> [UInt8]? {
        guard let counter = nextCardCounter() else { return nil }
        let enciphered = keys.confidentiality.counterMode(object, counter: counter)
        return enciphered + code(enciphered, counter: counter)
    }

    /// The data object in an answer to READ DATA; nil if its MAC is wrong, or the counter is
    /// exhausted.
    package mutating func openReadData(_ sealed: [UInt8]) -> [UInt8]? {
        guard sealed.count > 8, cardCounter < .max else { return nil }
        let enciphered = Array(sealed.dropLast(8))
        guard constantTimeEqual(code(enciphered, counter: cardCounter).span, sealed.span.extracting(last: 8)),
            let counter = nextCardCounter()
        else { return nil }
        return keys.confidentiality.counterMode(enciphered, counter: counter)
    }

    /// The data of WRITE DATA, encrypted or decrypted. Nil if the counter is exhausted.
    package mutating func combineWriteData(_ object: [UInt8]) -> [UInt8]? {
        // The counters of both sides must not overlap: they use the same key.
        guard kernelCounter < 0x7FFF else { return nil }
        defer { kernelCounter += 1 }
        return keys.confidentiality.counterMode(object, counter: kernelCounter)
    }

    /// The answer to WRITE DATA: a MAC over the plaintext of the data object, 8 bytes. Nil if the
    /// counter is exhausted.
    package mutating func writeDataCode(_ object: [UInt8]) -> [UInt8]? {
        nextCardCounter().map { code(object, counter: $0) }
    }

    private mutating func nextCardCounter() -> UInt16? {
        guard cardCounter < .max else { return nil }
        defer { cardCounter += 1 }
        return cardCounter
    }

    private func code(_ data: [UInt8], counter: UInt16) -> [UInt8] {
        Array(keys.integrity.cmac([UInt8(truncatingIfNeeded: counter >> 8), UInt8(counter & 0xFF)] + data).prefix(8))
    }

    // MARK: Local cryptogram

    /// IAD-MAC: over all exchanged data and the hash of the card's static data, 8 bytes. It is
    /// inserted into the issuer application data.
    package func issuerApplicationDataMAC(_ input: [UInt8]) -> [UInt8] {
        // CMAC+: the decrypted code, combined with the code by exclusive or.
        let code = keys.integrity.cmac([0, 0] + input)
        return Array(zip(keys.integrity.decryptBlocks(code), code).map { $0 ^ $1 }.prefix(8))
    }

    /// EDA-MAC, tag `9F8105`: over the application cryptogram and the IAD-MAC, 8 bytes each.
    package func enhancedDataAuthenticationMAC(cryptogram: [UInt8], issuerApplicationDataMAC: [UInt8]) -> [UInt8] {
        Array(keys.integrity.cmac([0, 0] + cryptogram + issuerApplicationDataMAC).prefix(8))
    }

    /// A key of 16 derived bytes.
    private static func key(_ bytes: [UInt8]) -> AESKey {
        var bytes = bytes
        guard let key = try? AESKey(SecretBytes(wiping: &bytes)) else { preconditionFailure("16 bytes are a key") }
        return key
    }
}
