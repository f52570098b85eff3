import EMVKernel
import SmartCard
import TLV
import Testing

extension KernelBench.Run {
    fileprivate var responseCode: String? {
        outcome.data.terminal[.authorisationResponseCode].map { String(decoding: $0, as: UTF8.self) }
    }
    /// Tag 9F5B in hexadecimal digits.
    fileprivate var scriptResults: [UInt8]? { outcome.data.terminal[.issuerScriptResults] }
}

/// A card that goes online and then answers with the CID given.
private func image(_ final: String = "40", aip: String = "0000", pairs: [(String, String)] = []) -> CardImage {
    var image = CardImage()
    image.aip = aip
    image["9F0F"] = "8000000000"
    image.cryptograms = [cryptogram("80"), cryptogram(final)]
    image.pairs = pairs
    return image
}

private func bench(_ code: String, _ authenticationData: String? = nil, scripts: [String] = []) -> KernelBench {
    var bench = KernelBench()
    bench.issuer = TestIssuer(code, authenticationData: authenticationData, scripts: scripts)
    return bench
}

/// The issuer answered (EMV 4.4 Book 3, 10.9 and 10.11; Book 4, 6.3.8 and annex A6).
@Suite struct OnlineCompletionTests {
    /// CDOL2 asks for 8A, 95 and 9B. ARC 00, 08 and 11 approve (ISO 8583:1987, field 39), so a TC
    /// is asked for; every other code asks for an AAC.
    @Test(
        "The response code decides which cryptogram is requested",
        arguments: [
            ("00", "40"), ("10", "00"), ("11", "40"), ("01", "00"), ("02", "00"), ("05", "00"), ("51", "00"),
            ("08", "40"), ("  ", "00"),
            ("Y1", "00"),
        ])
    func responseCodes(_ code: String, _ control: String) async {
        let (run, sent) = await bench(code).run(image(control), sent: "80AE")
        #expect(sent.last?.hasPrefix("80AE" + control) == true)
        #expect(sent.count == 2)
        #expect(run.decision == (control == "40" ? .approved(.online) : .declined(.online)))
        #expect(!run.outcome.requiresReversal)
    }

    /// Which codes approve the acquirer says: 10, approved in part, only to whom takes the part.
    @Test func approvingCodesAreConfigured() async {
        var bench = bench("10")
        bench.configuration.responseCodes.approving = ["10"]
        #expect(await bench.run(image("40")).decision == .approved(.online))
    }

    /// Book 4, 12.2.3: an answer that cannot be read is none: the default codes decide, with Y3 or
    /// Z3, and what the host may have booked is reversed.
    @Test(arguments: ["", "0", "000"])
    func answerOfInvalidFormat(_ code: String) async {
        var card = image("40")
        card["9F0D"] = "0000000000"
        let (run, sent) = await bench(code).run(card, sent: "80AE")
        #expect(sent.last == spaced("80AE400009 5933 8000000000 2800 00"))
        #expect(run.decision == .approved(.unableToGoOnline))
        #expect(run.outcome.requiresReversal)
        #expect(run.events.contains(.wentOnline(responseCode: nil)))
    }

    @Test("A lost answer is declined and reversed, an unreachable host only declined") func lostAnswer() async {
        var bench = KernelBench()
        bench.issuer = TestIssuer(.noAnswer)
        let lost = await bench.run(image("00"))
        #expect(lost.decision == .declined(.unableToGoOnline))
        #expect(lost.outcome.requiresReversal)
        bench.issuer = TestIssuer(.unableToGoOnline)
        #expect(await !bench.run(image("00")).outcome.requiresReversal, "nothing was sent")
    }

    /// The card gets the code, the TVR 8000000000 and the TSI: card and terminal risk management,
    /// 20 and 08.
    @Test func theCardReceivesTheDecision() async {
        let (_, sent) = await bench("00").run(image(), sent: "80AE")
        #expect(sent == [spaced("80AE800008 8000000000 3F0000 00"), spaced("80AE400009 3030 8000000000 2800 00")])
    }

    /// The issuer gets the ARQC and what it is made over.
    @Test func theIssuerReceivesTheDecision() async throws {
        let bench = bench("00")
        _ = await bench.run(image())
        let requests = await bench.issuer.requests
        let data = try #require(requests.first).data.merged
        #expect(requests.count == 1)
        #expect(data[.applicationCryptogram] == bytes("1122334455667788"))
        #expect(data[.cryptogramInformationData] == [0x80])
        #expect(data[.terminalVerificationResults] == bytes("8000000000"))
        #expect(data[.cvmResults] == bytes("3F0000"))
        #expect(data[.amountAuthorised] == bytes("000000001000"))
        #expect(data[.transactionCurrencyCode] == [0x09, 0x78])
        #expect(data[.applicationPAN] == bytes("4761739001010010"))
    }

    /// Book 4, 6.3.8: the issuer approved, the card did not: declined, and the host must reverse
    /// the authorization.
    @Test func cardDeclinesAfterApproval() async {
        let run = await bench("00").run(image("00"))
        #expect(run.decision == .declined(.online))
        #expect(run.outcome.requiresReversal)
        #expect(run.outcome.cryptogram == .aac)
    }

    /// The second command gets a TC or an AAC, and never more than was asked for: anything else
    /// counts as an AAC (Book 3, 9.3). All is done by then, scripts follow as after any AAC.
    @Test(arguments: [("00", "80"), ("00", "C0"), ("05", "40"), ("05", "80")])
    func answersThatMayNotBe(_ code: String, _ cid: String) async {
        let (run, sent) = await bench(code, scripts: ["72078605841E000000"]).run(
            image(cid, pairs: [("84", "9000")]), sent: "84")
        #expect(run.decision == .declined(.online))
        #expect(run.outcome.cryptogram == .aac)
        #expect(run.outcome.requiresReversal == (code == "00"))
        #expect(sent == ["841E000000"])
    }

    /// Book 4, 6.3.7, table 3: an AAC for "service not allowed" (CID 01) ends the transaction; what
    /// the issuer approved is reversed.
    @Test func serviceNotAllowed() async {
        let run = await bench("00").run(image("01"))
        #expect(run.decision == .terminated(.serviceNotAllowed))
        #expect(run.outcome.requiresReversal)
        var card = CardImage()
        card.cryptograms = [cryptogram("01")]
        #expect(await KernelBench().run(card).decision == .terminated(.serviceNotAllowed))
    }

    // MARK: Referral (Book 4, 6.5.2.2)

    @Test(
        "01 and 02 want a voice call; where nobody makes it the card is asked for an AAC",
        arguments: [("01", true), ("02", true), ("00", false), ("05", false)])
    func referral(_ code: String, isRequired: Bool) async {
        let run = await bench(code).run(image(code == "00" ? "40" : "00"))
        #expect(run.outcome.requiresReferral == isRequired)
        if isRequired { #expect(run.decision == .declined(.online)) }
    }

    @Test(
        "The call is made before the second GENERATE AC, which gets its result; the issuer's code stays",
        arguments: [(true, "40"), (false, "00")])
    func referralIsResolved(approves: Bool, _ control: String) async {
        var bench = KernelBench()
        bench.issuer = TestIssuer("02", referral: approves ? .approved(approvalCode: bytes("313233343536")) : .declined)
        let (run, sent) = await bench.run(image(control), sent: "80AE")
        #expect(sent.last == spaced("80AE\(control)0009 3032 8000000000 2800 00"))
        #expect(run.decision == (approves ? .approved(.online) : .declined(.online)))
        #expect(run.outcome.requiresReferral != approves)
        #expect(run.outcome.data[.authorisationCode] == (approves ? bytes("313233343536") : nil))
        #expect(await bench.issuer.referrals == 1)
    }

    /// The issuer approved by telephone and the card declines: to be reversed like any approval.
    @Test func cardDeclinesAfterReferral() async {
        var bench = KernelBench()
        bench.issuer = TestIssuer("01", referral: .approved(approvalCode: nil))
        let run = await bench.run(image("00"))
        #expect(run.decision == .declined(.online))
        #expect(run.outcome.requiresReversal)
    }

    @Test func unattendedTerminalsDoNotCall() async {
        var bench = KernelBench()
        bench.issuer = TestIssuer("01", referral: .approved(approvalCode: nil))
        bench.configuration.type = .unattendedOnlineWithOfflineCapability
        #expect(await bench.run(image("00")).decision == .declined(.online))
        #expect(await bench.issuer.referrals == 0)
    }

    // MARK: Issuer authentication

    @Test(
        "AIP 0400: EXTERNAL AUTHENTICATE, whose success leaves the TVR and sets the TSI (10)",
        arguments: ["1122334455667788", "11223344556677883030", "11223344556677880102030405060708"])
    func externalAuthenticate(_ data: String) async {
        let command = "00820000" + String(format(data.count / 2)) + data
        let (run, sent) = await bench("00", data).run(image(aip: "0400", pairs: [(command, "9000")]), sent: "00")
        #expect(sent.last == command)
        #expect(run.tvr == "8000000000")
        #expect(run.tsi == "3800")
        #expect(run.events.contains(.issuerAuthentication(succeeded: true)))
        #expect(run.decision == .approved(.online))
    }

    private func format(_ count: Int) -> String { (count < 16 ? "0" : "") + String(count, radix: 16, uppercase: true) }

    @Test(
        "A failure sets TVR byte 5, 40; the transaction goes on and the card decides (10.9)",
        arguments: ["6300", "6985", "6700", "6D00"])
    func externalAuthenticateFails(_ status: String) async {
        let (run, sent) = await bench("00", "11223344556677883030").run(
            image("00", aip: "0400", pairs: [("0082", status)]), sent: "80AE")
        #expect(sent.last == spaced("80AE400009 3030 8000000040 3800 00"))
        #expect(run.decision == .declined(.online))
        #expect(run.outcome.requiresReversal)
        #expect(run.events.contains(.issuerAuthentication(succeeded: false)))
    }

    /// EXTERNAL AUTHENTICATE takes 8 to 16 bytes (Book 3, table 9): others are not sent, so the TSI
    /// says nothing of it, and count as failed.
    @Test(arguments: ["11223344556677", "1122334455667788990011223344556677"])
    func authenticationDataOfWrongLength(_ data: String) async {
        let (run, sent) = await bench("00", data).run(image(aip: "0400", pairs: [("0082", "9000")]), sent: "0082")
        #expect(sent.isEmpty)
        #expect(run.tvr == "8000000040")
        #expect(run.tsi == "2800")
    }

    /// Without tag 91, or with an empty one (Book 4, 12.2.2), there is nothing to authenticate; the
    /// card learns of it by the TSI.
    @Test(arguments: [nil, ""] as [String?])
    func withoutAuthenticationData(_ data: String?) async {
        let (run, sent) = await bench("00", data).run(image(aip: "0400", pairs: [("0082", "9000")]), sent: "0082")
        #expect(sent.isEmpty)
        #expect(run.tvr == "8000000000")
        #expect(run.tsi == "2800")
    }

    /// A card without EXTERNAL AUTHENTICATE takes tag 91 from CDOL2 (10.9).
    @Test func authenticationDataInCDOL2() async {
        var card = image(pairs: [("0082", "9000")])
        card["8D"] = "8A02910A"
        let (run, sent) = await bench("00", "11223344556677883030").run(card, sent: "80AE")
        #expect(sent.last == spaced("80AE40000C 3030 11223344556677883030 00"))
        #expect(run.tsi == "2800")
    }
}

/// The issuer could not be reached (EMV 4.4 Book 3, 10.7; Book 4, 12.2.1 and annex A6).
@Suite struct UnableToGoOnlineTests {
    private func run(default code: String, final: String, type: TerminalType = .attendedOnlineWithOfflineCapability)
        async
        -> (run: KernelBench.Run, sent: [String])
    {
        var card = image(final)
        card["9F0D"] = code
        var bench = KernelBench()
        bench.configuration.type = type
        return await bench.run(card, sent: "80AE")
    }

    @Test func approvedByDefault() async {
        let (run, sent) = await run(default: "0000000000", final: "40")
        #expect(sent.last == spaced("80AE400009 5933 8000000000 2800 00"), "Y3")
        #expect(run.decision == .approved(.unableToGoOnline))
        #expect(run.responseCode == "Y3")
        #expect(run.events.contains(.wentOnline(responseCode: nil)))
    }

    @Test func declinedByDefault() async {
        let (run, sent) = await run(default: "8000000000", final: "00")
        #expect(sent.last == spaced("80AE000009 5A33 8000000000 2800 00"), "Z3")
        #expect(run.decision == .declined(.unableToGoOnline))
        #expect(run.responseCode == "Z3")
        #expect(!run.outcome.requiresReversal)
    }

    /// The card may decline what the default codes would let pass. The code is the terminal's word
    /// (Book 4, 6.3.6), the card's is in the CID.
    @Test func declinedByTheCard() async {
        let (run, _) = await run(default: "0000000000", final: "00")
        #expect(run.decision == .declined(.unableToGoOnline))
        #expect(run.responseCode == "Y3")
        #expect(run.outcome.cryptogram == .aac)
    }

    @Test(
        "10.7: an offline-only terminal asks no issuer although the card wants it; the default codes decide a second time",
        arguments: [("40", Outcome.Decision.approved(.unableToGoOnline)), ("00", .declined(.unableToGoOnline))])
    func offlineOnlyTerminal(_ final: String, _ decision: Outcome.Decision) async {
        var bench = bench("00")
        bench.configuration.type = .attendedOfflineOnly
        var card = image(final)
        card["9F0D"] = "0000000000"
        let (run, sent) = await bench.run(card, sent: "80AE")
        #expect(sent == [spaced("80AE400008 8000000000 3F0000 00"), spaced("80AE400009 5933 8000000000 2800 00")])
        #expect(run.decision == decision)
        #expect(await bench.issuer.requests.isEmpty)
    }

    @Test func onlineOnlyTerminal() async {
        let (run, sent) = await run(default: "0000000000", final: "00", type: .attendedOnlineOnly)
        #expect(sent.last?.hasPrefix("80AE00") == true)
        #expect(run.decision == .declined(.unableToGoOnline))
    }

    /// No answer, no scripts, no issuer authentication.
    @Test func answersThatMayNotBe() async {
        let (run, _) = await run(default: "8000000000", final: "40")
        #expect(run.decision == .declined(.unableToGoOnline))
        #expect(run.outcome.cryptogram == .aac)
    }
}

/// EMV 4.4 Book 3, 10.10 and annex E; Book 4, 6.3.9 and annex A5: result 0 not performed, 1 failed,
/// 2 successful; the number of the failed command; the identifier.
@Suite struct IssuerScriptTests {
    /// APPLICATION BLOCK, PIN CHANGE/UNBLOCK and CARD BLOCK without data, each in a tag 86.
    private let commands = ["841E000000", "8424000000", "8416000000"]

    private func script(_ tag: String, identifier: String? = "11223344", _ commands: [String]) -> String {
        object(tag, (identifier.map { object("9F18", $0) } ?? "") + commands.map { object("86", $0) }.joined())
    }

    private func run(_ scripts: [String], _ pairs: [(String, String)] = [], code: String = "00", final: String = "40")
        async
        -> (run: KernelBench.Run, sent: [String])
    {
        let card = image(final, pairs: pairs).card()
        let run = await bench(code, scripts: scripts).run(card)
        return (
            run,
            await card.sent.filter { $0.hasPrefix("84") || $0.hasPrefix("80AE") }.map {
                $0.hasPrefix("80AE") ? "AC" : $0
            }
        )
    }

    @Test("Template 71 goes before the second GENERATE AC, 72 after it; both keep their order. TSI byte 1, 04")
    func beforeAndAfter() async {
        let (run, sent) = await run(
            [script("72", identifier: "AABBCCDD", [commands[2]]), script("71", [commands[0], commands[1]])],
            [("84", "9000")])
        #expect(sent == ["AC", commands[0], commands[1], "AC", commands[2]])
        #expect(run.scriptResults == bytes("2011223344" + "20AABBCCDD"))
        #expect(run.tvr == "8000000000")
        #expect(run.tsi == "2C00")
        #expect(run.decision == .approved(.online))
    }

    @Test(
        "The command that fails ends its script; TVR byte 5: before 20, after 10. The next script is carried out all the same",
        arguments: [("71", "8000000020"), ("72", "8000000010")])
    func failingCommand(_ tag: String, _ tvr: String) async {
        let (run, sent) = await run(
            [script(tag, commands), script(tag, identifier: "00000001", [commands[0]])],
            [("84", "9000"), (commands[1], "6985")])
        #expect(sent.filter { $0 != "AC" } == [commands[0], commands[1], commands[0]])
        #expect(run.scriptResults == bytes("1211223344" + "2000000001"))
        #expect(run.tvr == tvr)
        #expect(run.decision == .approved(.online), "scripts decide nothing")
    }

    @Test("SW1 62 and 63 are warnings: the script goes on (10.10)", arguments: ["6200", "6283", "6300", "63C1"])
    func warning(_ status: String) async {
        let (run, sent) = await run([script("71", commands)], [("84", "9000"), (commands[0], status)])
        #expect(sent.count == 5)
        #expect(run.scriptResults == bytes("2011223344"))
        #expect(run.tvr == "8000000000")
    }

    @Test("Scripts follow a decline too, and the card has the results before its last cryptogram: TVR and TSI in CDOL2")
    func afterDecline()
        async
    {
        let card = image("00", pairs: [("84", "6A80")]).card()
        let run = await bench("05", scripts: [script("71", commands)]).run(card)
        #expect(await card.sent.last == spaced("80AE000009 3035 8000000020 2C00 00"))
        #expect(run.scriptResults == bytes("1111223344"))
        #expect(run.decision == .declined(.online))
    }

    @Test("Without tag 9F18 the identifier is zeros; so it is where its length is wrong") func withoutIdentifier() async
    {
        #expect(
            await run([script("71", identifier: nil, commands)], [("84", "9000")]).run.scriptResults
                == bytes("2000000000"))
        #expect(
            await run([script("71", identifier: "1122", commands)], [("84", "9000")]).run.scriptResults
                == bytes("2000000000"))
    }

    /// The number of the failed command has four bits: 15 stands for all from the fifteenth on.
    @Test(arguments: [(1, "11"), (14, "1E"), (15, "1F"), (16, "1F")])
    func numberOfTheFailedCommand(_ number: Int, _ first: String) async {
        // 7 bytes a command: sixteen of them are 112 bytes and two of the template.
        let script = script("71", identifier: nil, (1...16).map { $0 == number ? commands[1] : commands[0] })
        #expect(script.count / 2 <= 128)
        let (run, sent) = await run([script], [("84", "9000"), (commands[1], "6A80")])
        #expect(run.scriptResults == bytes(first + "00000000"))
        #expect(sent.count == 2 + number)
    }

    /// An invalid command is not sent, and fails with its number.
    @Test(arguments: ["84", "841E00", "841E000005AABB"])
    func commandThatIsNone(_ command: String) async {
        let (run, sent) = await run([script("71", [commands[0], command, commands[1]])], [("84", "9000")])
        #expect(sent == ["AC", commands[0], "AC"])
        #expect(run.scriptResults == bytes("1211223344"))
    }

    /// The script that passes the limit is not performed, though named as far as it can be read;
    /// those before it are, and shorter ones behind it.
    @Test("Book 4, 6.3.9 and 12.2.4: a terminal takes 128 bytes of scripts") func lengthLimit() async {
        // 71 7E, then 18 × 7 bytes of commands: 128 in all.
        let longest = script("71", identifier: nil, [String](repeating: commands[0], count: 18))
        #expect(longest.count / 2 == 128)
        #expect(await run([longest], [("84", "9000")]).run.scriptResults == bytes("2000000000"))
        let half = script("71", identifier: "00000001", [String](repeating: commands[0], count: 9))
        let tooMuch = script("71", identifier: "00000002", [String](repeating: commands[1], count: 9))
        let short = script("72", identifier: "00000003", [commands[2]])
        #expect((half.count + tooMuch.count) / 2 > 128)
        #expect((half.count + short.count) / 2 <= 128)
        let (run, sent) = await run([half, tooMuch, short], [("84", "9000")])
        #expect(sent == ["AC"] + [String](repeating: commands[0], count: 9) + ["AC", commands[2]])
        #expect(run.scriptResults == bytes("2000000001" + "0000000002" + "2000000003"))
        #expect(run.tvr == "8000000020")
    }

    /// A terminal may take more.
    @Test func lengthLimitIsConfigured() async {
        var bench = bench("00", scripts: [script("71", [String](repeating: commands[0], count: 30))])
        bench.configuration.maximumScriptLength = 255
        #expect(await bench.run(image(pairs: [("84", "9000")])).scriptResults == bytes("2011223344"))
    }

    @Test(
        "What is not a template is not performed",
        arguments: [
            ("71", "20"), ("7100", "20"), ("7105", "20"), ("7103860184", "20"), ("710386", "20"), ("7102868", "20"),
            ("", "10"),
            ("9000", "10"),
            ("720186", "10"),
        ])
    func malformed(_ script: String, _ byte5: String) async {
        let even = script.count.isMultiple(of: 2) ? script : script + "0"
        let (run, _) = await run([even], [("84", "9000")])
        let isCommandThatIsNone = even == "7103860184"
        #expect(run.scriptResults == bytes(isCommandThatIsNone ? "1100000000" : "0000000000"))
        #expect(run.tvr == "80000000" + byte5)
        #expect(run.decision == .approved(.online))
    }

    @Test("Unable to go online there are none") func withoutAnswer() async {
        let run = await KernelBench().run(image("00"))
        #expect(run.scriptResults == nil)
        #expect(run.tsi == "2800")
    }
}
