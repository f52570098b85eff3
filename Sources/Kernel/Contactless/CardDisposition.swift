import EMVKernel
import TLV

/// The card's decision in its answer to GET PROCESSING OPTIONS (EMV Contactless Book C-3, 5.4.3;
/// kernel 7 has the same objects).
enum CardDisposition: Equatable {
    case online
    case offline
    case refused(ContactlessReason)

    /// - Parameters:
    ///   - information: Tag `9F27`, or the value that ``cryptogramInformation(_:)`` derives from
    ///     the card's data.
    ///   - qualifiers: TTQ as sent to the card.
    init(
        _ information: CryptogramInformationData, _ qualifiers: TerminalTransactionQualifiers,
        kind: TransactionRequest.Kind
    ) {
        switch information.type {
        case nil: self = .refused(.reservedCryptogram)
        // The issuer decides about a refund. The card's decision is ignored: a refund is never
        // approved offline.
        case _ where kind == .refund: self = .online
        case .aac: self = .refused(.cardDeclined)
        case .arqc: self = .online
        case .tc: self = qualifiers.contains(.onlineCryptogramRequired) ? .online : .offline
        }
    }

    /// Tag `9F27`; without it the type of cryptogram in the card verification results: bits 6 and 5
    /// of byte 5 of tag `9F10`. Nil if both are absent.
    static func cryptogramInformation(_ card: DataElements) -> CryptogramInformationData? {
        if let value = card[.cryptogramInformationData] {
            return value.count == 1 ? CryptogramInformationData(rawValue: value[0]) : nil
        }
        guard let issuerData = card[.issuerApplicationData], issuerData.count >= 5 else { return nil }
        return CryptogramInformationData(rawValue: issuerData[4] << 2 & 0xC0)
    }
}
