import Foundation
import Glibc
import Synchronization
import Testing

/// A bench host that `cardpresent host serve` serves on loopback, and what a till needs to sell at
/// it: `terminal.json`, `api.key`, `xml.secret` and `journal.key` in the workspace.
struct ServedHost {
    let url: String

    /// The options of a till that speaks the REST interface.
    func rest(_ place: Workspace, journal: String = "till") -> [String] {
        options(place, journal) + ["--api-key-file", place.path("api.key")]
    }

    /// The options of a till that speaks the XML interface.
    func xml(_ place: Workspace, journal: String = "till") -> [String] {
        options(place, journal) + ["--xml-secret-file", place.path("xml.secret")]
    }

    private func options(_ place: Workspace, _ journal: String) -> [String] {
        [
            "--gateway", url, "--terminal", place.path("terminal.json"), "--journal", place.path(journal),
            "--journal-key", place.path("journal.key"),
        ]
    }

    /// Serves while `body` runs.
    static func served(_ place: Workspace, seed: [String] = [], _ body: (ServedHost) async throws -> Void) async throws
    {
        let vault = place.path("host")
        let run = try await place.run(
            Executables.cardpresent,
            ["host", "seed", "--terminal", "BENCH001", "--api-key", "till", "--vault", vault, "--json"] + seed)
        let seeded = try #require(
            try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any], "\(run.errors)")
        _ = try place.secret("api.key", try #require(seeded["apiKey"] as? String) + "\n")
        _ = try place.secret("xml.secret", try #require(seeded["xmlSecret"] as? String) + "\n")
        _ = try place.secret("journal.key", String(repeating: "5a", count: 32) + "\n")
        let shown = try await place.run("config", "show")
        _ = try place.file(
            "terminal.json",
            shown.output.replacing(#""mode" : "production""#, with: #""mode" : "test""#).replacing(
                "LANE0001", with: "BENCH001"))
        let handle = try #require(FileHandle(forWritingAtPath: try place.file("serve.out", "")))
        let process = Mutex<pid_t>(0)
        async let serving = place.run(
            "host", "serve", "--listen", "127.0.0.1:0", "--vault", vault, output: handle,
            started: { pid in process.withLock { $0 = pid } })
        do {
            let url = try await address(place)
            try await body(ServedHost(url: url))
        } catch {
            kill(process.withLock { $0 }, SIGTERM)
            _ = try? await serving
            throw error
        }
        kill(process.withLock { $0 }, SIGTERM)
        let ended = try await serving
        #expect(ended.status == 0)
    }

    private static func address(_ place: Workspace) async throws -> String {
        for _ in 0..<2400 {
            if let found = try place.text("serve.out").firstMatch(of: #/http:\/\/127\.0\.0\.1:[0-9]+\/merchant/#) {
                return String(found.0)
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw TooSlow(description: "the host does not listen")
    }
}
