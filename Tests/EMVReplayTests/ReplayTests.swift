import Bytes
import CardCryptography
import EMVKernel
import EMVReplay
import Foundation
import SmartCard
import TLV
import Testing

private func text(_ path: String) throws -> String {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: package.appending(path: "Vectors/\(path)"), encoding: .utf8)
}

private func trace(_ name: String) throws -> APDUTrace { try APDUTrace(parsing: text("traces/\(name).apdu")) }
private func testKeys() throws -> [CAPublicKey] { try CAPublicKeyFile.parse(text("keys/ca-test-keys.tsv")) }

@Suite struct ReplayTests {
    /// The log's own GENERATE AC data, split by CDOL1 by hand: TVR 8000008000.
    @Test func visaOnlineEndsInTheSameTCWithTheSameTVR() async throws {
        let report = await Replay.run(try trace("visa-contact-online"), caKeys: try testKeys())
        #expect(report.logged == .approved)
        #expect(report.replayed == .approved)
        #expect(report.outcome.decision == .approved(.online))
        // CDOL2 of the log carries TVR 8000008040: EXTERNAL AUTHENTICATE was refused.
        #expect(report.outcome.tvr.description == "8000008040")
        #expect(report.sendsAlike)
        let missing = report.steps.filter { if case .notInLog = $0.verdict { true } else { false } }
        #expect(missing.map { $0.command.instruction } == [.verify], "the VERIFY that was taken out of the log is all that is missing")
    }

    /// The terminal asked for a TC after ARC 00 and the card gave an AAC: declined, and what the host booked is to be reversed.
    @Test func mastercardDeclinesAfterApproval() async throws {
        let report = await Replay.run(try trace("mastercard-contact-online"), caKeys: try testKeys())
        #expect(report.logged == .declined)
        #expect(report.endsAlike && report.sendsAlike)
        #expect(report.outcome.decision == .declined(.online))
        #expect(report.outcome.reversalWanted)
        #expect(report.outcome.cvmResults.bytes.hex == "5E0300")
    }

    @Test func mastercardCombinedSignatureIsVerified() async throws {
        let report = await Replay.run(try trace("mastercard-contactless-cda"), caKeys: try testKeys())
        #expect(report.endsAlike && report.sendsAlike)
        #expect(report.outcome.decision == .approved(.offline))
        #expect(report.outcome.tvr.isEmpty)
        #expect(report.events.contains(.combinedSignature(nil)))
    }

    @Test func withoutTheCAKeyTheOutcomeDiffers() async throws {
        let report = await Replay.run(try trace("mastercard-contactless-cda"), caKeys: [])
        #expect(!report.sendsAlike, "the TVR says that CDA failed")
        #expect(report.outcome.tvr.contains(.cdaFailed))
        let failures = report.events.compactMap { event in
            if case .dataAuthentication(.cda, .unknownCAKey(let rid, let index)) = event { rid.hex + index.hex } else { nil }
        }
        #expect(failures == ["A000000004EF"])
    }

    /// One flipped bit in the card's signature: the log says approved, the kernel may not.
    @Test func aForgedSignatureEndsInADecline() async throws {
        var forged = try trace("mastercard-contactless-cda")
        let last = try #require(forged.exchanges.last)
        var data = last.response.data
        data[40] ^= 0x01
        forged.entries[forged.entries.count - 1] = APDUTrace.Entry(
            line: last.line,
            .exchange(.init(line: last.line, command: last.command, response: ResponseAPDU(data, status: .success))))
        let report = await Replay.run(forged, caKeys: try testKeys())
        #expect(report.logged == .approved && report.replayed == .declined && !report.endsAlike)
    }

    @Test func aLogThatEndsBeforeTheCryptogramHasNoOutcome() async throws {
        var short = try trace("visa-contact-online")
        short.entries.removeLast(4)
        let report = await Replay.run(short, caKeys: [])
        #expect(report.logged == .noCryptogram)
        #expect(report.replayed == .noCryptogram)
        #expect(report.isCutShort)
    }

    /// The log goes on after its ARQC, with EXTERNAL AUTHENTICATE, and ends before the second cryptogram.
    @Test func aLogThatEndsOnTheWayFromTheARQCHasNoOutcome() async throws {
        var short = try trace("visa-contact-online")
        short.entries.removeLast()
        let report = await Replay.run(short, caKeys: [])
        #expect(report.logged == .wentOnline && report.replayed == .wentOnline && report.isCutShort)
    }

    /// Terminals that leave the rest to a host, and contactless ones, stop at the ARQC: the same so far is the same.
    @Test func aLogThatEndsWithTheARQCIsWhole() async throws {
        var short = try trace("visa-contact-online")
        short.entries.removeLast(2)
        let report = await Replay.run(short, caKeys: [])
        #expect(report.logged == .wentOnline && report.endsAlike && report.sendsAlike && !report.isCutShort)
    }

    /// Cut within the last answer, two bytes of its data stand where the status word should.
    @Test func aLogThatEndsWithinAnAnswerHasNoOutcome() async throws {
        for name in ["visa-contact-online", "mastercard-contact-online", "mastercard-contactless-cda"] {
            let whole = try text("traces/\(name).apdu").trimmingCharacters(in: .newlines)
            for digits in stride(from: 2, through: 40, by: 2) {
                let report = await Replay.run(try APDUTrace(parsing: String(whole.dropLast(digits))), caKeys: try testKeys())
                #expect(report.isCutShort, "\(name) without its last \(digits) digits")
            }
        }
    }

    /// A card that refuses the second cryptogram ends the transaction, and the log with it.
    @Test func aRefusedCryptogramIsAnEnd() async throws {
        var refused = try trace("visa-contact-online")
        let last = try #require(refused.exchanges.last)
        refused.entries[refused.entries.count - 1] = APDUTrace.Entry(
            line: last.line,
            .exchange(.init(line: last.line, command: last.command, response: ResponseAPDU([], status: .conditionsNotSatisfied))))
        let report = await Replay.run(refused, caKeys: [])
        #expect(report.logged == .wentOnline && report.endsAlike && !report.isCutShort)
    }
}

@Suite struct EvidenceTests {
    /// The keys in the heads of the traces reproduce the cryptograms (source: heads of the published captures).
    @Test func visaCryptogramsAreRecomputed() throws {
        let visa = try trace("visa-contact-online")
        let evidence = Evidence.examine(visa, caKeys: try testKeys(), issuer: IssuerKeyMaterial(visa))
        #expect(evidence.map(\.subject) == ["ARQC, first GENERATE AC", "TC, second GENERATE AC"])
        #expect(evidence.allSatisfy { $0.isVerified })
    }

    @Test func mastercardCertificatesSDAAndARQCAreVerified() throws {
        let mastercard = try trace("mastercard-contact-online")
        let evidence = Evidence.examine(mastercard, caKeys: try testKeys(), issuer: IssuerKeyMaterial(mastercard))
        #expect(evidence.map(\.subject) == ["issuer certificate", "SDA", "ICC certificate", "ARQC, first GENERATE AC"])
        #expect(evidence.allSatisfy { $0.isVerified })
    }

    @Test func mastercardCDAIsVerified() throws {
        let evidence = Evidence.examine(try trace("mastercard-contactless-cda"), caKeys: try testKeys())
        #expect(evidence.map(\.subject) == ["issuer certificate", "ICC certificate", "CDA, first GENERATE AC"])
        #expect(evidence.allSatisfy { $0.isVerified })
    }

    /// Without a version in the head it is found by RID and issuer application data.
    @Test(arguments: ["visa-contact-online", "mastercard-contact-online"]) func versionIsFoundInTheCard(_ name: String) throws {
        let log = try trace(name)
        let named = try #require(IssuerKeyMaterial(log))
        #expect(named.version != nil)
        let found = Evidence.examine(log, caKeys: try testKeys(), issuer: IssuerKeyMaterial(masterKey: named.masterKey))
        #expect(found == Evidence.examine(log, caKeys: try testKeys(), issuer: named))
        #expect(found.contains { $0.subject == "ARQC, first GENERATE AC" && $0.isVerified })
    }

    @Test func aWrongKeyFails() throws {
        let visa = try trace("visa-contact-online")
        let wrong = IssuerKeyMaterial(masterKey: SecretBytes([UInt8](repeating: 0x11, count: 16)), version: .visa10)
        #expect(Evidence.examine(visa, caKeys: [], issuer: wrong).allSatisfy { !$0.isVerified })
        let card = Evidence.examine(try trace("mastercard-contact-online"), caKeys: [])
        #expect(card.map(\.result) == [.failed("no CA public key A000000004 EF is configured")])
    }
}
