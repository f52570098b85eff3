extension CryptogramVersion {
    /// Visa 10 ('0A'): issuer application data is length 06, key index, version, then the CVR with
    /// its length, 4 bytes.
    ///
    /// Verified with the cryptograms of a published Visa test card.
    public static let visa10 = CryptogramVersion(
        masterKeyDerivation: .optionA, sessionKeyDerivation: .none, padding: .zeros, issuerPart: .results(3..<7),
        responseMethod: .method1, responseKey: .cardMasterKey, secureMessaging: .visa)

    /// Visa 18 ('12'). Source: pyemv.
    public static let visa18 = CryptogramVersion(
        masterKeyDerivation: .optionB, sessionKeyDerivation: .common, issuerPart: .whole, responseMethod: .method2,
        responseKey: .sessionKey, secureMessaging: .visa)

    /// Visa '22', whose number is in the second byte of issuer application data of format 2:
    /// cryptograms as in 18, scripts under EMV common session keys. Source: pyemv.
    public static let visa22 = CryptogramVersion(
        masterKeyDerivation: .optionB, sessionKeyDerivation: .common, issuerPart: .whole, responseMethod: .method2,
        responseKey: .sessionKey, secureMessaging: .visaCommon)

    /// Mastercard 16 ('10'): issuer application data is key index, version, CVR (6 bytes), then
    /// fields that are not authenticated.
    ///
    /// Verified with the cryptogram of a published Mastercard test card.
    public static let mastercard10 = mastercard(.mastercard, countersIncluded: false)

    /// Mastercard 17 ('11'): as '10', but the plaintext counters after the data authentication code
    /// (2 bytes) are also authenticated: 8 bytes, with M/Chip Advance also 16, each with or without
    /// the last online ATC (2 bytes) after them. Source: pyemv.
    public static let mastercard11 = mastercard(.mastercard, countersIncluded: true)

    /// Mastercard 20 ('14'): as '10' with the EMV common session key, which is also used for the
    /// response cryptogram. Source: pyemv.
    public static let mastercard14 = mastercard(.common, countersIncluded: false)

    /// Mastercard 21 ('15'): as '11' with the EMV common session key, which is also used for the
    /// response cryptogram. Source: pyemv.
    public static let mastercard15 = mastercard(.common, countersIncluded: true)

    private static func mastercard(_ sessionKey: SessionKeyDerivation, countersIncluded: Bool) -> CryptogramVersion {
        CryptogramVersion(
            masterKeyDerivation: .optionA, sessionKeyDerivation: sessionKey,
            issuerPart: countersIncluded ? .resultsAndCounters(2..<8, counters: 10) : .results(2..<8),
            responseMethod: .method1,
            responseKey: sessionKey == .common ? .sessionKey : .cardMasterKey, secureMessaging: .mastercard)
    }

    /// Interac 133 ('85'): issuer application data is its length, key index, version, then the
    /// rest. Source: pyemv.
    public static let interac85 = CryptogramVersion(
        masterKeyDerivation: .optionA, sessionKeyDerivation: .mastercard, issuerPart: .whole, responseMethod: .method1,
        responseKey: .sessionKey, secureMessaging: .interac)

    /// UnionPay 01: issuer application data as for Visa, length 07, key index, version, CVR (4
    /// bytes), algorithm.
    ///
    /// Verified with an ARQC and ARPC that were published with their keys. No source was found for
    /// the protection of its scripts.
    public static let unionPay01 = CryptogramVersion(
        masterKeyDerivation: .optionA, sessionKeyDerivation: .unionPay, issuerPart: .results(3..<7),
        responseMethod: .method1,
        responseKey: .sessionKey)

    /// Common Core Definitions, cryptogram version 5, triple DES (EMV 4.4 Book 2, part IV).
    public static let commonCoreTDES = CryptogramVersion(
        masterKeyDerivation: .optionB, sessionKeyDerivation: .common, issuerPart: .whole, responseMethod: .method2,
        responseKey: .sessionKey, secureMessaging: .commonCore)

    /// Common Core Definitions, cryptogram version 6, AES (EMV 4.4 Book 2, part IV).
    public static let commonCoreAES = CryptogramVersion(
        masterKeyDerivation: .optionC, sessionKeyDerivation: .common, issuerPart: .whole, responseMethod: .method2,
        responseKey: .sessionKey, secureMessaging: .commonCore)
}
