import EMVKernel
import EMVReplay
import Foundation
import SmartCard
import TLV
import Testing

/// The cases of `Vectors/traces`: each says why it is kept and how it ends, and our kernel does
/// today what it did then, byte by byte. A case is added by adding a file.
@Suite struct RegressionSuiteTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Vectors/traces")

    private static func trace(_ name: String) throws -> APDUTrace {
        try APDUTrace(parsing: String(contentsOf: folder.appending(path: name), encoding: .utf8))
    }

    /// Captures of other terminals say where they were published; ReplayTests has them.
    static let cases: [String] = {
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        return files.filter { $0.hasSuffix(".apdu") && (try? trace($0))?["source"] == nil }.sorted()
    }()

    @Test func thereAreMany() {
        #expect(Self.cases.count >= 170)
        #expect(Self.cases.count { $0.hasPrefix("tap-") } >= 60)
    }

    @Test(arguments: cases) func endsAsItDid(_ name: String) async throws {
        let trace = try Self.trace(name)
        #expect(trace.hasOnlyTestCards)
        let expected = try #require(trace["expect"])
        let report = try await Replay.run(trace, caKeys: [])
        #expect(report.changes(.bytes) == [])
        #expect(report.decisionWords.hasPrefix(expected))
        #expect(!report.isCutShort)
        #expect(report.isContactless == name.hasPrefix("tap-"))
        #expect(report.obstacle == nil)
    }

    @Test(
        "Every signature of a tap verifies, but for those that a case damages",
        arguments: cases.filter {
            $0.hasPrefix("tap-") && !$0.contains("damaged") && !$0.contains("reserved") && !$0.contains("raised")
        })
    func signaturesOfTaps(_ name: String) throws {
        let trace = try Self.trace(name)
        let evidence = Evidence.examine(trace, caKeys: try RecordedTerminal(trace)?.configuration.caKeys ?? [])
        let disproved = evidence.filter(\.isDisproved)
        // Its certificates ended before the date in the PDOL.
        #expect(disproved.map(\.subject) == (name.contains("expired") ? ["issuer certificate"] : []), "\(disproved)")
    }

    /// What a log contains, by its tags and commands alone, is in the list: proved, disproved, or
    /// not checked with a reason.
    @Test(arguments: cases) func nothingIsPassedOver(_ name: String) throws {
        for part in try Self.trace(name).presentations {
            let evidence = Evidence.examine(part, caKeys: [], issuer: IssuerKeyMaterial(part)).map(\.subject)
            var elements = DataElements()
            for exchange in part.exchanges
            where exchange.response.status == .success && exchange.command.instruction == .readRecord {
                _ = try? elements.append(parsing: exchange.response.data)
            }
            if elements.contains(.issuerPublicKeyCertificate),
                part.exchanges.contains(where: { $0.command.instruction == .getProcessingOptions })
            {
                #expect(evidence.contains { $0.hasSuffix("issuer certificate") })
            }
            let cryptograms = part.exchanges.filter {
                $0.command.instruction == .generateAC && $0.response.status == .success
            }
            #expect(
                evidence.count { $0.contains("GENERATE AC") && !$0.hasPrefix("CDA") && !$0.hasPrefix("XDA") }
                    >= min(1, cryptograms.count))
            let signed = cryptograms.count {
                ((try? DataElements(parsing: $0.response.data)) ?? DataElements()).contains(
                    .signedDynamicApplicationData)
            }
            #expect(evidence.count { $0.hasPrefix("CDA") || $0.hasPrefix("XDA") } >= signed)
        }
    }

    @Test func eachHasAReasonOfItsOwn() throws {
        var reasons: [String: String] = [:]
        for name in Self.cases {
            let reason = try #require(try Self.trace(name)["reason"], "\(name)")
            #expect(reason.count >= 15, "\(name)")
            #expect(reasons.updateValue(name, forKey: reason) == nil, "\(name): the reason of \(reasons[reason] ?? "")")
        }
    }

    @Test(
        "Every outcome, method and result that the kernel can come to is in one of them",
        arguments: [
            "approved offline", "approved online", "approved offline, unable to go online", "declined offline",
            "declined online", "declined offline, unable to go online", "terminated",
            // Of taps.
            "online request", "another interface", "to be presented again", "ended",
        ]) func everyOutcome(_ outcome: String) throws
    {
        #expect(try Self.cases.contains { try Self.trace($0)["expect"] == outcome })
    }

    @Test(
        "The recorded cases contain each decision",
        arguments: [
            "No CVM required", "Signature, if", "Plaintext PIN verification performed by ICC, if",
            "Plaintext PIN verification performed by ICC and signature",
            "Enciphered PIN verification performed by ICC, if",
            "Enciphered PIN verification performed by ICC and signature", "Enciphered PIN verified online",
            "Fail CVM processing", "No CVM performed", "SDA successful", "DDA successful", "CDA keys recovered",
            "XDA keys recovered", "SDA failed", "DDA failed", "CDA failed", "not performed", "signature failed",
            "issuer authentication successful", "issuer authentication failed", "unable to go online", "no candidate",
            "struck off",
        ]) func everyDecision(_ words: String) throws
    {
        let found = try Self.cases.contains { name in
            try Self.trace(name).entries.contains { entry in
                if case .decision(let decision) = entry.event { decision.summary.contains(words) } else { false }
            }
        }
        #expect(found)
    }

    @Test("Every hostile card of Vectors/cards has its case") func everyHostileCard() throws {
        let cards = try FileManager.default.contentsOfDirectory(
            atPath: Self.folder.deletingLastPathComponent().appending(path: "cards").path(percentEncoded: false))
        for card in cards where card.hasPrefix("hostile-") {
            #expect(Self.cases.contains(card.replacing(".json", with: ".apdu")), "\(card)")
        }
    }

    @Test(
        "The comparison sees a change: of a record that is signed, of a decision, of the outcome",
        arguments: [
            ("5F28020840", "5F28020826"),
            ("= Terminal risk management: nothing found", "= Terminal risk management: something"),
            ("# expect: approved offline", "# expect: declined offline"),
        ])
    func changesAreFound(_ before: String, _ after: String) async throws {
        let text = try String(contentsOf: Self.folder.appending(path: "oda-sda.apdu"), encoding: .utf8)
        try #require(text.contains(before))
        let trace = try APDUTrace(parsing: text.replacing(before, with: after))
        #expect(try await Replay.run(trace, caKeys: []).changes(.bytes) != [])
    }
}
