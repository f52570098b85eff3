import Testing

@testable import JSONDocument

@Suite("JSON: reading and writing (RFC 8259)") struct JSONTests {
    private func json(_ text: String) throws -> JSON { try JSON(parsing: Array(text.utf8)) }

    @Test("Values, escapes, surrogates; numbers as they are written") func reads() throws {
        let value = try json(" {\"a\": [1, -0.50, 2e3, true, false, null], \"b\\u00e9\\uD83D\\uDE00\\n\\/\": \"x\"} ")
        #expect(value["a"]?.list == [.number("1"), .number("-0.50"), .number("2e3"), .flag(true), .flag(false), .null])
        #expect(value["bé😀\n/"]?.text == "x")
    }

    @Test(
        "A fault is named with its line and column",
        arguments: [
            ("", .noValue, 1, 1), ("  ", .noValue, 1, 3), ("{", .noEnd, 1, 2), ("[1", .noEnd, 1, 3),
            ("{\"a\": 1\n \"b\": 2}", .noComma, 2, 2), ("[1 2]", .noComma, 1, 4),
            ("[1,\n]", .trailingComma, 2, 1), ("{\"a\": 1,}", .trailingComma, 1, 9), ("[,1]", .noValue, 1, 2),
            ("{\"a\" 1}", .noColon, 1, 6), ("{a: 1}", .noKey, 1, 2), ("{1: 1}", .noKey, 1, 2),
            ("{\"ä\": 1,\r\n\"ä\": 2}", .doubledKey, 2, 1), ("{\"é\": nul}", .noValue, 1, 7),
            ("01", .invalidNumber, 1, 1), ("[1.]", .invalidNumber, 1, 2), (".5", .invalidNumber, 1, 1),
            ("+1", .invalidNumber, 1, 1), ("1e", .invalidNumber, 1, 1), ("-", .invalidNumber, 1, 1),
            ("[NaN]", .noValue, 1, 2), ("\"\\x\"", .invalidEscape, 1, 2), ("\"\\u12\"", .invalidEscape, 1, 2),
            ("\"\\u+123\"", .invalidEscape, 1, 2), ("\"\\uD800\"", .loneSurrogate, 1, 2),
            ("\"\\uDC00\"", .loneSurrogate, 1, 2), ("\"a", .textWithoutEnd, 1, 1),
            ("[\"a\n\"]", .textWithoutEnd, 1, 2), ("\"\t\"", .controlCharacter, 1, 2),
            ("{} {}", .moreThanOneValue, 1, 4), ("'a'", .singleQuote, 1, 1), ("{'a': 1}", .singleQuote, 1, 2),
            ("[1] // one", .moreThanOneValue, 1, 5), ("[/* one */ 1]", .comment, 1, 2), ("{# one\n}", .comment, 1, 2),
        ] as [(String, JSONError.Fault, Int, Int)])
    func faults(_ text: String, _ fault: JSONError.Fault, line: Int, column: Int) {
        let expected = JSONError(fault: fault, position: DocumentError.Position(line: line, column: column))
        #expect(throws: expected) { try json(text) }
    }

    @Test("A byte order mark is passed over") func mark() throws {
        #expect(try json("\u{FEFF}[1]").list == [.number("1")])
        let first = #expect(throws: JSONError.self) { try json("\u{FEFF}[1 2]") }
        #expect(first?.position == DocumentError.Position(line: 1, column: 4))
        let second = #expect(throws: JSONError.self) { try json("\u{FEFF}\n[1 2]") }
        #expect(second?.position == DocumentError.Position(line: 2, column: 4))
    }

    @Test("A document is bounded in depth and size, and is UTF-8") func bounds() throws {
        func fault(_ document: [UInt8]) -> JSONError.Fault? {
            #expect(throws: JSONError.self) { try JSON(parsing: document) }?.fault
        }
        #expect(fault(Array(String(repeating: "[", count: 33).utf8)) == .tooDeep(maximum: 32))
        #expect(fault([UInt8](repeating: 0x20, count: 1_048_577)) == .tooLarge(maximum: 1_048_576))
        #expect(fault([0x22, 0xC0, 0x80, 0x22]) == .notUTF8)
        _ = try json(String(repeating: "[", count: 32) + String(repeating: "]", count: 32))
    }

    @Test("Texts survive the way out and back", arguments: ["", "a < b && c > \"d\"", "Grüße, 日本\r\n\tx\\", "\u{0}"])
    func roundTrip(_ text: String) throws {
        let value = JSON.object(["a": .list([.text(text), .number(-5), .null]), "b": .object([JSON.Member]())])
        #expect(try JSON(parsing: value.document) == value)
        #expect(try json(value.formatted) == value)
    }

    @Test("For people it has a line for each value, and keys in alphabetical order") func formatted() {
        let value = JSON.object(["b": .list([.number(1), .flag(true)]), "a": .text("x"), "c": .list([])])
        #expect(
            value.formatted == """
                {
                  "a" : "x",
                  "b" : [
                    1,
                    true
                  ],
                  "c" : []
                }

                """)
    }

    @Test("Nothing of a document is printed, and nothing of it is in a fault") func descriptions() throws {
        let value = try json("{\"cardNumber\": \"4111111111111111\"}")
        var printed = "\(value)"
        dump(value, to: &printed)
        let error = #expect(throws: JSONError.self) { try json("{\"4111111111111111\": 1, \"4111111111111111\": 1}") }
        dump(error, to: &printed)
        #expect(!printed.contains("4111"))
    }
}
