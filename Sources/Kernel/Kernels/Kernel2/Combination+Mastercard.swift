public import Contactless
import EMVKernel
import TLV

extension Combination {
    /// Mastercard credit and debit, `A0000000041010`, at an attended reader with a chip reader,
    /// with signature and verification on the consumer's device, and online PIN where `hasPINPad`.
    ///
    /// - Parameters:
    ///   - limits: The acquirer's limits. A floor limit of zero sends every payment online. Absent
    ///     limits count as zero; an absent transaction limit means no limit.
    ///   - relayResistance: For a reader with known transmission times to the card; nil disables
    ///     the protocol.
    public static func mastercard(
        limits: TransactionLimits, hasPINPad: Bool = false, relayResistance: RelayResistanceLimits? = nil
    ) -> Combination {
        // Entry Point's limits apply from their amount on, those of the kernel to greater amounts
        // (Book B, 3.1.1; Book C-2, 7.5).
        func below(_ limit: UInt64) -> UInt64 { limit > 0 ? limit - 1 : 0 }
        let transactionLimit = limits.transactionLimit.map(below) ?? .max
        var kernel = Kernel2Configuration(
            floorLimit: limits.floorLimit ?? limits.terminalFloorLimit.map(UInt64.init) ?? 0, transactionLimit: transactionLimit,
            deviceTransactionLimit: transactionLimit, cvmRequiredLimit: below(limits.cvmRequiredLimit ?? 0),
            verificationAboveLimit: hasPINPad ? [.encipheredOnlinePIN, .signature] : [.signature])
        kernel.magstripeVerificationAboveLimit = hasPINPad ? .onlinePIN : .signature
        // The default codes of the book have no bit for the floor limit.
        kernel.actionCodes.online.insert(.floorLimitExceeded)
        kernel.actionCodes.default.insert(.floorLimitExceeded)
        kernel.maximumTornTransactions = 2
        kernel.relayResistance = relayResistance
        return Combination(aid: [0xA0, 0x00, 0x00, 0x00, 0x04, 0x10, 0x10], limits: limits, kernel: kernel)
    }
}
