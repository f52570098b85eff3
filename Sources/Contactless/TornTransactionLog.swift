import CardCryptography
package import EMVKernel
package import TLV

/// Transactions whose GENERATE AC got no answer, because the card left the field (EMV Contactless Book C-2, tag `FF8101`): the
/// card may be asked for the answer when it comes back, so that it does not make a second cryptogram.
///
/// A value that the reader keeps between taps. What the card asked for in its lists is in it, which may be its number.
package struct TornTransactionLog: Sendable {
    /// The oldest first.
    package private(set) var records: [TornTransaction] = []

    package init() {}

    /// Adds a record; of more than `maximum` the oldest leaves.
    package mutating func append(_ record: TornTransaction, maximum: Int) {
        records.append(record)
        records.removeFirst(max(0, records.count - max(0, maximum)))
    }

    /// The newest one of this card and this payment that is not older than `lifetime`.
    ///
    /// - Parameter lifetime: Seconds, DF811C. A record of another day is too old.
    package func newest(_ card: TornTransaction.Card, _ request: TransactionRequest, lifetime: Int) -> TornTransaction? {
        records.last { $0.card == card && $0.isFor(request, lifetime: lifetime) }
    }

    package mutating func remove(_ record: TornTransaction) { records.removeAll { $0.identity == record.identity } }

    /// Removes what no transaction at the time of `request` or later can use, by the lifetime that each record came with.
    package mutating func removeExpired(at request: TransactionRequest) {
        records.removeAll { !$0.isAlive(at: request, lifetime: $0.lifetime) }
    }

    package func hasSameRecords(as other: TornTransactionLog) -> Bool { records.map(\.identity) == other.records.map(\.identity) }
}

/// One GENERATE AC without an answer, and all that its answer is judged by.
package struct TornTransaction: Sendable {
    /// A digest of PAN and PAN sequence number.
    package struct Card: Sendable, Equatable {
        /// SHA-256.
        let digest: [UInt8]

        /// - Parameters:
        ///   - pan: ASCII digits.
        ///   - sequenceNumber: Tag `5F34`; absent differs from 00.
        package init(pan: [UInt8], sequenceNumber: [UInt8]?) {
            digest = SHA256.hash(pan, [UInt8(ascii: "/")], sequenceNumber ?? [])
        }

        init(digest: [UInt8]) { self.digest = digest }
    }

    /// What RECOVER AC sends: the values of DRDOL, tag `9F51`.
    package let recoveryData: [UInt8]
    /// What went with GET PROCESSING OPTIONS.
    package let sentOptions: [UInt8]
    /// What went with GENERATE AC.
    package let values: [UInt8]
    package let requested: CryptogramType
    package let wantsSignature: Bool
    package let verification: ContactlessOutcome.Verification?
    /// The terminal's data objects as they were.
    package let terminal: DataElements
    package let card: Card
    let payment: Payment
    /// Seconds: DF811C as it was set when the card left.
    let lifetime: Int

    /// - Parameter lifetime: Seconds, at most 65 535.
    package init(
        card: Card, request: TransactionRequest, lifetime: Int, terminal: DataElements, requested: CryptogramType, wantsSignature: Bool,
        verification: ContactlessOutcome.Verification?, recoveryData: [UInt8], sentOptions: [UInt8], values: [UInt8]
    ) {
        self.init(
            card: card, payment: Payment(request), lifetime: lifetime, terminal: terminal, requested: requested,
            wantsSignature: wantsSignature, verification: verification, recoveryData: recoveryData, sentOptions: sentOptions, values: values
        )
    }

    init(
        card: Card, payment: Payment, lifetime: Int, terminal: DataElements, requested: CryptogramType, wantsSignature: Bool,
        verification: ContactlessOutcome.Verification?, recoveryData: [UInt8], sentOptions: [UInt8], values: [UInt8]
    ) {
        self.card = card
        self.payment = payment
        self.lifetime = lifetime
        self.terminal = terminal
        self.requested = requested
        self.wantsSignature = wantsSignature
        self.verification = verification
        self.recoveryData = recoveryData
        self.sentOptions = sentOptions
        self.values = values
    }

    /// The unpredictable number and all else that went with the command.
    fileprivate var identity: [UInt8] { recoveryData + values }

    /// Whether `other` is the same payment, soon after. A cryptogram over another amount must not be taken for it.
    fileprivate func isFor(_ other: TransactionRequest, lifetime: Int) -> Bool {
        payment.isSame(as: Payment(other)) && isAlive(at: other, lifetime: lifetime)
    }

    fileprivate func isAlive(at request: TransactionRequest, lifetime: Int) -> Bool {
        guard let age = payment.seconds(to: Payment(request)) else { return false }
        return (0...max(0, lifetime)).contains(age)
    }
}
