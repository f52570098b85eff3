import Bytes
import CardCryptography
import Synchronization

/// The terminal's keys for kernel 8, one for each tap, and their private halves for the head of the
/// trace.
final class DrawnKeys: Sendable {
    private let drawn = Mutex<[[UInt8]]>([])

    /// Hexadecimal digits, in the order of the taps.
    var privateKeys: [String] { drawn.withLock { $0.map(\.hex) } }

    func make(_ suite: EnciphermentSuite) -> KernelKeyAgreement {
        for _ in 0..<64 {
            var bytes = SecureRandom.bytes(suite.curve.fieldCount)
            // The order of P-521 has 521 bits.
            if suite == .p521 { bytes[0] &= 0x01 }
            guard let agreement = try? KernelKeyAgreement(suite, scalar: SecretBytes(bytes)) else { continue }
            drawn.withLock { $0.append(bytes) }
            return agreement
        }
        return KernelKeyAgreement(suite)
    }
}
