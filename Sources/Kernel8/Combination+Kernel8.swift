public import Contactless

extension Combination {
    /// An application whose cards ask for kernel 8, at an attended reader with signature and the consumer's device, and online PIN
    /// where `hasPINPad`.
    ///
    /// - Parameters:
    ///   - aid: 5 to 16 bytes. Kernel 8 is no payment system's own.
    ///   - limits: The acquirer's. A floor limit of zero sends every payment online. Absent limits count as zero, but for the
    ///     transaction limit, which then is none.
    ///   - relayResistance: For a reader whose time on the way to the card is known; nil leaves the protocol out.
    public static func kernel8(
        aid: [UInt8], limits: TransactionLimits, hasPINPad: Bool = false, relayResistance: RelayResistanceLimits? = nil
    ) -> Combination {
        // Entry Point's CVM required limit is reached by its amount, the kernel's is passed by more (Book B, 3.1.1; Book C-8).
        let cvmRequiredLimit = limits.cvmRequiredLimit ?? 0
        var kernel = Kernel8Configuration(
            floorLimit: limits.floorLimit ?? limits.terminalFloorLimit.map(UInt64.init) ?? 0,
            cvmRequiredLimit: cvmRequiredLimit > 0 ? cvmRequiredLimit - 1 : 0)
        if hasPINPad { kernel.verificationAboveLimit.insert(.onlinePIN) }
        kernel.relayResistance = relayResistance
        return Combination(aid: aid, limits: limits, kernel: kernel)
    }
}
