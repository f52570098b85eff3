import PaymentTerminal
import Printing
import Testing

/// The layout of lines, with places counted by hand.
@Suite("Lines in columns") struct SlipLayoutTests {
    private static func text(_ slip: Slip) -> [String] {
        slip.lines.map { $0.runs.map { String($0.characters) }.joined() }
    }

    @Test("Amounts stand in a column of their own; a name is wrapped by words beside it") func amounts() {
        let slip = Slip(
            [
                .sum("Subtotal", "9.00 EUR"), .sum("Service charge for large parties", "1.00 EUR"),
                .amount("1234.00 EUR"),
            ],
            columns: 32)
        #expect(
            Self.text(slip) == [
                "Subtotal                9.00 EUR",
                "Service charge for",
                "large parties           1.00 EUR",
                "AMOUNT               1234.00 EUR",
            ])
    }

    @Test("A name stands over its amount where fewer than 12 columns are left") func narrow() {
        let slip = Slip([.sum("Service charge", "1234567890.00 EUR")], columns: 24)
        #expect(Self.text(slip) == ["Service charge", "       1234567890.00 EUR"])
    }

    @Test("A value that does not fit beside its name is on its own line; a long word is broken") func rows() {
        let slip = Slip([.row("Order", String(repeating: "X", count: 20)), .row("AID", "A0000000031010")], columns: 16)
        #expect(Self.text(slip) == ["Order", "XXXXXXXXXXXXXXXX", "            XXXX", "AID", "  A0000000031010"])
    }

    @Test("Double width halves the columns, and a long name is not doubled") func doubleWidth() {
        let short = Slip([.merchant("Shop")], columns: 32).lines
        #expect(short.map(\.columns) == [20])
        #expect(short[0].runs.last?.style == [.bold, .doubleWidth, .doubleHeight])
        let long = Slip([.merchant("The Shop of all Shops")], columns: 32).lines
        #expect(long.map(\.columns) == [26])
        #expect(long[0].runs.last?.style == [.bold, .doubleHeight])
    }

    @Test("What a merchant adds: below the name, and at the end") func additions() {
        let slip = Slip(
            [.merchant("A Shop of Wares and more"), .heading("SALE")], columns: 20,
            additions: Slip.Additions(header: ["Road 1"], footer: ["Thanks"], qr: "x", isReprint: true))
        #expect(
            Self.text(slip).map { $0.filter { $0 != " " } } == [
                "AShopofWaresand", "more", "Road1", "SALE", "", "REPRINT", "", "", "Thanks",
            ])
        #expect(slip.items.contains(.qr([0x78])))
    }

    @Test("Control characters, directions and odd spaces are spaces") func cleaned() {
        let slip = Slip([.row("A\u{1B}p\u{0}", "1\u{A0}234\u{202E}\u{2007}5")], columns: 16)
        #expect(Self.text(slip) == ["A p     1 234  5"])
    }
}
