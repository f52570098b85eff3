import Bytes
import CardCryptography
import Contactless
import EMVKernel
import SmartCard
import TLV

/// What only contactless cards give: a signature beside the processing options, and codes for tracks.
extension Evidence {
    /// Fast DDA (EMV Contactless Book C-3, 5.6); nil where the card signed nothing beside its processing options.
    static func fastSignature(
        _ conversation: LoggedConversation, _ card: DataElements, _ lists: LoggedLists, key: RSAPublicKey
    ) -> Evidence? {
        guard conversation.cryptograms.isEmpty, let signature = card[.signedDynamicApplicationData],
            let options = conversation.exchanges.last(where: { $0.command.instruction == .getProcessingOptions }),
            options.response.data.first == 0x77, let cryptogram = LoggedCryptogram(options.response)
        else { return nil }
        let subject = "fDDA"
        guard PaymentSystem(rid: Array((card[.dfName] ?? []).prefix(5))) == .visa else {
            return notChecked(subject, "what a card of this payment system signs is not known here")
        }
        guard let format = FastDynamicDataAuthentication.Format(cryptogram.information) else {
            return notChecked(subject, "a signature goes with a TC or an ARQC, and the card gave neither")
        }
        let sent = lists.elements(options.command, isFirst: true) ?? DataElements()
        guard let number = sent[.unpredictableNumber] else {
            return notChecked(subject, "the log does not show the unpredictable number (tag 9F37)")
        }
        let covered = card[.cardAuthenticationRelatedData].map { related in
            FastDynamicDataAuthentication.dynamicData(
                unpredictableNumber: number, amount: sent[.amountAuthorised] ?? [], currency: sent[.transactionCurrencyCode] ?? [],
                relatedData: related)
        }
        do throws(CertificateError) {
            let dynamic = try FastDynamicDataAuthentication.verify(signature, key: key, format: format, dynamicData: covered ?? number)
            let what =
                covered == nil
                ? "version 00: the unpredictable number alone, which terminals refuse now"
                : "unpredictable number, amount, currency and tag 9F69"
            return verified(subject, "\(what) signed by the card, dynamic number \(dynamic.hex)")
        } catch {
            return failed(subject, error)
        }
    }

    /// The cryptograms of a contactless log without the key of its issuer, and the codes for tracks: a MAC proves nothing to
    /// those who have not its key.
    static func uncheckedCodes(_ conversation: LoggedConversation, _ card: DataElements, hasIssuerKey: Bool) -> [Evidence] {
        guard conversation.interface(card) == .contactless else { return [] }
        return conversation.exchanges.flatMap { exchange -> [Evidence] in
            switch exchange.command.instruction {
            case .generateAC, .getProcessingOptions:
                guard !hasIssuerKey, exchange.response.data.first == 0x77 || exchange.command.instruction == .generateAC,
                    let type = LoggedCryptogram(exchange.response)?.information.type
                else { return [] }
                return [
                    unchecked(
                        "\(type.name), \(exchange.command.instruction?.name ?? "")",
                        "only the issuer's key can tell: give a test key as issuer-master-key in the head of the log")
                ]
            case .computeCryptographicChecksum where exchange.response.status == .success:
                return [unchecked("CVC3", "only the issuer's key can tell")]
            default: return []
            }
        }
    }

    private static func unchecked(_ subject: String, _ why: String) -> Evidence {
        Evidence(kind: .cryptogram, subject: subject, result: .notChecked(why))
    }
}

extension FastDynamicDataAuthentication.Format {
    /// Nil for a cryptogram with which a card signs nothing.
    fileprivate init?(_ information: CryptogramInformationData) {
        switch information.type {
        case .tc: self = .offline
        case .arqc: self = .online
        case .aac, nil: return nil
        }
    }
}
