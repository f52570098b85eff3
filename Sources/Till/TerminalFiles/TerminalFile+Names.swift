import Bytes
import CardCapture
import Contactless
import EMVKernel
import JSONDocument
import PaymentTerminal
package import TLV

// The names of values in the document. Bits have the names of the code; they are those of EMV 4.4
// Book 4, annexes A2 and A3.

extension Terminal.Configuration.Mode {
    static let names: [(String, Self)] = [("production", .production), ("test", .test)]
}

extension Terminal.Configuration.SignatureCapture {
    static let names: [(String, Self)] = [
        ("onPaper", .onPaper), ("captured", .captured(isVerified: false)),
        ("capturedAndVerified", .captured(isVerified: true)),
    ]
}

extension Terminal.Configuration.UnsentFields {
    static let names: [(String, Self)] = [("refuse", .refuse), ("list", .list)]
}

extension Terminal.Configuration.SecureCardVerification {
    static let names: [(String, Self)] = [("always", .always), ("never", .never), ("whereSupported", .whereSupported)]
}

extension CapturedCard.EntryMode {
    static let names: [(String, Self)] = [
        ("keyed", .keyed), ("chip", .chip), ("contactlessChip", .contactlessChip), ("stripeFallback", .stripeFallback),
        ("magneticStripe", .magneticStripe), ("contactlessStripe", .contactlessStripe),
    ]
}

extension Fallback.EntryMode {
    static let names: [(String, Self)] = [("magneticStripe", .magneticStripe), ("stripeAfterChip", .stripeAfterChip)]
}

extension TimeLimits {
    static let names: [(String, any WritableKeyPath<TimeLimits, Duration> & Sendable)] = [
        ("reader", \.reader), ("standDown", \.standDown), ("cancel", \.cancel), ("host", \.host),
        ("inquiry", \.inquiry),
        ("person", \.person), ("referral", \.referral), ("retry", \.retry), ("transit", \.transit),
        ("discovery", \.discovery),
        ("connection", \.connection), ("update", \.update), ("battery", \.battery),
    ]
}

extension ApplicationConfiguration {
    static let presets: [(String, Self)] = [
        ("visa", .visa), ("visaElectron", .visaElectron), ("mastercard", .mastercard), ("maestro", .maestro),
    ]
}

extension TransactionRequest.Kind {
    static let names: [(String, Self)] = [
        ("purchase", .purchase), ("purchaseWithCashback", .purchaseWithCashback), ("cash", .cash), ("refund", .refund),
    ]
}

extension UserInterfaceRequest.Message {
    static let names: [(String, Self)] = allCases.map { ("\($0)", $0) }
}

extension UserInterfaceRequest.Status {
    static let names: [(String, Self)] = [
        ("notReady", .notReady), ("idle", .idle), ("readyToRead", .readyToRead), ("processing", .processing),
        ("cardReadSuccessfully", .cardReadSuccessfully), ("processingError", .processingError),
    ]
}

extension ContactlessOutcome.Verification {
    /// The verification methods in mag-stripe mode.
    static let names: [(String, Self)] = [("none", .none), ("signature", .signature), ("onlinePIN", .onlinePIN)]
}

extension TerminalTransactionQualifiers: NamedBits {
    package static let names: [(String, Self)] = [
        ("emvMode", .emvMode), ("contactChip", .contactChip), ("offlineOnlyReader", .offlineOnlyReader),
        ("onlinePIN", .onlinePIN),
        ("signature", .signature), ("dataAuthenticationForOnline", .dataAuthenticationForOnline),
        ("issuerUpdateProcessing", .issuerUpdateProcessing), ("consumerDeviceCVM", .consumerDeviceCVM),
    ]
}

extension TerminalCapabilities: NamedBits {
    package static let names: [(String, Self)] = [
        ("manualKeyEntry", .manualKeyEntry), ("magneticStripe", .magneticStripe), ("contactChip", .contactChip),
        ("plaintextOfflinePIN", .plaintextOfflinePIN), ("encipheredOnlinePIN", .encipheredOnlinePIN),
        ("signature", .signature),
        ("encipheredOfflinePINByRSA", .encipheredOfflinePINByRSA), ("noCVM", .noCVM),
        ("onlineBiometric", .onlineBiometric),
        ("offlineBiometric", .offlineBiometric), ("encipheredOfflinePINByECC", .encipheredOfflinePINByECC),
        ("sda", .sda),
        ("dda", .dda), ("cardCapture", .cardCapture), ("cda", .cda), ("xda", .xda),
    ]
}

extension AdditionalTerminalCapabilities: NamedBits {
    package static let names: [(String, Self)] = [
        ("cash", .cash), ("goods", .goods), ("services", .services), ("cashback", .cashback), ("inquiry", .inquiry),
        ("transfer", .transfer), ("payment", .payment), ("administrative", .administrative),
        ("cashDeposit", .cashDeposit),
        ("numericKeys", .numericKeys), ("alphabeticKeys", .alphabeticKeys), ("commandKeys", .commandKeys),
        ("functionKeys", .functionKeys), ("printAttendant", .printAttendant), ("printCardholder", .printCardholder),
        ("displayAttendant", .displayAttendant), ("displayCardholder", .displayCardholder),
        ("codeTable10", .codeTable10),
        ("codeTable9", .codeTable9), ("codeTable8", .codeTable8), ("codeTable7", .codeTable7),
        ("codeTable6", .codeTable6),
        ("codeTable5", .codeTable5), ("codeTable4", .codeTable4), ("codeTable3", .codeTable3),
        ("codeTable2", .codeTable2),
        ("codeTable1", .codeTable1),
    ]
}
