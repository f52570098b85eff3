import Bytes
import CardCryptography
import Contactless
import EMVKernel
import EMVReplay
import Foundation
import SmartCard
import TLV
import Testing

private func text(_ path: String) throws -> String {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    return try String(contentsOf: package.appending(path: "Vectors/\(path)"), encoding: .utf8)
}

private func trace(_ name: String) throws -> APDUTrace { try APDUTrace(parsing: text("traces/\(name).apdu")) }

/// The conversation of a contact sale with CDA, without its head, and the key of its authority.
private func contactCDA() throws -> (log: APDUTrace, keys: [CAPublicKey]) {
    let recorded = try trace("oda-cda-offline")
    let keys = try #require(try RecordedTerminal(recorded)).configuration.caKeys
    return (APDUTrace(exchanges: recorded.exchanges), keys)
}

private func testKeys() throws -> [CAPublicKey] { try CAPublicKeyFile.parse(text("keys/ca-test-keys.tsv")) }

@Suite("Contact logs against our kernel") struct ReplayTests {
    /// The log's own GENERATE AC data, split by CDOL1 by hand: TVR 8000008000.
    @Test func visaOnlineEndsInTheSameTCWithTheSameTVR() async throws {
        let report = try await Replay.run(try trace("visa-contact-online"), caKeys: try testKeys())
        #expect(report.logged == .approved)
        #expect(report.replayed == .approved)
        #expect(report.outcome?.decision == .approved(.online))
        // CDOL2 of the log carries TVR 8000008040: EXTERNAL AUTHENTICATE was refused.
        #expect(report.outcome?.tvr.description == "8000008040")
        #expect(report.sendsAlike)
        let missing = report.steps.filter { if case .notInLog = $0.verdict { true } else { false } }
        #expect(
            missing.map { $0.command.instruction } == [.verify],
            "the VERIFY that was taken out of the log is all that is missing")
    }

    /// The terminal asked for a TC after ARC 00 and the card gave an AAC: declined, and the host
    /// must reverse the authorization.
    @Test func mastercardDeclinesAfterApproval() async throws {
        let report = try await Replay.run(try trace("mastercard-contact-online"), caKeys: try testKeys())
        #expect(report.logged == .declined)
        #expect(report.endsAlike)
        #expect(report.sendsAlike)
        #expect(report.outcome?.decision == .declined(.online))
        #expect(report.outcome?.requiresReversal == true)
        #expect(report.outcome?.cvmResults.bytes.hex == "5E0300")
    }

    /// The log has neither PPSE nor PDOL: bit 8 of the AIP's second byte says that it is
    /// contactless. Kernel 2 does not read the first record of SFI 1, as the log's terminal did not
    /// (EMV Contactless Book C-2, S3).
    @Test func mastercardCombinedSignatureIsVerified() async throws {
        let report = try await Replay.run(try trace("mastercard-contactless-cda"), caKeys: try testKeys())
        #expect(report.endsAlike)
        #expect(report.sendsAlike)
        #expect(report.contactlessOutcome?.status == .approved)
        #expect(report.contactlessOutcome?.verification == .signature)
        #expect(report.result(.terminalVerificationResults) == [0, 0, 0, 0, 0])
        #expect(!report.steps.contains { $0.command == .readRecord(1, sfi: 1) })
    }

    @Test func combinedSignatureByContactIsVerified() async throws {
        let (log, keys) = try contactCDA()
        let report = try await Replay.run(log, caKeys: keys)
        #expect(report.endsAlike)
        #expect(report.sendsAlike)
        #expect(report.outcome?.decision == .approved(.offline))
        #expect(report.outcome?.tvr == [])
        #expect(report.events.contains(.combinedSignature(nil)))
    }

    /// A CA key that is not at hand proves nothing: all else is compared, and the log's own result
    /// counts.
    @Test func withoutTheCAKeyTheSignatureIsNotChecked() async throws {
        let report = try await Replay.run(try contactCDA().log, caKeys: [])
        #expect(report.changes(.meaning) == [])
        #expect(report.endsAlike)
        #expect(report.sendsAlike)
        #expect(report.outcome?.tvr == [])
        #expect(report.notChecked == ["CDA: CA key A000000003 E0 not found: give it with --ca-keys"])
    }

    /// A terminal that the head tells of has its keys there: without one its data authentication
    /// failed.
    @Test func aRecordedTerminalWithoutTheKeyFails() async throws {
        let log = try text("traces/oda-cda-offline.apdu")
        let withoutKeys = log.split(separator: "\n").filter { !$0.hasPrefix("# ca-key") }.joined(separator: "\n")
        let report = try await Replay.run(try APDUTrace(parsing: withoutKeys), caKeys: [])
        #expect(report.notChecked.isEmpty)
        #expect(report.outcome?.tvr.contains(.cdaFailed) == true)
        #expect(report.changes(.meaning) != [])
    }

    /// The log's terminal says that the card had expired, and by its dates it had not: the outcome
    /// is the same, the TVR is not.
    @Test func aTVRThatDiffersIsNotTheSame() async throws {
        let log = try text("traces/visa-contact-online.apdu").replacing("8000008000", with: "8040008000")
        let report = try await Replay.run(try APDUTrace(parsing: log), caKeys: try testKeys())
        #expect(report.endsAlike)
        let found = report.changes(.meaning).compactMap { change -> String? in
            guard case .result(_, let difference) = change else { return nil }
            return "\(difference.tag) \(difference.logged.hex) \(difference.replayed.hex)"
        }
        #expect(found == ["95 8040008000 8000008000"])
    }

    /// Nothing is assumed about a terminal that asked for no cryptogram.
    @Test func aLogWithoutGenerateACHasNoAssumptions() async throws {
        let log =
            "> 00A4040007A000000003101000\n< 6F098407A00000000310109000\n> 80A8000002830000\n< 80061980080101009000\n"
        let report = try await Replay.run(try APDUTrace(parsing: log), caKeys: [])
        #expect(report.assumptions.isEmpty)
        #expect(report.logged == .noCryptogram)
    }

    /// One flipped bit in the card's signature: the log says approved, the kernel may not.
    @Test func aForgedSignatureEndsInADecline() async throws {
        let (log, keys) = try contactCDA()
        let report = try await Replay.run(try forged(log), caKeys: keys)
        #expect(report.logged == .approved)
        #expect(report.replayed == .declined)
        #expect(!report.endsAlike)
    }

    /// Kernel 2 ends the application (EMV Contactless Book C-2, S9).
    @Test func aForgedSignatureEndsATap() async throws {
        let report = try await Replay.run(try forged(try trace("mastercard-contactless-cda")), caKeys: try testKeys())
        #expect(report.logged == .approved)
        #expect(report.replayed == .ended)
        #expect(!report.endsAlike)
    }

    private func forged(_ log: APDUTrace) throws -> APDUTrace {
        var forged = log
        let last = try #require(log.exchanges.last)
        var data = last.response.data
        data[40] ^= 0x01
        forged.entries[forged.entries.count - 1] = APDUTrace.Entry(
            line: last.line,
            .exchange(.init(line: last.line, command: last.command, response: ResponseAPDU(data, status: .success))))
        return forged
    }

    /// A card's list may ask for any number of bytes: BCD of four digits and more is not a code of
    /// a country or currency.
    @Test(arguments: [
        ("5F2A", 1), ("5F2A", 3), ("5F2A", 8), ("9F1A", 3), ("9F1A", 11), ("9F02", 12), ("9F03", 9), ("9F35", 4),
        ("9F09", 9),
    ])
    func aListThatAsksForAnotherLength(_ tag: String, _ count: Int) async throws {
        let list = try [UInt8](hex: tag) + [UInt8(count)]
        let record = [0x70, UInt8(list.count + 2), 0x8C, UInt8(list.count)] + list
        let value = String(repeating: "99", count: count)
        let log = """
            > 00A4040007A000000003101000
            < 6F168407A0000000031010A50B50095649534120544553549000
            > 80A8000002830000
            < 80060000080101009000
            > 00B2010C00
            < \(record.hex)9000
            > 80AE8000\([UInt8(count)].hex)\(value)00
            < 800B80000111223344556677889000
            """
        let report = try await Replay.run(try APDUTrace(parsing: log), caKeys: [])
        #expect(report.logged == .wentOnline)
    }

    /// T=0: a blocked directory answers 6283, and GET RESPONSE fetches its FCI (EMV Contact
    /// Interface Specification, annex A7).
    @Test func aWarningAndItsDataAreOneAnswer() async throws {
        let log = """
            > 00A404000E315041592E5359532E444446303100
            < 6283
            > 00C0000000
            < 6C15
            > 00C0000015
            < 6F13840E315041592E5359532E4444463031A501009000
            """
        let report = try await Replay.run(try APDUTrace(parsing: log), caKeys: [])
        let answer = try #require(report.steps.first { $0.line == 1 }?.response)
        #expect(answer.status == .selectedFileInvalidated)
        #expect(answer.data.count == 21)
        #expect(report.unused.isEmpty)
    }

    @Test func aLogThatEndsBeforeTheCryptogramHasNoOutcome() async throws {
        var short = try trace("visa-contact-online")
        short.entries.removeLast(4)
        let report = try await Replay.run(short, caKeys: [])
        #expect(report.logged == .noCryptogram)
        #expect(report.replayed == .noCryptogram)
        #expect(report.isCutShort)
    }

    /// The log goes on after its ARQC, with EXTERNAL AUTHENTICATE, and ends before the second
    /// cryptogram.
    @Test func aLogThatEndsOnTheWayFromTheARQCHasNoOutcome() async throws {
        var short = try trace("visa-contact-online")
        short.entries.removeLast()
        let report = try await Replay.run(short, caKeys: [])
        #expect(report.logged == .wentOnline)
        #expect(report.replayed == .wentOnline)
        #expect(report.isCutShort)
    }

    /// Terminals that leave the rest to a host, and contactless ones, stop at the ARQC: the same so
    /// far is the same.
    @Test func aLogThatEndsWithTheARQCIsWhole() async throws {
        var short = try trace("visa-contact-online")
        short.entries.removeLast(2)
        let report = try await Replay.run(short, caKeys: [])
        #expect(report.logged == .wentOnline)
        #expect(report.endsAlike)
        #expect(report.sendsAlike)
        #expect(!report.isCutShort)
    }

    /// Cut within the last answer, two bytes of its data stand where the status word should.
    @Test func aLogThatEndsWithinAnAnswerHasNoOutcome() async throws {
        for name in ["visa-contact-online", "mastercard-contact-online", "mastercard-contactless-cda"] {
            let whole = try text("traces/\(name).apdu").trimmingCharacters(in: .newlines)
            for digits in stride(from: 2, through: 40, by: 2) {
                let report = try await Replay.run(
                    try APDUTrace(parsing: String(whole.dropLast(digits))), caKeys: try testKeys())
                #expect(report.isCutShort, "\(name) without its last \(digits) digits")
            }
        }
    }

    /// In the middle of a record, `6268` may be two of its bytes: a warning would come with a whole
    /// record.
    @Test func aCutAnswerIsNoWarning() async throws {
        let whole = try text("traces/mastercard-contactless-cda.apdu")
        let end = try #require(whole.range(of: "BB1526EB95")).lowerBound
        let cut = whole[..<end] + "6268"
        #expect(try await Replay.run(try APDUTrace(parsing: String(cut)), caKeys: try testKeys()).isCutShort)
    }

    /// A card that refuses the second cryptogram ends the transaction, and the log with it.
    @Test func aRefusedCryptogramIsAnEnd() async throws {
        var refused = try trace("visa-contact-online")
        let last = try #require(refused.exchanges.last)
        refused.entries[refused.entries.count - 1] = APDUTrace.Entry(
            line: last.line,
            .exchange(
                .init(
                    line: last.line, command: last.command, response: ResponseAPDU([], status: .conditionsNotSatisfied))
            ))
        let report = try await Replay.run(refused, caKeys: [])
        #expect(report.logged == .wentOnline)
        #expect(report.endsAlike)
        #expect(!report.isCutShort)
    }
}

@Suite("What a log proves about its card") struct EvidenceTests {
    /// The keys in the heads of the traces reproduce the cryptograms (source: heads of the
    /// published captures).
    @Test func visaCryptogramsAreRecomputed() throws {
        let visa = try trace("visa-contact-online")
        let evidence = Evidence.examine(visa, caKeys: try testKeys(), issuer: IssuerKeyMaterial(visa))
        #expect(evidence.map(\.subject) == ["ARQC, first GENERATE AC", "ARPC", "TC, second GENERATE AC"])
        // The terminal's answer for the card has not the length of method 2: EXTERNAL AUTHENTICATE
        // was answered 6700.
        #expect(evidence.filter { !$0.isVerified }.map(\.result) == [.notChecked(.answerLength)])
    }

    @Test func mastercardCertificatesSDAAndARQCAreVerified() throws {
        let mastercard = try trace("mastercard-contact-online")
        let evidence = Evidence.examine(mastercard, caKeys: try testKeys(), issuer: IssuerKeyMaterial(mastercard))
        #expect(
            evidence.map(\.subject) == [
                "issuer certificate", "SDA", "ICC certificate", "ARQC, first GENERATE AC", "ARPC",
                "AAC, second GENERATE AC",
            ])
        // The terminal made its ARPC up, 1122334455667788, and the card declined; CDOL2 has not
        // what an AAC is computed over.
        #expect(evidence.filter(\.isDisproved).map(\.subject) == ["ARPC"])
        #expect(evidence.last?.result == .notChecked(.cryptogramInput))
    }

    @Test func mastercardCDAIsVerified() throws {
        let evidence = Evidence.examine(try trace("mastercard-contactless-cda"), caKeys: try testKeys())
        #expect(
            evidence.map(\.subject) == [
                "issuer certificate", "ICC certificate", "CDA, first GENERATE AC", "TC, first GENERATE AC",
            ])
        #expect(evidence.dropLast().allSatisfy { $0.isVerified })
        #expect(evidence.last?.isVerified == false)
        #expect(evidence.last?.isDisproved == false)
    }

    /// Without a version in the head it is found by RID and issuer application data.
    @Test(arguments: ["visa-contact-online", "mastercard-contact-online"]) func versionIsFoundInTheCard(_ name: String)
        throws
    {
        let log = try trace(name)
        let named = try #require(IssuerKeyMaterial(log))
        #expect(named.version != nil)
        let found = Evidence.examine(log, caKeys: try testKeys(), issuer: IssuerKeyMaterial(masterKey: named.masterKey))
        #expect(found == Evidence.examine(log, caKeys: try testKeys(), issuer: named))
        #expect(found.contains { $0.subject == "ARQC, first GENERATE AC" && $0.isVerified })
    }

    private func answer(_ log: APDUTrace) throws -> [Bool] {
        Evidence.examine(log, caKeys: try testKeys(), issuer: IssuerKeyMaterial(log)).filter { $0.subject == "ARPC" }
            .map(\.isVerified)
    }

    /// EMV 4.4 Book 2, 8.2, both methods. How an ARPC is made, the tests of CardCryptography hold
    /// against published values.
    @Test(arguments: ["script-after", "arpc-method-1", "oda-xda-online"]) func theIssuersAnswerIsRecomputed(
        _ name: String
    ) throws {
        let log = try trace(name)
        #expect(try answer(log) == [true])
        let command = try #require(log.exchanges.first { $0.command.instruction == .externalAuthenticate }?.command)
        var wrong = command.data
        wrong[0] ^= 1
        let text = try text("traces/\(name).apdu").replacingOccurrences(of: command.data.hex, with: wrong.hex)
        #expect(try answer(APDUTrace(parsing: text)) == [false])
    }

    @Test func theIssuersAnswerIsFoundInTheSecondCryptogram() throws {
        #expect(try answer(trace("arpc-in-the-second-cryptogram")) == [true])
        #expect(try answer(trace("unable-to-go-online-declined")).isEmpty)
    }

    @Test func aWrongKeyFails() throws {
        let visa = try trace("visa-contact-online")
        let wrong = IssuerKeyMaterial(masterKey: SecretBytes([UInt8](repeating: 0x11, count: 16)), version: .visa10)
        #expect(Evidence.examine(visa, caKeys: [], issuer: wrong).allSatisfy { !$0.isVerified })
        let card = Evidence.examine(try trace("mastercard-contact-online"), caKeys: [])
        #expect(card.first?.result == .notChecked(.caKey(rid: [0xA0, 0, 0, 0, 0x04], index: 0xEF)))
        #expect(
            card.dropFirst().prefix { $0.kind == .dataAuthentication }.allSatisfy { $0.result == .notChecked(.chain) })
    }
}

/// Logs that say why a command has no answer.
@Suite struct UnansweredReplayTests {
    /// The published log with its last answer taken away, and `reason` in its place.
    private func cut(_ reason: String) throws -> APDUTrace {
        let lines = try text("traces/visa-contact-online.apdu").split(separator: "\n")
        let last = try #require(lines.lastIndex { $0.hasPrefix("<") })
        return try APDUTrace(parsing: (lines[..<last] + ["! \(reason)"]).joined(separator: "\n"))
    }

    @Test(arguments: [
        ("card removed", CardChannelError.cardRemoved), ("no answer", .timedOut),
        ("malformed answer: 1 byte", .malformedAnswer(.recorded("1 byte"))),
        ("reader failed: unplugged", .readerFailed(.recorded("unplugged"))),
    ]) func theKernelIsGivenTheVeryError(_ reason: String, _ error: CardChannelError) async throws {
        let report = try await Replay.run(try cut(reason), caKeys: [])
        #expect(report.outcome?.decision == .terminated(.channel(error)))
        #expect(report.steps.last?.answer == .failure(error))
        #expect(report.steps.last?.command.instruction == .generateAC)
        #expect(report.logged == .wentOnline)
        #expect(report.endsAlike)
        #expect(!report.isCutShort)
        #expect(report.unused.isEmpty)
    }

    /// The issuer's answer is in the data of the second GENERATE AC, which nobody answered: the
    /// host has booked the sale.
    @Test func theIssuersAnswerIsKnownFromACommandWithoutAnswer() async throws {
        let report = try await Replay.run(try cut("card removed"), caKeys: [])
        #expect(report.events.contains(.wentOnline(responseCode: "00")))
        #expect(report.outcome?.requiresReversal == true)
    }

    /// GET RESPONSE belongs to the command before it, and so does its failure.
    @Test func aFailureWhileAnAnswerIsCollectedIsTheCommands() async throws {
        let log = try APDUTrace(parsing: "> 00A404000E315041592E5359532E4444463031\n< 6120\n> 00C0000020\n! no answer")
        let report = try await Replay.run(log, caKeys: [])
        #expect(report.steps.map(\.line) == [1])
        #expect(report.steps.first?.answer == .failure(.timedOut))
        #expect(report.outcome?.decision == .terminated(.channel(.timedOut)))
    }
}

@Suite struct ReplayChangeTests {
    private func run(_ head: String = "", decisions: String = "") async throws -> ReplayReport {
        let lines = try text("traces/oda-cda-offline.apdu").split(separator: "\n").filter {
            [">", "<"].contains($0.prefix(1))
        }
        let log = try APDUTrace(parsing: head + lines.joined(separator: "\n") + decisions)
        return try await Replay.run(log, caKeys: try contactCDA().keys)
    }

    @Test func aLogThatIsKeptToHasNoChanges() async throws {
        #expect(try await run().changes(.meaning) == [])
        #expect(try await run("# expect: approved offline\n").changes(.meaning) == [])
        #expect(try await run("# expect: approved\n").changes(.meaning) == [])
    }

    @Test func theExpectedOutcomeIsCompared() async throws {
        for expected in ["declined offline", "approve", "approved online"] {
            let changes = try await run("# expect: \(expected)\n").changes(.meaning)
            #expect(changes == [.expectation(expected: expected, replayed: "approved offline")])
        }
    }

    /// A log that has no decisions is compared by its outcome; one that has any, by all of them.
    @Test func decisionsAreComparedPhaseByPhase() async throws {
        let report = try await run()
        let decisions = report.events.map { "\n= \($0.phase.rawValue): \($0.summary)" }
        #expect(try await run(decisions: decisions.joined()).changes(.meaning) == [])
        var other = decisions
        let index = try #require(report.events.firstIndex { $0.phase == .riskManagement })
        other[index] = "\n= Terminal risk management: Transaction exceeds floor limit"
        other.append("\n= Completion: declined offline")
        #expect(
            try await run(decisions: other.joined()).changes(.meaning) == [
                .decision(
                    phase: "Terminal risk management", logged: "Transaction exceeds floor limit",
                    replayed: report.events[index].summary),
                .decision(phase: "Completion", logged: "declined offline", replayed: nil),
            ])
    }

    /// VERIFY was cut out of the published Visa log: by meaning it is kept to, by its bytes it is
    /// not.
    @Test func strictComparesTheCommands() async throws {
        let visa = try await Replay.run(try trace("visa-contact-online"), caKeys: try testKeys())
        #expect(visa.changes(.meaning) == [])
        let changed = visa.changes(.bytes).compactMap { change -> Instruction? in
            if case .command(let step) = change { step.command.instruction } else { nil }
        }
        #expect(changed.contains(.verify))
        #expect(
            try await run().changes(.bytes).contains { if case .notSent = $0 { true } else { false } } == !run().unused
                .isEmpty)
    }
}

/// What the head of a trace says of its terminal.
@Suite struct RecordedTerminalTests {
    private func terminal(_ lines: String...) throws -> RecordedTerminal? {
        try RecordedTerminal(APDUTrace(parsing: lines.map { "# \($0)\n" }.joined() + "> 0084000000\n< 6D00"))
    }

    @Test func everythingThatIsWrittenIsReadAgain() throws {
        var application = ApplicationConfiguration(
            aid: [0xA0, 0, 0, 0, 3, 0x10, 0x10], matchesPartially: false, versions: [0x96, 0x8C],
            actionCodes: ActionCodes(denial: [.cdaFailed], online: .floorLimitExceeded, default: [.sdaFailed]),
            floorLimit: 5000,
            randomSelection: RandomSelection(targetPercentage: 5, maximumPercentage: 50, threshold: 1000),
            defaultDDOL: [0x9F, 0x37, 4],
            defaultTDOL: [0x9F, 2, 6], riskManagementData: [1, 2, 3, 4, 5, 6, 7, 8])
        application.capabilities = [.contactChip, .sda]
        var configuration = TerminalConfiguration(
            type: .unattendedOfflineOnly, capabilities: [.contactChip, .cda],
            additionalCapabilities: [.goods, .numericKeys],
            countryCode: 276, applications: [application], caKeys: try testKeys(), usesPaymentSystemEnvironment: false,
            languages: ["de", "en"].compactMap { Language($0) })
        configuration.allowsPlaintextOfflinePIN = true
        configuration.maximumScriptLength = 256
        let request = TransactionRequest(
            kind: .purchaseWithCashback, amount: 1234, amountOther: 200, currencyCode: 978, date: [0x26, 0x11, 0x21],
            time: [0x12, 0x34, 0x56],
            sequenceCounter: 77, forcesOnline: true)
        let head = RecordedTerminal(configuration: configuration, request: request).metadata
        let read = try #require(try RecordedTerminal(APDUTrace(metadata: head)))
        #expect(read.metadata.map(\.value) == head.map(\.value))
        #expect(head.map(\.name).prefix(3) == ["terminal", "transaction", "application"])
        #expect(read.configuration.caKeys.map(\.checksum) == configuration.caKeys.map(\.checksum))
        #expect(read.configuration.capabilities == configuration.capabilities)
        #expect(read.configuration.type == .unattendedOfflineOnly)
        #expect(!read.configuration.usesPaymentSystemEnvironment)
        #expect(read.configuration.cardholderSelectsApplication)
        let taken = try #require(read.configuration.applications.first)
        #expect(taken.aid == application.aid)
        #expect(taken.versions == application.versions)
        #expect(taken.actionCodes == application.actionCodes)
        #expect(taken.floorLimit == 5000)
        #expect(taken.randomSelection == application.randomSelection)
        #expect(!taken.matchesPartially)
        #expect(taken.capabilities == [.contactChip, .sda])
        #expect(taken.defaultTDOL == [0x9F, 2, 6])
        #expect(read.request.amount == 1234)
        #expect(read.request.amountOther == 200)
        #expect(read.request.forcesOnline)
        #expect(read.request.kind == .purchaseWithCashback)
        #expect(read.request.date == request.date)
        #expect(read.request.time == request.time)
        #expect(read.request.sequenceCounter == 77)
    }

    @Test func aTraceWithoutIsNoError() throws { #expect(try terminal("title: x") == nil) }

    @Test(arguments: [
        "terminal: type=2", "terminal: type=22 type=22", "terminal: capabilities=E0F8", "terminal: country=1000",
        "terminal: country=-1",
    ]) func nonsenseIsNamed(_ line: String) {
        let error = #expect(throws: RecordedTerminalError.self) { try terminal(line) }
        #expect(error?.metadata == "terminal")
    }

    @Test(arguments: [
        ("application: versions=0096", "aid"), ("application: aid=A000", "aid"),
        ("application: aid=A000000003 random=1,2", "random"),
        ("application: aid=A000000003 versions=96", "versions"), ("transaction: type=77", "type"),
        ("transaction: amount=1 other=2", "other"), ("transaction: amount=1000000000000", "amount"),
        ("ca-key: rid=A000000003 index=92", "modulus"),
        ("ca-key: rid=A0000003 index=92 modulus=C1 exponent=03", "rid"),
        ("ca-key: rid=A000000003 index=92 suite=12 x=00", "x"),
    ]) func otherNonsenseIsNamed(_ line: String, _ word: String) {
        let error = #expect(throws: RecordedTerminalError.self) { try terminal("terminal: type=22", line) }
        #expect(error?.word == word)
    }
}
