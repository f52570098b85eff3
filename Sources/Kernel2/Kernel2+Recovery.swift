import CardCryptography
import Contactless
import EMVKernel
import SmartCard
import TLV

/// Torn transactions (EMV Contactless Book C-2, S9 to S11): a GENERATE AC that got no answer is kept, and when the card comes back
/// for the same payment it is asked for that answer before it makes a new cryptogram.
extension Kernel2 {
    /// What RECOVER AC is sent for.
    struct Recovery {
        let record: TornTransaction
        /// Of the card that came back, where its answer must be signed.
        let cardKey: RSAPublicKey?
        /// What GENERATE AC is sent with if the card does not have the answer.
        let otherwise: CryptogramRequest
    }

    private var identity: TornTransaction.Card? {
        data.card.pan.map { TornTransaction.Card(pan: $0, sequenceNumber: data.card[.panSequenceNumber]) }
    }

    private static let recoveryList: Tag = 0x9F51

    /// The record to recover; nil where there is none, or none whose answer could be checked.
    func recovery(or request: CryptogramRequest, key: RSAPublicKey?) -> Recovery? {
        guard configuration.maximumTornTransactions > 0, let identity,
            let record = torn.newest(identity, activation.request, lifetime: configuration.tornTransactionLifetime),
            !record.wantsSignature || key != nil
        else { return nil }
        return Recovery(record: record, cardKey: record.wantsSignature ? key : nil, otherwise: request)
    }

    /// The card's answer to RECOVER AC, judged by what went with the command that it answers.
    mutating func takeRecovered(_ answer: ResponseAPDU, _ recovery: Recovery) throws(Termination) -> ContactlessOutcome {
        let record = recovery.record
        torn.remove(record)
        data.terminal = record.terminal
        tvr = record.terminal[.terminalVerificationResults].flatMap(TerminalVerificationResults.init) ?? []
        sentOptions = record.sentOptions
        return try takeCryptogram(
            answer,
            CryptogramRequest(
                type: record.requested, values: record.values, cardKey: recovery.cardKey, verification: record.verification))
    }

    /// Keeps the GENERATE AC that was sent with `request`; not for a card without DRDOL.
    mutating func keep(_ request: CryptogramRequest) {
        guard configuration.maximumTornTransactions > 0, let identity,
            let list = data.card[Self.recoveryList].flatMap({ try? DOL(parsing: $0) }),
            list.dataLength <= 252
        else { return }
        torn.append(
            TornTransaction(
                card: identity, request: activation.request, lifetime: configuration.tornTransactionLifetime, terminal: data.terminal,
                requested: request.type, wantsSignature: request.cardKey != nil, verification: request.verification,
                recoveryData: list.concatenate(data), sentOptions: sentOptions, values: request.values),
            maximum: configuration.maximumTornTransactions)
    }
}
