import CardCryptography
import Contactless
import EMVKernel
import EMVReplay
import Kernels
import TLV
import VirtualCard

/// One contactless case of the regression suite, of kernel 2, 3, 4, 7 or 8: a card, a reader, and
/// the outcome of Entry Point.
struct TapCase {
    /// The name of its file.
    let name: String
    /// One line.
    let reason: String
    /// The required outcome: its text, or the beginning of it.
    let expect: String

    var profile: CardProfile
    var faults: [CardFault] = []
    /// An amount of 10.00 in euro on 21 November 2026.
    var request = TransactionRequest(
        amount: 10_00, currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0x00, 0x00])
    /// How often the card is presented, at most.
    var presentations = 1
    var hasPINPad = true
    /// TTQ byte 1 bit 1: data authentication before the issuer is asked.
    var authenticatesOnline = false
    /// Visa's mag-stripe mode.
    var takesVisaTracks = false
    /// Mastercard's protocol against relays.
    var resistsRelays = false
    var actionCodes: ActionCodes?
    /// The issuer's answer, for a second tap.
    var issuerUpdate: IssuerResponse?
    /// Of kernel 8: the data envelopes that the terminal reads, and writes before and after the
    /// cryptogram.
    var envelopes:
        (read: [UInt8], before: [Kernel8Configuration.DataEnvelope], after: [Kernel8Configuration.DataEnvelope]) = (
            [], [], []
        )
    /// Changes the terminal: attended, online and offline.
    var terminal: (inout TerminalConfiguration) -> Void = { _ in }

    static func visa(
        _ name: String, _ reason: String, expect: String, amount: UInt64 = 10_00,
        card: (inout VisaContactlessProfile) -> Void = { _ in },
        change: (inout TapCase) -> Void = { _ in }
    ) -> TapCase {
        var contactless = VisaContactlessProfile()
        contactless.approvesOfflineUpTo = 25_00
        card(&contactless)
        var profile = CardProfile.visaStyle()
        profile.contactless = .visa(contactless)
        return TapCase("tap-visa-\(name)", reason, expect: expect, profile: profile, amount: amount, change: change)
    }

    static func mastercard(
        _ name: String, _ reason: String, expect: String, amount: UInt64 = 10_00,
        card: (inout MastercardContactlessProfile) -> Void = { _ in }, change: (inout TapCase) -> Void = { _ in }
    ) -> TapCase {
        var contactless = MastercardContactlessProfile()
        contactless.approvesOfflineUpTo = 25_00
        card(&contactless)
        var profile = CardProfile.mastercardStyle()
        profile.contactless = .mastercard(contactless)
        return TapCase(
            "tap-mastercard-\(name)", reason, expect: expect, profile: profile, amount: amount, change: change)
    }

    static func amex(
        _ name: String, _ reason: String, expect: String, amount: UInt64 = 10_00,
        card: (inout AmericanExpressContactlessProfile) -> Void = { _ in }, change: (inout TapCase) -> Void = { _ in }
    ) -> TapCase {
        var contactless = AmericanExpressContactlessProfile()
        contactless.approvesOfflineUpTo = 25_00
        card(&contactless)
        return TapCase(
            "tap-amex-\(name)", reason, expect: expect, profile: .americanExpressStyle(contactless), amount: amount,
            change: change)
    }

    static func unionPay(
        _ name: String, _ reason: String, expect: String, amount: UInt64 = 10_00,
        card: (inout VisaContactlessProfile) -> Void = { _ in },
        change: (inout TapCase) -> Void = { _ in }
    ) -> TapCase {
        var contactless = VisaContactlessProfile()
        contactless.approvesOfflineUpTo = 25_00
        card(&contactless)
        return TapCase(
            "tap-unionpay-\(name)", reason, expect: expect, profile: .unionPayStyle(contactless), amount: amount,
            change: change)
    }

    static func kernel8(
        _ name: String, _ reason: String, expect: String, amount: UInt64 = 10_00,
        card: (inout Kernel8ContactlessProfile) -> Void = { _ in },
        change: (inout TapCase) -> Void = { _ in }
    ) -> TapCase {
        var contactless = Kernel8ContactlessProfile()
        contactless.approvesOfflineUpTo = 25_00
        card(&contactless)
        return TapCase(
            "tap-kernel8-\(name)", reason, expect: expect, profile: .kernel8Style(contactless), amount: amount,
            change: change)
    }

    private init(
        _ name: String, _ reason: String, expect: String, profile: CardProfile, amount: UInt64,
        change: (inout TapCase) -> Void
    ) {
        self.name = name
        self.reason = reason
        self.expect = expect
        self.profile = profile
        self.profile.keySizes = TraceCase.smallKeys
        request.amount = amount
        change(&self)
    }

    var isKernel8: Bool { if case .kernel8 = profile.contactless { true } else { false } }

    /// A floor limit of 25.00, verification from 50.00 on, taps below 250.01.
    ///
    /// - Parameter keys: Makes the terminal's keys for kernel 8.
    func reader(caKeys: [CAPublicKey], keys: RecordedChannelKeys) -> EntryPointConfiguration {
        let limits = TransactionLimits(transactionLimit: 250_01, floorLimit: 25_00, cvmRequiredLimit: 50_00)
        var visa = Combination.visa(limits: limits, hasPINPad: hasPINPad)
        visa.qualifiers?.insert(.issuerUpdateProcessing)
        visa.kernel = Kernel3Configuration(supportsMagstripeMode: takesVisaTracks)
        if authenticatesOnline { visa.qualifiers?.insert(.dataAuthenticationForOnline) }
        var mastercard = Combination.mastercard(
            limits: limits, hasPINPad: hasPINPad, relayResistance: resistsRelays ? RelayResistanceLimits() : nil)
        if let actionCodes, var kernel = mastercard.kernel as? Kernel2Configuration {
            kernel.actionCodes = actionCodes
            mastercard.kernel = kernel
        }
        let application = profile.applications[0].aid
        let relays = resistsRelays ? RelayResistanceLimits() : nil
        var kernel8 = Combination.kernel8(
            aid: application, limits: limits, hasPINPad: hasPINPad, relayResistance: relays)
        if var kernel = kernel8.kernel as? Kernel8Configuration {
            (kernel.envelopesToRead, kernel.envelopesToWriteBefore, kernel.envelopesToWrite) = envelopes
            kernel8.kernel = kernel
            kernel8 = keys.recording(kernel8)
        }
        var configuration = TerminalConfiguration.attended(
            countryCode: 276, applications: [], caKeys: caKeys, hasPINPad: hasPINPad)
        terminal(&configuration)
        return EntryPointConfiguration(
            terminal: configuration,
            combinations: [
                visa, mastercard, .americanExpress(limits: limits, hasPINPad: hasPINPad),
                .unionPay(limits: limits, hasPINPad: hasPINPad),
            ] + (isKernel8 ? [kernel8] : []), maximumPresentations: 4)
    }
}
