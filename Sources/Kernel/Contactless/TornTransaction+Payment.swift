import EMVKernel
package import TLV

extension TornTransaction {
    /// The parameters of the payment, and its date and time.
    struct Payment: Sendable {
        let amount: UInt64
        let amountOther: UInt64
        let currencyCode: UInt16
        let kind: TransactionRequest.Kind
        /// YYMMDD, format n.
        let date: [UInt8]
        /// HHMMSS, format n.
        let time: [UInt8]

        init(_ request: TransactionRequest) {
            amount = request.amount
            amountOther = request.amountOther
            currencyCode = request.currencyCode
            kind = request.kind
            date = request.date
            time = request.time
        }

        /// Compares everything except date and time.
        func isSame(as other: Payment) -> Bool {
            amount == other.amount && amountOther == other.amountOther && currencyCode == other.currencyCode
                && kind == other.kind
        }

        /// Nil if the date differs or a time is invalid.
        func seconds(to other: Payment) -> Int? {
            guard date == other.date, let then = Self.seconds(time), let now = Self.seconds(other.time) else {
                return nil
            }
            return now - then
        }

        /// Seconds of the day; nil if the bytes are not HHMMSS in format n.
        private static func seconds(_ time: [UInt8]) -> Int? {
            let digits = time.flatMap { [Int($0 >> 4), Int($0 & 0x0F)] }
            guard digits.count == 6, digits.allSatisfy({ $0 < 10 }) else { return nil }
            return (digits[0] * 10 + digits[1]) * 3600 + (digits[2] * 10 + digits[3]) * 60 + digits[4] * 10 + digits[5]
        }
    }
}

extension TornTransaction.Payment {
    /// Amount (8 bytes), other amount (8), currency (2), type (1), date (3), time (3).
    var encoded: [UInt8] {
        Self.bytes(amount, 8) + Self.bytes(amountOther, 8) + Self.bytes(UInt64(currencyCode), 2) + [kind.rawValue]
            + date + time
    }

    /// Nil if the bytes do not have the form of ``encoded``.
    init?(encoded bytes: [UInt8]) {
        guard bytes.count == 25, let kind = TransactionRequest.Kind(rawValue: bytes[18]) else { return nil }
        func number(_ range: Range<Int>) -> UInt64 { bytes[range].reduce(0) { $0 << 8 | UInt64($1) } }
        amount = number(0..<8)
        amountOther = number(8..<16)
        currencyCode = UInt16(truncatingIfNeeded: number(16..<18))
        self.kind = kind
        date = Array(bytes[19..<22])
        time = Array(bytes[22...])
    }

    private static func bytes(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
}

extension TornTransaction {
    /// Tag `FF8101`.
    package static let template: Tag = 0xFF8101

    /// The data objects of a torn record (EMV Contactless Book C-2, `FF8101`) for the discretionary
    /// data, so that the acquirer learns of a cryptogram that the card may have computed.
    ///
    /// Without those that have the card number, or may have it: `5A` and `5F34`, which the log does
    /// not keep, and the values of the card's lists, `DF8107` and `DF8113`.
    package var report: [UInt8] {
        var builder = TLVBuilder()
        for tag in Self.reported { if let value = terminal[tag] { builder.append(tag, value) } }
        builder.append(Self.optionsRelatedData, sentOptions)
        builder.append(Self.referenceControlParameter, [referenceControl])
        return builder.bytes
    }

    /// Bits 8 and 7 the type of cryptogram, bit 5 CDA.
    var referenceControl: UInt8 { requested.rawValue | (wantsSignature ? 0x10 : 0) }

    private static let optionsRelatedData: Tag = 0xDF8111
    private static let referenceControlParameter: Tag = 0xDF8114
    private static let reported: [Tag] = [
        .amountAuthorised, .amountOther, 0xDF8104, .cvmResults, 0x9F7D, 0xDF8128, 0x9F1E, .terminalCapabilities,
        .terminalCountryCode,
        .terminalType, .terminalVerificationResults, 0x9F53, .transactionCurrencyCode, .transactionDate,
        .transactionTime, .transactionType,
        .unpredictableNumber, 0xDF8301, 0xDF8302, 0xDF8303, 0xDF8304, 0xDF8305, 0xDF8306, 0xDF8307,
    ]
}
