import Bytes

/// TVR, tag `95`: the failures and other results that the terminal found (EMV 4.4 Book 3, annex
/// C5).
public struct TerminalVerificationResults: BitField {
    public static let byteCount = 5
    public let rawValue: UInt64
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public static let offlineDataAuthenticationNotPerformed = Self(byte: 1, bit: 8)
    public static let sdaFailed = Self(byte: 1, bit: 7)
    public static let iccDataMissing = Self(byte: 1, bit: 6)
    public static let cardOnExceptionFile = Self(byte: 1, bit: 5)
    public static let ddaFailed = Self(byte: 1, bit: 4)
    public static let cdaFailed = Self(byte: 1, bit: 3)
    public static let sdaSelected = Self(byte: 1, bit: 2)
    public static let xdaSelected = Self(byte: 1, bit: 1)

    public static let differentApplicationVersions = Self(byte: 2, bit: 8)
    public static let expiredApplication = Self(byte: 2, bit: 7)
    public static let applicationNotYetEffective = Self(byte: 2, bit: 6)
    public static let serviceNotAllowed = Self(byte: 2, bit: 5)
    public static let newCard = Self(byte: 2, bit: 4)
    public static let biometricSuccessful = Self(byte: 2, bit: 2)
    public static let biometricTemplateFormatNotSupported = Self(byte: 2, bit: 1)

    public static let cardholderVerificationFailed = Self(byte: 3, bit: 8)
    public static let unrecognizedCVM = Self(byte: 3, bit: 7)
    public static let pinTryLimitExceeded = Self(byte: 3, bit: 6)
    public static let pinPadNotPresentOrNotWorking = Self(byte: 3, bit: 5)
    public static let pinNotEntered = Self(byte: 3, bit: 4)
    public static let onlineCVMCaptured = Self(byte: 3, bit: 3)
    public static let biometricCaptureDeviceNotWorking = Self(byte: 3, bit: 2)
    public static let biometricSubtypeEntryBypassed = Self(byte: 3, bit: 1)

    public static let floorLimitExceeded = Self(byte: 4, bit: 8)
    public static let lowerConsecutiveOfflineLimitExceeded = Self(byte: 4, bit: 7)
    public static let upperConsecutiveOfflineLimitExceeded = Self(byte: 4, bit: 6)
    public static let selectedRandomlyForOnline = Self(byte: 4, bit: 5)
    public static let merchantForcedOnline = Self(byte: 4, bit: 4)
    public static let biometricTryLimitExceeded = Self(byte: 4, bit: 3)
    public static let biometricTypeNotSupported = Self(byte: 4, bit: 2)
    public static let xdaSignatureFailed = Self(byte: 4, bit: 1)

    public static let defaultTDOLUsed = Self(byte: 5, bit: 8)
    public static let issuerAuthenticationFailed = Self(byte: 5, bit: 7)
    public static let scriptFailedBeforeFinalGenerateAC = Self(byte: 5, bit: 6)
    public static let scriptFailedAfterFinalGenerateAC = Self(byte: 5, bit: 5)
    public static let caECCKeyMissing = Self(byte: 5, bit: 3)
    public static let eccKeyRecoveryFailed = Self(byte: 5, bit: 2)

    public static let meanings: [(Self, String)] = [
        (offlineDataAuthenticationNotPerformed, "Offline data authentication was not performed"),
        (sdaFailed, "SDA failed"),
        (iccDataMissing, "ICC data missing"),
        (cardOnExceptionFile, "Card appears on terminal exception file"),
        (ddaFailed, "DDA failed"),
        (cdaFailed, "CDA failed"),
        (sdaSelected, "SDA selected"),
        (xdaSelected, "XDA selected"),
        (differentApplicationVersions, "ICC and terminal have different application versions"),
        (expiredApplication, "Expired application"),
        (applicationNotYetEffective, "Application not yet effective"),
        (serviceNotAllowed, "Requested service not allowed for card product"),
        (newCard, "New card"),
        (biometricSuccessful, "Biometric performed and successful"),
        (biometricTemplateFormatNotSupported, "Biometric template format not supported"),
        (cardholderVerificationFailed, "Cardholder verification was not successful"),
        (unrecognizedCVM, "Unrecognised CVM"),
        (pinTryLimitExceeded, "PIN try limit exceeded"),
        (pinPadNotPresentOrNotWorking, "PIN entry required and PIN pad not present or not working"),
        (pinNotEntered, "PIN entry required, PIN pad present, but PIN was not entered"),
        (onlineCVMCaptured, "Online CVM captured"),
        (biometricCaptureDeviceNotWorking, "Biometric required but biometric capture device not working"),
        (
            biometricSubtypeEntryBypassed,
            "Biometric required, biometric capture device present, but biometric subtype entry was bypassed"
        ),
        (floorLimitExceeded, "Transaction exceeds floor limit"),
        (lowerConsecutiveOfflineLimitExceeded, "Lower consecutive offline limit exceeded"),
        (upperConsecutiveOfflineLimitExceeded, "Upper consecutive offline limit exceeded"),
        (selectedRandomlyForOnline, "Transaction selected randomly for online processing"),
        (merchantForcedOnline, "Merchant forced transaction online"),
        (biometricTryLimitExceeded, "Biometric try limit exceeded"),
        (biometricTypeNotSupported, "A selected biometric type not supported"),
        (xdaSignatureFailed, "XDA signature verification failed"),
        (defaultTDOLUsed, "Default TDOL used"),
        (issuerAuthenticationFailed, "Issuer authentication failed"),
        (scriptFailedBeforeFinalGenerateAC, "Script processing failed before final GENERATE AC"),
        (scriptFailedAfterFinalGenerateAC, "Script processing failed after final GENERATE AC"),
        (caECCKeyMissing, "CA ECC key missing"),
        (eccKeyRecoveryFailed, "ECC key recovery failed"),
    ]
}

extension TerminalVerificationResults: NamedBits {
    package static let names: [(String, Self)] = [
        ("offlineDataAuthenticationNotPerformed", .offlineDataAuthenticationNotPerformed), ("sdaFailed", .sdaFailed),
        ("iccDataMissing", .iccDataMissing), ("cardOnExceptionFile", .cardOnExceptionFile), ("ddaFailed", .ddaFailed),
        ("cdaFailed", .cdaFailed), ("sdaSelected", .sdaSelected), ("xdaSelected", .xdaSelected),
        ("differentApplicationVersions", .differentApplicationVersions), ("expiredApplication", .expiredApplication),
        ("applicationNotYetEffective", .applicationNotYetEffective), ("serviceNotAllowed", .serviceNotAllowed),
        ("newCard", .newCard),
        ("cardholderVerificationFailed", .cardholderVerificationFailed), ("unrecognisedCVM", .unrecognizedCVM),
        ("pinTryLimitExceeded", .pinTryLimitExceeded), ("pinPadNotPresentOrNotWorking", .pinPadNotPresentOrNotWorking),
        ("pinNotEntered", .pinNotEntered), ("onlineCVMCaptured", .onlineCVMCaptured),
        ("floorLimitExceeded", .floorLimitExceeded),
        ("lowerConsecutiveOfflineLimitExceeded", .lowerConsecutiveOfflineLimitExceeded),
        ("upperConsecutiveOfflineLimitExceeded", .upperConsecutiveOfflineLimitExceeded),
        ("selectedRandomlyForOnline", .selectedRandomlyForOnline), ("merchantForcedOnline", .merchantForcedOnline),
        ("xdaSignatureFailed", .xdaSignatureFailed), ("defaultTDOLUsed", .defaultTDOLUsed),
        ("issuerAuthenticationFailed", .issuerAuthenticationFailed),
        ("scriptFailedBeforeFinalGenerateAC", .scriptFailedBeforeFinalGenerateAC),
        ("scriptFailedAfterFinalGenerateAC", .scriptFailedAfterFinalGenerateAC),
    ]
}
