public import Contactless
import TLV

/// The configuration of Visa's kernel (EMV Contactless Book C-3).
///
/// Limits and TTQ are in the combination, but for mag-stripe mode, bit 8 of TTQ byte 1.
public struct Kernel3Configuration: KernelConfiguration {
    /// Limits for cards of some programs; empty for none.
    public var dynamicReaderLimits: [DynamicReaderLimits]

    /// Bit 8 of TTQ byte 1: whether a card without qVSDC is read in mag-stripe mode (MSD). Visa has
    /// given it up; a track with a code that changes is all that proves the card, and an attacker
    /// in the field can ask every card for it.
    public var supportsMagstripeMode: Bool

    public init(dynamicReaderLimits: [DynamicReaderLimits] = [], supportsMagstripeMode: Bool = false) {
        self.dynamicReaderLimits = dynamicReaderLimits
        self.supportsMagstripeMode = supportsMagstripeMode
    }

    public var identifier: KernelIdentifier { .kernel3 }

    /// This kernel accepts only cards whose PDOL contains TTQ (EMV Contactless Book B, 3.3.3.6).
    public func accepts(_ application: ApplicationInformation) -> Bool {
        guard let pdol = try? application.pdol() else { return false }
        return pdol.contains(.terminalTransactionQualifiers)
    }

    public func kernel(for activation: KernelActivation) -> any ContactlessKernel {
        Kernel3(self, activation)
    }
}

/// Limits for the cards of one program (EMV Contactless Book C-3: dynamic reader limits).
public struct DynamicReaderLimits: Sendable, Equatable {
    /// 1 to 16 bytes: the card's application program identifier, tag `9F5A`, or its beginning.
    public var programIdentifier: [UInt8]
    public var limits: TransactionLimits

    public init(programIdentifier: [UInt8], limits: TransactionLimits) {
        self.programIdentifier = programIdentifier
        self.limits = limits
    }
}

extension [DynamicReaderLimits] {
    /// The limits whose identifier is the longest prefix of the card's; nil if there are none.
    func limits(for identifier: [UInt8]?) -> TransactionLimits? {
        guard let identifier else { return nil }
        return filter { !$0.programIdentifier.isEmpty && identifier.starts(with: $0.programIdentifier) }
            .max { $0.programIdentifier.count < $1.programIdentifier.count }?.limits
    }
}

extension Combination {
    /// Visa credit and debit, `A0000000031010`, at an attended reader with a chip reader, with
    /// signature and verification on the consumer's device, and online PIN where `hasPINPad`.
    ///
    /// - Parameter limits: The acquirer's limits. A floor limit of zero sends every payment online.
    public static func visa(limits: TransactionLimits, hasPINPad: Bool = false) -> Combination {
        var qualifiers: TerminalTransactionQualifiers = [.emvMode, .contactChip, .signature, .consumerDeviceCVM]
        if hasPINPad { qualifiers.insert(.onlinePIN) }
        return Combination(
            aid: [0xA0, 0x00, 0x00, 0x00, 0x03, 0x10, 0x10], limits: limits, qualifiers: qualifiers,
            kernel: Kernel3Configuration())
    }
}
