import Testing

@testable import SmartCard

@Suite("Repetitions of card numbers in a text") struct SeenCardNumbersTests {
    private func seen(_ numbers: String...) -> SeenCardNumbers {
        var seen = SeenCardNumbers()
        for number in numbers { seen.insert(Array(number.utf8)) }
        return seen
    }

    /// The visible digits are the first six and the last four (PCI DSS 4.0, 3.4.1).
    @Test(
        "digits, and the hexadecimal digits of ASCII digits, wherever they begin",
        arguments: [
            ("4111111111111111", "411111******1111"), ("D4111111111111111D", "D411111******1111D"),
            ("41111111111111114111111111111111", "411111******1111411111******1111"),
            ("94111111111111111", "9411111******1111"), ("411111111111111", "411111111111111"), ("", ""),
            ("é4111111111111111", "é411111******1111"),
            ("34313131313131313131313131313131", "343131**********************3131"),
        ])
    func forms(_ text: String, _ shown: String) {
        #expect(seen("4111111111111111", "5555555555554444").hidden(in: text) == shown)
    }

    @Test("the longest of two numbers with one beginning") func longest() {
        let numbers = seen("4111111111111", "4111111111111111")
        #expect(numbers.hidden(in: "4111111111111111") == "411111******1111")
        #expect(numbers.hidden(in: "4111111111111/4111111111111111") == "411111***1111/411111******1111")
    }

    @Test("fewer than eight digits are no card number") func short() {
        #expect(seen("1234567").hidden(in: "1234567890") == "1234567890")
    }

    /// With a search for each number this takes hours.
    @Test("a text is read once, however many numbers there are") func many() {
        var numbers = SeenCardNumbers()
        let texts = (0..<100_000).map { "476173" + "\(1_000_000_000 + $0)" }
        for text in texts { numbers.insert(Array(text.utf8)) }
        #expect(
            texts.allSatisfy { text in
                numbers.hidden(in: "< 5A08\(text)9000") == "< 5A08\(text.prefix(6))******\(text.suffix(4))9000"
            })
    }
}
