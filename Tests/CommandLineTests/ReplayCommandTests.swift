import Foundation
import Testing

/// `cardpresent replay` of the captured logs and of logs that were tampered with.
@Suite(.timeLimit(.minutes(20))) struct ReplayCommandTests {
    /// What the heads of the logs say of their outcome and what their last GENERATE AC data hold as
    /// TVR. Of all that Mastercard's log shows, the ARPC alone is none: its terminal sent
    /// 1122334455667788.
    @Test(
        "Captured logs have the outcome that their terminals had",
        arguments: [
            ("mastercard-contact-online", "declined (AAC)", "8000008000", "5E0300"),
            ("mastercard-contactless-cda", "approved (TC)", "0000000000", "5E0300"),
            ("visa-contact-online", "approved (TC)", "8000008040", "410302"),
        ]) func capturedLogs(_ name: String, outcome: String, tvr: String, cvmResults: String) async throws
    {
        try await inWorkspace { place in
            // The cryptogram of a tap is one of its proofs, and the log has no issuer's key.
            let isTap = name == "mastercard-contactless-cda"
            let status: Int32 = isTap ? 3 : 0
            let text = try await place.run("replay", Vectors.trace(name))
            #expect(text.status == status)
            #expect(text.errors.isEmpty)
            #expect(text.output.contains("  log     \(outcome)\n  kernel  \(outcome)\n  the same\n"))
            let wrong = name == "mastercard-contact-online" ? ["ARPC"] : []
            #expect(text.output.components(separatedBy: "✗").count - 1 == wrong.count)

            let json = try await place.run("replay", "--json", Vectors.trace(name))
            #expect(json.status == status)
            #expect(json.errors.isEmpty)
            let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
            let document = try #require(object as? [String: Any])
            #expect(document["loggedOutcome"] as? String == outcome)
            #expect(document["replayedOutcome"] as? String == outcome)
            #expect(document["endsAlike"] as? Bool == true)
            #expect(document["isCutShort"] as? Bool == false)
            #expect(document["tvr"] as? String == tvr)
            #expect(document["cvmResults"] as? String == cvmResults)
            let evidence = try #require(document["evidence"] as? [[String: Any]])
            #expect(evidence.contains { $0["verified"] as? Bool == true })
            #expect(evidence.filter { $0["verified"] as? Bool == false }.map { $0["subject"] as? String } == wrong)
            let open = evidence.filter { $0["result"] as? String == "not checked" }.map { $0["subject"] as? String }
            let gaps = ["mastercard-contact-online": ["AAC, second GENERATE AC"], "visa-contact-online": ["ARPC"]]
            #expect(open == (isTap ? ["TC, first GENERATE AC"] : gaps[name] ?? []))

            let piped = try await place.run("replay", "-", input: try Vectors.text(name))
            #expect(piped.status == status)
            #expect(piped.output == text.output)
        }
    }

    @Test("An explained replay names every command of the log", arguments: Vectors.traces) func explained(
        _ name: String
    ) async throws {
        let run = try await inWorkspace { try await $0.run("replay", "--explain", Vectors.trace(name)) }
        #expect(run.status == (name == "mastercard-contactless-cda" ? 3 : 0))
        let commands = try Vectors.text(name).split(separator: "\n").count { $0.hasPrefix(">") }
        #expect(
            run.output.matches(of: #/(?m)^line \d+: .* → [0-9A-F]{4} /#).count == commands,
            "every command of the log is named")
        #expect(run.output.contains("Terminal Verification Results (TVR), 5 bytes"))
    }

    private func replay(_ name: String, replacing old: String, with new: String) async throws -> Run {
        let log = try Vectors.text(name)
        #expect(log.ranges(of: old).count == 1)
        return try await inWorkspace { try await $0.run("replay", "-", input: log.replacing(old, with: new)) }
    }

    /// The terminal asked for an ARQC. A card that answers with a TC breaks EMV 4.4 Book 3, 10.8:
    /// the kernel ends where the log went on.
    @Test func aFirstTCThatNobodyAskedFor() async throws {
        let run = try await replay("visa-contact-online", replacing: "< 80228000297CB3", with: "< 80224000297CB3")
        #expect(run.status == 1)
        #expect(run.errors.isEmpty)
        #expect(run.output.contains("  log     approved (TC)\n  kernel  no cryptogram\n  DIFFERENT\n"))
    }

    @Test("One bit of the card's signature: kernel 2 ends the application (EMV Contactless Book C-2, S9)")
    func aForgedSignature()
        async throws
    {
        let run = try await replay("mastercard-contactless-cda", replacing: "9F4B8190124CD6", with: "9F4B8190124CD7")
        #expect(run.status == 1)
        #expect(run.errors.isEmpty)
        #expect(run.output.contains("  log     approved (TC)\n  kernel  ended without a payment\n  DIFFERENT\n"))
        #expect(run.output.contains("✗ CDA, first GENERATE AC"))
    }

    /// Where the card signed the cryptogram's type along with it, the flip is found: an AAC carries
    /// its cryptogram beside no signature (EMV 4.4 Book 2, 6.6.1). Where nothing covers the type,
    /// the log is the card, and both decline.
    @Test func aTCFlippedToAnAAC() async throws {
        let signed = try await replay("mastercard-contactless-cda", replacing: "9F2701409F3602", with: "9F2701009F3602")
        #expect(signed.status == 1)
        #expect(signed.errors.isEmpty)
        #expect(signed.output.contains("  log     declined (AAC)\n  kernel  declined (AAC)\n  the same\n"))
        #expect(signed.output.contains("the cryptogram information data differ from the card's answer"))
        #expect(signed.output.contains("✗ CDA, first GENERATE AC"))
        let unsigned = try await replay("visa-contact-online", replacing: "< 80124000", with: "< 80120000")
        #expect(unsigned.status == 0)
        #expect(unsigned.output.contains("  log     declined (AAC)\n  kernel  declined (AAC)\n  the same\n"))
    }

    /// Without its key the kernel cannot verify what the log's terminal could: neither right nor
    /// wrong, in every form.
    @Test func anUnknownCAKey() async throws {
        try await inWorkspace { place in
            let keys = try place.file("keys", "# none\n\n")
            // The conversation alone: the head has the key.
            let lines = try Vectors.text("oda-cda-offline").split(separator: "\n").filter {
                [">", "<"].contains($0.prefix(1))
            }
            let log = try place.file("cda.log", lines.joined(separator: "\n"))
            let run = try await place.run("replay", "--ca-keys", keys, log)
            #expect(run.status == 3)
            #expect(run.errors.isEmpty)
            #expect(
                run.output.contains("  the same\n  not checked: CDA: CA key A000000003 E0 not found: give it with "))
            #expect(!run.output.contains("✗"))
            let document = try await place.run("replay", "--json", "--ca-keys", keys, log)
            #expect(document.status == 3)
            #expect(document.output.contains("\"result\" : \"not checked\""))

            let junit = place.path("results.xml")
            let many = try await place.run("replay", "--ca-keys", keys, "--junit", junit, log, Vectors.trace("oda-sda"))
            #expect(many.status == 3)
            #expect(many.output.contains("2 logs: 1 the same, 0 different, 0 broken, 1 not checked in full"))
            #expect(try String(contentsOfFile: junit, encoding: .utf8).contains("<skipped message=\"not checked: CDA"))

            let tap = try await place.run("replay", "--ca-keys", keys, Vectors.trace("mastercard-contactless-cda"))
            #expect(tap.status == 3)
            #expect(tap.output.contains("not replayed: the kernel decides by the card's signature"))

            let explained = try await place.run(
                "explain", "--ca-keys", keys, Vectors.trace("mastercard-contactless-cda"))
            #expect(explained.status == 3)
            #expect(explained.output.contains("? issuer certificate not checked: CA key A000000004 EF"))
            let page = place.path("page.html")
            _ = try await place.run(
                "explain", "--html", page, "--ca-keys", keys, Vectors.trace("mastercard-contactless-cda"))
            #expect(try String(contentsOfFile: page, encoding: .utf8).contains("<li class=\"unknown\">"))
        }
    }

    /// The TVR of the log says that the card had expired; the kernel finds that it had not. The
    /// outcome is the same, the log is not kept to.
    @Test func aTVRThatDiffers() async throws {
        let run = try await replay("visa-contact-online", replacing: "8000008000", with: "8040008000")
        #expect(run.status == 1)
        #expect(run.output.contains("DIFFERENT"))
        #expect(run.output.contains("8040008000"))
        #expect(run.output.contains("TVR"))
    }
}
