internal import Bytes

/// The protected commands of one transaction, for the issuer's and the card's side (EMV 4.4 Book 2,
/// 9).
///
/// Commands must be protected in the order in which the card receives them, because of chaining and
/// counting.
public struct SecureMessaging: Sendable {
    public let scheme: SecureMessagingScheme
    private let cardKeys: MasterKeySet
    private let counter: [UInt8]
    private var sessionKeys: SessionKeys
    /// The application cryptogram of the transaction, 8 bytes.
    private var applicationCryptogram: [UInt8]
    /// The block before the next message of format 1.
    private var chain: [UInt8]

    /// - Parameters:
    ///   - cardKeys: The card's master keys; the one for application cryptograms is not used.
    ///   - atc: tag 9F36.
    ///   - applicationCryptogram: tag 9F26 of the first GENERATE AC, 8 bytes.
    public init(
        scheme: SecureMessagingScheme, cardKeys: MasterKeySet, atc: UInt16, applicationCryptogram: [UInt8]
    ) throws(CryptogramError) {
        try CryptogramError.check(applicationCryptogram, count: 8)
        guard cardKeys.integrity.cipher == cardKeys.confidentiality.cipher else { throw .cipher }
        guard
            scheme.sessionKeys != .visa
                || cardKeys.integrity.isDoubleLengthTDES && cardKeys.confidentiality.isDoubleLengthTDES
        else {
            throw .cipher
        }
        self.scheme = scheme
        self.cardKeys = cardKeys
        self.applicationCryptogram = applicationCryptogram
        counter = [UInt8(truncatingIfNeeded: atc >> 8), UInt8(atc & 0xFF)]
        chain = cardKeys.integrity.block(applicationCryptogram)
        sessionKeys = SessionKeys(
            scheme.sessionKeys, cardKeys: cardKeys, counter: counter, applicationCryptogram: applicationCryptogram)
    }

    /// The data field of the protected command.
    ///
    /// - Parameters:
    ///   - header: CLA INS P1 P2; the class includes ``SecureMessagingScheme/classIndication``.
    ///   - data: the data of the unprotected command; empty for a command without data. After
    ///     protection they must fit into 255 bytes.
    ///   - enciphering: whether the data is confidential.
    public mutating func protect(header: [UInt8], data: [UInt8], enciphering: Bool = false) throws(CryptogramError)
        -> [UInt8]
    {
        try CryptogramError.check(header, count: 4)
        let isEnciphered = enciphering && !data.isEmpty
        let sent = isEnciphered ? sessionKeys.encipher(data, scheme.encipherment) : data
        switch scheme.format {
        case .format1:
            let object = SecureMessagingObject.data(sent, isEnciphered: isEnciphered)
            let mac = format1MAC(header, object)
            advance(mac)
            return object + SecureMessagingObject.mac(Array(mac.prefix(scheme.macLength)))
        case .format2:
            let mac = format2MAC(header, sent, length: sent.count + scheme.macLength)
            advance(mac)
            return sent + mac.prefix(scheme.macLength)
        }
    }

    /// Verifies a protected command and returns its data. A wrong MAC does not change the state.
    ///
    /// - Parameters:
    ///   - header: CLA INS P1 P2 as received.
    ///   - field: the data field as received.
    ///   - isEnciphered: whether the command's data must be confidential.
    public mutating func open(header: [UInt8], field: [UInt8], isEnciphered: Bool = false) throws(SecureMessagingError)
        -> [UInt8]
    {
        let keys = sessionKeys
        switch scheme.format {
        case .format1:
            let objects = try SecureMessagingObject.parse(field)
            let mac = format1MAC(header, objects.protected)
            try check(objects.mac, mac)
            advance(mac)
            guard objects.isEnciphered || !isEnciphered else { throw .incorrect }
            return objects.isEnciphered ? try keys.decipher(objects.data, scheme.encipherment) : objects.data
        case .format2:
            guard field.count >= scheme.macLength else { throw .missing }
            let data = Array(field.dropLast(scheme.macLength))
            let mac = format2MAC(header, data, length: field.count)
            try check(Array(field.suffix(scheme.macLength)), mac)
            advance(mac)
            return isEnciphered ? try keys.decipher(data, scheme.encipherment) : data
        }
    }

    // MARK: MAC (9.2.3)

    private func format1MAC(_ header: [UInt8], _ object: [UInt8]) -> [UInt8] {
        let key = sessionKeys.integrity
        let padded =
            BlockPadding.method2.pad(header, blockSize: key.blockSize)
            + (object.isEmpty ? [] : BlockPadding.method2.pad(object, blockSize: key.blockSize))
        return key.mac(chain + padded, padding: .zeros)
    }

    private func format2MAC(_ header: [UInt8], _ data: [UInt8], length: Int) -> [UInt8] {
        let transaction = scheme.format == .format2(transaction: true) ? counter + applicationCryptogram : []
        return sessionKeys.integrity.mac(header + [UInt8(truncatingIfNeeded: length)] + transaction + data)
    }

    private func check(_ sent: [UInt8], _ mac: [UInt8]) throws(SecureMessagingError) {
        guard constantTimeEqual(sent.span, Array(mac.prefix(sent.count)).span) else { throw .incorrect }
    }

    private mutating func advance(_ mac: [UInt8]) {
        if scheme.format == .format1(chaining: true) { chain = mac }
        guard scheme.sessionKeys == .commonCounting else { return }
        for index in applicationCryptogram.indices.reversed() {
            applicationCryptogram[index] &+= 1
            if applicationCryptogram[index] != 0 { break }
        }
        sessionKeys = SessionKeys(
            scheme.sessionKeys, cardKeys: cardKeys, counter: counter, applicationCryptogram: applicationCryptogram)
    }
}

// MARK: - Keys of the transaction (9.2.2, 9.3.2)

private struct SessionKeys: Sendable {
    let integrity: CardKey
    let confidentiality: CardKey

    init(
        _ rule: SecureMessagingScheme.SessionKeys, cardKeys: MasterKeySet, counter: [UInt8],
        applicationCryptogram: [UInt8]
    ) {
        func derive(_ key: CardKey) -> CardKey {
            guard rule == .visa else { return key.diversified(by: key.block(applicationCryptogram)) }
            var bytes = key.bytes.revealed()
            for (offset, byte) in counter.enumerated() {
                bytes[6 + offset] ^= byte
                bytes[14 + offset] ^= ~byte
            }
            return key.derived(from: &bytes)
        }
        integrity = derive(cardKeys.integrity)
        confidentiality = derive(cardKeys.confidentiality)
    }

    func encipher(_ data: [UInt8], _ encipherment: SecureMessagingScheme.Encipherment) -> [UInt8] {
        let size = confidentiality.blockSize
        switch encipherment {
        case .padded: return confidentiality.encryptChained(BlockPadding.method2.pad(data, blockSize: size))
        case .paddedWhereNeeded:
            let isWhole = data.count.isMultiple(of: size)
            return confidentiality.encryptChained(isWhole ? data : BlockPadding.method2.pad(data, blockSize: size))
        case .countedAndPadded:
            return confidentiality.encryptBlocks(
                BlockPadding.method2.pad([UInt8(truncatingIfNeeded: data.count)] + data, blockSize: size))
        }
    }

    func decipher(_ data: [UInt8], _ encipherment: SecureMessagingScheme.Encipherment) throws(SecureMessagingError)
        -> [UInt8]
    {
        guard !data.isEmpty, data.count.isMultiple(of: confidentiality.blockSize) else { throw .incorrect }
        switch encipherment {
        case .padded:
            guard let plain = BlockPadding.removeMethod2(confidentiality.decryptChained(data)) else { throw .incorrect }
            return plain
        case .paddedWhereNeeded:
            // Whole blocks have no padding and cannot be distinguished from padded data: the
            // receiver knows the expected length.
            return confidentiality.decryptChained(data)
        case .countedAndPadded:
            guard let counted = BlockPadding.removeMethod2(confidentiality.decryptBlocks(data)),
                let count = counted.first,
                Int(count) == counted.count - 1
            else { throw .incorrect }
            return Array(counted.dropFirst())
        }
    }
}

extension CardKey {
    fileprivate var isDoubleLengthTDES: Bool { cipher == .tdes && bytes.count == 16 }

    /// `bytes` padded to one block with zeros.
    fileprivate func block(_ bytes: [UInt8]) -> [UInt8] {
        bytes + [UInt8](repeating: 0, count: blockSize - bytes.count)
    }
}
