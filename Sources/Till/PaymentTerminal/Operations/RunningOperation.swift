/// The current operation of a terminal.
struct RunningOperation {
    /// A counter, unique for each operation of the terminal.
    let number: Int
    let operation: TerminalOperation
    let requestID: String?
    /// Nil if the configuration has no log, or no file could be created.
    let log: PaymentLog?
    /// False once the host may have been asked.
    var canBeCancelled = true
    var isCancelling = false
    /// The pending request to the attendant; declining it ends the payment without an
    /// authorization.
    var referral: ReferralRequest?
    let cancel: @Sendable () -> Void
    /// Returns when the operation has ended.
    let ended: @Sendable () async -> Void
}
