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

private func testKeys() throws -> [CAPublicKey] { try CAPublicKeyFile.parse(text("keys/ca-test-keys.tsv")) }

/// Logs of cards that are presented more than once.
@Suite("Several presentations are replayed") struct PresentationReplayTests {
    /// Those of the regression suite whose cards come again.
    private static let cases: [(name: String, verdicts: [String])] = [
        ("tap-visa-phone-unlocked", ["to be presented again", "online request"]),
        ("tap-mastercard-phone-unlocked", ["to be presented again", "online request"]),
        ("tap-mastercard-magstripe-phone-unlocked", ["to be presented again", "online request"]),
        ("tap-visa-torn-in-a-record-again", ["to be presented again", "approved offline"]),
        (
            "tap-visa-torn-everywhere",
            ["to be presented again", "to be presented again", "to be presented again", "approved offline"]
        ),
        ("tap-amex-torn-in-the-cryptogram", ["to be presented again", "approved offline"]),
        ("tap-mastercard-torn-recovered", ["to be presented again", "approved offline"]),
        ("tap-mastercard-torn-recovered-online", ["to be presented again", "online request"]),
        (
            "tap-mastercard-torn-in-the-recovery",
            ["to be presented again", "to be presented again", "approved offline"]
        ),
        ("tap-mastercard-torn-recovery-damaged", ["to be presented again", "ended"]),
        ("tap-kernel8-phone-unlocked", ["to be presented again", "online request"]),
        ("tap-kernel8-torn-in-the-cryptogram", ["to be presented again", "approved offline"]),
    ]

    /// - Parameter without: Lines that begin with one of these are left out.
    private func log(_ name: String, without: [String] = [], _ changes: [(String, String)] = []) throws -> APDUTrace {
        var log = try text("traces/\(name).apdu")
        for (before, after) in changes {
            try #require(log.contains(before))
            log = log.replacing(before, with: after)
        }
        let lines = log.split(separator: "\n").filter { line in !without.contains { line.hasPrefix($0) } }
        return try APDUTrace(parsing: lines.joined(separator: "\n"))
    }

    @Test("One verdict for each, which the log has too", arguments: cases.indices) func verdicts(_ index: Int)
        async throws
    {
        let (name, verdicts) = Self.cases[index]
        let report = try await Replay.run(log(name), caKeys: [])
        #expect(report.changes(.bytes) == [])
        #expect(!report.isCutShort)
        #expect(report.presentations.count == verdicts.count)
        for (presentation, verdict) in zip(report.presentations, verdicts) {
            #expect(presentation.decisionWords.hasPrefix(verdict))
        }
        #expect(report.phases.count { $0.phase.hasPrefix("Presentation") } == verdicts.count)
    }

    /// Then the commands tell where one presentation ends, and the card's cryptograms how.
    @Test("Without events and verdicts, commands separate the presentations", arguments: cases.indices)
    func commandsAlone(
        _ index: Int
    ) async throws {
        let (name, verdicts) = Self.cases[index]
        let report = try await Replay.run(log(name, without: ["! card presented", "="]), caKeys: [])
        #expect(report.changes(.bytes) == [])
        #expect(report.presentations.count == verdicts.count)
        #expect(report.presentations.last?.decisionWords.hasPrefix(verdicts.last ?? "–") ?? false)
    }

    @Test("Without the head the settings are those that explain the taps") func withoutHead() async throws {
        let trace = try log("tap-mastercard-torn-recovered-online", without: ["#", "! card presented", "="])
        let keys = try #require(try RecordedTerminal(log("tap-mastercard-torn-recovered-online"))).configuration.caKeys
        let report = try await Replay.run(trace, caKeys: keys)
        #expect(report.changes(.bytes) == [])
        #expect(report.logged == .wentOnline)
        #expect(report.endsAlike)
        #expect(report.presentations.map(\.logged) == [.noCryptogram, .wentOnline])
        #expect(report.presentations.map(\.kernel) == [.kernel2, .kernel2])
    }

    @Test("A verdict that differs is a change") func changedVerdict() async throws {
        let trace = try log(
            "tap-visa-phone-unlocked", [("= Presentation: to be presented again", "= Presentation: declined offline")])
        let changes = try await Replay.run(trace, caKeys: []).changes(.meaning)
        guard case .verdict(1, let logged, let replayed) = try #require(changes.first) else {
            Issue.record("\(changes)")
            return
        }
        #expect(changes.count == 1)
        #expect(logged.hasPrefix("declined"))
        #expect(replayed?.hasPrefix("to be presented again") ?? false)
    }

    /// The verdict of the second tap is missing, as in a log that ends too early.
    @Test("A verdict too few is a change") func missingVerdict() async throws {
        let trace = try log("tap-visa-phone-unlocked", without: ["= Presentation: online"])
        #expect(
            try await Replay.run(trace, caKeys: []).changes(.meaning) == [
                .verdict(presentation: 2, logged: "–", replayed: "online request")
            ])
    }

    /// 6985 in place of 6986: the kernel goes to the next application, and does not ask for the
    /// phone again.
    @Test("A card that refuses in another way ends otherwise") func refusedOtherwise() async throws {
        let trace = try log("tap-visa-phone-unlocked", [("< 6986", "< 6985")])
        let report = try await Replay.run(trace, caKeys: [])
        #expect(report.changes(.bytes).count == 1 && report.presentations[0].decisionWords.hasPrefix("ended"))
        // The second tap is then another payment, which ends as before.
        #expect(report.presentations[1].decisionWords == "online request")
    }

    @Test("A log of more presentations than a terminal asks for is still replayed in a bounded time")
    func manyPresentations() async throws {
        let lines = (0..<1_200).map { _ in "! card presented\n> 00A404000E325041592E5359532E444446303100\n! no answer\n"
        }
        let log = lines.joined() + (try text("contactless/visa-qvsdc-online.apdu"))
        let trace = try APDUTrace(
            parsing: log.split(separator: "\n").filter { !$0.hasPrefix("#") }.joined(separator: "\n"))
        #expect(trace.presentations.count == 1_000)
        #expect(trace.presentations.map(\.entries.count).reduce(0, +) == trace.entries.count)
        let report = try await Replay.run(trace, caKeys: [])
        #expect(report.presentations.count == 1_000 && report.presentations[0].kernel == nil)
    }

    // MARK: Several payments

    /// Two published captures, one after the other: each by its own kernel, with its own amount.
    private func twoPayments(_ changes: [(String, String)] = []) throws -> APDUTrace {
        var log = try text("contactless/visa-qvsdc-fdda01.apdu") + text("contactless/mastercard-emv-cda-f3.apdu")
        for (before, after) in changes {
            try #require(log.contains(before))
            log = log.replacing(before, with: after)
        }
        let lines = log.split(separator: "\n").filter { !$0.hasPrefix("#") }
        return try APDUTrace(parsing: lines.joined(separator: "\n"))
    }

    @Test("Two payments, each by the kernel of its application") func severalPayments() async throws {
        let report = try await Replay.run(twoPayments(), caKeys: testKeys())
        #expect(report.changes(.bytes) == [])
        #expect(report.obstacle == nil)
        #expect(report.presentations.map(\.kernel) == [.kernel3, .kernel2])
        #expect(report.presentations.map(\.replayed) == [.approved, .approved])
        let evidence = Evidence.examine(try twoPayments(), caKeys: try testKeys())
        #expect(evidence.contains { $0.subject == "presentation 1, fDDA" && $0.isVerified })
        #expect(evidence.contains { $0.subject == "presentation 2, CDA, first GENERATE AC" && $0.isVerified })
    }

    /// The amount that the first card signed is another one: its TC is good for nothing, the second
    /// payment stands.
    @Test("A forged first payment is named, the second one stands") func forgedPayment() async throws {
        let report = try await Replay.run(twoPayments([("000000000200", "000000000201")]), caKeys: testKeys())
        let replayed = try #require(report.presentations[0].replayed)
        #expect(replayed != .approved && report.presentations[1].replayed == .approved)
        #expect(report.changes(.meaning).contains(.presentation(number: 1, logged: .approved, replayed: replayed)))
    }

    /// fDDA of the first payment and CDA of the second one decide by the key of their payment
    /// system.
    @Test("The one whose key is missing says so, the other one has its verdict", arguments: [0, 1]) func missingKey(
        _ missing: Int
    )
        async throws
    {
        let rids: [[UInt8]] = [[0xA0, 0x00, 0x00, 0x00, 0x03], [0xA0, 0x00, 0x00, 0x00, 0x04]]
        let keys = try testKeys().filter { $0.rid != rids[missing] }
        let report = try await Replay.run(twoPayments(), caKeys: keys)
        #expect(report.presentations.map(\.replayed) == (missing == 0 ? [nil, .approved] : [.approved, nil]))
        guard
            case .dataAuthentication(.caKey(rids[missing], let index)) = try #require(
                report.presentations[missing].obstacle)
        else {
            Issue.record("\(report.presentations)")
            return
        }
        #expect(report.presentations[1 - missing].obstacle == nil)
        #expect(report.changes(.bytes) == [])
        #expect(!report.isCutShort)
        #expect(
            report.notChecked.count == 1 && report.notChecked[0].hasPrefix("presentation \(missing + 1) not replayed: ")
        )
        #expect(report.notChecked[0].contains("CA key \(rids[missing].hex) \([index].hex) not found"))
        #expect(report.phases.contains { $0.summary.contains("not replayed: ") })
        // The last one is the transaction that counts.
        #expect((report.obstacle == nil) == (missing == 0))
        #expect(report.replayed == (missing == 0 ? .approved : nil))
        #expect(report.logged == .approved)
        // Without either key nothing is replayed, and there is nothing to compare.
        let neither = try await Replay.run(twoPayments(), caKeys: keys.filter { !rids.contains($0.rid) })
        #expect(neither.obstacle != nil)
        #expect(neither.presentations.isEmpty)
        #expect(neither.changes(.bytes) == [])
        #expect(neither.notChecked.count == 1 && neither.notChecked[0].hasPrefix("not replayed: "))
    }

    @Test("What differs before or after one that is not replayed is a change") func changesBesideAnObstacle()
        async throws
    {
        let keys = try testKeys().filter { $0.rid == [0xA0, 0x00, 0x00, 0x00, 0x03] }
        let report = try await Replay.run(twoPayments([("000000000200", "000000000201")]), caKeys: keys)
        #expect(report.presentations[1].obstacle != nil && report.presentations[0].replayed != .approved)
        let replayed = try #require(report.presentations[0].replayed)
        #expect(report.changes(.meaning).contains(.presentation(number: 1, logged: .approved, replayed: replayed)))
    }

    @Test("A payment of a kernel that is not there leaves the other one its verdict") func unknownKernelBeside()
        async throws
    {
        // The RID of JCB in place of Visa's.
        let report = try await Replay.run(twoPayments([("A0000000031010", "A0000000651010")]), caKeys: testKeys())
        #expect(
            report.presentations.map(\.obstacle) == [.kernel(.kernel5), nil]
                && report.presentations[1].replayed == .approved)
        #expect(report.obstacle == nil)
        #expect(report.changes(.meaning) == [])
    }

    // MARK: Torn transactions

    @Test("The recovered answer is proved with the values of the torn tap") func recoveredEvidence() throws {
        let trace = try log("tap-mastercard-torn-recovered-online")
        let keys = try #require(try RecordedTerminal(trace)).configuration.caKeys
        let evidence = Evidence.examine(trace, caKeys: keys, issuer: IssuerKeyMaterial(trace))
        for subject in ["presentation 2, CDA, first GENERATE AC", "presentation 2, ARQC, first GENERATE AC"] {
            #expect(evidence.contains { $0.subject == subject && $0.isVerified }, "\(evidence)")
        }
        let damaged = try log("tap-mastercard-torn-recovery-damaged")
        let found = Evidence.examine(damaged, caKeys: try #require(try RecordedTerminal(damaged)).configuration.caKeys)
        #expect(found.contains { $0.subject.hasPrefix("presentation 2, CDA") && $0.isDisproved })
    }

    @Test("A recovery whose torn tap is not in the log is not replayed") func recoveryAlone() async throws {
        let whole = try text("traces/tap-mastercard-torn-recovered.apdu")
        let start = try #require(whole.range(of: "! card presented\n", options: .backwards))
        let head = whole.split(separator: "\n").filter { $0.hasPrefix("#") }.joined(separator: "\n")
        let trace = try APDUTrace(parsing: head + "\n" + whole[start.lowerBound...])
        #expect(try await Replay.run(trace, caKeys: []).obstacle == .recovery)
        // Beside another presentation, it alone.
        let other = try text("contactless/visa-qvsdc-online.apdu").split(separator: "\n").filter { !$0.hasPrefix("#") }
        let both = try APDUTrace(
            parsing: other.joined(separator: "\n") + "\n"
                + whole[start.lowerBound...].split(separator: "\n").filter { !$0.hasPrefix("=") }
                .joined(separator: "\n"))
        let report = try await Replay.run(both, caKeys: [])
        #expect(
            report.presentations.map(\.obstacle) == [nil, .recovery] && report.presentations[0].replayed == .wentOnline)
    }
}

/// Sessions of kernel 8, with the terminal's private key in the head.
@Suite("Sessions of kernel 8 are replayed") struct Kernel8ReplayTests {
    private struct Session: Decodable {
        struct Exchange: Decodable { let command, answer: String }
        struct Authority: Decodable { let rid, index, x: String }
        let curve, kernelPrivateKey: String
        let authority: Authority
        let exchanges: [Exchange]
    }

    /// The sessions that another implementation has recomputed (`Vectors/kernel-8`).
    private func session(_ name: String, key: ((Session) -> String?)? = nil) throws -> (APDUTrace, [CAPublicKey]) {
        let session = try JSONDecoder().decode(Session.self, from: Data(text("kernel-8/\(name).json").utf8))
        let key = key.map { $0(session) } ?? session.kernelPrivateKey
        let lines = session.exchanges.flatMap { ["> \($0.command)", "< \($0.answer)"] }
        let trace = try APDUTrace(
            parsing: ((key.map { ["# kernel-8-key: \($0)"] } ?? []) + lines).joined(separator: "\n"))
        let suite: SignatureSuite = session.curve == "P-256" ? .p256 : .p521
        let point = try ECPublicKey(suite.curve, x: [UInt8](hex: session.authority.x))
        let authority = CAPublicKey(
            rid: try [UInt8](hex: session.authority.rid), index: try [UInt8](hex: session.authority.index)[0],
            key: .ellipticCurve(point, suite), isTest: true)
        return (trace, [authority])
    }

    @Test("Enciphered records, envelopes and codes are the same again", arguments: ["p256", "p521"]) func sessions(
        _ name: String
    ) async throws {
        let (trace, keys) = try session(name)
        let report = try await Replay.run(trace, caKeys: keys)
        #expect(report.obstacle == nil)
        #expect(report.changes(.bytes) == [])
        #expect(report.logged == .approved)
        #expect(report.endsAlike)
        #expect(report.presentations.map(\.kernel) == [.kernel8])
        #expect(report.assumptions.contains { $0.hasPrefix("relay resistance") })
    }

    /// No key, the key of another curve, and one that is not that of the session.
    @Test(
        "Without the terminal's key it is not replayed",
        arguments: [nil, String(repeating: "01", count: 66), String(repeating: "01", count: 32), "XY"])
    func withoutKey(_ key: String?) async throws {
        let (trace, keys) = try session("p256") { _ in key }
        let report = try await Replay.run(trace, caKeys: keys)
        #expect(report.obstacle == .channelKey)
        #expect(report.replayed == nil)
        #expect(report.notChecked.first?.contains("kernel-8-key") ?? false)
    }

    /// As `replay --kernel-8-key` does it.
    @Test("Keys from outside are taken after those of the head") func keysFromOutside() async throws {
        let (whole, keys) = try session("p256")
        let (trace, _) = try session("p256") { _ in nil }
        let key = try #require(whole[RecordedChannelKeys.name])
        let other = String(repeating: "01", count: 32)
        let completed = trace.completed(withKernel8Keys: [other, key])
        #expect(try await Replay.run(completed, caKeys: keys).changes(.bytes) == [])
        #expect(try await Replay.run(trace.completed(withKernel8Keys: [other]), caKeys: keys).obstacle == .channelKey)
        #expect(whole.completed(withKernel8Keys: [other])[RecordedChannelKeys.name] == key, "the head's own counts")
        #expect(RecordedChannelKeys.isKey(key))
        #expect(RecordedChannelKeys.isKey(other))
        for text in ["", "01", "XY", String(repeating: "00", count: 32), String(repeating: "01", count: 33)] {
            #expect(!RecordedChannelKeys.isKey(text), "\(text)")
        }
    }

    @Test("Without the authority's key it is not replayed, with another key the cryptogram differs")
    func withoutAuthority() async throws {
        let (trace, keys) = try session("p256")
        let obstacle = try await Replay.run(trace, caKeys: []).obstacle
        #expect(obstacle == .dataAuthentication(.caKey(rid: [0xF0, 0, 0, 0, 0x01], index: 0xE1)))
        let another = try #require(keys.first)
        let (_, others) = try session("p521")
        let wrong = CAPublicKey(
            rid: another.rid, index: another.index, key: try #require(others.first).key, isTest: true)
        let report = try await Replay.run(trace, caKeys: [wrong])
        #expect(!report.changes(.meaning).isEmpty)
        #expect(report.contactlessOutcome?.status != .approved)
    }

    @Test("With the terminal's key the certificates are proved") func evidence() throws {
        let (trace, keys) = try session("p256")
        let evidence = Evidence.examine(trace, caKeys: keys)
        for subject in ["issuer certificate", "ICC certificate"] {
            #expect(evidence.contains { $0.subject == subject && $0.isVerified }, "\(evidence)")
        }
        // The record with the static data is another one.
        var entries = trace.entries
        guard case .exchange(let exchange) = entries[4].event else {
            Issue.record("no exchange")
            return
        }
        var data = exchange.response.data
        data[data.count - 1] ^= 0x01
        entries[4] = APDUTrace.Entry(
            .exchange(.init(line: exchange.line, command: exchange.command, response: ResponseAPDU(data))))
        let changed = Evidence.examine(APDUTrace(metadata: trace.metadata, entries: entries), caKeys: keys)
        #expect(changed.contains { $0.subject == "ICC certificate" && $0.isDisproved })
    }

    /// One bit of an enciphered record, of the card's key data, and of the code over the
    /// cryptogram.
    @Test("A changed answer ends otherwise", arguments: [2, 4, 9]) func changed(_ index: Int) async throws {
        let (trace, keys) = try session("p256")
        var entries = trace.entries
        guard case .exchange(let exchange) = entries[index].event else {
            Issue.record("no exchange")
            return
        }
        var data = exchange.response.data
        data[data.count - 1] ^= 0x01
        entries[index] = APDUTrace.Entry(
            .exchange(.init(line: exchange.line, command: exchange.command, response: ResponseAPDU(data))))
        let report = try await Replay.run(APDUTrace(metadata: trace.metadata, entries: entries), caKeys: keys)
        #expect(report.contactlessOutcome?.status != .approved)
    }
}
