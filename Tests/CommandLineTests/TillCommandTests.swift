import Foundation
import Testing

/// `cardpresent till`: JSON lines in, JSON lines out.
@Suite(.timeLimit(.minutes(20))) struct TillCommandTests {
    private func messages(_ output: String) throws -> [[String: Any]] {
        try output.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
    }

    @Test("A sale is answered, with what happens meanwhile, and no card number") func sale() async throws {
        try await inWorkspace { place in
            let run = try await place.run(
                "till", "--vault", place.path("vault"),
                input: #"""
                    {"request": "sale", "id": "1", "order": "o-1", "amount": "12.34", "currency": "EUR"}

                    {"request": "sale", "id": "2", "amount": "12.34"}
                    rubbish
                    """#)
            #expect(run.status == 0, "\(run.errors)")
            #expect(run.errors.isEmpty)
            let messages = try messages(run.output)
            let payment = try #require(messages.first { $0["message"] as? String == "payment" })
            #expect(payment["id"] as? String == "1")
            #expect(payment["outcome"] as? String == "approved")
            #expect(payment["entryMode"] as? String == "chip")
            let errors = messages.filter { $0["message"] as? String == "error" }
            #expect(errors.map { $0["id"] as? String } == ["2", nil])
            #expect(errors.allSatisfy { $0["code"] as? String == "invalidRequest" })
            #expect(messages.contains { $0["event"] as? String == "progress" })
            #expect(Set(Canary.hunt(run.output)) == ["cardholder TE…"], "the till shows it to nobody else")
        }
    }

    @Test("What one process has sold the next one finds in its journal") func journal() async throws {
        try await inWorkspace { place in
            func ask(_ request: String) async throws -> [String: Any]? {
                let run = try await place.run("till", "--vault", place.path("vault"), input: request + "\n")
                return try messages(run.output).first { $0["id"] as? String == "1" }
            }
            _ = try await ask(#"{"request": "sale", "id": "1", "order": "o-1", "amount": "12.34", "currency": "EUR"}"#)
            let inquiry = try await ask(#"{"request": "inquiry", "id": "1", "order": "o-1"}"#)
            #expect(inquiry?["outcome"] as? String == "approved")
            let receipt = try await ask(#"{"request": "receipt", "id": "1", "order": "o-1"}"#)
            #expect((receipt?["merchant"] as? [Any])?.isEmpty == false)
            let unknown = try await ask(#"{"request": "inquiry", "id": "1", "order": "o-2"}"#)
            #expect(unknown?["code"] as? String == "transactionUnknown")
        }
    }

    @Test("A line that is too long is refused, and the next one is read") func longLine() async throws {
        try await inWorkspace { place in
            let run = try await place.run(
                "till", "--vault", place.path("vault"),
                input: String(repeating: " ", count: 3 << 20) + "\n" + #"{"request": "cancel", "id": "2"}"#)
            let messages = try messages(run.output)
            #expect((messages.first?["description"] as? String)?.contains("larger than 1024 KiB") == true)
            #expect(messages.last?["answer"] as? String == "nothingToCancel")
            #expect(messages.count == 2)
        }
    }

    @Test(
        "A card that is wrong leaves no vault and no key behind", arguments: ["sale", "record", "secure-card", "till"])
    func wrongCard(_ command: String) async throws {
        try await inWorkspace { place in
            let card = try place.file("wrong.json", "{}")
            let arguments =
                switch command {
                case "sale": ["sale", "1.00"]
                case "record": ["record", "1.00", "--output", place.path("log.apdu")]
                case "secure-card": ["secure-card", "register", "c-1"]
                default: [command]
                }
            let run = try await place.run(
                Executables.cardpresent, arguments + ["--card", card, "--vault", place.path("vault")])
            #expect(run.status != 0)
            #expect(run.errors.contains("wrong.json"), "\(run.errors)")
            #expect(!FileManager.default.fileExists(atPath: place.path("vault")))
            #expect(!FileManager.default.fileExists(atPath: place.path("vault.key")))
        }
    }
}
