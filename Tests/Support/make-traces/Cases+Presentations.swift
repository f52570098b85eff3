import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import VirtualCard

extension TapCase {
    /// Cards that are presented more than once, with a verdict for each presentation.
    static var presentedAgain: [TapCase] { unlocked + torn + recovered + updated }

    /// Phones that want their owner first.
    private static var unlocked: [TapCase] {
        [
            .visa(
                "phone-unlocked", "A locked phone (6986) comes back verified.", expect: "online request", amount: 200_00
            ) {
                $0.verifications = [.consumerDevice]
                $0.device = .locked
            } change: {
                $0.presentations = 2
            },
            .mastercard(
                "phone-unlocked", "A locked phone declines and names DF4B, then pays.", expect: "online request",
                amount: 200_00
            ) {
                $0.device = .locked
            } change: {
                $0.presentations = 2
            },
            .mastercard(
                "phone-gone", "A locked phone of kernel 2 that is not presented again.",
                expect: "to be presented again", amount: 200_00
            ) {
                $0.device = .locked
            },
            .mastercard(
                "magstripe-phone-unlocked", "A locked phone of mag-stripe mode gives no code at first.",
                expect: "online request",
                amount: 200_00
            ) {
                $0.mode = .magstripe
                $0.device = .locked
            } change: {
                $0.presentations = 2
            },
            .unionPay(
                "phone-unlocked", "A locked phone of kernel 7 comes back verified.", expect: "online request",
                amount: 200_00
            ) {
                $0.verifications = [.consumerDevice]
                $0.device = .locked
            } change: {
                $0.presentations = 2
            },
        ]
    }

    /// Cards that leave, and are read again from the beginning.
    private static var torn: [TapCase] {
        [
            .visa(
                "torn-in-a-record-again", "A card leaves in its second record; presented again it pays.",
                expect: "approved offline"
            ) {
                _ in
            } change: {
                $0.faults = [CardFault(.silence, at: .command(.readRecord, occurrence: 2))]
                $0.presentations = 2
            },
            .visa(
                "torn-everywhere", "No answer to the directory, the options and a record: the fourth tap pays.",
                expect: "approved offline"
            ) { _ in
            } change: {
                $0.faults = [
                    CardFault(.silence, at: .step(1)),
                    CardFault(.silence, at: .command(.getProcessingOptions, occurrence: 1)),
                    CardFault(.silence, at: .command(.readRecord, occurrence: 1)),
                ]
                $0.presentations = 4
            },
            .mastercard(
                "torn-in-a-record-again", "A card of kernel 2 leaves in a record and comes back.",
                expect: "approved offline"
            ) {
                _ in
            } change: {
                $0.faults = [CardFault(.silence, at: .command(.readRecord, occurrence: 2))]
                $0.presentations = 2
            },
            .mastercard(
                "torn-in-the-code-again", "A card of mag-stripe mode comes back for another code.",
                expect: "online request"
            ) {
                $0.mode = .magstripe
            } change: {
                $0.faults = [CardFault(.silence, at: .command(.computeCryptographicChecksum, occurrence: 1))]
                $0.presentations = 2
            },
            .amex(
                "torn-in-the-cryptogram", "A card of kernel 4 leaves in GENERATE AC and makes another.",
                expect: "approved offline"
            ) {
                _ in
            } change: {
                $0.faults = [CardFault(.silence, at: .command(.generateAC, occurrence: 1))]
                $0.presentations = 2
            },
            .unionPay(
                "torn-in-a-record-again", "A card of kernel 7 comes back after a record.", expect: "approved offline"
            ) { _ in
            } change: {
                $0.faults = [CardFault(.silence, at: .command(.readRecord, occurrence: 1))]
                $0.presentations = 2
            },
        ]
    }

    /// Torn transactions of kernel 2 (Book C-2, S9 to S11).
    private static var recovered: [TapCase] {
        func torn(
            _ name: String, _ reason: String, expect: String, amount: UInt64 = 10_00, faults: [CardFault] = [],
            taps: Int = 2,
            recovers: Bool = true
        )
            -> TapCase
        {
            .mastercard(name, reason, expect: expect, amount: amount) {
                $0.recoversTornTransactions = recovers
            } change: {
                $0.faults = [CardFault(.silence, at: .command(.generateAC, occurrence: 1))] + faults
                $0.presentations = taps
            }
        }
        return [
            torn(
                "torn-recovered", "GENERATE AC without an answer, which RECOVER AC fetches: one TC.",
                expect: "approved offline"),
            torn(
                "torn-recovered-online", "The recovered cryptogram is an ARQC over 30.00.", expect: "online request",
                amount: 30_00),
            torn(
                "torn-recovery-refused", "The card does not recover: GENERATE AC in the second tap.",
                expect: "approved offline",
                faults: [CardFault(.status(.conditionsNotSatisfied), at: .command(.recoverAC, occurrence: 1))]),
            torn(
                "torn-in-the-recovery", "RECOVER AC has no answer either; the third tap has it.",
                expect: "approved offline",
                faults: [CardFault(.silence, at: .command(.recoverAC, occurrence: 1))], taps: 3),
            torn(
                "torn-recovery-damaged", "One bit of the recovered signature is wrong.", expect: "ended",
                faults: [CardFault(.corruption(index: 40, mask: 0x01), at: .command(.recoverAC, occurrence: 1))]),
            torn(
                "torn-without-drdol", "A card without DRDOL makes a new cryptogram.", expect: "approved offline",
                recovers: false),
        ]
    }

    /// The issuer's commands at a second tap (Book C-3, 5.9).
    private static var updated: [TapCase] {
        [
            .visa(
                "issuer-update-refused", "The card refuses EXTERNAL AUTHENTICATE at the second tap.",
                expect: "online request",
                amount: 30_00
            ) {
                $0.qualifiers = [.issuerUpdateProcessing]
            } change: {
                $0.issuerUpdate = IssuerResponse(
                    responseCode: Array("00".utf8), authenticationData: [1, 2, 3, 4, 5, 6, 7, 8])
                $0.faults = [
                    CardFault(.status(.conditionsNotSatisfied), at: .command(.externalAuthenticate, occurrence: 1))
                ]
            },
            .visa(
                "issuer-update-after-a-torn-tap", "Torn, paid, and updated: three presentations.",
                expect: "online request", amount: 30_00
            ) {
                $0.qualifiers = [.issuerUpdateProcessing]
            } change: {
                $0.issuerUpdate = IssuerResponse(
                    responseCode: Array("00".utf8), authenticationData: [1, 2, 3, 4, 5, 6, 7, 8])
                $0.faults = [CardFault(.silence, at: .command(.getProcessingOptions, occurrence: 1))]
                $0.presentations = 2
            },
        ]
    }

    // MARK: Kernel 8

    /// Sessions whose head has the terminal's private key for each tap.
    static var kernel8: [TapCase] {
        [
            .kernel8("offline", "10.00 below every limit, with enciphered records: a TC.", expect: "approved offline"),
            .kernel8("p521", "The same on P-521.", expect: "approved offline") { $0.curve = .p521 },
            .kernel8(
                "above-the-floor-limit", "25.01 sets its bit of kernel 8's TVR.", expect: "online request",
                amount: 25_01),
            .kernel8("plain-records", "Records that are not enciphered.", expect: "approved offline") {
                $0.enciphersRecords = false
            },
            .kernel8(
                "pin-at-the-cvm-limit", "50.01: the card decides for the PIN.", expect: "online request", amount: 50_01),
            .kernel8(
                "phone-unlocked", "A locked phone asks to be presented again, with new keys.", expect: "online request",
                amount: 200_00
            ) {
                $0.device = .locked
            } change: {
                $0.presentations = 2
            },
            .kernel8(
                "torn-in-the-cryptogram", "The card leaves in GENERATE AC: a new session.", expect: "approved offline"
            ) { _ in
            } change: {
                $0.faults = [CardFault(.silence, at: .command(.generateAC, occurrence: 1))]
                $0.presentations = 2
            },
            .kernel8(
                "relay-resistance", "The card's relay resistance data are in the code.", expect: "approved offline"
            ) {
                $0.relayResistance = CardRelayResistance()
            } change: {
                $0.resistsRelays = true
            },
            .kernel8("envelopes", "One data envelope is read, one is written.", expect: "approved offline") {
                $0.envelopes = [1: Array("FIRST".utf8)]
            } change: {
                $0.envelopes = ([1], [], [.init(number: 2, value: Array("SECOND".utf8))].compactMap(\.self))
            },
            .kernel8(
                "envelopes-before", "Data envelopes are written before and after GENERATE AC.",
                expect: "approved offline"
            ) {
                $0.writesBeforeCryptogram = true
            } change: {
                $0.envelopes = (
                    [], [.init(number: 1, value: Array("BEFORE".utf8))].compactMap(\.self),
                    [.init(number: 2, value: Array("AFTER".utf8)), .init(number: 3, value: [0x01])].compactMap(\.self)
                )
            },
            .kernel8("damaged-record", "One bit of an enciphered record is wrong.", expect: "declined offline") { _ in
            } change: {
                $0.faults = [CardFault(.corruption(index: 40, mask: 0x01), at: .command(.readRecord, occurrence: 2))]
            },
        ]
    }
}
