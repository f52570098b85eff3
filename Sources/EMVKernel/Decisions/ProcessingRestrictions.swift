private import Bytes
import TLV

/// Processing restrictions: may this application be used here, today, for this (EMV 4.4 Book 3, 10.4).
enum ProcessingRestrictions {
    /// The bits of TVR byte 2 to set.
    static func evaluate(
        _ card: DataElements, request: TransactionRequest, versions: [UInt16], configuration: TerminalConfiguration
    ) -> TerminalVerificationResults {
        var found: TerminalVerificationResults = []
        if let version = card.integer(.applicationVersionNumberCard), !versions.contains(where: { UInt64($0) == version }) {
            found.insert(.differentApplicationVersions)
        }
        if !isUsageAllowed(card, request: request, configuration: configuration) { found.insert(.serviceNotAllowed) }
        let today = CalendarDate(request.date)
        if let effective = card[.applicationEffectiveDate], CalendarDate(effective) > today { found.insert(.applicationNotYetEffective) }
        if let expiry = card[.applicationExpirationDate], CalendarDate(expiry) < today { found.insert(.expiredApplication) }
        return found
    }

    /// EMV 4.4 Book 3, 10.4.2. A card without AUC, or without issuer country code where the place matters, restricts nothing.
    private static func isUsageAllowed(_ card: DataElements, request: TransactionRequest, configuration: TerminalConfiguration) -> Bool {
        guard let control = card[.applicationUsageControl].flatMap(ApplicationUsageControl.init) else { return true }
        let isATM = configuration.type.isATM(configuration.additionalCapabilities)
        guard control.contains(isATM ? .atms : .terminalsOtherThanATMs) else { return false }
        guard let issuerCountry = card.number(.issuerCountryCode) else { return true }
        let isDomestic = issuerCountry == UInt64(configuration.countryCode)
        switch request.kind {
        case .cash:
            return control.contains(isDomestic ? .domesticCash : .internationalCash)
        case .purchase, .purchaseWithCashback, .refund:
            let goods: ApplicationUsageControl = isDomestic ? .domesticGoods : .internationalGoods
            let services: ApplicationUsageControl = isDomestic ? .domesticServices : .internationalServices
            guard control.contains(goods) || control.contains(services) else { return false }
            guard request.amountOther > 0 else { return true }
            return control.contains(isDomestic ? .domesticCashback : .internationalCashback)
        }
    }
}

/// A date of EMV data, YYMMDD in format `n`; 50 to 99 are in the last century (EMV 4.4 Book 4, 6.7.3).
struct CalendarDate: Comparable {
    private let sortable: Int

    /// Anything but three bytes of digits sorts before every date.
    init(_ bytes: [UInt8]) {
        let number = bytes.count == 3 ? BCD.number(bytes).map(Int.init) ?? -1 : -1
        sortable = number < 0 ? number : number >= 500_000 ? number + 19_000_000 : number + 20_000_000
    }

    static func < (left: CalendarDate, right: CalendarDate) -> Bool { left.sortable < right.sortable }
}
