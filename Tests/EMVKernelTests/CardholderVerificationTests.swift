import Bytes
import CardCryptography
import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard

extension KernelBench.Run {
    /// CVM results in hexadecimal digits, tag 9F34.
    fileprivate var cvm: String { outcome.cvmResults.bytes.hex }
    /// TVR byte 3: failed 80, unrecognised 40, try limit 20, PIN pad 10, not entered 08, online CVM
    /// captured 04 (EMV 4.4 Book 3, annex C5).
    fileprivate var byte3: String { [outcome.tvr.bytes[2]].hex }
}

/// A card with a CVM list of `rules`, X = 10.00 and Y = 20.00 in currency 978 (EMV 4.4 Book 3,
/// annex C3).
private func image(_ rules: String, pairs: [(String, String)] = []) -> CardImage {
    var image = CardImage()
    image.aip = "1000"
    image["8E"] = "000003E8" + "000007D0" + rules
    image["9F42"] = "0978"
    image.pairs = pairs
    return image
}

private func bench(_ pad: TestPINPad.Behavior? = .enters, without missing: TerminalCapabilities = []) -> KernelBench {
    var bench = KernelBench()
    bench.cardholder.pinPad = pad.map { TestPINPad($0) }
    bench.configuration.capabilities.subtract(missing)
    return bench
}

/// VERIFY with the plaintext PIN 1234 (EMV 4.4 Book 3, tables 23 to 25).
private let verify = "0020008008241234FFFFFFFFFF"
/// GET DATA for the PIN try counter.
private let tries = "80CA9F1700"

/// EMV 4.4 Book 3, 10.5, and Book 4, 6.3.4.5 and annex A4: CVM results byte by byte.
@Suite struct CardholderVerificationTests {
    /// Each method that is performed: code as in the list, bit 7 included; condition; 02
    /// successful, 00 unknown, 01 failed.
    @Test(
        "each method that is performed sets the CVM results",
        arguments: [
            ("1F00", "1F0002", "00", false), ("5F00", "5F0002", "00", false), ("1E00", "1E0000", "00", true),
            ("5E03", "5E0300", "00", true),
            ("0200", "020000", "04", false), ("4203", "420300", "04", false), ("0100", "010002", "00", false),
            ("4103", "410302", "00", false),
            ("0300", "030000", "00", true), ("4303", "430300", "00", true), ("0000", "000001", "80", false),
            ("4000", "400001", "80", false),
            // Fail CVM processing ends it, regardless of bit 7 and of what follows.
            ("40001F00", "400001", "80", false), ("00031F00", "000301", "80", false),
        ])
    func methods(_ rules: String, _ results: String, _ byte3: String, wantsSignature: Bool) async {
        let run = await bench().run(image(rules, pairs: [(verify, "9000")]))
        #expect(run.cvm == results)
        #expect(run.byte3 == byte3)
        #expect(run.outcome.requiresSignature == wantsSignature)
        #expect(run.outcome.tsi.contains(.cardholderVerification))
        #expect(run.decision == .approved(.offline))
    }

    /// The results go to the card as they are: CDOL1 asks for TVR and CVM results.
    @Test func theCardReceivesTheResults() async {
        let (_, sent) = await bench().run(image("4203"), sent: "80AE")
        #expect(sent == [spaced("80AE400008 8000040000 420300 00")])
    }

    /// No signature is required for a transaction that was not made.
    @Test func noSignatureOnADecline() async {
        var card = image("1E00")
        card.cryptograms = [cryptogram("00")]
        let run = await bench().run(card)
        #expect(run.decision == .declined(.offline))
        #expect(!run.outcome.requiresSignature)
    }

    @Test(
        "Annex C3, table 44: cash 01, purchase 00, with cashback 09; attended type 22, unattended 25",
        arguments: [
            ("00", TransactionRequest.Kind.purchase, TerminalType.attendedOnlineWithOfflineCapability, true),
            ("01", .cash, .unattendedOnlineWithOfflineCapability, true),
            ("01", .cash, .attendedOnlineWithOfflineCapability, false),
            ("01", .purchase, .unattendedOnlineWithOfflineCapability, false),
            ("02", .purchase, .attendedOnlineWithOfflineCapability, true),
            ("02", .refund, .unattendedOnlineWithOfflineCapability, true),
            ("02", .cash, .attendedOnlineWithOfflineCapability, false),
            ("02", .cash, .unattendedOnlineWithOfflineCapability, false),
            ("02", .purchaseWithCashback, .attendedOnlineWithOfflineCapability, false),
            ("03", .purchase, .attendedOnlineWithOfflineCapability, true),
            ("04", .cash, .attendedOnlineWithOfflineCapability, true),
            ("04", .cash, .unattendedOnlineWithOfflineCapability, false),
            ("04", .purchase, .attendedOnlineWithOfflineCapability, false),
            ("05", .purchaseWithCashback, .attendedOnlineWithOfflineCapability, true),
            ("05", .purchase, .attendedOnlineWithOfflineCapability, false),
            ("05", .cash, .attendedOnlineWithOfflineCapability, false),
            ("0A", .purchase, .attendedOnlineWithOfflineCapability, false),
            ("7F", .purchase, .attendedOnlineWithOfflineCapability, false),
            ("80", .purchase, .attendedOnlineWithOfflineCapability, false),
        ] as [(String, TransactionRequest.Kind, TerminalType, Bool)])
    func conditions(_ condition: String, _ kind: TransactionRequest.Kind, _ type: TerminalType, isSatisfied: Bool) async
    {
        var bench = bench()
        bench.configuration.type = type
        bench.request.kind = kind
        bench.request.amountOther = kind == .purchaseWithCashback ? 5_00 : 0
        let run = await bench.run(image("1F" + condition))
        // Book 4, A4: no condition satisfied is 3F 00 01; Book 3, 10.5: the list is used up, so
        // verification failed.
        #expect(run.cvm == (isSatisfied ? "1F\(condition)02" : "3F0001"))
        #expect(run.byte3 == (isSatisfied ? "00" : "80"))
        #expect(run.outcome.tsi.contains(.cardholderVerification))
    }

    @Test(
        "Under and over X = 10.00 (06, 07) and Y = 20.00 (08, 09); equal is neither",
        arguments: [
            ("06", 9_99, true), ("06", 10_00, false), ("07", 10_00, false), ("07", 10_01, true), ("08", 19_99, true),
            ("08", 20_00, false),
            ("09", 20_00, false), ("09", 20_01, true),
        ] as [(String, UInt64, Bool)])
    func amounts(_ condition: String, _ amount: UInt64, isSatisfied: Bool) async {
        var bench = bench()
        bench.request.amount = amount
        #expect(await bench.run(image("1F" + condition)).cvm == (isSatisfied ? "1F\(condition)02" : "3F0001"))
        // In another currency, or with none on the card, the condition is never met.
        var other = image("1F" + condition)
        other["9F42"] = "0840"
        #expect(await bench.run(other).cvm == "3F0001")
        other["9F42"] = nil
        #expect(await bench.run(other).cvm == "3F0001")
    }

    @Test(
        "Bit 7 of the code: apply the succeeding rule if this one fails",
        arguments: [
            ("41001F00", "1F0002", "08"), ("01001F00", "010001", "88"), ("410042001F00", "1F0002", "08"),
            ("41004200", "420001", "88"),
            ("1F011E001F00", "1E0000", "00"), ("4100" + "1F01", "410001", "88"),
        ])
    func succeedingRule(_ rules: String, _ results: String, _ byte3: String) async {
        let run = await bench(.bypasses).run(image(rules))
        #expect(run.cvm == results)
        #expect(run.byte3 == byte3)
    }

    /// Codes that EMV reserves, or leaves to payment systems and issuers: TVR "unrecognised CVM";
    /// nothing was performed (Book 4, A4).
    @Test(
        "A reserved code sets \"unrecognised CVM\", and nothing is performed",
        arguments: ["10", "1D", "20", "2F", "30", "3E"])
    func unrecognizedCode(_ code: String) async {
        let alone = await bench().run(image(code + "00"))
        #expect(alone.cvm == "3F0001")
        #expect(alone.byte3 == "C0")
        let next = await bench().run(image([bytes(code)[0] | 0x40].hex + "00" + "1F00"))
        #expect(next.cvm == "1F0002")
        #expect(next.byte3 == "40")
        let last = await bench().run(image([bytes(code)[0] | 0x40].hex + "00"))
        #expect(last.cvm == "3F0001")
        #expect(last.byte3 == "C0")
        let passedOver = await bench().run(image(code + "01" + "1F00"))
        #expect(passedOver.byte3 == "00")
    }

    @Test(
        "A method that the terminal knows and does not support is not performed, so the results are 3F 00 01 (Book 4, A4)"
    )
    func unsupportedMethod() async {
        let signature = await bench(without: .signature).run(image("5E001F00"))
        #expect(signature.cvm == "1F0002")
        #expect(signature.byte3 == "00")
        #expect(await bench(without: .signature).run(image("1E00")).cvm == "3F0001")
        #expect(await bench(without: .signature).run(image("1E001F00")).byte3 == "80")
        #expect(await bench(without: .noCVM).run(image("5F00")).cvm == "3F0001")
        // Condition 03 passes it over.
        #expect(await bench(without: .signature).run(image("1E031F00")).cvm == "1F0002")
    }

    /// A combined method needs both its parts (10.5).
    @Test(arguments: [TerminalCapabilities.plaintextOfflinePIN, .signature])
    func combinedMethodNeedsBoth(_ missing: TerminalCapabilities) async {
        let card = image("03031F00", pairs: [(verify, "9000")]).card()
        let run = await bench(without: missing).run(card)
        #expect(run.cvm == "1F0002")
        #expect(await card.sent.contains(verify) == false)
    }

    /// The last method that was performed stands, where later ones could not be (Book 4, A4: "last
    /// CVM … actually performed").
    @Test func lastPerformedMethodStands() async {
        let run = await bench(.bypasses, without: .signature).run(image("4103" + "5E00"))
        #expect(run.cvm == "410301")
        #expect(run.byte3 == "88")
    }

    /// Book 4, 6.3.4.5: a card that does not support cardholder verification.
    @Test func notSupportedByTheCard() async {
        var card = image("1E00")
        card.aip = "0000"
        let run = await bench().run(card)
        #expect(run.cvm == "3F0000")
        #expect(run.tvr == "8000000000")
        #expect(!run.outcome.tsi.contains(.cardholderVerification))
    }

    /// Book 3, 7.5 and 10.5: a list that is missing, or has no rule, is missing data (TVR byte 1,
    /// 20), and the TSI stays clear.
    @Test("A list that is missing or has no rule is missing data") func noList() async {
        var missing = image("")
        missing["8E"] = nil
        for card in [missing, image("")] {
            let run = await bench().run(card)
            #expect(run.cvm == "3F0000")
            #expect(run.tvr == "A000000000")
            #expect(!run.outcome.tsi.contains(.cardholderVerification))
        }
    }
}

/// EMV 4.4 Book 3, 10.5.1 and 10.5.2; Book 4, 6.3.4.1 to 6.3.4.3.
@Suite struct PINTests {
    private func run(_ pairs: [(String, String)], pad: TestPINPad.Behavior = .enters, rules: String = "0100") async
        -> (run: KernelBench.Run, tries: [UInt8?], sent: [String])
    {
        let pinPad = TestPINPad(pad)
        var bench = bench()
        bench.cardholder.pinPad = pinPad
        let card = image(rules, pairs: pairs).card()
        let run = await bench.run(card)
        return (run, await pinPad.tries, await card.sent.filter { $0 == verify || $0 == tries })
    }

    @Test func rightAtOnce() async {
        let (run, announced, sent) = await run([(tries, "9F1701039000"), (verify, "9000")])
        #expect(run.cvm == "010002")
        #expect(run.byte3 == "00")
        #expect(announced == [3])
        #expect(sent == [tries, verify])
    }

    /// 63Cx: x tries are left, and the PIN is asked for again.
    @Test func rightAtTheLastTry() async {
        let (run, announced, _) = await run([
            (tries, "9F1701039000"), (verify, "63C2"), (verify, "63C1"), (verify, "9000"),
        ])
        #expect(run.cvm == "010002")
        #expect(run.byte3 == "00")
        #expect(announced == [3, 2, 1])
    }

    /// 63C0: the last try was used up; TVR try limit 20 and failed 80.
    @Test func wrongToTheEnd() async {
        let (run, announced, sent) = await run([(tries, "9F1701029000"), (verify, "63C1"), (verify, "63C0")])
        #expect(run.cvm == "010001")
        #expect(run.byte3 == "A0")
        #expect(announced == [2, 1])
        #expect(sent.count == 3)
    }

    @Test("Book 4, 6.3.4.1: with a counter of zero no PIN is asked for") func noTryLeft() async {
        let (run, announced, sent) = await run([(tries, "9F1701009000")])
        #expect(run.cvm == "010001")
        #expect(run.byte3 == "A0")
        #expect(announced.isEmpty)
        #expect(sent == [tries])
    }

    @Test(
        "A card that does not give the counter is asked all the same",
        arguments: ["6A88", "6D00", "9000", "9F17009000", "9F1702" + "9000"])
    func counterUnknown(_ answer: String) async {
        let (run, announced, _) = await run([(tries, answer), (verify, "9000")])
        #expect(announced == [nil])
        #expect(run.cvm == "010002")
    }

    @Test("10.5.1: 6983 and 6984 to VERIFY say that the PIN is blocked", arguments: ["6983", "6984"])
    func blocked(_ status: String) async {
        let (run, announced, _) = await run([(tries, "6A88"), (verify, status)])
        #expect(run.cvm == "010001")
        #expect(run.byte3 == "A0")
        #expect(announced.count == 1)
    }

    @Test(
        "Figure 11: any other answer to VERIFY ends the transaction",
        arguments: [0x6985, 0x6700, 0x6300, 0x6D00] as [UInt16])
    func refused(_ status: UInt16) async {
        let (run, announced, _) = await run([
            (tries, "6A88"), (verify, [UInt8(status >> 8), UInt8(status & 0xFF)].hex),
        ])
        #expect(run.decision == .terminated(.commandFailed(.verify, StatusWord(rawValue: status))))
        #expect(announced.count == 1)
    }

    @Test(
        "10.5: a list that is not eight bytes followed by pairs ends the transaction (7.5)",
        arguments: ["01", "00000000000000", "000000000000000042", "0000000000000000420301"])
    func malformedList(_ list: String) async {
        var image = CardImage()
        image.aip = "1000"
        image["8E"] = list
        #expect(await KernelBench().run(image).decision == .terminated(.invalidData(.cvmList)))
        image.aip = "0000"
        #expect(
            await KernelBench().run(image).decision == .approved(.offline),
            "a card that wants no verification is not looked at")
    }

    /// A card whose counter never moves: four bits count to fifteen, and no card may ask for more.
    @Test func counterThatNeverFalls() async {
        let (run, announced, _) = await run([(tries, "9F1701039000"), (verify, "63C3")])
        #expect(run.cvm == "010001")
        #expect(run.byte3 == "80")
        #expect(announced.count <= 16)
    }

    @Test("Fifteen tries are announced one after the other") func fifteenTries() async {
        let wrong = (0..<15).reversed().map { (verify, "63C" + String($0, radix: 16)) }
        let (run, announced, _) = await run([(tries, "9F17010F9000")] + wrong)
        #expect(run.byte3 == "A0")
        #expect(announced == Array((UInt8(1)...15).reversed()))
    }

    /// Pad broken 10, not entered 08, each with "failed" 80; a cancel ends the transaction.
    @Test(arguments: ["0100", "0200", "0300"])
    func withoutPIN(_ rules: String) async {
        let code = String(rules.prefix(2))
        let broken = await run([], pad: .fails, rules: rules).run
        #expect(broken.cvm == code + "0001")
        #expect(broken.byte3 == "90")
        let bypassed = await run([], pad: .bypasses, rules: rules).run
        #expect(bypassed.cvm == code + "0001")
        #expect(bypassed.byte3 == "88")
        let cancelled = await run([], pad: .cancels, rules: rules)
        #expect(cancelled.run.decision == .terminated(.cancelledByCardholder))
        let absent = await bench(nil).run(image(rules))
        #expect(absent.cvm == code + "0001")
        #expect(absent.byte3 == "90")
    }

    /// 10.5.1 with its footnote: a terminal with neither form of offline PIN sets 10, regardless of
    /// online PINs; 10.5.2: one without online PIN does too, regardless of offline ones.
    @Test(
        arguments: [
            ("4100", [.plaintextOfflinePIN, .encipheredOfflinePINByRSA], "10"), ("4100", [.plaintextOfflinePIN], "00"),
            ("4300", [.plaintextOfflinePIN, .encipheredOfflinePINByRSA], "10"),
            ("4400", [.encipheredOfflinePINByRSA], "00"),
            ("4400", [.plaintextOfflinePIN, .encipheredOfflinePINByRSA], "10"),
            ("4500", [.plaintextOfflinePIN, .encipheredOfflinePINByRSA], "10"),
            ("4200", [.encipheredOnlinePIN], "10"), ("5E00", [.signature], "00"),
            // Passed over, no PIN was required.
            ("4203", [.encipheredOnlinePIN], "00"), ("4103", [.plaintextOfflinePIN, .encipheredOfflinePINByRSA], "00"),
        ] as [(String, TerminalCapabilities, String)])
    func unsupportedPIN(_ rule: String, _ missing: TerminalCapabilities, _ byte3: String) async {
        let run = await bench(without: missing).run(image(rule + "1F00"))
        #expect(run.cvm == "1F0002")
        #expect(run.byte3 == byte3)
    }

    /// What is entered for the issuer goes to it and stays with the outcome.
    @Test func onlinePIN() async throws {
        var bench = bench()
        bench.request.forcesOnline = true
        bench.issuer = TestIssuer("00")
        var card = image("0200")
        card["9F0F"] = "0000040000"
        card.cryptograms = [cryptogram("80"), cryptogram("40")]
        let run = await bench.run(card)
        #expect(run.decision == .approved(.online))
        #expect(run.byte3 == "04")
        let request = try #require(await bench.issuer.requests.first)
        #expect(request.pin?.pinBlock == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(run.outcome.onlinePIN == request.pin)
    }

    /// A combined method whose PIN is wrong failed; the signature does not mend it.
    @Test func combinedWithWrongPIN() async {
        let (run, _, _) = await run([(tries, "9F1701019000"), (verify, "63C0")], rules: "0300")
        #expect(run.cvm == "030001")
        #expect(run.byte3 == "A0")
        #expect(!run.outcome.requiresSignature)
    }

    /// Book 2, 7: the PIN under the card's own key and challenge; a card without a key that can be
    /// trusted fails the method.
    @Test(
        "an enciphered PIN uses the card's key and challenge",
        arguments: [("0400", "040002", "00"), ("0500", "050000", "00")])
    func enciphered(_ rules: String, _ results: String, _ byte3: String) async throws {
        let card = try RealCard.make([.ddaSupported, .cardholderVerificationSupported]) {
            $0.cvmList = CVMList(rules: [CVMRule(bytes(rules)[0], bytes(rules)[1])])
        }
        var bench = KernelBench(card)
        bench.cardholder.pinPad = TestPINPad(.enters)
        let tap = Tap(VirtualCard(card))
        let run = await bench.run(tap)
        #expect(run.cvm == results)
        #expect(run.tvr == "0000000000")
        #expect(await tap.commands.filter { $0.ins == 0x20 }.map(\.p2) == [0x88])

        bench.configuration.caKeys = []
        let untrusted = await bench.run(VirtualCard(card))
        #expect(untrusted.cvm == rules + "01")
        #expect(untrusted.byte3 == "80")
    }

    @Test func encipheredAndWrong() async throws {
        let card = try RealCard.make([.ddaSupported, .cardholderVerificationSupported]) {
            $0.cvmList = CVMList(rules: [CVMRule(0x04, 0x00)])
            $0.pin = PIN(ascii: "4321".utf8)
        }
        var bench = KernelBench(card)
        let pad = TestPINPad(.enters)
        bench.cardholder.pinPad = pad
        let run = await bench.run(VirtualCard(card))
        #expect(run.cvm == "040001")
        #expect(run.byte3 == "A0")
        #expect(await pad.tries == [3, 2, 1])
    }
}

/// A card with an RSA key for PINs alone, tags 9F2D to 9F2F (EMV 4.4 Book 2, 7.1).
@Suite struct PINEnciphermentKeyTests {
    private func run(_ fault: @escaping @Sendable (inout ResponseAPDU) -> Void = { _ in }) async throws
        -> KernelBench.Run
    {
        let card = try RealCard.make([.ddaSupported, .cardholderVerificationSupported]) {
            $0.hasPINEnciphermentKey = true
            $0.cvmList = CVMList(rules: [
                CVMRule(code: .encipheredPIN, continuesIfUnsuccessful: false, condition: .always)
            ])
        }
        var bench = KernelBench(card)
        bench.cardholder.pinPad = TestPINPad(.enters)
        return await bench.run(
            Tap(VirtualCard(card)) { command, response in if command.ins == 0xB2 { fault(&response) } })
    }

    @Test func isTheOneThatIsUsed() async throws {
        let run = try await run()
        #expect(run.outcome.cvmResults.bytes.hex == "040002")
        #expect(run.decision == .approved(.offline))
    }

    /// Points 1 and 2: without all its parts the card's other key is taken, under which this card
    /// does not find the PIN.
    @Test(arguments: [Tag.iccPINEnciphermentPublicKeyCertificate, .iccPINEnciphermentPublicKeyExponent])
    func incompleteDataMeansTheOtherKey(_ tag: Tag) async throws {
        let run = try await run { $0.edit(tag) { _ in nil } }
        #expect(run.outcome.cvmResults.bytes.hex == "040001")
        #expect(run.outcome.tvr.contains(.pinTryLimitExceeded), "6984: not to be deciphered")
    }

    @Test("A certificate that is not the issuer's fails the method before anything goes to the card")
    func forgedCertificate() async throws {
        let run = try await run {
            $0.edit(.iccPINEnciphermentPublicKeyCertificate) { $0.dropLast() + [$0[$0.count - 1] ^ 1] }
        }
        #expect(run.outcome.cvmResults.bytes.hex == "040001")
        #expect(!run.outcome.tvr.contains(.pinTryLimitExceeded))
    }
}

/// GET CHALLENGE that fails, or gives anything but 8 bytes: the method fails and nothing else is
/// said (EMV 4.4 Book 2, 7.2 step 2; Book 3, figure 11).
@Suite("GET CHALLENGE before an enciphered PIN") struct ChallengeTests {
    @Test(
        "Without a challenge of 8 bytes the method fails",
        arguments: ["6983", "63C2", "6D00", "010203040506079000", "0102030405060708099000"])
    func fails(_ answer: String) async throws {
        let card = try RealCard.make([.ddaSupported, .cardholderVerificationSupported]) {
            $0.cvmList = CVMList(rules: [
                CVMRule(code: .encipheredPIN, continuesIfUnsuccessful: false, condition: .always)
            ])
        }
        var bench = KernelBench(card)
        bench.cardholder.pinPad = TestPINPad(.enters)
        let tap = Tap(VirtualCard(card)) { if $0.ins == 0x84 { $1 = ResponseAPDU(bytes: bytes(answer)) ?? $1 } }
        let run = await bench.run(tap)
        #expect(run.outcome.cvmResults.bytes.hex == "040001")
        #expect(run.tvr == "0000800000")
        #expect(await !tap.commands.contains { $0.ins == 0x20 })
    }
}
