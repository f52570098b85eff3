public import CardCryptography

/// A cryptogram version and the issuer application data that name it to the issuer.
public struct CryptogramScheme: Sendable {
    /// The coding of tag `9F10`. EMV leaves it to the payment systems (EMV 4.4 Book 3, annex C9); these are those that
    /// card test tools publish.
    public enum Layout: Sendable {
        /// `06` ‖ key index ‖ version ‖ CVR (4 bytes, the first its length `03`).
        case visa
        /// Key index ‖ version ‖ CVR (6) ‖ data authentication code (2) ‖ counters (8).
        case mastercard
    }

    public let layout: Layout
    /// The cryptogram version number.
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
    /// EMV common session key, ARPC method 1.
    public static let mastercard14 = CryptogramScheme(layout: .mastercard, number: 0x14, version: .mastercard14)

    /// The index under which the issuer keeps the master key.
    static let derivationKeyIndex: UInt8 = 0x01

    /// Tag `9F10`.
    func issuerApplicationData(_ results: CardVerificationResults) -> [UInt8] {
        switch layout {
        case .visa: [0x06, Self.derivationKeyIndex, number] + results.visa
        case .mastercard: [Self.derivationKeyIndex, number] + results.mastercard + [UInt8](repeating: 0, count: 10)
        }
    }
}
