import EMVKernel
import EMVReplay
import Foundation
import SmartCard
import Testing

@Suite("What many logs have in common is worked out once") struct ReplayMemoryTests {
    private func trace(_ name: String) throws -> APDUTrace {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try APDUTrace(
            parsing: String(contentsOf: folder.appending(path: "Vectors/traces/\(name)"), encoding: .utf8))
    }

    @Test("the regression suite ends the same with those of all its logs") func suite() async throws {
        let memory = ReplayMemory(caKeys: [])
        for name in RegressionSuiteTests.cases {
            #expect(try await Replay.run(trace(name), memory: memory).changes(.bytes) == [], "\(name)")
        }
        #expect((1...IssuerCertificates.limit).contains(memory.issuers.count))
    }

    @Test("another authority's key is not taken for the one that signed") func otherAuthority() async throws {
        let memory = ReplayMemory(caKeys: [])
        var trace = try trace("arpc-method-1.apdu")
        #expect(try await Replay.run(trace, memory: memory).changes(.bytes) == [])
        #expect(memory.issuers.count == 1)
        let place = try #require(trace.metadata.firstIndex { $0.name == "ca-key" })
        let changed = trace.metadata[place].value.replacing("modulus=CC", with: "modulus=CD")
        #expect(changed != trace.metadata[place].value)
        trace.metadata[place].value = changed
        let (kept, new) = (
            try await Replay.run(trace, memory: memory),
            try await Replay.run(trace, memory: ReplayMemory(caKeys: []))
        )
        #expect(kept.changes(.bytes) == new.changes(.bytes))
        #expect(!new.changes(.bytes).isEmpty)
    }

    @Test("the terminal and the words of the log before are not taken for those of another") func otherTerminal()
        async throws
    {
        let memory = ReplayMemory(caKeys: [])
        let names = ["arpc-method-1.apdu", "approved-below-the-floor-limit.apdu"]
        for name in names + names.reversed() {
            var trace = try trace(name)
            for change in [nil, ("terminal", "type=22", "type=25"), ("application", "floor-limit=", "floor-limit=9")] {
                if let (line, old, new) = change {
                    let place = try #require(trace.metadata.firstIndex { $0.name == line })
                    trace.metadata[place].value = trace.metadata[place].value.replacing(old, with: new)
                }
                let kept = try await Replay.run(trace, memory: memory)
                let alone = try await Replay.run(trace, caKeys: [])
                #expect(kept.changes(.bytes) == alone.changes(.bytes), "\(name)")
                #expect(kept.phases == alone.phases, "\(name)")
                #expect(kept.steps == alone.steps)
                #expect(kept.decisionWords == alone.decisionWords)
            }
        }
    }
}
