import CardCryptography
package import EMVKernel
package import TLV

/// Transactions whose GENERATE AC got no answer, because the card left the field (EMV Contactless Book C-2, tag `FF8101`): the
/// card may be asked for the answer when it comes back, so that it does not make a second cryptogram.
///
/// A value that the reader keeps between taps. It holds no card number.
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
}

/// One GENERATE AC without an answer, and all that its answer is judged by.
package struct TornTransaction: Sendable {
    /// A digest of PAN and PAN sequence number.
    package struct Card: Sendable, Equatable {
        private let digest: [UInt8]

        /// - Parameters:
        ///   - pan: ASCII digits.
        ///   - sequenceNumber: Tag `5F34`; absent differs from 00.
        package init(pan: [UInt8], sequenceNumber: [UInt8]?) {
            digest = SHA256.hash(pan, [UInt8(ascii: "/")], sequenceNumber ?? [])
        }
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
    private let request: TransactionRequest

    package init(
        card: Card, request: TransactionRequest, terminal: DataElements, requested: CryptogramType, wantsSignature: Bool,
        verification: ContactlessOutcome.Verification?, recoveryData: [UInt8], sentOptions: [UInt8], values: [UInt8]
    ) {
        self.card = card
        self.request = request
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
        guard request.amount == other.amount, request.amountOther == other.amountOther, request.currencyCode == other.currencyCode,
            request.kind == other.kind, request.date == other.date, let then = Self.seconds(request.time),
            let now = Self.seconds(other.time)
        else { return false }
        return (0...max(0, lifetime)).contains(now - then)
    }

    /// Of the day; nil for what is no HHMMSS in format n.
    private static func seconds(_ time: [UInt8]) -> Int? {
        let digits = time.flatMap { [Int($0 >> 4), Int($0 & 0x0F)] }
        guard digits.count == 6, digits.allSatisfy({ $0 < 10 }) else { return nil }
        return (digits[0] * 10 + digits[1]) * 3600 + (digits[2] * 10 + digits[3]) * 60 + digits[4] * 10 + digits[5]
    }
}
