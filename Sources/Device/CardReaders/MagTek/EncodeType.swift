/// The type of card that a MagTek reader detects (D99875475, "Card encode type").
package enum EncodeType: UInt8, Sendable {
    /// A payment card.
    case iso = 0
    /// A driver's license.
    case aamva = 1
    /// An older Californian license.
    case californiaLicense = 2
    case blank = 3
    case other = 4
    case undetermined = 5
    case none = 6
}
