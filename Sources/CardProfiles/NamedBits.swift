import Bytes
import TLV

/// A bit field whose bits have names in profiles. It is written as a list of them, or as its bytes in hexadecimal where a bit has none.
protocol NamedBits: BitField {
    static var names: [(String, Self)] { get }
}

extension NamedBits {
    init(_ place: Place) throws(CardProfileError) {
        if case .text = place.value {
            self.init(rawValue: try place.bytes(Self.byteCount...Self.byteCount).reduce(0) { $0 << 8 | UInt64($1) })
            return
        }
        guard case .list = place.value else {
            throw place.wrong("a list of names, or \(Self.byteCount) bytes in hexadecimal, is required, not \(place.value.kind)")
        }
        var field = Self(rawValue: 0)
        for place in try place.list() { field.formUnion(try place.choice(Self.names)) }
        self = field
    }

    var json: JSONValue {
        let named = Self.names.filter { contains($0.1) }
        guard named.reduce(0, { $0 | $1.1.rawValue }) == rawValue else { return .hex(bytes) }
        return .list(named.map { .text($0.0) })
    }
}

extension ApplicationInterchangeProfile: NamedBits {
    static let names: [(String, Self)] = [
        ("xda", .xdaSupported), ("sda", .sdaSupported), ("dda", .ddaSupported),
        ("cardholderVerification", .cardholderVerificationSupported),
        ("terminalRiskManagement", .terminalRiskManagement), ("issuerAuthentication", .issuerAuthenticationSupported),
        ("cda", .cdaSupported),
    ]
}

extension ApplicationUsageControl: NamedBits {
    static let names: [(String, Self)] = [
        ("domesticCash", .domesticCash), ("internationalCash", .internationalCash), ("domesticGoods", .domesticGoods),
        ("internationalGoods", .internationalGoods), ("domesticServices", .domesticServices),
        ("internationalServices", .internationalServices), ("atms", .atms), ("terminalsOtherThanATMs", .terminalsOtherThanATMs),
        ("domesticCashback", .domesticCashback), ("internationalCashback", .internationalCashback),
    ]
}

extension TerminalVerificationResults: NamedBits {
    static let names: [(String, Self)] = [
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
