import Bytes
import FormDocument
import PaymentTerminal
import Testing

@testable import PaymentPage

@Suite("What customers enter") struct CardEntryTests {
    private func entry(
        number: String = "4111111111111111", expiry: String = "04/29", code: String = "123", name: String = "A Holder"
    ) throws -> CardEntry {
        var form = FormFields()
        for (field, value) in [
            (CardEntry.Field.number, number), (.expiry, expiry), (.code, code), (.name, name),
        ] { form.set(field.rawValue, value) }
        return try CardEntry(form, year: 2026, month: 11)
    }

    private func faults(_ body: () throws -> CardEntry) -> [CardEntry.Field] {
        do {
            _ = try body()
            return []
        } catch { return (error as? CardEntry.Faults)?.fields ?? CardEntry.Field.allCases }
    }

    @Test(
        "numbers as people write them", arguments: ["4111111111111111", "4111 1111 1111 1111", " 4111-1111-1111-1111 "])
    func numbers(_ text: String) throws {
        #expect(try entry(number: text).card.pan == SecretBytes("4111111111111111".utf8))
    }

    @Test(
        "dates as people write them, and the last month that is valid",
        arguments: [
            ("04/29", "0429"), ("4/29", "0429"), ("04 / 29", "0429"), ("0429", "0429"), ("04-29", "0429"),
            ("04/2029", "0429"), ("11/26", "1126"), ("10/26", nil), ("04/25", nil), ("13/29", nil), ("00/29", nil),
            ("04/99", nil), ("", nil), ("04", nil), ("/", nil), ("04/029", nil), ("04/-1", nil), ("٠٤/٢٩", nil),
            ("+4/29", nil), ("4/+9", nil),
        ] as [(String, String?)])
    func dates(_ text: String, _ expected: String?) throws {
        if let expected {
            #expect(try entry(expiry: text).card.expiry.mmyy == expected)
        } else {
            #expect(faults { try entry(expiry: text) } == [.expiry])
        }
    }

    @Test("fields that do not fit are named in the order of the page") func faulty() {
        #expect(faults { try entry(number: "4111111111111112") } == [.number])
        #expect(faults { try entry(number: "") } == [.number])
        #expect(faults { try entry(code: "12") } == [.code])
        #expect(faults { try entry(code: "12a") } == [.code])
        #expect(faults { try entry(name: " ") } == [.name])
        #expect(faults { try entry(name: "a\u{202E}") } == [.name])
        #expect(faults { try CardEntry(FormFields(), year: 2026, month: 11) } == CardEntry.Field.allCases)
    }

    @Test("a customer who cancels") func cancel() throws {
        #expect(CardEntry.isCancelled(try FormFields(parsing: Array("cancel=1&card-number=".utf8))))
        #expect(!CardEntry.isCancelled(FormFields()))
    }

    @Test("nothing of an entry is printed") func printed() throws {
        var text = ""
        dump(try entry(), to: &text)
        #expect(!text.contains("4111111111111111"))
        #expect(!text.contains("123"))
    }
}
