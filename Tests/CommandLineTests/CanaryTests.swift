import Bytes
import Foundation
import Glibc
import SmartCard
import Testing

/// No card data leaves the commands, by any way out.
@Suite(.timeLimit(.minutes(20))) struct CanaryTests {
    /// Everything that `run` said and everything in the workspace: outputs, traces, vaults with
    /// their logs, keys.
    private func leaks(_ run: Run, _ place: Workspace) throws -> [String] {
        var found =
            Canary.hunt(run.output).map { "\($0) on standard output" }
            + Canary.hunt(run.errors).map { "\($0) on standard error" }
        for (name, bytes) in try place.files() { found += Canary.hunt(bytes).map { "\($0) in \(name)" } }
        return found
    }

    // MARK: The hunt itself

    @Test(arguments: Canary.all.map(\.name)) func theHuntSeesEveryForm(_ name: String) throws {
        let canary = try #require(Canary.all.first { $0.name == name })
        let around = Array("before ".utf8)
        for form in canary.raw { #expect(Canary.hunt(around + form + around).contains(name)) }
        for form in canary.compact {
            for separator in ["", " ", "-", "\n    ", ":"] {
                let text = form.map(String.init).joined(separator: separator)
                #expect(Canary.hunt("before \(text) after").contains(name))
                #expect(Canary.hunt(text.lowercased()).contains(name))
            }
        }
    }

    @Test func theHuntSeesKnownLeaks() {
        #expect(Canary.hunt("5A084761739001010119") == ["PAN 476173…0119"])
        #expect(Canary.hunt("card 4761 7390 0101 0119") == ["PAN 476173…0119"])
        #expect(
            Canary.hunt([0x70, 0x5A, 0x08, 0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x01, 0x19, 0x90]) == ["PAN 476173…0119"]
        )
        #expect(Canary.hunt("> 0020008008241234FFFFFFFFFF") == ["PIN block 24…FFFF"])
        #expect(Canary.hunt("476173******0119, TEST, **** 0119, 00200080 08 ****************").isEmpty)
    }

    /// The hunt goes through the same pipes as in every other test.
    @Test func theHuntSeesCardDataThatWereAskedFor() async throws {
        try await inWorkspace { place in
            let shown = try await place.run("decode", "--show-card-data", "5A084761739001010119")
            #expect(shown.status == 0)
            let found = try leaks(shown, place)
            #expect(found.contains("PAN 476173…0119 on standard output"))
            #expect(found.contains { $0.hasSuffix(".out") }, "files of the workspace are searched too")
            let explained = try await place.run(
                "replay", "--explain", "--show-card-data", Vectors.trace("mastercard-contactless-cda"))
            #expect(Canary.hunt(explained.output) == ["PAN 541333…0044", "track 2 …4091", "cardholder ET…"])
        }
    }

    // MARK: The bench

    @Test("The demo prints and stores no card number") func demo() async throws {
        try await inWorkspace { place in
            let run = try await place.run("demo", "--vault", place.path("vault"), "--trace", place.path("trace"))
            #expect(run.status == 0)
            #expect(try place.contents("vault/vault.sqlite").count > 4096)
            #expect(try place.contents("trace").count > 4096)
            #expect(try leaks(run, place) == [])
        }
    }

    @Test func demoAsJSONInATemporaryVault() async throws {
        try await inWorkspace { place in
            let run = try await place.run("demo", "--json")
            #expect(run.status == 0)
            #expect(try leaks(run, place) == [])
            #expect(try !place.files().keys.contains { $0.contains("vault") }, "the temporary vault is gone")
        }
    }

    @Test(arguments: ["visa", "mastercard"]) func salesAndSecureCards(_ card: String) async throws {
        try await inWorkspace { place in
            let vault = ["--vault", place.path("vault")]
            for (arguments, status) in [
                (["sale", "12.34"], 0), (["sale", "1.05"], 1),
                (["sale", "20.00", "--register", "at-once", "--order", "one"], 0),
                (["sale", "20.00", "--order", "one"], 2),
                (["secure-card", "register", "customer", "--email", "a@example.com"], 0),
                (["secure-card", "register", "customer"], 2), (["secure-card", "show", "customer"], 0),
                (["secure-card", "edit", "customer", "--mobile", "123", "--operator", "someone"], 0),
                (["secure-card", "delete", "customer"], 0),
                (["secure-card", "show", "customer"], 2),
            ] as [([String], Int32)] {
                let readsNoCard = ["show", "delete"].contains(arguments[1])
                let run = try await place.run(
                    Executables.cardpresent,
                    arguments + vault + (readsNoCard ? [] : ["--card", card, "--trace", place.path("trace")]))
                #expect(run.status == status, "\(arguments): \(run.errors)")
                let found = try leaks(run, place)
                #expect(found == [], "\(arguments)")
            }
        }
    }

    @Test(
        "Killed in the middle of its work, a command leaves the database's log of changes behind",
        arguments: [1500, 4000, 6500])
    func aKilledRun(_ traceBytes: Int) async throws {
        try await inWorkspace { place in
            let warmUp = try await place.run("demo", "--vault", place.path("vault"))
            #expect(warmUp.status == 0, "\(warmUp.errors)")
            let reader = try SlowReader(place.path("trace"))
            defer { reader.close() }
            let (pids, started) = AsyncStream.makeStream(of: pid_t.self)
            async let running = place.run(
                "demo", "--vault", place.path("vault"), "--trace", place.path("trace"), started: { started.yield($0) })
            var pid: pid_t?
            for await started in pids {
                pid = started
                break
            }
            _ = try await reader.read(traceBytes)
            kill(try #require(pid), SIGKILL)
            let killed = try await running
            #expect(killed.wasKilled)
            // Empty before the first write: what an earlier run left in it was copied into the
            // database at the start.
            #expect(try place.files().contains { $0.key.hasSuffix("-wal") }, "there is a log of changes to look into")
            #expect(try leaks(killed, place) == [])
            let next = try await place.run("sale", "1.00", "--vault", place.path("vault"))
            #expect(next.status == 0, "the vault works after it: \(next.errors)")
        }
    }

    // MARK: Captured logs

    @Test(
        "A replay prints no card number with any flag", arguments: Vectors.traces,
        [[], ["--explain"], ["--json"]]) func replay(
            _ trace: String, _ flags: [String]
        ) async throws
    {
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, ["replay", Vectors.trace(trace)] + flags)
            #expect(run.status == (trace == "mastercard-contactless-cda" ? 3 : 0))
            #expect(try leaks(run, place) == [])
        }
    }

    /// The captured logs have no VERIFY, so one is put in.
    @Test(arguments: [[], ["--explain"], ["--json"], ["--explain", "--show-card-data"]]) func aPINInALog(
        _ flags: [String]
    ) async throws {
        let log = try Vectors.text("visa-contact-online").replacing(
            "> 80AE80001D", with: "> 0020008008241234FFFFFFFFFF\n< 9000\n> 80AE80001D")
        #expect(Canary.hunt(log).contains("PIN block 24…FFFF"))
        try await inWorkspace { place in
            let run = try await place.run(Executables.cardpresent, ["replay", "-"] + flags, input: log)
            #expect(run.status == 0)
            #expect(run.output.contains("VERIFY plaintext PIN"))
            #expect(!Canary.hunt(run.output + run.errors).contains { $0.hasPrefix("PIN") })
        }
    }

    /// What the bench's trace would write if the terminal sent the PIN to the card.
    @Test(arguments: [TraceDisclosure.redacted, .testCard]) func aPINInATrace(_ disclosure: TraceDisclosure) throws {
        var writer = APDUTraceWriter(disclosure)
        let verify = CommandAPDU(ins: 0x20, p2: 0x80, data: [0x24, 0x12, 0x34] + [UInt8](repeating: 0xFF, count: 5))
        let lines = writer.lines(APDUTrace.Exchange(command: verify, response: ResponseAPDU([], status: .success)))
        #expect(lines == "> 0020008008****************\n< 9000\n")
    }

    @Test func noVERIFYOfTheBenchIsInClear() async throws {
        try await inWorkspace { place in
            let run = try await place.run(
                "sale", "12.34", "--vault", place.path("vault"), "--trace", place.path("trace"))
            #expect(run.status == 0)
            let verifies = try place.text("trace").split(separator: "\n").filter {
                $0.hasPrefix("> 0020") || $0.hasPrefix("> 0024")
            }
            #expect(verifies.allSatisfy { $0.dropFirst(12).allSatisfy { $0 == "*" } })
        }
    }
}
