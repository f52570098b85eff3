import CardCapture
import Contactless
import EMVKernel
import Testing

/// What a contactless reader tells its listeners for the cardholder.
@Suite("The display of a contactless reader") struct CardholderDisplayTests {
    private func events(of bench: TapBench) async throws -> [ReaderEvent] {
        let reader = bench.reader()
        let stream = reader.events.stream()
        _ = try await reader.capture(bench.request) { _ in .answered(.init(responseCode: "00")) }
        reader.events.finish()
        var events: [ReaderEvent] = []
        for await event in stream { events.append(event) }
        return events
    }

    @Test("each request comes with its status, and its text in the card's language follows") func requests()
        async throws
    {
        var bench = try TapBench.visa(cardLanguages: ["ja", "en"])
        bench.languages = ["de", "en"].compactMap { Language($0) }
        let events = try await events(of: bench)
        var pairs: [(UserInterfaceRequest, [String])] = []
        for (request, text) in zip(events, events.dropFirst()) {
            if case .userInterface(let request) = request, case .prompt(let lines, _) = text {
                pairs.append((request, lines))
            }
        }
        #expect(pairs.map(\.0.status) == [.readyToRead, .processing, .cardReadSuccessfully, .cardReadSuccessfully])
        // The card is known from its answer to SELECT on, and prefers English.
        #expect(
            pairs.map(\.1) == [["KARTE VORHALTEN"], ["PROCESSING"], ["CARD READ OK", "REMOVE CARD"], ["APPROVED"]])
        #expect(events.count { if case .userInterface = $0 { true } else { false } } == pairs.count)
    }

    @Test("PIN entry has one instruction and one text") func pinEntry() async throws {
        var bench = try TapBench.visa()
        bench.request.amount = 50_00
        bench.pinPad = TapBench.Pad()
        let events = try await events(of: bench)
        #expect(events.count { $0 == .instruction(.enterPIN) } == 1)
        #expect(events.count { if case .prompt(["PLEASE ENTER", "YOUR PIN"], _) = $0 { true } else { false } } == 1)
    }
}
