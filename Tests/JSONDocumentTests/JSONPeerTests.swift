import Foundation
import SeededNumbers
import Testing

@testable import JSONDocument

/// What is JSON and what it says, against Python's `json` with its extensions turned off
/// (`Tests/Peers/json-peer.py`).
@Suite("JSON is what an independent reader takes for it") struct JSONPeerTests {
    private static let documents: [String] = [
        #"{"a": [1, -2.50, 3E+2, 0, -0, 1e-7], "b": {"c": null, "d": true}, "e": "x\n\u00e9\ud83d\ude00\/"}"#,
        #"[[], {}, "", [[[]]], {"": ""}, 12345678901234567890123, "\\\"", false]"#,
        #"  "Grüße, 日本"  "#, "\u{FEFF}-12.5e10", "null",
    ]

    /// The documents with a byte changed, taken out, put in or moved.
    private static func harmed(_ count: Int) -> [[UInt8]] {
        var numbers = SplitMix(seed: 8259)
        let bytes = Array("{}[]\",:0123456789+-.eEtfn\\u \n\t/'".utf8)
        return (0..<count).map { _ in
            var document = Array(documents.randomElement(using: &numbers)!.utf8)
            for _ in 0...Int.random(in: 0...2, using: &numbers) where !document.isEmpty {
                let place = document.indices.randomElement(using: &numbers)!
                let byte = bytes.randomElement(using: &numbers)!
                switch Int.random(in: 0...3, using: &numbers) {
                case 0: document[place] = byte
                case 1: document.remove(at: place)
                case 2: document.insert(byte, at: place)
                default: document.swapAt(place, document.indices.randomElement(using: &numbers)!)
                }
            }
            return document
        }
    }

    /// The peer's value of each document, written again; nil where it refuses it.
    private static func answers(to documents: [[UInt8]]) throws -> [String?] {
        let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let file = FileManager.default.temporaryDirectory.appending(path: "json-peer-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let lines = documents.map { $0.map { String(format: "%02x", $0) }.joined() }.joined(separator: "\n")
        try Data(lines.utf8).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", tests.appending(path: "Peers/json-peer.py").path, file.path]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let printed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return try JSONDecoder().decode([String?].self, from: printed)
    }

    @Test("Three thousand documents, most of them harmed") func documents() throws {
        let documents = Self.documents.map { Array($0.utf8) } + Self.harmed(3000)
        let answers = try Self.answers(to: documents)
        try #require(answers.count == documents.count)
        var taken = 0
        for (document, answer) in zip(documents, answers) {
            let value = try? JSON(parsing: document)
            let text = String(decoding: document, as: UTF8.self)
            #expect(value.map(Self.written) == answer, "\(text)")
            taken += value == nil ? 0 : 1
        }
        // Both kinds are there in numbers.
        #expect(taken > 300)
        #expect(documents.count - taken > 1000)
    }

    /// As the peer writes a value: with numbers as they were, and other texts than ASCII escaped.
    private static func written(_ value: JSON) -> String {
        switch value {
        case .null: "null"
        case .flag(let flag): "\(flag)"
        case .number(let digits): "#\(digits)"
        case .text(let text): "\"" + text.utf8.map { String(format: "%02x", $0) }.joined() + "\""
        case .secret: "secret"
        case .list(let list): "[" + list.map(written).joined(separator: ",") + "]"
        case .object(let members):
            "{" + members.map { "\(written(.text($0.name))):\(written($0.value))" }.joined(separator: ",") + "}"
        }
    }
}
