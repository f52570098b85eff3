import TLV

/// Terminal risk management (EMV 4.4 Book 3, 10.6): the parts that need no commands to the card.
enum RiskManagement {
    /// Floor limit (10.6.1) and random selection (10.6.2).
    ///
    /// - Parameters:
    ///   - earlierAmount: The amount of the same card's last transaction here, to detect split
    ///     sales.
    ///   - selection: Nil for no random selection.
    ///   - draw: 1 to 99, each equally likely.
    static func checkAmount(
        _ amount: UInt64, earlierAmount: UInt64, floorLimit: UInt64, selection: RandomSelection?, draw: Int
    ) -> TerminalVerificationResults {
        let (total, overflow) = amount.addingReportingOverflow(earlierAmount)
        guard !overflow, total < floorLimit else { return .floorLimitExceeded }
        guard let selection, isSelected(amount, floorLimit: floorLimit, selection, draw: draw) else { return [] }
        return .selectedRandomlyForOnline
    }

    /// Below the threshold the target percentage applies; above it, the percentage grows linearly
    /// to the maximum at the floor limit.
    private static func isSelected(_ amount: UInt64, floorLimit: UInt64, _ selection: RandomSelection, draw: Int)
        -> Bool
    {
        let threshold = UInt64(selection.threshold)
        let (target, maximum) = (
            selection.targetPercentage, max(selection.maximumPercentage, selection.targetPercentage)
        )
        guard amount >= threshold, floorLimit > threshold, draw > target else { return draw <= target }
        // draw ≤ target + (maximum − target) · (amount − threshold) / (floor limit − threshold),
        // without a division that rounds.
        return UInt64(clamping: draw - target) * (floorLimit - threshold) <= UInt64(clamping: maximum - target)
            * (amount - threshold)
    }

    /// Velocity checking (10.6.3): the number of transactions since the card was last online.
    ///
    /// - Parameters:
    ///   - atc, lastOnlineATC: Nil if the card does not return them.
    static func checkVelocity(lowerLimit: UInt8, upperLimit: UInt8, atc: UInt16?, lastOnlineATC: UInt16?)
        -> TerminalVerificationResults
    {
        var found: TerminalVerificationResults = []
        if let atc, let lastOnlineATC, atc > lastOnlineATC {
            let offline = Int(atc) - Int(lastOnlineATC)
            if offline > Int(lowerLimit) {
                found.insert(.lowerConsecutiveOfflineLimitExceeded)
                if offline > Int(upperLimit) { found.insert(.upperConsecutiveOfflineLimitExceeded) }
            }
        } else {
            found = [.lowerConsecutiveOfflineLimitExceeded, .upperConsecutiveOfflineLimitExceeded]
            if atc == nil || lastOnlineATC == nil { found.insert(.iccDataMissing) }
        }
        if lastOnlineATC == 0 { found.insert(.newCard) }
        return found
    }
}
