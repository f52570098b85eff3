import Bytes

extension TerminalVerificationResults: NamedBits {
    package static let names: [(String, Self)] = [
        ("offlineDataAuthenticationNotPerformed", .offlineDataAuthenticationNotPerformed), ("sdaFailed", .sdaFailed),
        ("iccDataMissing", .iccDataMissing), ("cardOnExceptionFile", .cardOnExceptionFile), ("ddaFailed", .ddaFailed),
        ("cdaFailed", .cdaFailed), ("sdaSelected", .sdaSelected), ("xdaSelected", .xdaSelected),
        ("differentApplicationVersions", .differentApplicationVersions), ("expiredApplication", .expiredApplication),
        ("applicationNotYetEffective", .applicationNotYetEffective), ("serviceNotAllowed", .serviceNotAllowed), ("newCard", .newCard),
        ("cardholderVerificationFailed", .cardholderVerificationFailed), ("unrecognisedCVM", .unrecognizedCVM),
        ("pinTryLimitExceeded", .pinTryLimitExceeded), ("pinPadNotPresentOrNotWorking", .pinPadNotPresentOrNotWorking),
        ("pinNotEntered", .pinNotEntered), ("onlineCVMCaptured", .onlineCVMCaptured), ("floorLimitExceeded", .floorLimitExceeded),
        ("lowerConsecutiveOfflineLimitExceeded", .lowerConsecutiveOfflineLimitExceeded),
        ("upperConsecutiveOfflineLimitExceeded", .upperConsecutiveOfflineLimitExceeded),
        ("selectedRandomlyForOnline", .selectedRandomlyForOnline), ("merchantForcedOnline", .merchantForcedOnline),
        ("xdaSignatureFailed", .xdaSignatureFailed), ("defaultTDOLUsed", .defaultTDOLUsed),
        ("issuerAuthenticationFailed", .issuerAuthenticationFailed),
        ("scriptFailedBeforeFinalGenerateAC", .scriptFailedBeforeFinalGenerateAC),
        ("scriptFailedAfterFinalGenerateAC", .scriptFailedAfterFinalGenerateAC),
    ]
}
