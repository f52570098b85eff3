import Contactless
import EMVKernel
import SmartCard
import TLV
import VirtualCard

extension TapCase {
    /// Kernel 4: limits, CDA, SDA, mobile CVM and the card's list.
    static var amex: [TapCase] {
        [
            .amex("offline", "10.00 below every limit: a TC with CDA, by kernel 4.", expect: "approved offline"),
            .amex(
                "above-the-floor-limit", "25.01 exceeds the floor limit: a signed ARQC.", expect: "online request",
                amount: 25_01),
            .amex(
                "card-goes-online", "A TC is asked for; the card answers with a signed ARQC.", expect: "online request"
            ) {
                $0.approvesOfflineUpTo = nil
            },
            .amex(
                "card-declines", "The card answers with an AAC and is sent to its contacts.",
                expect: "another interface"
            ) { _ in
            } change: {
                $0.profile.riskRule.declinesAbove = 1_00
            },
            .amex(
                "phone", "A phone whose mobile CVM results say success pays 200.00.", expect: "online request",
                amount: 200_00
            ) {
                $0.device = .verified
            },
            .amex(
                "pin-at-the-cvm-limit", "50.00: the first rule of the list is the PIN.", expect: "online request",
                amount: 50_00),
            .amex(
                "signature", "Without a PIN pad, kernel 4 comes to the signature.", expect: "online request",
                amount: 60_00
            ) { _ in
            } change: {
                $0.hasPINPad = false
            },
            .amex("static-data", "A card with SDA alone: its issuer decides about 10.00.", expect: "online request") {
                $0.interchangeProfile = [.sdaSupported, .cardholderVerificationSupported]
            },
            .amex("offline-only", "A terminal without a line gets its TC of kernel 4.", expect: "approved offline") {
                _ in
            } change: {
                $0.terminal = { $0.type = .attendedOfflineOnly }
            },
            .amex(
                "torn-in-a-record", "A card of kernel 4 leaves in its second record and stays away.",
                expect: "to be presented again"
            ) {
                _ in
            } change: {
                $0.faults = [CardFault(.removal, at: .command(.readRecord, occurrence: 2))]
            },
            .amex(
                "options-refused", "6985 to the processing options of kernel 4: no application is left.",
                expect: "ended"
            ) { _ in
            } change: {
                $0.faults = [
                    CardFault(.status(.conditionsNotSatisfied), at: .command(.getProcessingOptions, occurrence: 1))
                ]
            },
        ]
    }

    /// Kernel 7: TTQ, CTQ and fast DDA of version 01.
    static var unionPay: [TapCase] {
        [
            .unionPay(
                "offline", "10.00 below every limit: the card approves and signs, by kernel 7.",
                expect: "approved offline"),
            .unionPay("above-the-floor-limit", "25.01: TTQ asks for an ARQC.", expect: "online request", amount: 25_01),
            .unionPay("card-declines", "The card answers with an AAC, by kernel 7.", expect: "declined offline") { _ in
            } change: {
                $0.profile.riskRule.declinesAbove = 1_00
            },
            .unionPay(
                "pin-at-the-cvm-limit", "50.00: CTQ wants the PIN for the issuer.", expect: "online request",
                amount: 50_00),
            .unionPay(
                "phone", "A phone whose owner is verified pays 200.00, by kernel 7.", expect: "online request",
                amount: 200_00
            ) {
                $0.verifications = [.consumerDevice]
                $0.device = .verified
            },
            .unionPay("no-signature", "A TC without fast DDA.", expect: "declined offline") {
                $0.interchangeProfile = []
            },
            .unionPay(
                "no-signature-online", "The same, and CTQ sends the card to its issuer, by kernel 7.",
                expect: "online request"
            ) {
                $0.interchangeProfile = []
                $0.qualifiers = [.onlineIfDataAuthenticationFails]
            },
            .unionPay(
                "other-interface", "No method for 50.00 in a field: 6984.", expect: "another interface", amount: 50_00
            ) {
                $0.verifications = []
            },
            .unionPay(
                "co-badged", "One card with UnionPay and Visa: the directory prefers UnionPay.",
                expect: "online request", amount: 30_00
            ) { _ in
            } change: {
                $0.profile.account.pan = CardAccount(pan: "4427802641004797").pan
                $0.profile.applications.append(
                    CardApplication(aid: [0xA0, 0, 0, 0, 0x03, 0x10, 0x10], label: "VISA CREDIT", priority: 2))
            },
            .unionPay(
                "torn-in-a-record", "A card of kernel 7 leaves in its first record and stays away.",
                expect: "to be presented again"
            ) { _ in
            } change: {
                $0.faults = [CardFault(.removal, at: .command(.readRecord, occurrence: 1))]
            },
        ]
    }
}
