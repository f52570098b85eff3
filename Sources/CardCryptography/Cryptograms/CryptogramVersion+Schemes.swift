extension CryptogramVersion {
    /// Visa 10 ('0A'): issuer application data is length 06, key index, version, then the CVR with its length, 4 bytes.
    public static let visa10 = CryptogramVersion(
        masterKeyDerivation: .optionA, sessionKeyDerivation: .none, padding: .zeros, issuerPart: .ranges([3..<7]),
        responseMethod: .method1, responseKey: .cardMasterKey)

    /// Visa 18 ('12').
    public static let visa18 = CryptogramVersion(
        masterKeyDerivation: .optionB, sessionKeyDerivation: .common, padding: .method2, issuerPart: .whole,
        responseMethod: .method2, responseKey: .sessionKey)

    /// Visa '22', which has its number in the second byte of an issuer application data of format 2.
    public static let visa22 = visa18

    /// Mastercard '10': issuer application data is key index, version, CVR (6 bytes), then fields not authenticated.
    public static let mastercard10 = CryptogramVersion(
        masterKeyDerivation: .optionA, sessionKeyDerivation: .mastercard, padding: .method2, issuerPart: .ranges([2..<8]),
        responseMethod: .method1, responseKey: .cardMasterKey)

    /// Mastercard '11': as '10', and the plaintext counters (8 bytes) after the two of the data authentication code count too.
    ///
    /// M/Chip Advance may send 16 bytes of counters; that form is not covered.
    public static let mastercard11 = CryptogramVersion(
        masterKeyDerivation: .optionA, sessionKeyDerivation: .mastercard, padding: .method2, issuerPart: .ranges([2..<8, 10..<18]),
        responseMethod: .method1, responseKey: .cardMasterKey)

    /// Mastercard '14': as '10' with the EMV common session key, which makes the response cryptogram too.
    public static let mastercard14 = CryptogramVersion(
        masterKeyDerivation: .optionA, sessionKeyDerivation: .common, padding: .method2, issuerPart: .ranges([2..<8]),
        responseMethod: .method1, responseKey: .sessionKey)

    /// Mastercard '15': as '11' with the EMV common session key, which makes the response cryptogram too.
    public static let mastercard15 = CryptogramVersion(
        masterKeyDerivation: .optionA, sessionKeyDerivation: .common, padding: .method2, issuerPart: .ranges([2..<8, 10..<18]),
        responseMethod: .method1, responseKey: .sessionKey)

    /// Common Core Definitions, cryptogram version 5, triple DES (EMV 4.4 Book 2, 8.1.1 and 8.2.2 with the CCD parts).
    public static let commonCoreTDES = CryptogramVersion(
        masterKeyDerivation: .optionB, sessionKeyDerivation: .common, padding: .method2, issuerPart: .whole,
        responseMethod: .method2, responseKey: .sessionKey)
}

extension CryptogramVersion {
    /// The version that a Visa card's issuer application data (tag 9F10) names; nil for one not known here.
    public static func visa(issuerApplicationData iad: [UInt8]) -> CryptogramVersion? {
        guard iad.count >= 3 else { return nil }
        switch (iad[0], iad[1], iad[2]) {
        case (0x1F, 0x22, _): return .visa22
        case (_, _, 0x0A): return .visa10
        case (_, _, 0x12): return .visa18
        default: return nil
        }
    }

    /// The version that a Mastercard card's issuer application data (tag 9F10) names; nil for one not known here.
    public static func mastercard(issuerApplicationData iad: [UInt8]) -> CryptogramVersion? {
        guard iad.count >= 2 else { return nil }
        switch iad[1] {
        case 0x10: return .mastercard10
        case 0x11: return .mastercard11
        case 0x14: return .mastercard14
        case 0x15: return .mastercard15
        default: return nil
        }
    }

    /// The version that a Common Core Definitions card's issuer application data (tag 9F10) names: length 0F, then common core
    /// identifier A5 (EMV 4.4 Book 3, C9.2); nil for one not known here.
    public static func commonCore(issuerApplicationData iad: [UInt8]) -> CryptogramVersion? {
        iad.starts(with: [0x0F, 0xA5]) ? .commonCoreTDES : nil
    }
}
