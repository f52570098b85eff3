import EMVKernel
import EMVReplay
import Foundation
import SmartCard
import Testing

@Suite("Issuer certificates are recovered once for many logs") struct IssuerCertificatesTests {
    private func trace(_ name: String) throws -> APDUTrace {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return try APDUTrace(parsing: String(contentsOf: folder.appending(path: "Vectors/traces/\(name)"), encoding: .utf8))
    }

    @Test("the regression suite ends the same with those of all its logs") func suite() async throws {
        let issuers = IssuerCertificates()
        for name in RegressionSuiteTests.cases {
            #expect(try await Replay.run(trace(name), caKeys: [], issuers: issuers).changes(.bytes) == [], "\(name)")
        }
        #expect((1...IssuerCertificates.limit).contains(issuers.count))
    }

    @Test("another authority's key is not taken for the one that signed") func otherAuthority() async throws {
        let issuers = IssuerCertificates()
        var trace = try trace("arpc-method-1.apdu")
        #expect(try await Replay.run(trace, caKeys: [], issuers: issuers).changes(.bytes) == [])
        #expect(issuers.count == 1)
        let place = try #require(trace.metadata.firstIndex { $0.name == "ca-key" })
        let changed = trace.metadata[place].value.replacing("modulus=CC", with: "modulus=CD")
        #expect(changed != trace.metadata[place].value)
        trace.metadata[place].value = changed
        let (kept, new) = (
            try await Replay.run(trace, caKeys: [], issuers: issuers),
            try await Replay.run(trace, caKeys: [], issuers: IssuerCertificates())
        )
        #expect(kept.changes(.bytes) == new.changes(.bytes) && !new.changes(.bytes).isEmpty)
    }
}
