public import Contactless

extension Combination {
    /// An application whose cards request kernel 8, at an attended reader with signature and
    /// verification on the consumer's device, and online PIN where `hasPINPad`.
    ///
    /// - Parameters:
    ///   - aid: 5 to 16 bytes. Kernel 8 is not specific to a payment system.
    ///   - limits: The acquirer's limits. A floor limit of zero sends every payment online. Absent
    ///     limits count as zero; an absent transaction limit means no limit.
    ///   - relayResistance: For a reader with known transmission times to the card; nil disables
    ///     the protocol.
    public static func kernel8(
        aid: [UInt8], limits: TransactionLimits, hasPINPad: Bool = false, relayResistance: RelayResistanceLimits? = nil
    ) -> Combination {
        // Entry Point's CVM required limit applies from its amount on, the kernel's to greater
        // amounts (Book B, 3.1.1; Book C-8).
        let cvmRequiredLimit = limits.cvmRequiredLimit ?? 0
        var kernel = Kernel8Configuration(
            floorLimit: limits.floorLimit ?? limits.terminalFloorLimit.map(UInt64.init) ?? 0,
            cvmRequiredLimit: cvmRequiredLimit > 0 ? cvmRequiredLimit - 1 : 0)
        if hasPINPad { kernel.verificationAboveLimit.insert(.onlinePIN) }
        kernel.relayResistance = relayResistance
        return Combination(aid: aid, limits: limits, kernel: kernel)
    }
}
