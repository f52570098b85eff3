public import Bytes
public import CardCryptography
import Contactless
public import SmartCard
import TLV

/// The key of a test issuer, with which cryptograms in a log can be recomputed.
public struct IssuerKeyMaterial: Sendable {
    /// For application cryptograms: 16 bytes, with AES also 24 or 32. The version determines the
    /// cipher.
    public let masterKey: SecretBytes
    /// Nil for the version in the card's issuer application data.
    public let version: CryptogramVersion?

    public init(masterKey: SecretBytes, version: CryptogramVersion? = nil) {
        self.masterKey = masterKey
        self.version = version
    }

    /// From the head of a trace: `issuer-master-key` and `cryptogram-version`; nil without a key,
    /// or with an unknown version.
    public init?(_ trace: APDUTrace) {
        guard let hex = trace["issuer-master-key"], let bytes = try? [UInt8](hex: hex),
            [16, 24, 32].contains(bytes.count)
        else {
            return nil
        }
        let name = trace["cryptogram-version"]
        let version = name.flatMap { Self.versions[$0] }
        guard name == nil || version != nil else { return nil }
        self.init(masterKey: SecretBytes(bytes), version: version)
    }

    /// The names that a trace may use, by the number in the issuer application data.
    public static let versions: [String: CryptogramVersion] = [
        "visa-10": .visa10, "visa-18": .visa18, "visa-22": .visa22, "mastercard-10": .mastercard10,
        "mastercard-11": .mastercard11,
        "mastercard-14": .mastercard14, "mastercard-15": .mastercard15, "interac-85": .interac85,
        "unionpay-01": .unionPay01,
        "common-core-5": .commonCoreTDES, "common-core-6": .commonCoreAES,
    ]

    func verify(
        _ cryptogram: [UInt8], _ input: CryptogramInput, _ card: DataElements
    ) throws(CryptogramError) -> Evidence.Comparison {
        let keys: CardKeys
        switch try CardKeys.of(self, input, card) {
        case .success(let found): keys = found
        case .failure(let missing): return .impossible(missing.gap)
        }
        let data = try keys.version.input(
            terminalData: input.terminalData, applicationInterchangeProfile: input.applicationInterchangeProfile,
            atc: input.atc,
            issuerApplicationData: input.issuerApplicationData)
        return .init(
            ApplicationCryptogram.isValid(
                cryptogram, for: data, sessionKey: keys.session, padding: keys.version.padding))
    }

    /// Whether `answer`, the value of tag 91, contains the ARPC for `arqc` (EMV 4.4 Book 2, 8.2).
    ///
    /// Its length must match the version's method: else it is fictitious, or from another method.
    func verify(
        _ answer: [UInt8], to arqc: [UInt8], _ input: CryptogramInput, _ card: DataElements
    ) throws(CryptogramError) -> Evidence.Comparison {
        let keys: CardKeys
        switch try CardKeys.of(self, input, card) {
        case .success(let found): keys = found
        case .failure(let missing): return .impossible(missing.gap)
        }
        let key = keys.version.responseKey == .sessionKey ? keys.session : keys.master
        let expected: [UInt8]
        switch keys.version.responseMethod {
        case .method1:
            guard answer.count == 10 else { return .impossible(.answerLength) }
            expected = try AuthorisationResponseCryptogram.method1(
                arqc: arqc, responseCode: Array(answer[8...]), key: key)
        case .method2:
            guard (8...16).contains(answer.count) else { return .impossible(.answerLength) }
            expected = try AuthorisationResponseCryptogram.method2(
                arqc: arqc, cardStatusUpdate: Array(answer[4..<8]), proprietaryData: Array(answer[8...]), key: key)
        }
        return .init(AuthorisationResponseCryptogram.isValid(Array(answer.prefix(expected.count)), expected: expected))
    }

    /// The keys derived from the issuer's key for one card and one transaction.
    private struct CardKeys {
        let version: CryptogramVersion
        let master: CardKey
        let session: CardKey

        struct Missing: Error {
            let gap: Evidence.Gap
        }

        static func of(
            _ issuer: IssuerKeyMaterial, _ input: CryptogramInput, _ card: DataElements
        ) throws(CryptogramError) -> Result<CardKeys, Missing> {
            let rid = Array((card[.dfName] ?? []).prefix(5))
            guard
                let version = issuer.version
                    ?? CryptogramVersion(rid: rid, issuerApplicationData: input.issuerApplicationData)
            else {
                return .failure(Missing(gap: .cryptogramVersion))
            }
            guard let issuerKey = try? CardKey(issuer.masterKey, version.cipher) else {
                return .failure(Missing(gap: .issuerKeyLength))
            }
            // A contactless card may have its number only in the track.
            let number =
                card.hasMaskedPAN ? nil : card[.applicationPAN] ?? Track2Equivalent(card)?.encodedPAN?.revealed()
            guard let pan = number.flatMap(AccountNumber.init(cn:)) else {
                return .failure(Missing(gap: card.hasMaskedPAN ? .maskedNumber : .cardNumber))
            }
            let master = try version.masterKeyDerivation.cardMasterKey(
                from: issuerKey, pan: pan, panSequenceNumber: card[.panSequenceNumber]?.first)
            let session = try version.sessionKeyDerivation.sessionKey(
                from: master, atc: input.atc, unpredictableNumber: input.unpredictableNumber)
            return .success(CardKeys(version: version, master: master, session: session))
        }
    }
}

/// The input of a cryptogram, as far as a log shows it.
struct CryptogramInput {
    /// The 29 bytes of EMV 4.4 Book 2, table 28.
    let terminalData: [UInt8]
    let applicationInterchangeProfile: [UInt8]
    let atc: UInt16
    let issuerApplicationData: [UInt8]
    let unpredictableNumber: [UInt8]
}
