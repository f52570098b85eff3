import CardCryptography
package import TLV

/// Processing restrictions: whether the application may be used at this place and date and for this
/// transaction (EMV 4.4 Book 3, 10.4).
package enum ProcessingRestrictions {
    /// The bits of TVR byte 2 to set.
    ///
    /// - Throws: ``Termination/invalidData(_:)`` for an invalid date (EMV 4.4 Book 3, 7.5).
    package static func evaluate(
        _ card: DataElements, request: TransactionRequest, versions: [UInt16], configuration: TerminalConfiguration
    ) throws(Termination) -> TerminalVerificationResults {
        var found: TerminalVerificationResults = []
        if let version = card.integer(.applicationVersionNumberCard),
            !versions.contains(where: { UInt64($0) == version })
        {
            found.insert(.differentApplicationVersions)
        }
        if !isUsageAllowed(card, request: request, configuration: configuration) { found.insert(.serviceNotAllowed) }
        guard let today = CertificateDate(yymmdd: request.date) else { throw .configuration(.date) }
        if let effective = try date(card, .applicationEffectiveDate), effective > today {
            found.insert(.applicationNotYetEffective)
        }
        if let expiry = try date(card, .applicationExpirationDate), expiry < today { found.insert(.expiredApplication) }
        return found
    }

    private static func date(_ card: DataElements, _ tag: Tag) throws(Termination) -> CertificateDate? {
        try card.withValue(of: tag) { value throws(Termination) in
            guard let date = CertificateDate(yymmdd: value) else { throw .invalidData(tag) }
            return date
        }
    }

    /// EMV 4.4 Book 3, 10.4.2. A card without AUC, or without an issuer country code if the country
    /// matters, has no restrictions.
    private static func isUsageAllowed(
        _ card: DataElements, request: TransactionRequest, configuration: TerminalConfiguration
    ) -> Bool {
        guard let control = card.field(.applicationUsageControl, ApplicationUsageControl.self) else { return true }
        let isATM = configuration.type.isATM(configuration.additionalCapabilities)
        guard control.contains(isATM ? .atms : .terminalsOtherThanATMs) else { return false }
        guard let issuerCountry = card.number(.issuerCountryCode) else { return true }
        let isDomestic = issuerCountry == UInt64(configuration.countryCode)
        switch request.kind {
        case .cash:
            return control.contains(isDomestic ? .domesticCash : .internationalCash)
        // Table 36 does not mention refunds: they are treated like the original purchase.
        case .purchase, .purchaseWithCashback, .refund:
            let goods: ApplicationUsageControl = isDomestic ? .domesticGoods : .internationalGoods
            let services: ApplicationUsageControl = isDomestic ? .domesticServices : .internationalServices
            guard control.contains(goods) || control.contains(services) else { return false }
            guard request.amountOther > 0 else { return true }
            return control.contains(isDomestic ? .domesticCashback : .internationalCashback)
        }
    }
}
