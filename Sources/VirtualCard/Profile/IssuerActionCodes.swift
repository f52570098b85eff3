public import TLV

/// Which bits of the TVR lead where in the issuer's eyes (EMV 4.4 Book 3, 10.7).
public struct IssuerActionCodes: Sendable, Equatable {
    /// Tag `9F0E`.
    public var denial: TerminalVerificationResults
    /// Tag `9F0F`.
    public var online: TerminalVerificationResults
    /// Tag `9F0D`.
    public var `default`: TerminalVerificationResults

    /// The default codes deny nothing, go online for every problem, and decline for the same if the
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
    /// What a cautious issuer does not let pass offline.
    public static let somethingAmiss: TerminalVerificationResults = [
        .offlineDataAuthenticationNotPerformed, .sdaFailed, .iccDataMissing, .cardOnExceptionFile, .ddaFailed, .cdaFailed,
        .expiredApplication, .applicationNotYetEffective, .serviceNotAllowed, .cardholderVerificationFailed, .pinTryLimitExceeded,
        .pinPadNotPresentOrNotWorking, .pinNotEntered, .onlineCVMCaptured, .floorLimitExceeded, .upperConsecutiveOfflineLimitExceeded,
        .selectedRandomlyForOnline, .merchantForcedOnline,
    ]
}
