import Foundation
import Testing

@Suite("cardpresent config") struct ConfigCommandTests {
    @Test("the configuration to begin with is valid, and shown again as it is") func showAndCheck() async throws {
        try await inWorkspace { place in
            let shown = try await place.run("config", "show")
            let file = try place.file("terminal.json", shown.output)
            let checked = try await place.run("config", "check", file)
            #expect(checked.status == 0, "\(checked.errors)")
            #expect(checked.errors.isEmpty, "\(checked.errors)")
            #expect(checked.output.hasPrefix("Corner Shop, terminal LANE0001, EUR, country 276\n"))
            #expect(try await place.run("config", "show", file).output == shown.output)
            let document = try await place.document("config", "check", file, "--json")
            #expect(document["merchant"] as? String == "Corner Shop")
            #expect(document["mode"] as? String == "production")
            #expect(document["country"] as? Int == 276)
            #expect(document["caKeys"] as? Int == 0)
        }
    }

    @Test(
        "an error names its line and column, and its place in the document",
        arguments: [
            (#""EUR""#, #""EURO""#, 3, "terminal.currency: 3 characters, got 4"),
            (#""EUR""#, #""EUR", "currency": "USD""#, 3, "terminal.currency: the object has this key already"),
            (#""EUR","#, #""EUR""#, 4, "terminal.currency: a comma is missing before this"),
            (#""EUR","#, #""EUR",,"#, 3, "terminal.currency: a key in double quotes is missing here"),
            (#""A""#, #""A", "color": 1"#, 2, "merchant.color: unknown key"),
        ])
    func error(_ right: String, _ wrong: String, line: Int, message: String) async throws {
        try await inWorkspace { place in
            let text = """
                {
                 "merchant": {"name": "A"},
                 "terminal": {"currency": "EUR",
                  "id": "1", "country": 276}
                }
                """
            let file = try place.file("terminal.json", text.replacing(right, with: wrong))
            let lines = text.replacing(right, with: wrong).split(separator: "\n")
            let checked = try await place.run("config", "check", file)
            #expect(checked.status == 2, "\(checked.errors)")
            let parts = (checked.complaint ?? "").split(separator: ":", maxSplits: 3).map(String.init)
            try #require(parts.count == 4, "\(checked.errors)")
            #expect(parts[0] == file)
            #expect(Int(parts[1]) == line)
            // The column is that of a character of the line.
            #expect((1...lines[line - 1].count).contains(Int(parts[2]) ?? 0))
            #expect(parts[3].hasPrefix(" \(message)"))
        }
    }

    @Test("a check does not create the folder of the payment log, which its own user alone could use") func logFolder()
        async throws
    {
        try await inWorkspace { place in
            let shown = try await place.run("config", "show").output
            #expect(shown.contains(#""paymentLog" : null"#))
            let file = try place.file(
                "terminal.json", shown.replacing(#""paymentLog" : null"#, with: #""paymentLog" : {"folder": "logs"}"#))
            let checked = try await place.run("config", "check", file)
            #expect(checked.status == 0, "\(checked.errors)")
            #expect(checked.errors.isEmpty, "\(checked.errors)")
            let again = try await place.run("config", "show", file)
            #expect(again.status == 0, "\(again.errors)")
            #expect(again.output.contains(#""folder" : "logs""#), "\(again.errors)")
            let folder = URL(filePath: file).deletingLastPathComponent().appending(path: "logs")
            #expect(!FileManager.default.fileExists(atPath: folder.path))
        }
    }

    @Test("a file that is too large is not read") func large() async throws {
        try await inWorkspace { place in
            let file = try place.file("terminal.json", String(repeating: " ", count: 1 << 20 | 1))
            let checked = try await place.run("config", "check", file)
            #expect(checked.status == 2, "\(checked.errors)")
            #expect(checked.complaint?.contains("larger than 1024 KiB") == true, "\(checked.errors)")
        }
    }
}
