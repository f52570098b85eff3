import Foundation
import SmartCard
import Testing

/// `cardpresent demo`: what is promised to happen does.
@Suite(.timeLimit(.minutes(20))) struct DemoTests {
    private struct Document: Decodable {
        struct Phase: Decodable {
            let phase, result: String
            let milliseconds: Double
        }
        struct Step: Decodable {
            let name: String
            let succeeded: Bool
            let detail: String
        }
        struct Captured: Decodable {
            let title: String
            let loggedOutcome, replayedOutcome: String
            let endsAlike: Bool
        }
        let succeeded: Bool
        let sale: [Phase]
        let steps: [Step]
        let captured: [Captured]
        let receipt: String
        let terminalVerificationResults, transactionStatusInformation: [String]
    }

    @Test func theJSONDocumentSaysThatAllOfItHappened() async throws {
        let run = try await inWorkspace { try await $0.run("demo", "--json") }
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        let object = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
        let keys = try #require(object as? [String: Any]).keys.sorted()
        #expect(
            keys == [
                "captured", "cardholderVerification", "receipt", "sale", "steps", "succeeded",
                "terminalVerificationResults",
                "transactionStatusInformation", "version",
            ])
        let document = try JSONDecoder().decode(Document.self, from: Data(run.output.utf8))
        #expect(document.succeeded)
        #expect(document.steps.filter { !$0.succeeded }.map(\.name) == [])
        for name in [
            "sale", "CDA", "ARQC", "ARPC, method 2", "TC", "register", "retrieve by merchant reference", "edit",
            "sale by token", "delete", "sale by the deleted token", "sale with registration", "ARPC, method 1",
            "kernel against the log",
        ] {
            #expect(document.steps.contains { $0.name == name }, "\(name)")
        }
        #expect(document.terminalVerificationResults.contains("Online CVM captured"))
        #expect(document.transactionStatusInformation.contains("Issuer authentication was performed"))
        #expect(document.captured.map(\.loggedOutcome) == ["declined (AAC)", "approved (TC)", "approved (TC)"])
        #expect(
            document.captured.allSatisfy { $0.endsAlike && $0.loggedOutcome == $0.replayedOutcome && !$0.title.isEmpty }
        )
    }

    /// The functions of EMV 4.4 Book 3, 10, by their headings there, and the end. Script processing
    /// is named when a script comes, and the test issuer sends none.
    @Test func theSaleGoesThroughThePhases() async throws {
        let run = try await inWorkspace { try await $0.run("demo", "--json") }
        let document = try JSONDecoder().decode(Document.self, from: Data(run.output.utf8))
        var phases: [String] = []
        for phase in document.sale where !phases.contains(phase.phase) { phases.append(phase.phase) }
        #expect(
            phases == [
                "Application selection", "Initiate application processing", "Read application data",
                "Offline data authentication",
                "Processing restrictions", "Cardholder verification", "Terminal risk management",
                "Terminal action analysis",
                "Card action analysis", "Online processing", "Completion",
            ])
        #expect(document.sale.allSatisfy { $0.milliseconds >= 0 && !$0.result.isEmpty })
    }

    /// What a receipt must and may show (EMV 4.4 Book 4, 11.4).
    @Test func theReceiptHasWhatItNeeds() async throws {
        let run = try await inWorkspace { try await $0.run("demo", "--json") }
        let receipt = try JSONDecoder().decode(Document.self, from: Data(run.output.utf8)).receipt
        for line in [
            #/^AID +A0000000031010$/#, #/^Application +VISA CREDIT$/#, #/^Card +VISA \*{4} 0119$/#,
            #/^TVR +[0-9A-F]{10}$/#,
            #/^TSI +F800$/#, #/^TC +[0-9A-F]{16}$/#, #/^ARC +00$/#, #/^CVM +PIN verified online$/#,
            #/^AMOUNT +12\.34 EUR$/#, #/^Approval code +[0-9]{6}$/#,
        ] {
            let found = receipt.split(separator: "\n").contains { $0.wholeMatch(of: line) != nil }
            #expect(found, "no line like \(line)")
        }
        #expect(receipt.contains("APPROVED"))
    }

    @Test func theTextSaysTheSame() async throws {
        let run = try await inWorkspace { try await $0.run("demo") }
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
        #expect(!run.output.contains("✗"))
        #expect(!run.output.contains("\u{1B}"))
        #expect(run.output.contains(#/All (\d+) of \1 checks passed\./#))
        #expect(run.output.matches(of: #/(?m)^Captured: /#).count == 3)
    }

    /// People can read it; a replay fails with the reason.
    @Test func theTraceCannotBeReplayed() async throws {
        try await inWorkspace { place in
            let run = try await place.run("demo", "--trace", place.path("trace"))
            #expect(run.status == 0)
            let trace = try place.text("trace")
            let firstHidden = try #require(trace.split(separator: "\n").firstIndex { $0.contains("*") }) + 1
            let error = #expect(throws: APDUTraceError.self) { try APDUTrace(parsing: trace) }
            #expect(error?.line == firstHidden)
            #expect(error?.reason == .redacted)
            let replay = try await place.run("replay", place.path("trace"))
            #expect(replay.status == 2)
            let complaint = try #require(replay.complaint)
            #expect(complaint.hasPrefix("\(place.path("trace")): line \(firstHidden): "))
            let mode = try FileManager.default.attributesOfItem(atPath: place.path("trace"))[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
    }

    @Test func itRunsAgainInTheSameVault() async throws {
        try await inWorkspace { place in
            for _ in 1...3 {
                let run = try await place.run("demo", "--vault", place.path("vault"), "--json")
                #expect(run.status == 0, "\(run.errors)")
            }
            for (name, mode) in [("vault", 0o700), ("vault.key", 0o600)] {
                let found =
                    try FileManager.default.attributesOfItem(atPath: place.path(name))[.posixPermissions] as? Int
                #expect(found == mode, "\(name) is for nobody else")
            }
        }
    }

    @Test func aSecondOneInTheSameVaultIsTurnedAway() async throws {
        try await inWorkspace { place in
            let reader = try SlowReader(place.path("trace"))
            defer { reader.close() }
            async let first = place.run("demo", "--vault", place.path("vault"), "--trace", place.path("trace"))
            // So much of a trace means that the vault is open, and the rest will not fit into the
            // pipe.
            _ = try await reader.read(2000)
            let second = try await place.run("demo", "--vault", place.path("vault"))
            #expect(second.status == 2)
            #expect(second.output.isEmpty)
            #expect(
                second.complaint?.contains("vault \(place.path("vault")) is in use, by another process") == true,
                "\(second.errors)")
            let drain = Task { await reader.drain() }
            let ended = try await first
            drain.cancel()
            #expect(ended.status == 0, "the first one is not disturbed: \(ended.errors)")
        }
    }

    /// Several that begin together in a new vault: each works, or says that the vault is in use;
    /// afterwards the key opens it.
    @Test func manyAtOnceInANewVault() async throws {
        try await inWorkspace { place in
            let runs = try await withThrowingTaskGroup(of: Run.self) { group in
                for _ in 1...4 { group.addTask { try await place.run("sale", "1.00", "--vault", place.path("vault")) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(runs.contains { $0.status == 0 })
            for run in runs where run.status != 0 {
                #expect(run.status == 2, "\(run.status): \(run.errors)")
                #expect(run.complaint?.contains("in use") == true, "\(run.status): \(run.errors)")
            }
            let after = try await place.run("sale", "1.00", "--vault", place.path("vault"))
            #expect(after.status == 0, "\(after.errors)")
        }
    }
}
