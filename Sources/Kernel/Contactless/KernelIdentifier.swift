private import Bytes
private import TLV

/// Which kernel processes a card's application (EMV Contactless Book B, 3.3.2.5).
///
/// International kernels have one byte. Domestic ones have three: one that identifies the numbering
/// authority, and two with the number.
public struct KernelIdentifier: Hashable, Sendable {
    /// 1 or 3 bytes.
    public let bytes: [UInt8]

    /// - Parameter number: Not 0, which identifies no kernel.
    public init(international number: UInt8) { bytes = [number] }

    /// Nil unless `bytes` are three bytes that begin with bits 10 or 11 and identify a kernel.
    public init?(domestic bytes: [UInt8]) {
        guard bytes.count == 3, bytes[0] & 0x80 != 0, bytes[0] & 0x3F != 0 else { return nil }
        self.bytes = bytes
    }

    /// Mastercard, EMV Contactless Book C-2.
    public static let kernel2 = KernelIdentifier(international: 2)
    /// Visa, EMV Contactless Book C-3.
    public static let kernel3 = KernelIdentifier(international: 3)
    /// American Express, EMV Contactless Book C-4.
    public static let kernel4 = KernelIdentifier(international: 4)
    /// JCB, EMV Contactless Book C-5.
    public static let kernel5 = KernelIdentifier(international: 5)
    /// Discover, EMV Contactless Book C-6.
    public static let kernel6 = KernelIdentifier(international: 6)
    /// UnionPay, EMV Contactless Book C-7.
    public static let kernel7 = KernelIdentifier(international: 7)

    /// All payment systems, EMV Contactless Book C-8. Cards request it by its identifier.
    public static let kernel8 = KernelIdentifier(international: 8)

    /// The kernel of an international payment system's applications, for cards without a kernel
    /// identifier (EMV Contactless Book B, 3.3.2.5, table 3-6); nil for all other applications.
    ///
    /// - Parameter name: An AID, 5 to 16 bytes.
    public init?(ofApplication name: some Collection<UInt8>) {
        guard let number = PaymentSystem.contactlessKernel(ofApplication: name) else { return nil }
        // fits: 2 to 7
        self.init(international: UInt8(clamping: number))
    }
}

extension KernelIdentifier: CustomStringConvertible {
    public var description: String { bytes.count == 1 ? "kernel \(bytes[0])" : "kernel \(bytes.hex)" }
}
