import EMVKernel
import SmartCard
import TLV

/// A signature or a certificate that a log contains, whatever the keys can say of it.
struct SignedItem {
    /// As ``Evidence/subject``.
    let subject: String
    /// Why it cannot be checked at all; nil if certificates would do.
    var gap: Evidence.Gap?

    static let pinCertificate = "PIN encipherment certificate"

    static func round(_ index: Int) -> String {
        switch index {
        case 0: "first GENERATE AC"
        case 1: "second GENERATE AC"
        default: "GENERATE AC \(index + 1)"
        }
    }

    static func subject(_ index: Int, isXDA: Bool) -> String { "\(isXDA ? "XDA" : "CDA"), \(round(index))" }

    /// All of a transaction.
    static func all(_ conversation: LoggedConversation, _ card: DataElements) -> [SignedItem] {
        var items: [SignedItem] = []
        if card.contains(.issuerPublicKeyCertificate) { items.append(SignedItem(subject: "issuer certificate")) }
        let profile = card[.applicationInterchangeProfile].flatMap(ApplicationInterchangeProfile.init) ?? []
        if profile.contains(.sdaSupported), card.contains(.signedStaticApplicationData) {
            items.append(SignedItem(subject: "SDA"))
        }
        if card.contains(.iccPublicKeyCertificate) { items.append(SignedItem(subject: "ICC certificate")) }
        if card.contains(.iccPINEnciphermentPublicKeyCertificate) {
            items.append(SignedItem(subject: pinCertificate))
        }
        if conversation.exchange(.internalAuthenticate)?.response.status == .success {
            items.append(SignedItem(subject: "DDA"))
        }
        for (index, exchange) in conversation.cryptograms.enumerated() where exchange.signature != nil {
            // With XDA the signature does not contain the cryptogram (EMV 4.4 Book 2, 12.5).
            let isXDA = (try? DataElements(parsing: exchange.response.data))?.contains(.applicationCryptogram) ?? false
            items.append(SignedItem(subject: subject(index, isXDA: isXDA), gap: index < 2 ? nil : .thirdCryptogram))
        }
        if conversation.cryptograms.isEmpty, card.contains(.signedDynamicApplicationData),
            conversation.exchanges.contains(where: \.givesCryptogramWithOptions)
        {
            items.append(SignedItem(subject: "fDDA"))
        }
        return items
    }
}

extension APDUTrace.Exchange {
    /// Tag `9F4B` in the answer; nil if there is none.
    var signature: [UInt8]? {
        response.status == .success ? (try? DataElements(parsing: response.data))?[.signedDynamicApplicationData] : nil
    }
}
