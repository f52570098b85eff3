import Foundation
import Glibc
import Synchronization
import Testing

/// `cardpresent host`.
@Suite(.timeLimit(.minutes(20))) struct HostCommandTests {
    /// Waits until the text is in the file.
    private func wait(for text: String, in name: String, _ place: Workspace) async throws -> String {
        for _ in 0..<600 {
            let found = try place.text(name)
            if found.contains(text) { return found }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw TooSlow(description: "no \"\(text)\"")
    }

    @Test("seed, serve, ask, stop by SIGTERM, inspect, purge") func wholeLife() async throws {
        try await inWorkspace { place in
            let vault = place.path("vault")
            let seeded = try await place.run(
                "host", "seed", "--terminal", "T1", "--merchant", "Corner Shop", "--currency", "EUR", "--api-key",
                "till", "--vault", vault)
            #expect(seeded.status == 0)
            #expect(seeded.errors.isEmpty)
            let secret = String(try #require(seeded.output.firstMatch(of: #/(?m)^XML secret  ([0-9a-f]{32})$/#)).1)
            let key = String(try #require(seeded.output.firstMatch(of: #/(?m)^API key     ([0-9a-f]{64})$/#)).1)

            let output = try place.file("serve.out", "")
            let handle = try #require(FileHandle(forWritingAtPath: output))
            let process = Mutex<pid_t>(0)
            async let serving = place.run(
                "host", "serve", "--listen", "127.0.0.1:0", "--vault", vault, output: handle,
                started: { pid in process.withLock { $0 = pid } })
            let said = try await wait(for: "Listening at", in: "serve.out", place)
            #expect(said.contains("for tests only: it accepts published test card numbers only"))
            let port = String(try #require(said.firstMatch(of: #/http:\/\/127\.0\.0\.1:([0-9]+)\/merchant/#)).1)
            let peer = Vectors.folder.deletingLastPathComponent().appending(path: "Tests/GatewaysTests/peer.py").path(
                percentEncoded: false)
            let asked = try await place.run("/usr/bin/env", ["python3", peer, port, "T1", secret, key])
            #expect(asked.status == 0, "\(asked.errors)")
            let busy = try await place.run("host", "inspect", "--vault", vault)
            #expect(busy.status == 2)
            #expect(busy.complaint?.contains("in use, by another process") == true)
            kill(process.withLock { $0 }, SIGTERM)
            let served = try await serving
            #expect(served.status == 0)
            #expect(!served.wasKilled)
            #expect(try place.text("serve.out").hasSuffix("\nStopped.\n"))
            let line = #/cardpresent: [0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z /#
            #expect(served.errors.split(separator: "\n").allSatisfy { $0.prefixMatch(of: line) != nil }, "when")
            for (operation, order) in [("PAYMENT: 200", "py-1"), ("POST transaction/payments: 201", "py-10")] {
                #expect(served.errors.contains("Z \(operation) terminal T1 order \(order)\n"), "\(served.errors)")
            }
            for canary in ["5555555555554444", "4111111111111111", secret, key] {
                #expect(!served.errors.contains(canary))
            }

            let listed = try await place.run("host", "inspect", "--vault", vault)
            #expect(listed.status == 0)
            #expect(listed.output.contains("Terminal T1, Corner Shop, EUR\n"))
            #expect(listed.output.contains("py-12"))
            #expect(listed.output.contains("555555******4444"))
            #expect(!listed.output.contains("5555555555554444"))
            let one = try await place.run("host", "inspect", "--order", "py-12", "--vault", vault)
            #expect(one.status == 0)
            #expect(one.output.contains("reversed: requested"))
            let picture = place.path("signature.png")
            #expect(
                try await place.run("host", "inspect", "--order", "py-12", "--signature", picture, "--vault", vault)
                    .output
                    .contains("signed, 2 strokes"))
            #expect(
                try Array(Data(contentsOf: URL(filePath: picture)).prefix(8)) == [
                    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A,
                ])
            let unsigned = try await place.run(
                "host", "inspect", "--order", "py-10", "--signature", picture, "--vault", vault)
            #expect(unsigned.status == 1)
            #expect(unsigned.complaint?.contains("py-10 has no signature") == true)
            #expect(try await place.run("host", "inspect", "--order", "nobody", "--vault", vault).status == 1)
            #expect(
                try await place.run("host", "inspect", "--order", "py-12", "--terminal", "T2", "--vault", vault).status
                    == 1)
            let named = try await place.run("host", "inspect", "--order", "py-12", "--terminal", "T1", "--vault", vault)
            #expect(named.output == one.output)
            let vaultDocument = try await place.document("host", "inspect", "--vault", vault, "--json")
            let terminal = try #require((vaultDocument["terminals"] as? [[String: Any]])?.first)
            #expect(terminal["terminal"] as? String == "T1")
            #expect(terminal["currencies"] as? [String] == ["EUR"])
            let transactions = try #require(vaultDocument["transactions"] as? [[String: Any]])
            #expect(
                transactions.contains {
                    $0["order"] as? String == "py-12" && $0["reversalReason"] as? String == "requested"
                })
            #expect(!"\(vaultDocument)".contains("5555555555554444"))
            let order = try await place.document("host", "inspect", "--order", "py-12", "--vault", vault, "--json")
            #expect((order["transaction"] as? [String: Any])?["state"] as? String == "reversed")
            #expect(order["terminal"] as? String == "T1")
            let purged = try await place.run("host", "purge", "--keep", "0", "--vault", vault)
            #expect(purged.status == 0)
            #expect(purged.output.contains(#/^[1-9][0-9]* orders deleted\n$/#))
        }
    }

    @Test(
        "what cannot be served is said in one line",
        arguments: [
            (["serve", "--listen", "0.0.0.0:0"], "without encryption the host listens on loopback only"),
            (["serve", "--listen", "0.0.0.0:0", "--self-signed"], "--self-signed is for loopback"),
            (["serve", "--listen", "nowhere"], "write it as 127.0.0.1:8080"),
            (["serve", "--certificate", "chain.pem"], "a certificate needs its key"),
            (
                ["serve", "--certificate", "missing.pem", "--key", "missing.pem"],
                "not a matching certificate chain and key"
            ),
            (["serve", "--listen", "127.0.0.1:0"], "no terminal is configured: add one with cardpresent host seed"),
            (["seed", "--terminal", ""], "a terminal's id has 1 to 50 characters"),
            (["seed", "--terminal", "T1", "--currency", "XYZ"], "XYZ: unknown currency"),
            (["serve", "--card", "missing.json"], "missing.json"),
        ])
    func refused(_ arguments: [String], _ words: String) async throws {
        try await inWorkspace { place in
            let run = try await place.run(
                Executables.cardpresent, ["host"] + arguments + ["--vault", place.path("vault")])
            #expect(run.status == 2)
            #expect(run.output.isEmpty)
            #expect(run.complaint?.contains(words) == true, "\(run.errors)")
        }
    }

    @Test("a certificate of its own, on loopback") func selfSigned() async throws {
        try await inWorkspace { place in
            let vault = place.path("vault")
            let seeded = try await place.document("host", "seed", "--terminal", "T1", "--vault", vault, "--json")
            #expect(seeded["terminal"] as? String == "T1")
            #expect((seeded["xmlSecret"] as? String)?.count == 32)
            #expect(seeded["apiKey"] == nil)
            let handle = try #require(FileHandle(forWritingAtPath: try place.file("serve.out", "")))
            let process = Mutex<pid_t>(0)
            async let serving = place.run(
                "host", "serve", "--listen", "127.0.0.1:0", "--self-signed", "--quiet", "--vault", vault,
                output: handle,
                started: { pid in process.withLock { $0 = pid } })
            let said = try await wait(for: "Listening at https://127.0.0.1:", in: "serve.out", place)
            let port = String(try #require(said.firstMatch(of: #/:([0-9]+)\/merchant/#)).1)
            let verified = try await place.run(
                "/usr/bin/env",
                [
                    "openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-CAfile",
                    place.path("vault/host-certificate.pem"),
                    "-verify_return_error", "-tls1_2",
                ], input: "")
            #expect(verified.output.contains("Verify return code: 0 (ok)"))
            let shown = try await place.run(
                "/usr/bin/env",
                [
                    "openssl", "x509", "-in", place.path("vault/host-certificate.pem"), "-noout", "-fingerprint",
                    "-sha256",
                    "-ext", "basicConstraints",
                ])
            let fingerprint = try #require(shown.output.firstMatch(of: /Fingerprint=([0-9A-F:]{95})/)).1
            #expect(said.contains("SHA-256 \(fingerprint)"), "\(shown.output)\(said)")
            #expect(shown.output.contains("CA:FALSE"), "\(shown.output)\(said)")
            let old = try await place.run(
                "/usr/bin/env", ["openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-tls1_1"], input: "")
            #expect(old.status != 0, "TLS 1.2 or later")
            kill(process.withLock { $0 }, SIGINT)
            #expect(try await serving.status == 0)
            let certificate = try place.text("vault/host-certificate.pem")
            let other = Mutex<pid_t>(0)
            let again = try #require(FileHandle(forWritingAtPath: try place.file("again.out", "")))
            async let second = place.run(
                "host", "serve", "--listen", "127.0.0.1:0", "--self-signed", "--quiet", "--vault", vault, output: again,
                started: { pid in other.withLock { $0 = pid } })
            #expect(try await wait(for: "Listening at", in: "again.out", place).contains("SHA-256 \(fingerprint)"))
            kill(other.withLock { $0 }, SIGINT)
            #expect(try await second.status == 0)
            #expect(try place.text("vault/host-certificate.pem") == certificate)
        }
    }
}
