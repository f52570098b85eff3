import Bytes
import EMVKernel
import TLV
import Testing

/// EMV 4.4 Book 4, 12.1: which data objects a message has. The lists are written down from tables 9
/// to 12, 15, 17, 18 and 20 to 23, without what ISO 8583 has in fields of its own.
@Suite struct HostMessageTests {
    private static let minimum = [
        "9F26", "82", "9F36", "9F10", "95", "9F37", "9F02", "9F03", "5F34", "9F1A", "5F2A", "9A", "9C",
    ]

    private func tags(_ bytes: [UInt8]) throws -> Set<String> {
        let elements = try DataElements(parsing: bytes)
        return Set(elements.tags.map { $0.bytes.hex })
    }

    private func outcome() async -> Outcome {
        var bench = KernelBench()
        bench.issuer = TestIssuer("00", scripts: ["71078605841E000000"])
        var image = CardImage()
        image["9F0F"] = "8000000000"
        image["5F34"] = "01"
        image["5F25"] = "250101"
        image["9F07"] = "FFC0"
        image["57"] = "4761739001010010D31122011234"
        image["9F24"] = "3530303131323334353637383930313233343536373839303132333435"
        image.pairs = [("841E", "9000")]
        image.cryptograms = ["80", "40"].map { "8012" + $0 + "0001" + "1122334455667788" + "06010A03A00000" + "9000" }
        return await bench.run(image).outcome
    }

    @Test(
        "The elements marked with an asterisk, the least that a request has",
        arguments: [HostMessage.authorization, .financial, .batchRecord])
    func minimum(_ message: HostMessage) async throws {
        let given = try await tags(outcome().field55(for: message))
        #expect(given.isSuperset(of: Self.minimum))
        #expect(given.isSuperset(of: ["9F34", "9F33", "9F35", "9F39", "5F25", "9F24", "9F27", "9F21"]))
    }

    @Test("Confirmation, advice and reversal have the data objects of their tables") func others() async throws {
        let outcome = await outcome()
        #expect(try tags(outcome.field55(for: .confirmation)) == ["9F26", "9F27", "9F5B"])
        let advice = try tags(outcome.field55(for: .advice))
        #expect(
            advice.isSuperset(of: [
                "9F26", "82", "9F36", "9F27", "9F34", "9F10", "9F5B", "9F33", "9F35", "95", "9F37", "8A",
            ]))
        let reversal = try tags(outcome.field55(for: .reversal))
        #expect(reversal.isSuperset(of: ["82", "9F36", "9F10", "9F5B", "9F33", "9F35", "95", "8A", "5F34", "9F1A"]))
        #expect(reversal.isDisjoint(with: ["9F26", "9F27"]), "table 22 has no cryptogram")
        #expect(try tags(outcome.field55(for: .batchRecord)).isSuperset(of: ["8A", "9F5B"]))
    }

    /// The message has the last cryptogram and the last TVR.
    @Test func valuesAreThoseOfTheEnd() async throws {
        let elements = try await DataElements(parsing: outcome().field55(for: .advice))
        #expect(elements[.cryptogramInformationData] == [0x40])
        #expect(elements[.authorisationResponseCode] == Array("00".utf8))
        #expect(elements[.issuerScriptResults] == [0x20, 0, 0, 0, 0])
        #expect(elements[.pointOfServiceEntryMode] == [0x05])
    }

    /// "Present if requested by the acquirer"; the track is given to nobody here.
    @Test("What the acquirer requests is present, and never the track") func requested() async throws {
        let outcome = await outcome()
        let asked: [Tag] = [
            .applicationUsageControl, .issuerActionCodeOnline, .track2EquivalentData, .applicationPAN,
            .applicationCryptogram,
        ]
        let bytes = outcome.field55(for: .financial, requested: asked)
        #expect(try tags(bytes).isSuperset(of: ["9F07", "9F0F"]))
        #expect(try tags(bytes).isDisjoint(with: ["57", "5A"]))
        #expect(try tags(outcome.field55(for: .financial)).isDisjoint(with: ["9F07", "9F0F"]))
        #expect(try DataElements(parsing: bytes).tags.filter { $0 == .applicationCryptogram }.count == 1)
    }

    @Test func noMessageHasCardData() async throws {
        let outcome = await outcome()
        #expect(outcome.data.card.contains(.track2EquivalentData))
        for message in HostMessage.allCases {
            let given = try DataElements(parsing: outcome.field55(for: message))
            #expect(given.tags.allSatisfy { tag in !Redaction.sensitiveTags.contains(tag) })
        }
    }
}
