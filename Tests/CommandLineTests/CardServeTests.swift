import Foundation
import Testing

/// `cardpresent card serve --vpcd`, on a double of vpcd in Python (`Tests/Peers/vpcd.py`), written
/// from the description of its protocol. With pcscd and the real vpcd: `tools/hil/scenarios/vpcd`.
@Suite(.timeLimit(.minutes(20))) struct CardServeTests {
    private static let peer = Vectors.folder.deletingLastPathComponent().appending(path: "Tests/Peers/vpcd.py").path(
        percentEncoded: false)

    /// Lets the double speak to the card of `arguments`; it ends the command.
    private func serve(_ scenario: String, _ arguments: String...) async throws {
        try await inWorkspace { place in
            _ = try place.file("said", "")
            async let double = place.run("/usr/bin/env", ["python3", Self.peer, place.path("."), scenario])
            for _ in 0..<600 where !place.exists("port") { try await Task.sleep(for: .milliseconds(50)) }
            let address = "127.0.0.1:\(try place.text("port"))"
            // The pipe is open for writing too, so that it never ends.
            let served = try await place.run(
                "/bin/sh",
                [
                    "-c", "mkfifo hand; echo $$ > pid; exec \"$@\" 0<>hand >said 2>&1", "sh", Executables.cardpresent,
                    "card", "serve",
                    "--vpcd",
                ]
                    + ["--vpcd-address", address] + arguments)
            let result = try await double
            let said = try place.text("said")
            #expect(result.status == 0, "\(result.errors) \(said)")
            #expect(result.output == "all as it should be\n", "\(result.errors) \(said)")
            #expect(served.wasKilled)
            #expect(Canary.hunt(said) == [])
        }
    }

    @Test("power, commands of every length, taken out and put back, vpcd ends and comes back") func life() async throws
    {
        try await serve("life", "--card", "visa")
    }

    @Test("faults of the profile: silence, removal, counted from each reset") func faults() async throws {
        try await inWorkspace { place in
            let text = try String(contentsOf: Vectors.folder.appending(path: "cards/visa-credit.json"), encoding: .utf8)
            let faults = """
                "faults": [{"fault": "silence", "command": "readRecord", "occurrence": 1}, {"fault": "removal", "command": "getData", "occurrence": 2}],
                """
            let card = try place.file("card.json", text.replacing("{", with: "{ \(faults)", maxReplacements: 1))
            try await serve("faults", "--card", card)
        }
    }

    @Test("a card in the field of a contactless reader") func tap() async throws {
        try await serve("tap", "--tap", "--card", "visa")
    }

    @Test func aCardWithContactsOnly() async throws {
        try await inWorkspace { place in
            let card = Vectors.folder.appending(path: "cards/visa-credit.json").path(percentEncoded: false)
            let run = try await place.run(
                "card", "serve", "--vpcd", "--vpcd-address", "127.0.0.1:1", "--tap", "--card", card)
            #expect(run.status == 2, "\(run.errors)")
            #expect(run.output.isEmpty, "\(run.errors)")
            #expect(run.complaint?.contains("\"contactless\"") == true, "\(run.errors)")
        }
    }

    @Test("no listener: the error names the cure, and the command ends") func nobody() async throws {
        try await inWorkspace { place in
            // Port 1 is tcpmux's, which nobody has.
            let run = try await place.run("card", "serve", "--vpcd", "--vpcd-address", "127.0.0.1:1", "--wait", "0")
            #expect(run.status == 2)
            #expect(run.output.isEmpty)
            #expect(run.complaint?.contains("127.0.0.1:1: connection refused") == true, "\(run.errors)")
            #expect(run.complaint?.contains("vsmartcard-vpcd") == true)
            let qemu = try await place.run("card", "serve", "--qemu", "127.0.0.1:1", "--wait", "0")
            #expect(qemu.status == 2)
            #expect(qemu.complaint?.contains("-chardev socket,id=card,host=127.0.0.1,port=1,server=on") == true)
        }
    }

    @Test(
        "Wrong usage of card serve ends with status 64",
        arguments: [
            ["--vpcd", "--qemu", "x"], [], ["--vpcd", "--vpcd-address", "nowhere"], ["--vpcd", "--wait", "-1"],
            ["--qemu", "x", "--tap"],
        ])
    func wrongUsage(_ arguments: [String]) async throws {
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, ["card", "serve"] + arguments)
            #expect(run.status == 64)
        }
    }
}
