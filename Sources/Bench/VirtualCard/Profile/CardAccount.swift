public import Bytes

/// The holder and the validity of the card.
public struct CardAccount: Sendable, Equatable {
    /// ASCII digits, 12 to 19 of them, tag `5A`. It must be a published test number.
    public var pan: SecretBytes
    /// Two digits in format `n`, tag `5F34`; nil leaves the object out.
    public var panSequenceNumber: UInt8?
    /// YYMMDD in format `n`, 3 bytes, tag `5F24`.
    public var expiry: [UInt8]
    /// YYMMDD in format `n`, 3 bytes, tag `5F25`; nil leaves the object out.
    public var effectiveDate: [UInt8]?
    /// 2 to 26 characters of ASCII, tag `5F20`.
    public var cardholderName: String
    /// Three digits (ISO/IEC 7813), tag `5F30`.
    public var serviceCode: UInt16
    /// Decimal digits that complete track 2, tag `57`.
    public var track2DiscretionaryData: String

    /// - Parameter pan: Decimal digits.
    public init(
        pan: String, panSequenceNumber: UInt8? = 1, expiry: [UInt8] = [0x49, 0x12, 0x31],
        effectiveDate: [UInt8]? = [0x24, 0x01, 0x01],
        cardholderName: String = "TEST/CARDHOLDER", serviceCode: UInt16 = 201,
        track2DiscretionaryData: String = "00000000"
    ) {
        self.pan = SecretBytes(pan.utf8)
        self.panSequenceNumber = panSequenceNumber
        self.expiry = expiry
        self.effectiveDate = effectiveDate
        self.cardholderName = cardholderName
        self.serviceCode = serviceCode
        self.track2DiscretionaryData = track2DiscretionaryData
    }
}
