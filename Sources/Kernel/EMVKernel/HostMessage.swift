public import TLV

/// The messages of a terminal to its acquirer about a chip transaction, and the data objects of
/// each in ISO 8583 field 55 (EMV 4.4 Book 4, 12.1).
///
/// PAN, track, PIN, merchant and terminal have fields of their own and are never included. Data
/// objects that are "present if requested by the acquirer" must be requested.
public enum HostMessage: Sendable, CaseIterable {
    /// Authorisation request (12.1.1, tables 9 and 10).
    case authorization
    /// Financial transaction request (12.1.2, tables 11 and 12).
    case financial
    /// Financial transaction confirmation (12.1.4, table 15).
    case confirmation
    /// A record of batch data capture, financial or offline advice (12.1.5, tables 17 and 18).
    case batchRecord
    /// Online advice (12.1.7, tables 20 and 21).
    case advice
    /// Reversal (12.1.8, tables 22 and 23).
    case reversal

    /// The data objects of `transaction` for this message, BER-TLV coded, one after the other.
    ///
    /// - Parameters:
    ///   - transaction: ``TransactionData/shareable``, or other data objects of card and terminal.
    ///   - requested: Additional data objects that the acquirer requests: from tables 11 and 17 the
    ///     issuer's usage control, CVM list, action codes and country code. Those in
    ///     ``Redaction/sensitiveTags`` are never included.
    public func field55(_ transaction: DataElements, requested: [Tag] = []) -> [UInt8] {
        var builder = TLVBuilder()
        var given: Set<Tag> = []
        let isTapped = [[0x07], [0x91]].contains(transaction[.pointOfServiceEntryMode])
        for tag in tags + (isTapped ? Self.contactless : []) + requested
        where given.insert(tag).inserted && !Redaction.sensitiveTags.contains(tag) {
            if let value = transaction[tag] { builder.append(tag, value) }
        }
        return builder.bytes
    }

    /// Additional data objects that payment systems require for a tap (EMV Contactless Books C-2
    /// and C-3: the data record).
    private static let contactless: [Tag] = [.formFactorIndicator, .customerExclusiveData]

    /// The data objects in the order of the message.
    var tags: [Tag] {
        switch self {
        case .authorization, .financial:
            Self.cryptogram + Self.verification + Self.terminal + Self.transaction + Self.card
        case .confirmation: [.applicationCryptogram, .cryptogramInformationData, .issuerScriptResults]
        case .batchRecord:
            Self.cryptogram + Self.verification + Self.terminal + Self.transaction + Self.card + Self.result + [
                .authorisationCode
            ]
        case .advice: Self.cryptogram + Self.verification + Self.terminal + Self.transaction + Self.card + Self.result
        case .reversal:
            [
                .applicationInterchangeProfile, .applicationTransactionCounter, .issuerApplicationData,
                .terminalVerificationResults,
            ]
                + Self.terminal + Self.transaction + Self.card + Self.result
        }
    }

    /// The data from which the issuer recomputes the cryptogram.
    private static let cryptogram: [Tag] = [
        .applicationCryptogram, .cryptogramInformationData, .issuerApplicationData, .unpredictableNumber,
        .applicationTransactionCounter, .terminalVerificationResults, .applicationInterchangeProfile,
    ]
    private static let verification: [Tag] = [.cvmResults]
    private static let terminal: [Tag] = [
        .terminalCapabilities, .terminalType, .interfaceDeviceSerialNumber, .terminalCountryCode,
    ]
    private static let transaction: [Tag] = [
        .amountAuthorised, .amountOther, .transactionCurrencyCode, .transactionDate, .transactionTime, .transactionType,
        .transactionSequenceCounter, .pointOfServiceEntryMode,
    ]
    private static let card: [Tag] = [
        .dfName, .applicationVersionNumberTerminal, .panSequenceNumber, .applicationEffectiveDate,
        .paymentAccountReference,
        .tokenRequestorID,
    ]
    private static let result: [Tag] = [.authorisationResponseCode, .issuerScriptResults]
}

extension Outcome {
    /// The data objects for a message to the acquirer, see ``HostMessage/field55(_:requested:)``.
    public func field55(for message: HostMessage, requested: [Tag] = []) -> [UInt8] {
        message.field55(data.shareable, requested: requested)
    }
}
