public import TLV

/// The messages in which a terminal tells its acquirer of a chip transaction, and the data objects of each that ISO 8583 has in field 55
/// (EMV 4.4 Book 4, 12.1).
///
/// PAN, track, PIN, merchant and terminal have fields of their own and are in none. What "is present if requested by the acquirer" has to be asked for.
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
    ///   - transaction: ``TransactionData/shareable``, or anything else that holds the data objects of card and terminal.
    ///   - requested: Data objects that the acquirer wants besides: of tables 11 and 17 usage control, CVM list, action codes and country code of
    ///     the issuer. Those that ``Redaction/sensitiveTags`` names are never given.
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

    /// What payment systems want of a tap besides (EMV Contactless Books C-2 and C-3: the data record).
    private static let contactless: [Tag] = [.formFactorIndicator, .customerExclusiveData]

    /// The data objects in the order in which they are given.
    var tags: [Tag] {
        switch self {
        case .authorization, .financial: Self.cryptogram + Self.verification + Self.terminal + Self.transaction + Self.card
        case .confirmation: [.applicationCryptogram, .cryptogramInformationData, .issuerScriptResults]
        case .batchRecord:
            Self.cryptogram + Self.verification + Self.terminal + Self.transaction + Self.card + Self.result + [.authorisationCode]
        case .advice: Self.cryptogram + Self.verification + Self.terminal + Self.transaction + Self.card + Self.result
        case .reversal:
            [.applicationInterchangeProfile, .applicationTransactionCounter, .issuerApplicationData, .terminalVerificationResults]
                + Self.terminal + Self.transaction + Self.card + Self.result
        }
    }

    /// What the issuer recomputes the cryptogram from.
    private static let cryptogram: [Tag] = [
        .applicationCryptogram, .cryptogramInformationData, .issuerApplicationData, .unpredictableNumber, .applicationTransactionCounter,
        .terminalVerificationResults, .applicationInterchangeProfile,
    ]
    private static let verification: [Tag] = [.cvmResults]
    private static let terminal: [Tag] = [.terminalCapabilities, .terminalType, .interfaceDeviceSerialNumber, .terminalCountryCode]
    private static let transaction: [Tag] = [
        .amountAuthorised, .amountOther, .transactionCurrencyCode, .transactionDate, .transactionTime, .transactionType,
        .transactionSequenceCounter, .pointOfServiceEntryMode,
    ]
    private static let card: [Tag] = [
        .dfName, .applicationVersionNumberTerminal, .panSequenceNumber, .applicationEffectiveDate, .paymentAccountReference,
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
