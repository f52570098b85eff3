import TLV

/// Terminal risk management (EMV 4.4 Book 3, 10.6): the parts that need no card.
enum RiskManagement {
    /// Floor limit (10.6.1) and random selection (10.6.2).
    ///
    /// - Parameters:
    ///   - earlierAmount: What the same card spent here lately, for sales that are split.
    ///   - draw: 1 to 99, each equally likely.
    static func checkAmount(
        _ amount: UInt64, earlierAmount: UInt64, floorLimit: UInt64, selection: RandomSelection, draw: Int
    ) -> TerminalVerificationResults {
        let (total, overflow) = amount.addingReportingOverflow(earlierAmount)
        guard !overflow, total < floorLimit else { return .floorLimitExceeded }
        return isSelected(amount, floorLimit: floorLimit, selection, draw: draw) ? .selectedRandomlyForOnline : []
    }

    /// Below the threshold the target percentage decides; above it the percentage grows in a straight line to the maximum at the floor limit.
    private static func isSelected(_ amount: UInt64, floorLimit: UInt64, _ selection: RandomSelection, draw: Int) -> Bool {
        let threshold = UInt64(selection.threshold)
        guard amount >= threshold, floorLimit > threshold else { return draw <= selection.targetPercentage }
        let factor = Double(amount - threshold) / Double(floorLimit - threshold)
        let percentage = Double(selection.maximumPercentage - selection.targetPercentage) * factor + Double(selection.targetPercentage)
        return Double(draw) <= percentage
    }

    /// Velocity checking (10.6.3): how far the card has gone since it was last online.
    ///
    /// - Parameters:
    ///   - atc, lastOnlineATC: Nil if the card does not give them.
    static func checkVelocity(lowerLimit: UInt8, upperLimit: UInt8, atc: UInt16?, lastOnlineATC: UInt16?) -> TerminalVerificationResults {
        var found: TerminalVerificationResults = []
        if let atc, let lastOnlineATC, atc > lastOnlineATC {
            let offline = Int(atc) - Int(lastOnlineATC)
            if offline > Int(lowerLimit) { found.insert(.lowerConsecutiveOfflineLimitExceeded) }
            if offline > Int(upperLimit) { found.insert(.upperConsecutiveOfflineLimitExceeded) }
        } else {
            found = [.lowerConsecutiveOfflineLimitExceeded, .upperConsecutiveOfflineLimitExceeded]
        }
        if lastOnlineATC == 0 { found.insert(.newCard) }
        return found
    }
}
