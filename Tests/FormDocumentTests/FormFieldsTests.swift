import FormDocument
import Testing

@Suite struct FormFieldsTests {
    @Test("fields keep the order in which they were sent") func order() throws {
        let form = try FormFields(parsing: Array("b=1&a=2&Cardholder+Name=A%20B&c=".utf8))
        #expect(form.all.map(\.name) == ["b", "a", "Cardholder Name", "c"])
        #expect(form["CARDHOLDER NAME"] == "A B")
        #expect(form["c"] == "")
        #expect(form["d"] == nil)
        #expect(form.without("A").all.map(\.name) == ["b", "Cardholder Name", "c"])
    }

    /// As Python's `urllib.parse.urlencode` writes them, but for `~` and `*`.
    @Test("values survive the way out and back", arguments: ["", "a+b/c==", "é €", "&=%", "a b\r\n", "~*-._"])
    func roundTrip(_ value: String) throws {
        var form = FormFields()
        form.set("A", "x")
        form.set("a", value)
        #expect(form.all.count == 1)
        #expect(try FormFields(parsing: form.body) == form)
    }

    @Test("the characters that WHATWG's form encoding keeps") func encoding() {
        #expect(FormFields.encode("a b~*-._+é") == "a+b%7E*-._%2B%C3%A9")
    }

    @Test(
        "bodies that are no form",
        arguments: [
            ("a", FormError.noName), ("=1", .noName), ("a=1&", .noName), ("a=%", .malformed), ("a=%4", .malformed),
            ("a=%4g", .malformed), ("a=b c", .malformed), ("a=%FF", .notUTF8), ("a=1&A=2", .doubled),
        ])
    func refuses(_ body: String, _ error: FormError) {
        #expect(throws: error) { try FormFields(parsing: Array(body.utf8)) }
    }

    @Test("bodies are bounded") func bounds() {
        #expect(throws: FormError.tooLarge) { try FormFields(parsing: [UInt8](repeating: 0x61, count: 65_537)) }
        let many = (0...256).map { "f\($0)=" }.joined(separator: "&")
        #expect(throws: FormError.tooManyFields) { try FormFields(parsing: Array(many.utf8)) }
        #expect(throws: FormError.doubled) {
            try FormFields([FormFields.Field("a", "1"), FormFields.Field("A", "1")])
        }
    }

    @Test("nothing of a form is printed") func descriptions() throws {
        let form = try FormFields(parsing: Array("pan=4111111111111111".utf8))
        var printed = "\(form)"
        dump(form, to: &printed)
        #expect(!printed.contains("4111"))
    }
}
