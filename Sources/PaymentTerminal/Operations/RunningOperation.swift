/// What a terminal is at work on now.
struct RunningOperation {
    /// Counts up: no two operations of a terminal have the same.
    let number: Int
    let operation: TerminalOperation
    let requestID: String?
    /// Not any more once the host may have been asked.
    var canBeCancelled = true
    var isCancelling = false
    /// What the attendant is asked; declining it ends the payment without an authorization.
    var referral: ReferralRequest?
    let cancel: @Sendable () -> Void
    /// Returns when the operation has ended.
    let ended: @Sendable () async -> Void
}
