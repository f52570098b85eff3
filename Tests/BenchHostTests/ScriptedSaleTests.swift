import BenchHost
import Bytes
import CardCapture
import CardCryptography
import CardReaders
import EMVKernel
import KernelDoubles
import PaymentTerminal
import SmartCard
import TLV
import TerminalFiles
import Testing
import VirtualCard

/// Whole sales in which the test issuer sends scripts: bench host, kernel and virtual card (EMV 4.4
/// Book 3, 10.10).
@Suite struct ScriptedSaleTests {
    /// The keys are the slow part of a card; all cards here share them.
    private static let keys = Result {
        try (personalizer: CardPersonalizer(), icc: RSAPrivateKey.generate(modulusBits: 1024, exponent: 3))
    }

    /// A card, the host of its issuer, and what waits there for it.
    private final class Lane: Sendable {
        let card: VirtualCard
        let queue = ScriptQueue()
        private let bench: Bench
        private let kernel: ContactKernel

        init(_ profile: CardProfile) throws {
            let keys = try keys.get()
            card = VirtualCard(try keys.personalizer.personalize(profile, iccKey: keys.icc))
            bench = try Bench(
                issuer: TestIssuer(
                    profiles: [
                        IssuerProfile(
                            leadingDigits: String(decoding: profile.account.pan.revealed().prefix(6), as: UTF8.self),
                            masterKeys: profile.issuerMasterKeys, cryptogram: nil)
                    ], scripts: queue.policy))
            kernel = ContactKernel(
                TerminalConfiguration(
                    capabilities: [.contactChip, .encipheredOfflinePINByRSA, .signature, .noCVM, .sda, .dda, .cda],
                    additionalCapabilities: [.goods], countryCode: 840,
                    applications: profile.applications.map {
                        ApplicationConfiguration(aid: $0.aid, versions: [profile.versionNumber], floorLimit: 500_00)
                    }, caKeys: card.card.caPublicKeys))
        }

        func add(_ script: IssuerScript) { queue.add(script, for: card.card.profile.account.pan) }

        /// A sale of 10.00 that goes online.
        func sell(_ order: String, pin: String = "1234") async throws -> CaptureOutcome {
            await card.reset()
            let key = try TestPINPad.baseDerivationKey
            let pad = try VirtualPINPad(
                .enters(#require(PIN(ascii: pin.utf8))), initialKey: key,
                serialNumber: #require(KeySerialNumber([UInt8](repeating: 0, count: 10))))
            let reader = ChipReader(
                slot: VirtualReader(card: card), kernel: kernel, cardholder: FirstChoice(pinPad: pad),
                environment: FixedEnvironment(),
                clock: { Timestamp(secondsSince1970: 1_795_262_400) })
            let host = bench.host
            return try await reader.capture(
                CaptureRequest(amount: 10_00, currencyCode: 978, sequenceCounter: 1, forcesOnline: true)
            ) {
                card in
                guard let request = try? request(order, "10.00", .captured(card)),
                    let answer = try? await host.authorize(request)
                else {
                    return .unreachable
                }
                return .answered(answer.issuer)
            }
        }
    }

    /// Every kind of secure messaging that the virtual card can do.
    enum Style: CaseIterable {
        case visa10, visa18, mastercard10, mastercard15, commonCoreTDES, commonCoreAES

        var profile: CardProfile {
            var profile: CardProfile
            switch self {
            case .visa10, .visa18:
                profile = .visaStyle()
                profile.cryptograms = self == .visa10 ? .visa10 : .visa18
            case .mastercard10, .mastercard15:
                profile = .mastercardStyle()
                profile.cryptograms = self == .mastercard10 ? .mastercard10 : .mastercard15
            case .commonCoreTDES: profile = .commonCoreStyle(.tdes)
            case .commonCoreAES: profile = .commonCoreStyle(.aes)
            }
            profile.cvmList = CVMList(rules: [
                CVMRule(code: .encipheredPIN, continuesIfUnsuccessful: false, condition: .always)
            ])
            profile.consecutiveOfflineLimits = 1...2
            return profile
        }
    }

    private func chip(_ outcome: CaptureOutcome) throws -> DataElements { try #require(outcome.card?.chip?.elements) }

    private func tvr(_ outcome: CaptureOutcome) throws -> TerminalVerificationResults {
        let bytes = try #require(chip(outcome)[.terminalVerificationResults])
        return try #require(TerminalVerificationResults(bytes))
    }

    /// Two commands in one script, then a sale with the new PIN and one with the old.
    @Test(arguments: Style.allCases, [true, false]) func pinChangeAndPutData(_ style: Style, isBefore: Bool)
        async throws
    {
        let lane = try Lane(style.profile)
        let new = try #require(PIN(ascii: "567890".utf8))
        lane.add(
            IssuerScript(
                isBefore ? .beforeFinalCryptogram : .afterFinalCryptogram, identifier: [1, 2, 3, 4],
                [.pinChange(new), .putData(0x9F14, [0x07])]))
        let outcome = try await lane.sell("o1")
        #expect(outcome.decision == .approvedOnline)
        #expect(
            try tvr(outcome).isDisjoint(with: [.scriptFailedBeforeFinalGenerateAC, .scriptFailedAfterFinalGenerateAC]))
        // EMV 4.4 Book 4, annex A5: successful, no command that failed, the identifier.
        #expect(try chip(outcome)[.issuerScriptResults] == [0x20, 1, 2, 3, 4])
        #expect(try await lane.card.transmit(.getData(0x9F14)).data == [0x9F, 0x14, 0x01, 0x07])

        let withOldPIN = try await lane.sell("o2", pin: "1234")
        #expect(try tvr(withOldPIN).contains(.cardholderVerificationFailed))
        let unblock = IssuerScript(.afterFinalCryptogram, [.pinUnblock])
        lane.add(unblock)
        _ = try await lane.sell("o3", pin: "1234")
        let withNewPIN = try await lane.sell("o4", pin: "567890")
        #expect(withNewPIN.decision == .approvedOnline)
        #expect(try !tvr(withNewPIN).contains(.cardholderVerificationFailed))
    }

    /// Visa's form with the current PIN (P2 01); Mastercard has none, and the host says so instead
    /// of answering.
    @Test func pinChangeWithTheCurrentPIN() async throws {
        let change = ScriptCommand.pinChange(
            try #require(PIN(ascii: "5678".utf8)), replacing: PIN(ascii: "1234".utf8))
        let visa = try Lane(Style.visa18.profile)
        visa.add(IssuerScript(.beforeFinalCryptogram, [change]))
        #expect(try chip(await visa.sell("o1"))[.issuerScriptResults] == [0x20, 0, 0, 0, 0])
        #expect(try await visa.sell("o2", pin: "5678").decision == .approvedOnline)

        let mastercard = try Lane(Style.mastercard15.profile)
        mastercard.add(IssuerScript(.beforeFinalCryptogram, [change]))
        let outcome = try await mastercard.sell("o1")
        #expect(try chip(outcome)[.issuerScriptResults] == nil)
        #expect(outcome.decision == .declinedOffline)
    }

    /// EMV 4.4 Book 3, 6.5.1: blocked before the final cryptogram the card gives an AAC, after it
    /// the sale stands; either way the next one finds a blocked application.
    @Test(
        "A blocked application gives an AAC before the final cryptogram; after it the sale stands",
        arguments: Style.allCases,
        [true, false]) func applicationBlock(_ style: Style, isBefore: Bool) async throws
    {
        let lane = try Lane(style.profile)
        lane.add(IssuerScript(isBefore ? .beforeFinalCryptogram : .afterFinalCryptogram, [.applicationBlock]))
        let outcome = try await lane.sell("o1")
        #expect(outcome.decision == (isBefore ? .declinedOnline : .approvedOnline))
        #expect(outcome.requiresReversal == isBefore)
        #expect(try chip(outcome)[.issuerScriptResults] == [0x20, 0, 0, 0, 0])
        guard case .notPossible = try await lane.sell("o2").decision else {
            Issue.record("a blocked application sold")
            return
        }
    }

    /// A wrong MAC: SW 6988 ends the script at its command; the TVR tells, and the results name the
    /// command (Book 4, annex A5).
    @Test(arguments: Style.allCases, [true, false]) func wrongMAC(_ style: Style, isBefore: Bool) async throws {
        let lane = try Lane(style.profile)
        var script = IssuerScript(
            isBefore ? .beforeFinalCryptogram : .afterFinalCryptogram, identifier: [0xAA, 0xBB, 0xCC, 0xDD],
            [.cardBlock, .cardBlock])
        script.spoilsMACs = true
        lane.add(script)
        let outcome = try await lane.sell("o1")
        #expect(outcome.decision == .approvedOnline)
        #expect(try tvr(outcome).contains(.scriptFailedBeforeFinalGenerateAC) == isBefore)
        #expect(try tvr(outcome).contains(.scriptFailedAfterFinalGenerateAC) == !isBefore)
        #expect(try chip(outcome)[.issuerScriptResults] == [0x11, 0xAA, 0xBB, 0xCC, 0xDD])
        #expect(try await lane.sell("o2").decision == .approvedOnline, "the card is not blocked")
    }

    /// Scripts of both kinds in one answer: chained and counted MACs are right in the order in
    /// which the card gets them, not in that of the answer.
    @Test(arguments: Style.allCases) func afterAndBefore(_ style: Style) async throws {
        let lane = try Lane(style.profile)
        lane.add(IssuerScript(.afterFinalCryptogram, [.putData(0x9F23, [0x09])]))
        lane.add(IssuerScript(.beforeFinalCryptogram, [.applicationUnblock, .pinUnblock]))
        let outcome = try await lane.sell("o1")
        #expect(outcome.decision == .approvedOnline)
        #expect(try chip(outcome)[.issuerScriptResults] == [0x20, 0, 0, 0, 0, 0x20, 0, 0, 0, 0])
        #expect(try await lane.card.transmit(.getData(0x9F23)).data == [0x9F, 0x23, 0x01, 0x09])
    }

    @Test("The issuer updates a record after the final cryptogram") func updateRecord() async throws {
        let lane = try Lane(Style.visa18.profile)
        let record: [UInt8] = [0x70, 0x08, 0x57, 0x06, 0x47, 0x61, 0x73, 0xD4, 0x91, 0x2F]
        lane.add(IssuerScript(.afterFinalCryptogram, [.updateRecord(1, sfi: 1, record: record)]))
        #expect(try await lane.sell("o1").decision == .approvedOnline)
        #expect(try await lane.card.transmit(.readRecord(1, sfi: 1)).data == record)
    }

    @Test("EMV 4.4 Book 3, 6.5.3: after CARD BLOCK no SELECT works") func cardBlock() async throws {
        let lane = try Lane(Style.commonCoreAES.profile)
        lane.add(IssuerScript(.afterFinalCryptogram, [.cardBlock]))
        #expect(try await lane.sell("o1").decision == .approvedOnline)
        #expect(
            try await lane.card.transmit(.select(lane.card.card.profile.applications[0].aid)).status
                == .functionNotSupported)
    }

    @Test(
        "More than 128 bytes of scripts are refused where they are made (Book 4, 6.3.9): the host fails, nothing is authorised"
    )
    func tooLong() async throws {
        let lane = try Lane(Style.visa18.profile)
        lane.add(IssuerScript(.afterFinalCryptogram, [ScriptCommand](repeating: .applicationUnblock, count: 9)))
        let outcome = try await lane.sell("o1")
        #expect(try chip(outcome)[.issuerScriptResults] == nil)
        #expect(outcome.decision == .declinedOffline)
        #expect(try await lane.sell("o1").decision == .approvedOnline)
    }

    @Test("A policy sees card, amount, counter and decision; who has no right ARQC gets no script") func policy()
        async throws
    {
        let policy = ScriptPolicy { occasion in
            let isOurs = occasion.pan.revealed().elementsEqual(TestCard.pan.utf8) && occasion.transactionCounter == 7
            guard isOurs, occasion.amount.minorUnits == 1051, !occasion.approves else { return [] }
            return [IssuerScript(.afterFinalCryptogram, [.applicationBlock])]
        }
        let bench = try Bench(
            issuer: TestIssuer(
                profiles: [
                    IssuerProfile(leadingDigits: "476173", masterKeys: TestCard.issuerKeys, cryptogram: .visa18)
                ], scripts: policy))
        func scripts(_ order: String, _ amount: String, _ card: CapturedCard) async throws -> [[UInt8]] {
            try await bench.host.authorize(request(order, amount, .captured(card))).issuer.scripts
        }
        var wrong = try TestCard(amount: "000000001051").captured(atc: 7)
        wrong.chip?.elements[.applicationCryptogram] = [1, 2, 3, 4, 5, 6, 7, 8]
        #expect(try await scripts("o1", "10.51", wrong).isEmpty)
        #expect(try await scripts("o2", "10.00", TestCard().captured(atc: 6)).isEmpty)
        let sent = try await scripts("o3", "10.51", TestCard(amount: "000000001051").captured(atc: 7))
        #expect(sent.count == 1 && sent[0].starts(with: [0x72, 0x0F, 0x86, 0x0D, 0x84, 0x1E, 0x00, 0x00, 0x08]))
    }
}
