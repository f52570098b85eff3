import EMVKernel
import SmartCard
import TLV
import VirtualCard

extension TraceCase {
    private static func rule(_ code: CVMCode, _ condition: CVMCondition = .terminalSupportsCVM, next: Bool = false)
        -> CVMRule
    {
        CVMRule(code: code, continuesIfUnsuccessful: next, condition: condition)
    }

    /// Every method of cardholder verification, and every way in which one fails (EMV 4.4 Book 3,
    /// 10.5).
    static var verification: [TraceCase] {
        [
            TraceCase("cvm-none", "No CVM required, always: nobody is asked.", expect: "approved offline"),
            TraceCase(
                "cvm-signature", "Signature: its result is unknown to the terminal, and approval goes on.",
                expect: "approved offline"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.signature)])
            },
            TraceCase(
                "cvm-plaintext-pin", "The PIN goes to the card in clear, which a terminal must be allowed to do.",
                expect: "approved offline"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.plaintextPIN)])
                $0.terminal = {
                    $0.allowsPlaintextOfflinePIN = true; $0.capabilities.insert(.plaintextOfflinePIN)
                }
            },
            TraceCase(
                "cvm-plaintext-pin-and-signature", "The PIN in clear and a signature: both are performed.",
                expect: "approved offline"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.plaintextPINAndSignature)])
                $0.terminal = {
                    $0.allowsPlaintextOfflinePIN = true; $0.capabilities.insert(.plaintextOfflinePIN)
                }
            },
            TraceCase(
                "cvm-enciphered-pin", "The PIN goes to the card enciphered under the card's own key.",
                expect: "approved offline"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.encipheredPIN)])
            },
            TraceCase(
                "cvm-enciphered-pin-own-key", "The PIN goes to the card under the key certified for PINs.",
                expect: "approved offline"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.encipheredPIN)])
                $0.profile.hasPINEnciphermentKey = true
            },
            TraceCase(
                "cvm-enciphered-pin-and-signature", "An enciphered PIN and a signature.", expect: "approved offline"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.encipheredPINAndSignature)])
            },
            TraceCase(
                "cvm-enciphered-pin-ecc", "The PIN goes to the card under an elliptic curve key (EMV 4.4 Book 2, 13).",
                expect: "approved offline"
            ) {
                $0.profile = .ellipticCurveStyle()
                $0.profile.cvmList = CVMList(rules: [rule(.encipheredPIN)])
            },
            TraceCase(
                "cvm-online-pin", "The PIN goes to the issuer, whose action codes want to be asked for it.",
                expect: "approved online"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.onlinePIN)])
            },
            TraceCase(
                "cvm-fail", "A rule that always fails verification; the issuer denies that.", expect: "declined offline"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.fail, .always)])
                $0.profile.actionCodes.denial = .cardholderVerificationFailed
            },
            TraceCase(
                "cvm-wrong-pin", "A wrong PIN and no try left: verification fails, which the issuer denies.",
                expect: "declined offline"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.encipheredPIN)])
                $0.profile.pinTryLimit = 1
                $0.profile.actionCodes.denial = .cardholderVerificationFailed
                $0.holder = .entersWrongPIN
            },
            TraceCase(
                "cvm-wrong-then-right-pin", "A wrong PIN, another try, the right one: verified.",
                expect: "approved offline"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.encipheredPIN)])
                $0.holder = .entersWrongThenRightPIN
            },
            TraceCase(
                "cvm-pin-blocked", "The card answers VERIFY with 6983: blocked, nobody is asked again.",
                expect: "declined offline"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.encipheredPIN)])
                $0.profile.actionCodes.denial = .pinTryLimitExceeded
                $0.faults = [CardFault(.status(.authenticationMethodBlocked), at: .every(.verify))]
            },
            TraceCase(
                "cvm-pin-bypassed",
                "No PIN is entered; the next rule is a signature, and the issuer wants to be asked.",
                expect: "approved online"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.encipheredPIN, next: true), rule(.signature)])
                $0.holder = .bypasses
            },
            TraceCase(
                "cvm-pin-pad-broken", "The PIN pad does not work; the next rule is a signature.",
                expect: "approved online"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.onlinePIN, next: true), rule(.signature)])
                $0.holder = .findsPadBroken
            },
            TraceCase(
                "cvm-no-pin-pad",
                "There is no PIN pad although the terminal says so; the issuer denies a failed verification.",
                expect: "declined offline"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.onlinePIN)])
                $0.profile.actionCodes.denial = .cardholderVerificationFailed
                $0.holder = .hasNoPad
            },
            TraceCase(
                "cvm-under-x", "Nothing is asked below amount X in the card's currency.", expect: "approved offline"
            ) {
                $0.profile.applicationCurrencyCode = 978
                $0.profile.cvmList = CVMList(x: 20_00, rules: [rule(.noCVM, .underX), rule(.onlinePIN)])
            },
            TraceCase(
                "cvm-over-x", "Above amount X the PIN is asked for, which goes to the issuer.",
                expect: "approved online"
            ) {
                $0.profile.applicationCurrencyCode = 978
                $0.profile.cvmList = CVMList(x: 5_00, rules: [rule(.noCVM, .underX), rule(.onlinePIN, .overX)])
            },
            TraceCase(
                "cvm-y-in-another-currency",
                "Amount Y is in dollars, the sale in euro: the rule does not apply, the next one does.",
                expect: "approved offline"
            ) {
                $0.profile.cvmList = CVMList(y: 1_00, rules: [rule(.onlinePIN, .overY), rule(.signature)])
            },
            TraceCase(
                "cvm-cashback", "A purchase with cashback falls under the rule for cashback.", expect: "approved online"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.onlinePIN, .purchaseWithCashback), rule(.noCVM, .always)])
                $0.request.kind = .purchaseWithCashback
                $0.request.amountOther = 2_00
            },
            TraceCase(
                "cvm-manual-cash", "Cash from an attendant falls under the rule for manual cash.",
                expect: "approved offline"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.signature, .manualCash), rule(.fail, .always)])
                $0.request.kind = .cash
            },
            TraceCase(
                "cvm-card-without-verification", "The AIP says that cardholders are not verified: CVM results 3F0000.",
                expect: "approved offline"
            ) {
                $0.profile.interchangeProfile.remove(.cardholderVerificationSupported)
            },
            TraceCase(
                "cvm-no-rule-applies",
                "The terminal supports no method of the card: 3F0001, failed, which the issuer denies.",
                expect: "declined offline"
            ) {
                $0.profile.cvmList = CVMList(rules: [rule(.onlinePIN)])
                $0.profile.actionCodes.denial = .cardholderVerificationFailed
                $0.terminal = { $0.capabilities.remove(.encipheredOnlinePIN) }
            },
            TraceCase(
                "cvm-unknown-method", "A method that EMV keeps free is unrecognised; the rule after it is a signature.",
                expect: "approved offline"
            ) {
                $0.profile.cvmList = CVMList(rules: [
                    rule(CVMCode(rawValue: 0x10), .always, next: true), rule(.signature),
                ])
            },
            TraceCase(
                "cvm-list-missing", "The AIP promises verification, and there is no list: ICC data missing.",
                expect: "approved online"
            ) {
                $0.profile.cvmList = nil
            },
        ]
    }
}
