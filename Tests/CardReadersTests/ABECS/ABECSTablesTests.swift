import DeviceIO
import ReaderDoubles
import Testing

@testable import CardCapture
@testable import CardReaders

@Suite(.serialized, .timeLimit(.minutes(20))) struct ABECSTablesTests {
    /// A record of `count` characters, its length before it.
    private func record(_ count: Int) -> String {
        let digits = String(count)
        return String(repeating: "0", count: 3 - digits.count) + digits + String(repeating: "A", count: count - 3)
    }

    private func tables(_ records: [String]) throws -> ABECSTables {
        try #require(ABECSTables(acquirer: 4, version: "1234567890", records: records))
    }

    /// A block has at most 999 bytes, two of them for the number of records.
    @Test func recordsGoInAsFewCommandsAsTakeThem() async throws {
        let pad = EmulatedPINPad(answers: [
            "TLI": Array("000".utf8), "TLR": Array("000".utf8), "TLE": Array("000".utf8),
        ])
        let reader = try pad.reader()
        let events = reader.events.stream()
        try await reader.load(tables([record(400), record(597), record(10)]))
        let block = record(400) + record(597)
        #expect(
            pad.commands.dropFirst() == ["TLI0120412345678" + "90", "TLR99902" + block, "TLR01201" + record(10), "TLE"])
        reader.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        #expect(
            received == [
                .connected, .progress(.configuration, 0), .progress(.configuration, 0.5),
                .progress(.configuration, 0.75),
                .progress(.configuration, 1),
            ])
    }

    @Test("invalid tables are refused") func refused() async throws {
        let pad = EmulatedPINPad(answers: [
            "TLI": Array("000".utf8), "TLR": Array("011".utf8), "TLE": Array("000".utf8),
        ])
        let reader = try pad.reader()
        await #expect(throws: CaptureError.self) { try await reader.load(tables([record(20)])) }
        #expect(pad.commands.map { $0.prefix(3) } == ["OPN", "TLI", "TLR"], "what is not whole is not ended")
    }

    @Test(
        "Tables with an invalid acquirer, version or record are refused",
        arguments: [
            (100, "1234567890", "010AAAAAAA"), (1, "123", "010AAAAAAA"), (1, "1234567890", "011AAAAAAA"),
            (1, "1234567890", "x"),
        ])
    func noTables(_ acquirer: Int, _ version: String, _ record: String) {
        #expect(ABECSTables(acquirer: acquirer, version: version, records: [record]) == nil)
    }
}
