/// A curve and a cipher for offline data encipherment, by EMV's indicator (EMV 4.4 Book 2, B2.4.2,
/// table 49): Diffie-Hellman on the curve, AES-128 in counter mode, then CMAC.
public enum EnciphermentSuite: UInt8, Sendable {
    case p256 = 0x00
    case p521 = 0x01

    public var curve: EllipticCurve {
        switch self {
        case .p256: .p256
        case .p521: .p521
        }
    }
}
