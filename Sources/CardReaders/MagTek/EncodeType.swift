/// What a MagTek reader takes a card for (D99875475, "Card encode type").
package enum EncodeType: UInt8, Sendable {
    /// A payment card.
    case iso = 0
    /// A driver's license.
    case aamva = 1
    /// A Californian license of the older kind.
    case californiaLicense = 2
    case blank = 3
    case other = 4
    case undetermined = 5
    case none = 6
}
