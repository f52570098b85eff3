public import CardCryptography

/// A cryptogram version and the issuer application data that name it to the issuer.
public struct CryptogramScheme: Sendable {
    /// The coding of tag `9F10`. EMV leaves it to the payment systems but for the Common Core Definitions (EMV 4.4 Book 3, C9); the others are those
    /// that card test tools publish.
    public enum Layout: Sendable {
        /// `06` ‖ key index ‖ version ‖ CVR (4 bytes, the first its length `03`).
        case visa
        /// Key index ‖ version ‖ CVR (6) ‖ data authentication code (2) ‖ counters (8).
        case mastercard
        /// `0F` ‖ common core identifier ‖ key index ‖ CVR (5) ‖ counters (8) ‖ `0F` ‖ issuer discretionary data (15).
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
    /// Mastercard's session key, ARPC method 1 under the card master key.
    public static let mastercard10 = CryptogramScheme(layout: .mastercard, number: 0x10, version: .mastercard10)
    /// As ``mastercard10``, counters authenticated.
    public static let mastercard11 = CryptogramScheme(layout: .mastercard, number: 0x11, version: .mastercard11)
    /// EMV common session key, ARPC method 1.
    public static let mastercard14 = CryptogramScheme(layout: .mastercard, number: 0x14, version: .mastercard14)
    /// As ``mastercard14``, counters authenticated.
    public static let mastercard15 = CryptogramScheme(layout: .mastercard, number: 0x15, version: .mastercard15)
    /// Common Core Definitions, triple DES.
    public static let commonCoreTDES = CryptogramScheme(layout: .commonCore, number: 0xA5, version: .commonCoreTDES)
    /// Common Core Definitions, AES.
    public static let commonCoreAES = CryptogramScheme(layout: .commonCore, number: 0xA6, version: .commonCoreAES)

    /// The index under which the issuer keeps the master key.
    static let derivationKeyIndex: UInt8 = 0x01

    /// Tag `9F10`.
    func issuerApplicationData(_ results: CardVerificationResults) -> [UInt8] {
        func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
        switch layout {
        case .visa: return [0x06, Self.derivationKeyIndex, number] + results.visa
        case .mastercard: return [Self.derivationKeyIndex, number] + results.mastercard + zeros(10)
        case .commonCore:
            return [0x0F, number, Self.derivationKeyIndex] + results.commonCore + zeros(8) + [0x0F] + zeros(15)
        }
    }
}
