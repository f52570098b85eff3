import Testing

@testable import JSONDocument

@Suite("Where a document is at fault") struct PlaceTests {
    private static let text = """
        {
          "name": "Grüße", "limits": [10, {"currency": "EUR"}, 99999999999999999999],
          "color": true
        }
        """

    /// The message of the error of reading `text`.
    private func message(_ text: String = text, _ read: Place.Reader<Void>) throws -> String {
        try #require(#expect(throws: DocumentError.self) { try Place.document(text, read) }).description(of: "a.json")
    }

    @Test("A value of another kind, or out of its range, is named by its line and column") func values() throws {
        let wrongKind = try message { place throws(DocumentError) in
            _ = try place.members(["name", "limits", "color"]).required("color").text()
        }
        #expect(wrongKind == "a.json:3:12: color: a text is required, not true or false")
        let wrongNumber = try message { place throws(DocumentError) in
            let limits = try place.members(["name", "limits", "color"]).required("limits").list()
            let _: Int = try limits[0].number(0...9)
        }
        #expect(wrongNumber == "a.json:2:31: limits[0]: a number from 0 to 9, got 10")
        let hugeNumber = try message { place throws(DocumentError) in
            let limits = try place.members(["name", "limits", "color"]).required("limits").list()
            let _: Int = try limits[2].number(0...9)
        }
        #expect(hugeNumber.hasPrefix("a.json:2:56: limits[2]: a whole number is required"))
    }

    @Test("An unknown key is named by its own place, a missing one by the object that lacks it") func keys() throws {
        let unknown = try message { place throws(DocumentError) in _ = try place.members(["name", "limits"]) }
        #expect(unknown == "a.json:3:3: color: unknown key; the keys here are name, limits")
        let unprintable = try message("{\n \"a\": 1, \"\\u001B\\nb\": 2}") { place throws(DocumentError) in
            _ = try place.members(["a"])
        }
        #expect(unprintable.hasPrefix("a.json:2:10: ..b: unknown key"))
        let missing = try message { place throws(DocumentError) in
            let limits = try place.members(["name", "limits", "color"]).required("limits").list()
            _ = try limits[1].members(["currency", "amount"]).required("amount")
        }
        #expect(missing == "a.json:2:35: limits[1].amount: missing")
    }

    @Test(
        "What is no JSON is named by its place and by the key before it",
        arguments: [
            (
                "{\"terminal\": {\"currency\": \"EUR\",\n \"currency\": \"USD\"}}",
                "a.json:2:2: terminal.currency: the object has this key already: remove one of the two"
            ),
            ("{\"a\": 1\n \"b\": 2}", "a.json:2:2: a: a comma is missing before this"),
            ("{\"a\": [1,\n]}", "a.json:2:1: a[0]: nothing follows the comma before this: remove the comma"),
            ("", "a.json:1:1: a value is missing here: an object, a list, a text, a number, true, false or null"),
        ])
    func notJSON(_ text: String, _ message: String) throws {
        #expect(try self.message(text) { _ in } == message)
    }
}
