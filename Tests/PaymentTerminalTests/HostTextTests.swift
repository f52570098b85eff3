import CardCapture
import PaymentTerminal
import Testing

/// What a host says reaches screens, receipts and printers: each type of an answer holds it as it
/// may be shown, whichever client made it.
@Suite("Texts of hosts are clean in the types that hold them") struct HostTextTests {
    /// ESC p opens a cash drawer (ESC/POS); a published test number; a line of its own; the
    /// direction of writing turned.
    private static let hostile = "OK\u{1B}p\u{0}2 4111111111111111\nsudo reboot\u{202E}"

    private func isClean(_ text: String?) -> Bool {
        guard let text else { return true }
        return !text.unicodeScalars.contains {
            [.control, .format, .lineSeparator].contains($0.properties.generalCategory)
        }
            && !text.contains("4111111111111111")
    }

    /// ISO 8583:1987, field 38: an 6.
    @Test(
        "an approval code has up to six letters and digits, or is none",
        arguments: [
            ("123456", "123456"), ("A1b2", "A1b2"), (" 00123 ", "00123"), ("4111111111111111", nil),
            ("\u{1B}p\u{0}2", nil),
            ("12\n34", nil),
            ("1234567", nil), ("", nil), ("١٢٣", nil), ("12-34", nil), (hostile, nil),
        ] as [(String, String?)])
    func approvalCodes(text: String, code: String?) {
        var answer = IssuerAnswer.Answer(responseCode: "00", approvalCode: text)
        #expect(answer.approvalCode == code)
        answer.approvalCode = nil
        answer.approvalCode = text
        #expect(answer.approvalCode == code)
        var record = TransactionRecord(orderID: "o1", uniqueReference: "U1", kind: .sale, state: .approved)
        record.approvalCode = text
        #expect(record.approvalCode == code)
    }

    /// At most the first six and the last four digits (PCI DSS 4.0, 3.4.1).
    @Test(
        "a number that a host has not masked is masked",
        arguments: [
            ("4111111111111111", "411111******1111"), ("411111******1111", "411111******1111"),
            ("4111XXXXXXXX1111", "4111********1111"),
            ("4111 1111 1111 1111", "411111******1111"), ("12345678", "****5678"), ("1111", "1111"), ("", ""),
            ("Visa 4111111111111111", "Visa 411111******1111"), ("\u{1B}[2J41111111", " [2J41111111"),
        ])
    func maskedNumbers(text: String, shown: String) {
        #expect(CardSummary(maskedPAN: text).maskedPAN == shown)
        var record = TransactionRecord(orderID: "o1", uniqueReference: "U1", kind: .sale, state: .approved)
        record.maskedPAN = text
        #expect(record.maskedPAN == shown)
    }

    @Test("messages, names, references, checks and settings are on one line, and have no card number") func texts()
        throws
    {
        let text = Self.hostile
        let response = AuthorizationResponse(
            uniqueReference: "U\n1\u{1B}", issuer: .init(responseCode: "\u{1B}c"),
            authorizedAmount: Money(minorUnits: 1, currency: .euro),
            card: CardSummary(maskedPAN: "", cardholderName: text), secureCardReference: SecureCardReference("T\n1"),
            checks: CardholderChecks(address: text, cvv: "\u{1B}"), message: text)
        for text in [
            response.uniqueReference, response.issuer.responseCode, response.card?.cardholderName,
            response.secureCardReference?.text,
            response.checks.address, response.checks.cvv, response.message, HostError(.invalidRequest, text).message,
            TerminalError(.notPossible, text).message,
        ] {
            #expect(isClean(text), "\(text?.debugDescription ?? "")")
        }
        let settings = HostSettings(merchantName: text, terminalID: "T\n1", customFields: ["a\u{202E}"])
        for text in [settings.terminalID] + settings.customFields { #expect(isClean(text)) }
        #expect(!settings.merchantName.contains("\n"))
        var secureCard = SecureCard(merchantReference: try MerchantReference("m1"), readerName: "R\n1")
        secureCard.details.operatorName = "A\u{1B}"
        secureCard.details.email = "a@b\n"
        let field = CustomField(name: "n\n", value: "v\u{202E}")
        for text in [
            secureCard.readerName, secureCard.details.operatorName, secureCard.details.email, field.name, field.value,
        ] {
            #expect(isClean(text))
        }
        var record = TransactionRecord(orderID: "o1", uniqueReference: "U\n1", kind: .sale, state: .approved)
        (record.original, record.responseCode) = ("U\u{1B}0", text)
        for text in [record.uniqueReference, record.original, record.responseCode] { #expect(isClean(text)) }
    }

    /// Cf: soft hyphen, zero-width characters, marks of direction, byte order mark; Zl, Zp.
    @Test(
        "an order id, and every other reference, has no character that is not seen",
        arguments: [
            "\u{AD}", "\u{200B}", "\u{200D}", "\u{202E}", "\u{2066}", "\u{FEFF}", "\u{2028}", "\u{2029}", "\u{1B}",
            "\n",
        ])
    func formatCharacters(character: String) {
        #expect(throws: ReferenceError.controlCharacter) { try OrderID("order" + character + "1") }
        #expect(throws: ReferenceError.controlCharacter) { try MerchantReference("card" + character) }
    }
}
