public import TLV

/// The issuer's action codes (EMV 4.4 Book 3, 10.7).
public struct IssuerActionCodes: Sendable, Equatable {
    /// Tag `9F0E`.
    public var denial: TerminalVerificationResults
    /// Tag `9F0F`.
    public var online: TerminalVerificationResults
    /// Tag `9F0D`.
    public var `default`: TerminalVerificationResults

    /// By default, no bit declines, every problem goes online, and every problem declines if the
    /// terminal is unable to go online.
    public init(
        denial: TerminalVerificationResults = [], online: TerminalVerificationResults = .somethingAmiss,
        default: TerminalVerificationResults = .somethingAmiss
    ) {
        self.denial = denial
        self.online = online
        self.default = `default`
    }
}

extension TerminalVerificationResults {
    /// The bits for which a cautious issuer does not allow an offline approval.
    public static let somethingAmiss: TerminalVerificationResults = [
        .offlineDataAuthenticationNotPerformed, .sdaFailed, .iccDataMissing, .cardOnExceptionFile, .ddaFailed,
        .cdaFailed, .expiredApplication, .applicationNotYetEffective, .serviceNotAllowed, .cardholderVerificationFailed,
        .pinTryLimitExceeded, .pinPadNotPresentOrNotWorking, .pinNotEntered, .onlineCVMCaptured, .floorLimitExceeded,
        .upperConsecutiveOfflineLimitExceeded, .selectedRandomlyForOnline, .merchantForcedOnline,
    ]
}
