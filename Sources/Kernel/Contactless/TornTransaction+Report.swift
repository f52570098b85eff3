package import TLV

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
        .amountAuthorised, .amountOther, 0xDF8104, .cvmResults, 0x9F7D, 0xDF8128, 0x9F1E, .terminalCapabilities, .terminalCountryCode,
        .terminalType, .terminalVerificationResults, 0x9F53, .transactionCurrencyCode, .transactionDate, .transactionTime, .transactionType,
        .unpredictableNumber, 0xDF8301, 0xDF8302, 0xDF8303, 0xDF8304, 0xDF8305, 0xDF8306, 0xDF8307,
    ]
}
