import Bytes
import CardCryptography
import Contactless
import EMVKernel
import SmartCard
import TLV

/// Evidence from contactless cards only: a signature with the processing options, and codes for
/// tracks.
extension Evidence {
    /// Fast DDA (EMV Contactless Book C-3, 5.6; UnionPay's cards sign the same data); nil if the
    /// card returned no signature with its processing options.
    static func fastSignature(
        _ conversation: LoggedConversation, _ card: DataElements, _ lists: LoggedLists, key: RSAPublicKey
    ) -> Evidence? {
        guard conversation.cryptograms.isEmpty, let signature = card[.signedDynamicApplicationData],
            let options = conversation.exchanges.last(where: { $0.command.instruction == .getProcessingOptions }),
            options.response.data.first == 0x77, let cryptogram = LoggedCryptogram(options.response)
        else { return nil }
        let subject = "fDDA"
        let system = PaymentSystem(rid: Array((card[.dfName] ?? []).prefix(5)))
        guard system == .visa || system == .unionPay else {
            return notChecked(subject, .signedData)
        }
        guard let format = FastDynamicDataAuthentication.Format(cryptogram.information) else {
            return notChecked(subject, .signedCryptogram)
        }
        let sent = lists.elements(options.command, isFirst: true) ?? DataElements()
        guard let number = sent[.unpredictableNumber] else {
            return notChecked(subject, .unpredictableNumber)
        }
        let covered = card[.cardAuthenticationRelatedData].map { related in
            FastDynamicDataAuthentication.dynamicData(
                unpredictableNumber: number, amount: sent[.amountAuthorised] ?? [],
                currency: sent[.transactionCurrencyCode] ?? [],
                relatedData: related)
        }
        do throws(CertificateError) {
            let dynamic = try FastDynamicDataAuthentication.verify(
                signature, key: key, format: format, dynamicData: covered ?? number)
            let what =
                covered == nil
                ? "version 00, which terminals now refuse: only the unpredictable number"
                : "unpredictable number, amount, currency and tag 9F69"
            return verified(subject, "\(what) signed by the card, dynamic number \(dynamic.hex)")
        } catch {
            return failed(subject, error)
        }
    }

    /// The codes for tracks.
    ///
    /// - Parameter key: The issuer's key for CVC3; nil if it is not known.
    static func checksums(_ conversation: LoggedConversation, _ card: DataElements, key: SecretBytes?) -> [Evidence] {
        conversation.exchanges.flatMap { exchange -> [Evidence] in
            guard exchange.command.instruction == .computeCryptographicChecksum, exchange.response.status == .success
            else { return [] }
            return checksums(exchange, card, key)
        }
    }

    /// CVC3 of either track (`Vectors/contactless/mastercard-cvc3.json`).
    private static func checksums(_ exchange: APDUTrace.Exchange, _ card: DataElements, _ issuerKey: SecretBytes?)
        -> [Evidence]
    {
        let answer = (try? DataElements(parsing: exchange.response.data)) ?? DataElements()
        let sent = LoggedLists(card).elements(exchange.command, isFirst: true) ?? DataElements()
        return [(1, Tag(rawValue: 0x56), Tag(rawValue: 0x9F60)), (2, .track2DataContactless, 0x9F61)].compactMap {
            number, track, tag in
            guard let code = answer[tag] else { return nil }
            let subject = "CVC3, track \(number)"
            guard let issuerKey else {
                return unchecked(subject, .issuerKey(.cvc3MasterKey))
            }
            guard let template = card[track], let counter = answer.integer(.applicationTransactionCounter),
                let unpredictable = sent[0x9F6A], let key = checksumKey(issuerKey, card)
            else { return unchecked(subject, .track) }
            do throws(CryptogramError) {
                let expected = try CardVerificationCode3.compute(
                    initialisationVector: CardVerificationCode3.initialisationVector(track: template, key: key),
                    unpredictableNumber: unpredictable, counter: UInt16(truncatingIfNeeded: counter), key: key)
                let isRight = code.count == 2 && UInt16(code[0]) << 8 | UInt16(code[1]) == expected
                return Evidence(
                    kind: .cryptogram, subject: subject,
                    result: isRight
                        ? .verified("recomputed with the issuer's test key")
                        : .failed("differs from the value computed with the issuer's key"))
            } catch {
                return unchecked(subject, .computation(error))
            }
        }
    }

    /// The card's key for CVC3 (EMV 4.4 Book 2, A1.4.1); nil for a card without number, or a key of
    /// invalid length for triple DES.
    private static func checksumKey(_ issuerKey: SecretBytes, _ card: DataElements) -> CardKey? {
        guard let track = card[.track2DataContactless]?.flatMap({ [$0 >> 4, $0 & 0x0F] }),
            let key = try? CardKey(issuerKey, .tdes),
            let separator = track.firstIndex(of: 0x0D),
            let pan = AccountNumber(ascii: track[..<separator].map { $0 | 0x30 })
        else { return nil }
        return try? MasterKeyDerivation.optionA.cardMasterKey(
            from: key, pan: pan, panSequenceNumber: card[.panSequenceNumber]?.first)
    }

    private static func unchecked(_ subject: String, _ gap: Gap) -> Evidence {
        Evidence(kind: .cryptogram, subject: subject, result: .notChecked(gap))
    }
}

extension FastDynamicDataAuthentication.Format {
    /// Nil for a cryptogram without a signature.
    fileprivate init?(_ information: CryptogramInformationData) {
        switch information.type {
        case .tc: self = .offline
        case .arqc: self = .online
        case .aac, nil: return nil
        }
    }
}
