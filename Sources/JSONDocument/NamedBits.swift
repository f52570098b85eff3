import Bytes
package import TLV

/// A bit field whose bits have names in documents. It is written as a list of them, or as its bytes
/// in hexadecimal if a bit has no name.
package protocol NamedBits: BitField {
    static var names: [(String, Self)] { get }
}

extension NamedBits {
    package init(_ place: Place) throws(DocumentError) {
        if case .text = place.value {
            self.init(rawValue: try place.bytes(Self.byteCount...Self.byteCount).reduce(0) { $0 << 8 | UInt64($1) })
            return
        }
        guard case .list = place.value else {
            throw place.wrong(ValueFault.otherKind(.namedBits(Self.byteCount), place.value.kind))
        }
        var field = Self(rawValue: 0)
        for place in try place.list() { field.formUnion(try place.choice(Self.names)) }
        self = field
    }

    package var json: JSONValue {
        let named = Self.names.filter { contains($0.1) }
        guard named.reduce(0, { $0 | $1.1.rawValue }) == rawValue else { return .hex(bytes) }
        return .list(named.map { .text($0.0) })
    }
}

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
