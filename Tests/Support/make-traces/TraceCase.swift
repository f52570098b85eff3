import BenchHost
import CardCryptography
import EMVKernel
import TLV
import VirtualCard

/// One case of the regression suite: a card, a terminal, users, and the outcome. Only the relevant
/// properties are set; the others are as in ``TraceCase/init(_:_:expect:)``.
struct TraceCase {
    /// The name of its file.
    let name: String
    /// One line.
    let reason: String
    /// The required outcome according to the books: its text, or the beginning of it.
    let expect: String

    var profile = CardProfile.visaStyle()
    var faults: [CardFault] = []
    var holder = Holder.entersPIN
    var issuer = Issuer.answers
    var scripts: [IssuerScript] = []
    /// The terminal's random number for the selection of transactions, 1 to 99.
    var percentage = 99
    var isOnExceptionFile = false
    /// An amount of 10.00 in euro on 21 November 2026.
    var request = TransactionRequest(
        amount: 10_00, currencyCode: 978, date: [0x26, 0x11, 0x21], time: [0x12, 0x00, 0x00])
    /// Changes the terminal: attended, online and offline, floor limit 100.00, no action codes,
    /// every method except plaintext PINs.
    var terminal: (inout TerminalConfiguration) -> Void = { _ in }

    /// The cardholder's actions at the PIN pad; the PIN of the cards is 1234.
    enum Holder {
        case entersPIN
        case entersWrongPIN
        case entersWrongThenRightPIN
        case bypasses
        case hasNoPad
        case findsPadBroken
    }

    enum Issuer {
        /// By the last two digits of the amount (docs/card-profile.md).
        case answers
        case cannotBeReached
        /// Response code 01; the attendant's call declines.
        case wantsACall
        case answersWithWrongCryptogram
        case answersWithoutCryptogram
    }

    /// They result in short records.
    static let smallKeys = RSAKeySizes(certificationAuthority: 768, issuer: 640, icc: 512)

    init(_ name: String, _ reason: String, expect: String, _ change: (inout TraceCase) -> Void = { _ in }) {
        self.name = name
        self.reason = reason
        self.expect = expect
        profile.keySizes = Self.smallKeys
        profile.cvmList = CVMList(rules: [CVMRule(code: .noCVM, continuesIfUnsuccessful: false, condition: .always)])
        change(&self)
    }
}
