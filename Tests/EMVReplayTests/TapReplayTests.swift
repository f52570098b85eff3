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

private func capture(_ name: String, _ changes: [(String, String)] = []) throws -> APDUTrace {
    var log = try text("contactless/\(name).apdu")
    for (before, after) in changes {
        try #require(log.contains(before))
        log = log.replacing(before, with: after)
    }
    return try APDUTrace(parsing: log)
}

private func testKeys() throws -> [CAPublicKey] { try CAPublicKeyFile.parse(text("keys/ca-test-keys.tsv")) }

/// Public captures of contactless cards, each by the kernel of its application.
@Suite struct TapReplayTests {
    /// Commands, cryptogram and CVM results are those of the capture's terminal.
    @Test func mastercardOfflineByKernel2() async throws {
        let trace = try capture("mastercard-emv-cda-f3")
        let report = try await Replay.run(trace, caKeys: try testKeys())
        #expect(report.changes(.bytes) == [])
        #expect(report.obstacle == nil)
        #expect(report.notChecked.isEmpty)
        #expect(report.contactlessOutcome?.status == .approved)
        #expect(report.logged == .approved)
        #expect(report.endsAlike)
        #expect(report.result(.terminalVerificationResults)?.hex == "0000000001")
        #expect(report.result(.cvmResults)?.hex == "1F0302")
        #expect(report.phases.contains { $0.summary == "kernel 2" })
    }

    @Test func visaOfflineByKernel3() async throws {
        let trace = try capture("visa-qvsdc-fdda01")
        let report = try await Replay.run(trace, caKeys: try testKeys())
        #expect(report.changes(.bytes) == [])
        #expect(report.endsAlike)
        #expect(report.contactlessOutcome?.status == .approved)
        #expect(report.logged == .approved)
        #expect(report.phases.contains { $0.summary == "kernel 3" })
    }

    /// CTQ 9000 with a reader that has online PIN.
    @Test func visaOnlineByKernel3() async throws {
        let report = try await Replay.run(try capture("visa-qvsdc-online"), caKeys: try testKeys())
        #expect(report.changes(.bytes) == [])
        #expect(report.endsAlike)
        #expect(report.logged == .wentOnline)
        #expect(report.contactlessOutcome?.verification == .onlinePIN)
    }

    /// The numbers that the terminals sent are the logs' own; one of the logs has no PPSE, so that
    /// one is made up.
    @Test func magstripeModeByKernel2() async throws {
        let made = try await Replay.run(try capture("mastercard-magstripe-made-up"), caKeys: [])
        #expect(made.changes(.bytes).isEmpty)
        #expect(made.logged == .wentOnlineByTrack)
        #expect(made.endsAlike)
        let captured = try await Replay.run(try capture("mastercard-magstripe-captured"), caKeys: [])
        #expect(captured.changes(.meaning).isEmpty)
        #expect(captured.logged == .wentOnlineByTrack)
        #expect(captured.endsAlike)
        #expect(captured.changes(.bytes).count == 1)
        #expect(captured.assumptions.contains { $0.contains("the log has no directory") })
        #expect(captured.unused.isEmpty)
    }

    @Test("The captured Expresspay phone by kernel 4: the same but for the counter, which it does not read")
    func expresspay() async throws {
        let report = try await Replay.run(try capture("amex-mobile-cda-97"), caKeys: try testKeys())
        #expect(report.obstacle == nil)
        #expect(report.logged == .wentOnline)
        #expect(report.endsAlike)
        #expect(report.unused.map(\.command.bytes.hex) == ["80CA9F3600"])
        #expect(report.changes(.meaning).isEmpty)
        #expect(report.contactlessOutcome?.verification == .consumerDevice)
    }

    @Test("A log of another kernel is not the same: it is not replayed") func anotherKernel() async throws {
        let names = [("A000000025010901", "A000000065010901")]
        let report = try await Replay.run(try capture("amex-mobile-cda-97", names), caKeys: try testKeys())
        #expect(report.obstacle == .kernel(.kernel5))
        #expect(report.replayed == nil)
        #expect(!report.isCutShort)
        #expect(report.notChecked == ["not replayed: kernel 5 is not implemented, only kernels 2, 3, 4, 7 and 8 are"])
        #expect(report.steps.isEmpty)
        #expect(report.unused.isEmpty)
        #expect(report.changes(.bytes).isEmpty)
        #expect(!report.endsAlike)
    }

    /// Tag 9F2A in the directory counts before the payment system.
    @Test func theDirectoryNamesTheKernel() async throws {
        let trace = try capture(
            "visa-qvsdc-online",
            [
                (
                    "6F2D840E325041592E5359532E4444463031A51BBF0C1861164F07A0000000031010500B56495341204352454449549000",
                    "6F31840E325041592E5359532E4444463031A51FBF0C1C611A4F07A0000000031010500B56495341204352454449549F2A01069000"
                )
            ])
        #expect(try await Replay.run(trace, caKeys: []).obstacle == .kernel(.kernel6))
    }

    /// Where the kernel would decide by a signature that nobody can check, nothing is the same and
    /// nothing different.
    @Test(arguments: [
        ("mastercard-emv-cda-f3", Evidence.Gap.caKey(rid: [0xA0, 0, 0, 0, 0x04], index: 0xF3)),
        ("visa-qvsdc-fdda01", .caKey(rid: [0xA0, 0, 0, 0, 0x03], index: 0x92)),
    ])
    func withoutTheAuthoritysKey(_ name: String, _ gap: Evidence.Gap) async throws {
        let report = try await Replay.run(try capture(name), caKeys: [])
        #expect(report.obstacle == .dataAuthentication(gap))
        #expect(report.notChecked[0].contains("give it with --ca-keys"))
        #expect(report.notChecked.count == 1)
        #expect(report.changes(.meaning).isEmpty)
    }

    @Test(
        "The amount that was signed is not the one in the log: the card's TC is good for nothing",
        arguments: [
            ("mastercard-emv-cda-f3", "80AE500042000000000001", "80AE500042000000000002"),
            ("visa-qvsdc-fdda01", "000000000200", "000000000201"),
        ]) func aForgedAmount(_ name: String, _ before: String, _ after: String) async throws
    {
        let trace = try capture(name, [(before, after)])
        let report = try await Replay.run(trace, caKeys: try testKeys())
        #expect(report.logged == .approved)
        #expect(report.contactlessOutcome?.status != .approved)
        #expect(!report.endsAlike)
        #expect(report.changes(.meaning).count >= 1)
        #expect(Evidence.examine(trace, caKeys: try testKeys()).contains { $0.isDisproved })
    }

    /// The terminal's TVR says that the floor limit was passed, which no amount of the log does
    /// otherwise.
    @Test func limitsAreThoseThatTheLogShows() async throws {
        let trace = try capture("visa-qvsdc-online", [("8321" + "24C04000", "8321" + "24004000")])
        let report = try await Replay.run(trace, caKeys: [])
        #expect(report.changes(.bytes).isEmpty)
        #expect(report.contactlessOutcome?.status == .onlineRequest)
    }

    @Test("A log without the card's answer to GET PROCESSING OPTIONS is cut short") func cutShort() async throws {
        let log = try text("contactless/visa-qvsdc-fdda01.apdu")
        let end = try #require(log.range(of: "> 80A8"))
        let report = try await Replay.run(try APDUTrace(parsing: String(log[..<end.lowerBound])), caKeys: [])
        #expect(report.logged == .noCryptogram)
        #expect(report.isCutShort)
    }

    @Test("A Visa card that gave a track and no cryptogram: what the terminal made of it is nothing that kernel 3 does")
    func visasMagstripeMode() async throws {
        let trace = try capture("visa-qvsdc-online", [("9F260848325309BE82CBA2", "9F160848325309BE82CBA2")])
        #expect(try await Replay.run(trace, caKeys: []).obstacle == .magstripeMode)
    }

    /// Without the authority's key, and without need for it: the card asked for its issuer, and TTQ
    /// for no signature.
    @Test func aSignatureThatDecidesNothing() async throws {
        let trace = try capture("visa-qvsdc-fdda01", [("9F10070601110390", "9F100706011103A0")])
        #expect(try await Replay.run(trace, caKeys: []).contactlessOutcome?.status == .onlineRequest)
    }

    @Test(arguments: [
        (
            "80EA00000411223344\n< 800A112233440001000200039000\n> 80EA00000411223344\n< 800A112233440001000200039000",
            ReplayObstacle.relayResistance
        ), ("80D000000400000000\n< 6985", .recovery),
    ])
    func whatOurKernelLacks(_ command: String, _ obstacle: ReplayObstacle) async throws {
        let trace = try capture("mastercard-emv-cda-f3", [("> 00B2011400", "> \(command)\n> 00B2011400")])
        #expect(try await Replay.run(trace, caKeys: try testKeys()).obstacle == obstacle)
    }
}

/// What the keys prove of contactless logs, for `replay` and `explain` alike.
@Suite struct TapEvidenceTests {
    private enum State { case proved, disproved, notChecked }

    private func states(_ name: String, _ changes: [(String, String)] = []) throws -> [String: State] {
        let evidence = Evidence.examine(try capture(name, changes), caKeys: try testKeys())
        return Dictionary(
            evidence.map { ($0.subject, $0.isVerified ? .proved : $0.isDisproved ? .disproved : .notChecked) },
            uniquingKeysWith: { first, _ in first })
    }

    @Test(arguments: [
        ("mastercard-emv-cda-f3", "CDA, first GENERATE AC", "TC, first GENERATE AC"),
        ("amex-mobile-cda-97", "CDA, first GENERATE AC", "ARQC, first GENERATE AC"),
        ("visa-qvsdc-fdda01", "fDDA", "TC, GET PROCESSING OPTIONS"),
    ])
    func everySignatureIsVerified(_ name: String, _ signature: String, _ code: String) throws {
        // Mastercard's card has SDA besides.
        let more: [String: State] = name.hasPrefix("mastercard") ? ["SDA": .proved] : [:]
        var states = try states(name)
        // Of these only Mastercard's card was sent the date.
        #expect(
            states.removeValue(forKey: "expiry of the certificates")
                == (name.hasPrefix("mastercard") ? nil : .notChecked))
        #expect(
            states
                == more.merging([
                    "issuer certificate": .proved, "ICC certificate": .proved, signature: .proved, code: .notChecked,
                ]) { $1 })
    }

    /// Without a key of the issuer a MAC is neither right nor wrong.
    @Test(arguments: [
        ("visa-qvsdc-online", ["ARQC, GET PROCESSING OPTIONS"]), ("mastercard-magstripe-made-up", ["CVC3, track 2"]),
        ("mastercard-magstripe-captured", ["CVC3, track 1", "CVC3, track 2"]),
    ])
    func codesAreNotChecked(_ name: String, _ codes: [String]) throws {
        #expect(try states(name) == Dictionary(uniqueKeysWithValues: codes.map { ($0, State.notChecked) }))
    }

    /// CVC3 of the published personalisation, with the issuer's key that it was made with and with
    /// another one.
    @Test func aCodeWithTheIssuersKey() throws {
        let log = """
            > 00A4040007A000000004101000
            < 6F098407A00000000410109000
            > 80A8000002830000
            < 770A820200009404080101009000
            > 00B2010C00
            < 70249F6502000E9F66020E709F6B135413123456784800D09061019000990000000F9F6701039000
            > 802A8E80040000089900
            < 770A9F6102C61E9F360200019000

            """
        func result(_ key: String, _ log: String) throws -> [Evidence] {
            Evidence.examine(try APDUTrace(parsing: "# cvc3-master-key: \(key)\n" + log), caKeys: [])
        }
        let right = try result("01234567899876543210012345678998", log)
        #expect(right.map(\.subject) == ["CVC3, track 2"])
        #expect(right.allSatisfy { $0.isVerified })
        #expect(try result("01234567899876543210012345678999", log).allSatisfy { $0.isVerified }, "a parity bit")
        #expect(try result("11234567899876543210012345678998", log).allSatisfy { $0.isDisproved })
        #expect(
            try result("01234567899876543210012345678998", log.replacing("C61E", with: "C61F")).allSatisfy(
                \.isDisproved))
    }

    /// Unpredictable number, amount, currency and tag 9F69 are signed; the cryptogram is not.
    @Test(arguments: [
        ("ABABABAB00", "ABABABAC00"), ("000000000200084", "000000000201084"), ("0840ABABABAB", "0978ABABABAB"),
    ])
    func whatFastDDACovers(_ before: String, _ after: String) throws {
        #expect(try states("visa-qvsdc-fdda01", [(before, after)])["fDDA"] == .disproved)
    }
}
