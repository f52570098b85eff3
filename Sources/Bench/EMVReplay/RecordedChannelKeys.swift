import Bytes
import CardCryptography
package import Contactless
import Kernels
private import Synchronization

/// The terminal's ephemeral keys for kernel 8, one for each tap, for the head of a trace: with them
/// a replay deciphers what the card answered. For test cards only; a production terminal forgets
/// them.
package final class RecordedChannelKeys: Sendable {
    /// The name of a key in the head of a trace.
    package static let name = "kernel-8-key"

    private let drawn = Mutex<[[UInt8]]>([])

    package init() {}

    /// Hexadecimal digits, in the order of the taps.
    package var metadata: [(name: String, value: String)] {
        drawn.withLock { keys in keys.map { (Self.name, $0.hex) } }
    }

    /// The combination with keys that are recorded; unchanged for other kernels than kernel 8.
    package func recording(_ combination: Combination) -> Combination {
        guard var kernel = combination.kernel as? Kernel8Configuration else { return combination }
        var recorded = combination
        kernel.makeKey = { self.make($0) }
        recorded.kernel = kernel
        return recorded
    }

    private func make(_ suite: EnciphermentSuite) -> KernelKeyAgreement {
        // Most strings are keys; 64 that are not do not occur.
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
