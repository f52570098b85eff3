public import CardCryptography

/// A cryptogram version and the coding of the issuer application data that identify it.
public struct CryptogramScheme: Sendable, Equatable {
    /// The coding of tag `9F10`. EMV leaves it to the payment systems, except for the Common Core
    /// Definitions (EMV 4.4 Book 3, C9); the others are those that card test tools publish.
    public enum Layout: Sendable, Equatable {
        /// `06` ‖ key index ‖ version ‖ CVR (4 bytes, the first its length `03`).
        case visa
        /// `1F` ‖ version ‖ key index ‖ CVR (5) ‖ issuer discretionary data (24). There is no
        /// public source for the bits of this CVR: this card sends the bytes of the other format,
        /// then zeros.
        case visaFormat2
        /// Key index ‖ version ‖ CVR (6) ‖ data authentication code (2) ‖ counters (8).
        case mastercard
        /// `15` ‖ key index ‖ version ‖ 19 bytes. There is no public source for their coding: this
        /// card sends zeros.
        case interac
        /// `07` ‖ key index ‖ version ‖ CVR (4, as for Visa) ‖ algorithm, `01` for triple DES.
        case unionPay
        /// `0F` ‖ common core identifier ‖ key index ‖ CVR (5) ‖ counters (8) ‖ `0F` ‖ issuer
        /// discretionary data (15).
        case commonCore
    }

    public let layout: Layout
    /// The cryptogram version number, or the common core identifier.
    public let number: UInt8
    public let version: CryptogramVersion

    public init(layout: Layout, number: UInt8, version: CryptogramVersion) {
        self.layout = layout
        self.number = number
        self.version = version
    }

    /// No session key, ARPC method 1 under the card master key.
    public static let visa10 = CryptogramScheme(layout: .visa, number: 0x0A, version: .visa10)
    /// EMV common session key, ARPC method 2.
    public static let visa18 = CryptogramScheme(layout: .visa, number: 0x12, version: .visa18)
    /// As ``visa18`` with issuer application data of format 2.
    public static let visa22 = CryptogramScheme(layout: .visaFormat2, number: 0x22, version: .visa22)
    /// Mastercard's session key, ARPC method 1 under the card master key.
    public static let mastercard10 = CryptogramScheme(layout: .mastercard, number: 0x10, version: .mastercard10)
    /// As ``mastercard10``, counters authenticated.
    public static let mastercard11 = CryptogramScheme(layout: .mastercard, number: 0x11, version: .mastercard11)
    /// EMV common session key, ARPC method 1.
    public static let mastercard14 = CryptogramScheme(layout: .mastercard, number: 0x14, version: .mastercard14)
    /// As ``mastercard14``, counters authenticated.
    public static let mastercard15 = CryptogramScheme(layout: .mastercard, number: 0x15, version: .mastercard15)
    /// Mastercard's session key, also for ARPC method 1.
    public static let interac85 = CryptogramScheme(layout: .interac, number: 0x85, version: .interac85)
    /// UnionPay's session key, also for ARPC method 1.
    public static let unionPay01 = CryptogramScheme(layout: .unionPay, number: 0x01, version: .unionPay01)
    /// Common Core Definitions, triple DES.
    public static let commonCoreTDES = CryptogramScheme(layout: .commonCore, number: 0xA5, version: .commonCoreTDES)
    /// Common Core Definitions, AES.
    public static let commonCoreAES = CryptogramScheme(layout: .commonCore, number: 0xA6, version: .commonCoreAES)

    /// The issuer's index of the master key.
    static let derivationKeyIndex: UInt8 = 0x01

    /// Tag `9F10`.
    func issuerApplicationData(_ results: CardVerificationResults) -> [UInt8] {
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        switch layout {
        case .visa: return [0x06, Self.derivationKeyIndex, number] + results.visa
        case .visaFormat2: return [0x1F, number, Self.derivationKeyIndex] + results.visa.dropFirst() + zeros(26)
        case .interac: return [0x15, Self.derivationKeyIndex, number] + zeros(19)
        case .unionPay: return [0x07, Self.derivationKeyIndex, number] + results.visa + [0x01]
        case .mastercard: return [Self.derivationKeyIndex, number] + results.mastercard + zeros(10)
        case .commonCore:
            return [0x0F, number, Self.derivationKeyIndex] + results.commonCore + zeros(8) + [0x0F] + zeros(15)
        }
    }
}
