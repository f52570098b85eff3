package import Bytes
import CardCryptography
package import EMVKernel
package import TLV

/// Transactions whose GENERATE AC got no answer, because the card left the field (EMV Contactless
/// Book C-2, tag `FF8101`). When the card comes back, it can be asked for the answer, so that it
/// does not compute a second cryptogram.
///
/// The reader keeps this value between taps. It contains the data that the card requested in its
/// lists, which may include the card number.
package struct TornTransactionLog: Sendable {
    /// The oldest first.
    package private(set) var records: [TornTransaction] = []
    /// The last record that left in this transaction without having been recovered: it expired, or
    /// the log was full. The outcome reports it (``TornTransaction/report``).
    package private(set) var displaced: TornTransaction?

    package init() {}

    /// Adds a record; beyond `maximum` records, displaces the oldest.
    package mutating func append(_ record: TornTransaction, maximum: Int) {
        records.append(record)
        while records.count > max(0, maximum) { displaced = records.removeFirst() }
    }

    /// - Parameter records: The oldest first.
    init(_ records: [TornTransaction]) { self.records = records }

    /// The newest record of this card and payment that is not older than `lifetime`.
    ///
    /// - Parameter lifetime: Seconds, DF811C. A record of another date is too old.
    package func newest(_ card: TornTransaction.Card, _ request: TransactionRequest, lifetime: Int) -> TornTransaction?
    {
        records.last { $0.card == card && $0.isFor(request, lifetime: lifetime) }
    }

    package mutating func remove(_ record: TornTransaction) { records.removeAll { $0.identity == record.identity } }

    /// At the start of a transaction: displaces the records that have expired at the time of
    /// `request`, according to the lifetime of each.
    package mutating func removeExpired(at request: TransactionRequest) {
        displaced = records.last { !$0.isAlive(at: request, lifetime: $0.lifetime) }
        records.removeAll { !$0.isAlive(at: request, lifetime: $0.lifetime) }
    }

    package func hasSameRecords(as other: TornTransactionLog) -> Bool {
        records.map(\.identity) == other.records.map(\.identity)
    }
}

/// One GENERATE AC without an answer, and the data needed to check its answer.
package struct TornTransaction: Sendable {
    /// A digest of PAN and PAN sequence number.
    package struct Card: Sendable, Equatable {
        /// SHA-256.
        let digest: [UInt8]

        /// - Parameters:
        ///   - pan: ASCII digits.
        ///   - sequenceNumber: Tag `5F34`; an absent number differs from 00.
        package init(pan: SecretBytes, sequenceNumber: [UInt8]?) {
            digest = pan.withArray { SHA256.hash($0, [UInt8(ascii: "/")], sequenceNumber ?? []) }
        }

        init(digest: [UInt8]) { self.digest = digest }
    }

    /// The data of RECOVER AC: the values of DRDOL, tag `9F51`.
    package let recoveryData: [UInt8]
    /// The data sent in GET PROCESSING OPTIONS.
    package let sentOptions: [UInt8]
    /// The data sent in GENERATE AC.
    package let values: [UInt8]
    package let requested: CryptogramType
    package let wantsSignature: Bool
    package let verification: ContactlessOutcome.Verification?
    /// The terminal's data objects at that time.
    package let terminal: DataElements
    package let card: Card
    let payment: Payment
    /// Seconds: DF811C at the time of the record.
    let lifetime: Int

    /// - Parameter lifetime: Seconds, at most 65 535.
    package init(
        card: Card, request: TransactionRequest, lifetime: Int, terminal: DataElements, requested: CryptogramType,
        wantsSignature: Bool,
        verification: ContactlessOutcome.Verification?, recoveryData: [UInt8], sentOptions: [UInt8], values: [UInt8]
    ) {
        self.init(
            card: card, payment: Payment(request), lifetime: lifetime, terminal: terminal, requested: requested,
            wantsSignature: wantsSignature, verification: verification, recoveryData: recoveryData,
            sentOptions: sentOptions, values: values
        )
    }

    init(
        card: Card, payment: Payment, lifetime: Int, terminal: DataElements, requested: CryptogramType,
        wantsSignature: Bool,
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

    /// The unpredictable number and the other data of the command.
    fileprivate var identity: [UInt8] { recoveryData + values }

    /// Whether `other` is the same payment, within `lifetime`. A cryptogram over another amount
    /// must not be used for it.
    fileprivate func isFor(_ other: TransactionRequest, lifetime: Int) -> Bool {
        payment.isSame(as: Payment(other)) && isAlive(at: other, lifetime: lifetime)
    }

    fileprivate func isAlive(at request: TransactionRequest, lifetime: Int) -> Bool {
        guard let age = payment.seconds(to: Payment(request)) else { return false }
        return (0...max(0, lifetime)).contains(age)
    }
}
