import CardCryptography
import Contactless
import EMVKernel
import SmartCard
import TLV

/// Torn transactions (EMV Contactless Book C-2, S9 to S11): a GENERATE AC without an answer is
/// kept. When the card comes back for the same payment, it is asked for that answer before it
/// computes a new cryptogram.
extension Kernel2 {
    /// The torn transaction that RECOVER AC recovers.
    struct Recovery {
        let record: TornTransaction
        /// The key of the card that came back, if its answer must be signed.
        let cardKey: RSAPublicKey?
        /// The GENERATE AC to send if the card does not have the answer.
        let otherwise: CryptogramRequest
    }

    private var identity: TornTransaction.Card? {
        data.card.pan.map { TornTransaction.Card(pan: $0, sequenceNumber: data.card[.panSequenceNumber]) }
    }

    private static let recoveryList: Tag = 0x9F51

    /// The record to recover; nil if there is none, or its answer could not be checked.
    func recovery(or request: CryptogramRequest, key: RSAPublicKey?) -> Recovery? {
        guard configuration.maximumTornTransactions > 0, let identity,
            let record = torn.newest(identity, activation.request, lifetime: configuration.tornTransactionLifetime),
            !record.wantsSignature || key != nil
        else { return nil }
        return Recovery(record: record, cardKey: record.wantsSignature ? key : nil, otherwise: request)
    }

    /// Processes the card's answer to RECOVER AC, checked against the data of the original command.
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

    /// Keeps the GENERATE AC of `request`, unless the card has no DRDOL.
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
