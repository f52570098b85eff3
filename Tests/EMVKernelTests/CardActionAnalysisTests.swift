import Bytes
import CardCryptography
import EMVKernel
import SmartCard
import TLV
import Testing
import VirtualCard

extension KernelBench.Run {
    fileprivate var responseCode: String? {
        outcome.data.terminal[.authorisationResponseCode].map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Action codes on the card that make the kernel ask for `type` where data authentication was not
/// performed.
private func image(asking type: CryptogramType, _ answers: String...) -> CardImage {
    var image = CardImage()
    switch type {
    case .aac: image["9F0E"] = "8000000000"
    case .arqc: image["9F0F"] = "8000000000"
    case .tc: break
    }
    image.cryptograms = answers
    return image
}

/// The first GENERATE AC (EMV 4.4 Book 3, 6.5.5, 9.3 and 10.8).
@Suite struct CardActionAnalysisTests {
    /// Bits 8 and 7 of the CID: AAC 00, TC 40, ARQC 80, reserved C0 (table 15).
    @Test(
        "What a card may answer: what was asked for, or less",
        arguments: [
            (CryptogramType.tc, "40", Outcome.Decision.approved(.offline)), (.tc, "00", .declined(.offline)),
            (.tc, "80", .approved(.online)),
            (.arqc, "80", .approved(.online)), (.arqc, "00", .declined(.offline)), (.aac, "00", .declined(.offline)),
            (.arqc, "40", .terminated(.unexpectedCryptogram(requested: .arqc, answered: 0x40))),
            (.aac, "40", .terminated(.unexpectedCryptogram(requested: .aac, answered: 0x40))),
            (.aac, "80", .terminated(.unexpectedCryptogram(requested: .aac, answered: 0x80))),
            (.tc, "C0", .terminated(.unexpectedCryptogram(requested: .tc, answered: 0xC0))),
            (.arqc, "C0", .terminated(.unexpectedCryptogram(requested: .arqc, answered: 0xC0))),
            (.aac, "C0", .terminated(.unexpectedCryptogram(requested: .aac, answered: 0xC0))),
        ] as [(CryptogramType, String, Outcome.Decision)])
    func firstAnswer(_ requested: CryptogramType, _ cid: String, _ decision: Outcome.Decision) async {
        var bench = KernelBench()
        bench.issuer = TestIssuer("00")
        let (run, sent) = await bench.run(image(asking: requested, cryptogram(cid), cryptogram("40")), sent: "80AE")
        #expect(sent.first?.hasPrefix("80AE" + [requested.rawValue].hex + "00") == true)
        #expect(run.decision == decision)
        #expect(sent.count == (decision == .approved(.online) ? 2 : 1))
        #expect(!run.outcome.allowsFallback)
    }

    /// Book 4, 6.3.6: Y1 and Z1 are the terminal's own words, said before the card says its own;
    /// going online there is none yet.
    @Test(
        "Offline decisions have the response codes Y1 and Z1",
        arguments: [
            (CryptogramType.tc, "00", "5931"), (.tc, "40", "5931"), (.aac, "00", "5A31"), (.arqc, "00", "0000"),
        ])
    func responseCodes(_ requested: CryptogramType, _ cid: String, _ code: String) async {
        var card = image(asking: requested, cryptogram(cid))
        card["8C"] = "8A02"
        let (run, sent) = await KernelBench().run(card, sent: "80AE")
        #expect(sent == ["80AE" + [requested.rawValue].hex + "0002" + code + "00"])
        #expect(run.outcome.data[.authorisationResponseCode]?.hex ?? "0000" == code)
    }

    /// 6.5.5.4: format 1 is CID, ATC, cryptogram and what is left for issuer application data;
    /// format 2 has them as data objects.
    @Test(
        "both formats of the answer to GENERATE AC are read",
        arguments: [
            "800B" + "40" + "1234" + "1122334455667788", "8012" + "40" + "1234" + "1122334455667788" + "06010A03A00000",
            "7714" + "9F270140" + "9F36021234" + "9F26081122334455667788",
            "771E" + "9F36021234" + "9F26081122334455667788" + "9F100706010A03A00000" + "9F270140",
        ])
    func formats(_ answer: String) async {
        let run = await KernelBench().run(image(asking: .tc, answer + "9000"))
        #expect(run.decision == .approved(.offline))
        #expect(run.outcome.cryptogram == .tc)
        #expect(run.outcome.data.card[.applicationTransactionCounter] == [0x12, 0x34])
        #expect(run.outcome.data.card[.applicationCryptogram] == bytes("1122334455667788"))
        #expect(
            run.outcome.data.card[.issuerApplicationData] == (answer.contains("0601") ? bytes("06010A03A00000") : nil))
        #expect(run.outcome.tsi.contains(.cardRiskManagement))
    }

    @Test(
        "An answer to GENERATE AC that cannot be used ends the transaction",
        arguments: [
            ("800A" + "40" + "1234" + "11223344556677", Termination.malformedAnswer(.generateAC, nil)),
            ("8000", .malformedAnswer(.generateAC, nil)),
            ("", .malformedAnswer(.generateAC, nil)), ("40", .malformedAnswer(.generateAC, nil)),
            ("70009000", .malformedAnswer(.generateAC, nil)),
            ("7710" + "9F36021234" + "9F26081122334455667788", .missingData(.cryptogramInformationData)),
            ("770F" + "9F270140" + "9F26081122334455667788", .missingData(.applicationTransactionCounter)),
            ("7709" + "9F270140" + "9F36021234", .missingData(.applicationCryptogram)),
            ("7713" + "9F270140" + "9F36021234" + "9F260711223344556677", .invalidData(.applicationCryptogram)),
            ("7715" + "9F27024000" + "9F36021234" + "9F26081122334455667788", .invalidData(.cryptogramInformationData)),
            ("7713" + "9F270140" + "9F360112" + "9F26081122334455667788", .invalidData(.applicationTransactionCounter)),
            (
                "7718" + "9F270140" + "9F270100" + "9F36021234" + "9F26081122334455667788",
                .repeatedData(.cryptogramInformationData)
            ),
        ] as [(String, Termination)])
    func unusableAnswers(_ answer: String, _ expected: Termination) async {
        #expect(await KernelBench().run(image(asking: .tc, answer + "9000")).decision == .terminated(expected))
    }

    /// Any other status than 9000 ends the transaction (6.3.5), and after GENERATE AC the stripe
    /// may not stand in.
    @Test("a failed GENERATE AC terminates the transaction", arguments: [0x6985, 0x6283, 0x6D00, 0x6700] as [UInt16])
    func refused(_ status: UInt16) async {
        let failure = Termination.commandFailed(.generateAC, StatusWord(rawValue: status))
        let answer = String(status, radix: 16)
        let run = await KernelBench().run(image(asking: .tc, answer))
        #expect(run.decision == .terminated(failure))
        #expect(!run.outcome.allowsFallback)
        var bench = KernelBench()
        bench.issuer = TestIssuer("00")
        let second = await bench.run(image(asking: .arqc, cryptogram("80"), answer))
        #expect(second.decision == .terminated(failure))
        #expect(second.outcome.requiresReversal, "the issuer has approved")
    }

    @Test(
        "Table 14: bit 4 of the CID asks for an advice; bits 3 to 1 give a reason",
        arguments: [("08", true), ("09", true), ("00", false), ("07", false), ("40", false), ("48", true)])
    func advice(_ cid: String, isRequired: Bool) async {
        #expect(await KernelBench().run(image(asking: .tc, cryptogram(cid))).outcome.requiresAdvice == isRequired)
    }

    /// SHA-1 of "abc" is FIPS 180-4's example: a TDOL for three bytes that the terminal has as
    /// 616263.
    @Test(
        "5.4, 9.2.2: TC hash value, tag 98, over the TDOL's values: the card's, else the default one and TVR byte 5, 80"
    )
    func transactionCertificateHash() async {
        var bench = KernelBench()
        bench.configuration.additionalData[0xDF10] = Array("abc".utf8)
        let hash = "A9993E364706816ABA3E25717850C26C9CD0D89D"
        var card = CardImage()
        card["8C"] = "98149505"
        card["97"] = "DF1003"
        let own = await bench.run(card, sent: "80AE")
        #expect(own.sent == ["80AE400019" + hash + "8000000000" + "00"])
        card["97"] = nil
        bench.application { $0.defaultTDOL = bytes("DF1003") }
        let standard = await bench.run(card, sent: "80AE")
        #expect(standard.sent == ["80AE400019" + hash + "8000000080" + "00"])
    }

    /// 9.2.2: a terminal without default TDOL hashes nothing, and says nothing of it. SHA-1 of the
    /// empty string: FIPS 180-4 examples.
    @Test func noTDOLAtAll() async {
        var card = image(asking: .tc, cryptogram("40"))
        card["8C"] = "98149505"
        let (_, sent) = await KernelBench().run(card, sent: "80AE")
        #expect(sent == ["80AE400019" + "DA39A3EE5E6B4B0D3255BFEF95601890AFD80709" + "8000000000" + "00"])
    }

    /// The action codes may have something against the default TDOL, which is known before the
    /// first command.
    @Test func defaultTDOLCountsInTheAnalysis() async {
        var card = image(asking: .tc, cryptogram("00"))
        card["8C"] = "98149505"
        card["9F0E"] = "0000000080"
        var bench = KernelBench()
        bench.application { $0.defaultTDOL = bytes("9F0206") }
        let (_, sent) = await bench.run(card, sent: "80AE")
        #expect(sent.first?.hasPrefix("80AE00") == true)
        bench.application { $0.defaultTDOL = bytes("9F") }
        #expect(await bench.run(card).decision == .terminated(.configuration(.defaultTDOL)))
    }
}

/// CDA (EMV 4.4 Book 2, 6.6; Book 4, 6.3.2).
@Suite struct CombinedSignatureTests {
    private enum Fault: CaseIterable, Sendable {
        case signature, cryptogramInformation, counter, issuerApplicationData, missingSignature, plainFormat

        func apply(_ response: inout ResponseAPDU) {
            switch self {
            case .signature: response.edit(.signedDynamicApplicationData) { $0.dropLast() + [$0[$0.count - 1] ^ 1] }
            // Bit 4, advice: the type stays, the signature is over another CID.
            case .cryptogramInformation: response.edit(.cryptogramInformationData) { [$0[0] ^ 0x08] }
            case .counter: response.edit(.applicationTransactionCounter) { [$0[0], $0[1] ^ 1] }
            case .issuerApplicationData:
                response.edit(.issuerApplicationData) { $0.dropLast() + [$0[$0.count - 1] ^ 1] }
            case .missingSignature:
                response.edit(.signedDynamicApplicationData) { _ in nil }
                response.edit(.cryptogramInformationData) { $0 + [] }
                response.data = tlv(
                    .responseTemplate2,
                    response.data.dropFirst(2) + tlv(.applicationCryptogram, bytes("1122334455667788")))
            case .plainFormat: response.data = bytes("800B" + "80" + "0001" + "1122334455667788")
            }
        }
    }

    /// A CDA card asked by a terminal that `isOnline`; the fault is in the answer to GENERATE AC
    /// number `faultAt`, from 1.
    private func run(
        isOnline: Bool, fault: (@Sendable (inout ResponseAPDU) -> Void)?, at faultAt: Int,
        format: ResponseFormat = .format2
    ) async throws -> (run: KernelBench.Run, generated: [CommandAPDU], asked: Int) {
        let card = try RealCard.make(.cdaSupported) {
            $0.responseFormat = format
            $0.pdol = DOL(entries: [DOL.Entry(.terminalCountryCode, 2), DOL.Entry(.unpredictableNumber, 4)])
        }
        var bench = KernelBench(card)
        bench.issuer = TestIssuer("00")
        if isOnline { bench.configuration.type = .attendedOnlineOnly }
        let counter = Counter()
        let tap = Tap(VirtualCard(card)) { command, response in
            guard command.ins == 0xAE, counter.next() == faultAt else { return }
            fault?(&response)
        }
        let run = await bench.run(tap)
        return (run, await tap.commands.filter { $0.ins == 0xAE }, await bench.issuer.requests.count)
    }

    @Test(
        "P1: ARQC 80, TC 40, CDA 10; both answers are signed, and the signed cryptogram is the one that counts",
        arguments: [ResponseFormat.format1, .format2])
    func signedTwice(_ format: ResponseFormat) async throws {
        let (run, generated, asked) = try await run(isOnline: true, fault: nil, at: 0, format: format)
        #expect(generated.map(\.p1) == [0x90, 0x50])
        #expect(run.decision == .approved(.online))
        #expect(run.tvr == "0000000000")
        #expect(run.outcome.data.card[.applicationCryptogram]?.count == 8)
        #expect(run.events.filter { $0 == .combinedSignature(nil) }.count == 2)
        #expect(asked == 1)
    }

    /// 6.6.2: a TC with a wrong signature is a decline; no second GENERATE AC follows.
    @Test func wrongSignatureOnTC() async throws {
        for fault in [Fault.signature, .cryptogramInformation, .counter, .issuerApplicationData, .missingSignature] {
            let (run, generated, asked) = try await run(isOnline: false, fault: fault.apply, at: 1)
            #expect(run.decision == .declined(.offline), "\(fault)")
            #expect(run.tvr == "0400000000")
            #expect(run.responseCode == "Z1")
            #expect(generated.map(\.p1) == [0x50])
            #expect(asked == 0)
        }
    }

    /// 6.6.2: an ARQC with a wrong signature does not go online; an AAC is asked for, whose TVR
    /// says that CDA failed.
    @Test func wrongSignatureOnARQC() async throws {
        for fault in Fault.allCases {
            let (run, generated, asked) = try await run(isOnline: true, fault: fault.apply, at: 1)
            #expect(run.decision == .declined(.offline), "\(fault)")
            #expect(run.tvr == "0400000000")
            #expect(generated.map(\.p1) == [0x90, 0x00])
            // CDOL2 of the card: ARC, amounts, country, TVR …
            #expect(generated.last.map { Array($0.data.prefix(2)) } == Array("Z1".utf8))
            #expect(generated.last.map { Array($0.data[16..<21]) } == bytes("0400000000"))
            #expect(run.outcome.cryptogram == .aac)
            #expect(asked == 0)
            #expect(!run.outcome.requiresReversal)
        }
    }

    /// Book 4, 6.3.2.1 and 6.3.8: a wrong signature after the issuer's approval is a decline, to be
    /// reversed.
    @Test func wrongSignatureAtTheEnd() async throws {
        for fault in Fault.allCases where fault != .plainFormat {
            let (run, generated, asked) = try await run(isOnline: true, fault: fault.apply, at: 2)
            #expect(run.decision == .declined(.online), "\(fault)")
            #expect(run.tvr == "0400000000")
            #expect(run.outcome.requiresReversal)
            #expect(generated.map(\.p1) == [0x90, 0x50])
            #expect(asked == 1)
        }
    }

    /// Format 2 has the cryptogram, plain or within the signature (Book 3, 6.5.5.4): an answer with
    /// neither is none.
    @Test func neitherCryptogramNorSignature() async throws {
        let (run, _, _) = try await run(
            isOnline: true, fault: { $0.edit(.signedDynamicApplicationData) { _ in nil } }, at: 1)
        #expect(run.decision == .terminated(.missingData(.applicationCryptogram)))
    }

    /// Book 4, 6.3.2.1: where the signature yields a CID, its type counts. The card signed an ARQC
    /// and a TC arrives: an AAC is asked for.
    @Test func typeInTheSignatureCounts() async throws {
        let (run, generated, asked) = try await run(
            isOnline: true, fault: { $0.edit(.cryptogramInformationData) { [$0[0] ^ 0xC0] } }, at: 1)
        #expect(run.decision == .declined(.offline))
        #expect(run.tvr == "0400000000")
        #expect(generated.map(\.p1) == [0x90, 0x00])
        #expect(asked == 0)
    }

    /// Book 3, 10.3: the TSI says that data authentication was performed from the first answer on,
    /// not before.
    @Test func statusInformationFollowsTheFirstAnswer() async throws {
        let card = try RealCard.make(.cdaSupported) {
            $0.cdol1 = DOL(entries: $0.cdol1.entries + [DOL.Entry(.transactionStatusInformation, 2)])
            $0.cdol2 = DOL(entries: $0.cdol2.entries + [DOL.Entry(.transactionStatusInformation, 2)])
        }
        var bench = KernelBench(card)
        bench.issuer = TestIssuer("00")
        bench.configuration.type = .attendedOnlineOnly
        let tap = Tap(VirtualCard(card))
        _ = await bench.run(tap)
        let generated = await tap.commands.filter { $0.ins == 0xAE }
        #expect(generated.map { $0.data.suffix(2).hex } == ["0800", "A800"])
    }

    /// An AAC is not signed, so none is missed (6.6.1).
    @Test func unsignedAAC() async throws {
        let card = try RealCard.make(.cdaSupported) { $0.riskRule.declinesAbove = 0 }
        let run = await KernelBench(card).run(VirtualCard(card))
        #expect(run.decision == .declined(.offline))
        #expect(run.tvr == "0000000000")
    }

    /// The second answer of another transaction's does not fit this one's data (step 12).
    @Test func signatureOverOtherData() async throws {
        let card = try RealCard.make(.cdaSupported)
        let recorder = Tap(VirtualCard(card))
        let first = KernelBench(card)
        _ = await first.run(recorder)
        let generated = try #require(await recorder.commands.last)
        // The same command again on a fresh card: same counter, same number, another amount in what
        // the kernel sent.
        let other = VirtualCard(card)
        _ = try await other.transmit(.select(bytes(CardImage.aid)))
        _ = try await other.transmit(.getProcessingOptions([0x83, 0x00]))
        let recorded = try await other.transmit(generated)
        #expect(recorded.status == .success)
        var bench = KernelBench(card)
        bench.request.amount = 20_00
        let run = await bench.run(Tap(VirtualCard(card)) { if $0.ins == 0xAE { $1 = recorded } })
        #expect(run.decision == .declined(.offline))
        #expect(run.tvr == "0400000000")
        #expect(run.events.contains(.combinedSignature(.signature(.transactionDataHash))))
    }
}
