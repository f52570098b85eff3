package import CardCryptography
package import SmartCard
package import TLV

/// The parameters of the one GENERATE AC of a tap.
package struct CryptogramRequest: Sendable {
    package let type: CryptogramType
    /// The values of CDOL1, which the card signs.
    package let values: [UInt8]
    /// The values of DSDOL, which are sent behind those of CDOL1 and are not signed.
    package let storageData: [UInt8]
    /// The card's key if CDA was requested.
    package let cardKey: RSAPublicKey?
    package let verification: ContactlessOutcome.Verification?

    package init(
        type: CryptogramType, values: [UInt8], storageData: [UInt8] = [], cardKey: RSAPublicKey?,
        verification: ContactlessOutcome.Verification?
    ) {
        self.type = type
        self.values = values
        self.storageData = storageData
        self.cardKey = cardKey
        self.verification = verification
    }

    package var command: CommandAPDU { .generateAC(type.rawValue | (cardKey == nil ? 0 : 0x10), values + storageData) }
}
