public import CardCryptography
import TLV

/// Applications as the payment systems publish them for attended terminals, with a floor limit of
/// zero: every payment goes online. In production, the acquirer determines versions, limits and
/// action codes.
extension ApplicationConfiguration {
    /// Visa credit and debit: `A0000000031010`, versions 150 and 140.
    public static var visa: ApplicationConfiguration {
        ApplicationConfiguration(
            aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], versions: [0x0096, 0x008C], actionCodes: .visa)
    }

    /// Visa Electron: `A0000000032010`.
    public static var visaElectron: ApplicationConfiguration {
        ApplicationConfiguration(
            aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x20, 0x10], versions: [0x0096, 0x008C], actionCodes: .visa)
    }

    /// Mastercard credit and debit: `A0000000041010`, version 2.
    public static var mastercard: ApplicationConfiguration {
        ApplicationConfiguration(
            aid: [0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10], versions: [0x0002], actionCodes: .mastercard)
    }

    /// Maestro: `A0000000043060`, version 2.
    public static var maestro: ApplicationConfiguration {
        ApplicationConfiguration(
            aid: [0xA0, 0x00, 0x00, 0x00, 0x04, 0x30, 0x60], versions: [0x0002], actionCodes: .mastercard)
    }
}

extension ActionCodes {
    /// Terminal action codes that Visa publishes for contact transactions.
    public static let visa = ActionCodes(
        denial: .init(rawValue: 0x00_1000_0000), online: .init(rawValue: 0xDC_4004_F800),
        default: .init(rawValue: 0xDC_4000_A800))

    /// Terminal action codes that Mastercard publishes for contact transactions.
    public static let mastercard = ActionCodes(
        denial: .init(rawValue: 0), online: .init(rawValue: 0xFC_50B8_F800), default: .init(rawValue: 0xFC_50B8_A000))
}

extension TerminalConfiguration {
    /// An attended terminal that goes online, with display and printer for attendant and
    /// cardholder, without cash: signature, no CVM, and online PIN if `hasPINPad`.
    ///
    /// - Parameters:
    ///   - countryCode: ISO 3166-1 numeric, tag `9F1A`.
    ///   - caKeys: The keys of the payment systems whose cards are authenticated offline.
    public static func attended(
        countryCode: UInt16, applications: [ApplicationConfiguration] = [.visa, .visaElectron, .mastercard, .maestro],
        caKeys: [CAPublicKey], hasPINPad: Bool = false
    ) -> TerminalConfiguration {
        var capabilities: TerminalCapabilities = [.contactChip, .signature, .noCVM, .sda, .dda, .cda]
        if hasPINPad { capabilities.insert(.encipheredOnlinePIN) }
        return TerminalConfiguration(
            capabilities: capabilities,
            additionalCapabilities: [
                .goods, .services, .numericKeys, .commandKeys, .printAttendant, .printCardholder, .displayAttendant,
                .displayCardholder, .codeTable1,
            ], countryCode: countryCode, applications: applications, caKeys: caKeys)
    }
}
