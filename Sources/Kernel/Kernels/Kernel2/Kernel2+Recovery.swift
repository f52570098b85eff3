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
        /// For a GENERATE AC if the card does not have the answer.
        let otherwise: Preparation
    }

    private var identity: TornTransaction.Card? {
        data.card.pan.map { TornTransaction.Card(pan: $0, sequenceNumber: data.card[.panSequenceNumber]) }
    }

    /// S9: the record to recover, DF811C and DF811D (EMV Contactless Book C-2); nil if there is
    /// none, or its answer could not be checked.
    func recovery(or preparation: Preparation) -> Recovery? {
        guard configuration.maximumTornTransactions > 0, let identity,
            let record = torn.newest(identity, activation.request, lifetime: configuration.tornTransactionLifetime),
            !record.wantsSignature || preparation.key != nil
        else { return nil }
        return Recovery(record: record, cardKey: record.wantsSignature ? preparation.key : nil, otherwise: preparation)
    }

    /// S10: processes the card's answer to RECOVER AC (EMV Contactless Book C-2), checked against
    /// the data of the original command.
    mutating func takeRecovered(_ answer: ResponseAPDU, _ recovery: Recovery) throws(Termination) -> Response {
        let record = recovery.record
        torn.remove(record)
        data.terminal = record.terminal
        storage.status = DataStorageState.Status(rawValue: record.terminal[.storageStatus]?.first ?? 0)
        if let summary = record.terminal[.storageSummary1] {
            data.terminal[.storageSummary1] = nil
            data.card[.storageSummary1] = summary
        }
        tvr = record.terminal[.terminalVerificationResults].flatMap(TerminalVerificationResults.init) ?? []
        sentOptions = record.sentOptions
        return try takeCryptogram(
            answer,
            CryptogramRequest(
                type: record.requested, values: record.values, cardKey: recovery.cardKey,
                verification: record.verification))
    }

    /// S9 and S11 without an answer: keeps the GENERATE AC of `request` as a torn record FF8101
    /// (EMV Contactless Book C-2), unless the card has no DRDOL.
    ///
    /// - Returns: Whether it is kept.
    mutating func keep(_ request: CryptogramRequest) -> Bool {
        guard configuration.maximumTornTransactions > 0, let identity,
            let list = data.card[.drdol].flatMap({ try? DOL(parsing: $0) }),
            list.dataLength <= 252
        else { return false }
        var terminal = data.terminal
        if !storage.status.isEmpty { terminal[.storageSummary1] = data.card[.storageSummary1] }
        torn.append(
            TornTransaction(
                card: identity, request: activation.request, lifetime: configuration.tornTransactionLifetime,
                terminal: terminal,
                requested: request.type, wantsSignature: request.cardKey != nil, verification: request.verification,
                recoveryData: list.concatenate(data), sentOptions: sentOptions, values: request.values),
            maximum: configuration.maximumTornTransactions)
        return true
    }
}
