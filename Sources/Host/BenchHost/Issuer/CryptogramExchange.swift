import Bytes
import CardCryptography
import PaymentTerminal
import TLV

/// One application cryptogram of an authorisation request on the issuer's side: its verification,
/// and the ARPC (EMV 4.4 Book 2, 8).
struct CryptogramExchange {
    let atc: UInt16
    /// Tag `9F26`.
    let cryptogram: [UInt8]
    /// Whether it is an ARQC.
    let isRequest: Bool
    private let input: [UInt8]
    private let cardKeys: MasterKeySet
    private let sessionKey: CardKey
    private let version: CryptogramVersion

    /// Nil if `elements`, those of ISO 8583 field 55, are incomplete or contain no cryptogram that
    /// counts: an ARQC.
    ///
    /// - Parameters:
    ///   - amount: the amount of the authorisation. It is authenticated in place of the
    ///     amount in field 55, so that a cryptogram over another amount is wrong.
    ///   - isContactless: a TC counts as well. A reader sends one online if the card wants that
    ///     where its signature is invalid or it has expired (EMV Contactless Book C-3, 5.5 and
    ///     5.6).
    init?(_ elements: DataElements, amount: Money, pan: SecretBytes, isContactless: Bool, profile: IssuerProfile) {
        guard let type = Self.type(elements), type == .arqc || isContactless && type == .tc,
            let cryptogram = elements[.applicationCryptogram],
            let atc = elements.integer(.applicationTransactionCounter).flatMap({ UInt16(exactly: $0) }),
            let interchangeProfile = elements[.applicationInterchangeProfile],
            let issuerData = elements[.issuerApplicationData],
            let unpredictableNumber = elements[.unpredictableNumber],
            let terminalData = Self.terminalData(elements, amount),
            let account = pan.withBytes({ bytes in AccountNumber(ascii: bytes.indices.map { bytes[$0] }) })
        else { return nil }
        let rid = Array((elements[.dfName] ?? []).prefix(5))
        guard let version = profile.cryptogram ?? CryptogramVersion(rid: rid, issuerApplicationData: issuerData) else {
            return nil
        }
        self.version = version
        self.cryptogram = cryptogram
        isRequest = type == .arqc
        self.atc = atc
        do {
            cardKeys = try profile.masterKeys.cardKeys(
                by: version.masterKeyDerivation, pan: account, panSequenceNumber: elements[.panSequenceNumber]?.first)
            sessionKey = try version.sessionKeyDerivation.sessionKey(
                from: cardKeys.applicationCryptogram, atc: self.atc, unpredictableNumber: unpredictableNumber)
            input = try version.input(
                terminalData: terminalData, applicationInterchangeProfile: interchangeProfile, atc: self.atc,
                issuerApplicationData: issuerData)
        } catch {
            return nil
        }
    }

    /// The type of the cryptogram from tag `9F27`; nil unless that has one byte.
    private static func type(_ elements: DataElements) -> CryptogramType? {
        guard let value = elements[.cryptogramInformationData], value.count == 1 else { return nil }
        return CryptogramInformationData(rawValue: value[0]).type
    }

    var isValid: Bool {
        ApplicationCryptogram.isValid(cryptogram, for: input, sessionKey: sessionKey, padding: version.padding)
    }

    /// The value of tag `91` for the issuer's decision.
    func issuerAuthenticationData(for code: ResponseCode) throws(CryptogramError) -> [UInt8] {
        let key = version.responseKey == .sessionKey ? sessionKey : cardKeys.applicationCryptogram
        switch version.responseMethod {
        case .method1:
            let responseCode = Array(code.rawValue.utf8)
            let arpc = try AuthorisationResponseCryptogram.method1(
                arqc: cryptogram, responseCode: responseCode, key: key)
            return IssuerAuthenticationData.method1(arpc: arpc, responseCode: responseCode).bytes
        case .method2:
            let update = Self.cardStatusUpdate(for: code)
            let arpc = try AuthorisationResponseCryptogram.method2(arqc: cryptogram, cardStatusUpdate: update, key: key)
            return IssuerAuthenticationData.method2(arpc: arpc, cardStatusUpdate: update, proprietaryData: []).bytes
        }
    }

    /// The templates of `scripts` for this transaction.
    func encode(_ scripts: [IssuerScript]) throws(IssuerScriptError) -> [[UInt8]] {
        guard !scripts.isEmpty else { return [] }
        guard let scheme = version.secureMessaging,
            let messaging = try? SecureMessaging(
                scheme: scheme, cardKeys: cardKeys, atc: atc, applicationCryptogram: cryptogram)
        else { throw .form }
        return try IssuerScript.encode(scripts, messaging, cardKeys: cardKeys)
    }

    /// CSU, 4 bytes: byte 2, bit 8 is set if the issuer approves the online transaction (EMV 4.4
    /// Book 3, annex C10). It is also set for a referral: the card receives no further answer of
    /// the issuer, and the terminal requests an AAC unless the call approves.
    private static func cardStatusUpdate(for code: ResponseCode) -> [UInt8] {
        [0, code.approves || code.isReferral ? 0x80 : 0, 0, 0]
    }

    /// The terminal's part of the authenticated data, 29 bytes (EMV 4.4 Book 2, table 28); nil if a
    /// value is missing.
    private static func terminalData(_ elements: DataElements, _ amount: Money) -> [UInt8]? {
        guard var data = UInt64(exactly: amount.minorUnits).flatMap({ BCD.encode($0, count: 6) }),
            let currency = BCD.encode(UInt64(amount.currency.number), count: 2)
        else { return nil }
        let tags: [Tag] = [
            .amountOther, .terminalCountryCode, .terminalVerificationResults, .transactionCurrencyCode,
            .transactionDate, .transactionType, .unpredictableNumber,
        ]
        for tag in tags {
            guard let value = tag == .transactionCurrencyCode ? currency : elements[tag] else { return nil }
            data += value
        }
        return data
    }
}
