import CardCryptography
import EMVKernel
import TLV

/// Whether the application may be used at this place and date and for this transaction. Checked
/// only if the card approves offline (EMV Contactless Book C-3, 5.5).
enum OfflineRestrictions {
    enum Result: Equatable {
        case passed
        case online
        case otherInterface(ContactlessReason)
        case declined(ContactlessReason)
    }

    /// The reader's alternatives if a restriction applies.
    struct Reader {
        let isOnlineCapable: Bool
        let hasContactChip: Bool
        /// Tag `9F1A`, as a number.
        let country: UInt16
    }

    /// - Parameters:
    ///   - card: Tags `5F24`, `9F07` and `5F28`.
    ///   - qualifiers: CTQ; empty if the card has no CTQ.
    ///   - date: Tag `9A`.
    static func evaluate(
        _ card: DataElements, _ qualifiers: CardTransactionQualifiers, request: TransactionRequest,
        isOnExceptionFile: Bool,
        reader: Reader
    ) -> Result {
        if isOnExceptionFile { return .declined(.onExceptionFile) }
        if !isUsageAllowed(card, request.kind, country: reader.country) {
            let switches: CardTransactionQualifiers =
                request.kind == .cash ? .otherInterfaceForCash : .otherInterfaceForCashback
            let mayInsert = reader.hasContactChip && qualifiers.contains(switches)
            return mayInsert ? .otherInterface(.serviceNotAllowed) : .declined(.serviceNotAllowed)
        }
        guard isExpired(card, today: request.date) else { return .passed }
        return reader.isOnlineCapable && qualifiers.contains(.onlineIfExpired) ? .online : .declined(.expired)
    }

    /// A card without an expiry date, or with an invalid one, counts as expired.
    private static func isExpired(_ card: DataElements, today: [UInt8]) -> Bool {
        guard let value = card[.applicationExpirationDate], let expiry = CertificateDate(yymmdd: value),
            let today = CertificateDate(yymmdd: today)
        else { return true }
        return expiry < today
    }

    /// Checks only cash (EMV Contactless Book C-3, 5.5.1.3) and cashback (5.5.1.4). For these the
    /// card must have both its usage control and its country: one that says nothing allows nothing.
    private static func isUsageAllowed(_ card: DataElements, _ kind: TransactionRequest.Kind, country: UInt16) -> Bool {
        let (domestic, international): (ApplicationUsageControl, ApplicationUsageControl)
        switch kind {
        case .purchase, .refund: return true
        case .cash: (domestic, international) = (.domesticCash, .internationalCash)
        case .purchaseWithCashback: (domestic, international) = (.domesticCashback, .internationalCashback)
        }
        guard let control = card[.applicationUsageControl].flatMap({ ApplicationUsageControl($0) }),
            let issuer = card.number(.issuerCountryCode)
        else { return false }
        return control.contains(issuer == UInt64(country) ? domestic : international)
    }
}
