import Bytes
import Foundation
import TLV
import Testing

/// Codes of ISO 4217, 3166-1, 639-1, 7813 and 8583 and of the books, each looked up there.
@Suite struct CodeDescriptionTests {
    private func lines(_ tag: TLV.Tag, _ hex: String, _ context: ValueContext = ValueContext()) throws -> [String] {
        ValueDescription.lines(tag, try [UInt8](hex: hex), in: context)
    }

    @Test(
        "currency codes are named",
        arguments: [
            (UInt64(978), "EUR", 2), (840, "USD", 2), (826, "GBP", 2), (392, "JPY", 0), (48, "BHD", 3), (36, "AUD", 2),
            (949, "TRY", 2),
            (990, "CLF", 4),
            (8, "ALL", 2), (986, "BRL", 2),
        ]) func currencies(_ number: UInt64, _ code: String, _ exponent: Int) throws
    {
        let currency = try #require(CurrencyCode(number: number))
        #expect(currency.code == code)
        #expect(currency.exponent == exponent)
    }

    /// `Vectors/iso-4217/list-one.tsv`: code, number, minor units.
    @Test("every currency of ISO 4217 is known, with its exponent") func listOne() throws {
        let list = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Vectors/iso-4217/list-one.tsv")
        let rows = try String(contentsOf: list, encoding: .utf8).split(separator: "\n").filter { !$0.hasPrefix("#") }
            .map { $0.split(separator: "\t") }
        #expect(rows.count == 178)
        for row in rows {
            let currency = try #require(CurrencyCode(number: UInt64(row[1]) ?? 0), "\(row)")
            #expect(currency.code == row[0], "\(row)")
            #expect(currency.exponent == Int(row[2]) ?? 0, "\(row)")
            #expect(currency.isOfPayments == (row[2] != "-"), "\(row)")
        }
        // Withdrawn, and on old cards.
        #expect(CurrencyCode(number: 191)?.code == "HRK")
        #expect(CurrencyCode(number: 975)?.code == "BGN")
    }

    /// EMV 4.4 Book 3, annex A: tag `9F11` 05 is ISO/IEC 8859-5. The name is in Cyrillic letters.
    @Test("a preferred name is in the character set that the object beside it names") func codeTableBesideTheName()
        throws
    {
        let cyrillic = "9F1101059F1205BAD0E0E2D0"
        let fci = try TLVDescription.lines(
            [UInt8](hex: "6F278407A0000000031010A51C500B5649534120435245444954870101" + cyrillic))
        #expect(fci.contains { $0.text == "\"Карта\"" }, "\(fci)")
        // Two entries of a directory, each with its own; the third has none.
        let entries = "610C\(cyrillic)" + "610C9F1101019F1205436166E9" + "20" + "6105" + "9F1202BAD0"
        let directory = try TLVDescription.lines([UInt8](hex: "7023" + entries), isRedacted: false).map(\.text)
        #expect(directory.contains("\"Карта\""), "\(directory)")
        #expect(directory.contains("\"Café \""), "\(directory)")
        #expect(directory.last == "\"..\"", "\(directory)")
    }

    @Test("amounts are written with the decimals of their currency") func amounts() throws {
        #expect(CurrencyCode(number: 978)?.amount(1234) == "12.34 EUR")
        #expect(CurrencyCode(number: 978)?.amount(5) == "0.05 EUR")
        #expect(CurrencyCode(number: 392)?.amount(5) == "5 JPY")
        #expect(CurrencyCode(number: 48)?.amount(1234) == "1.234 BHD")
        #expect(CurrencyCode(number: 0) == nil)
        #expect(CurrencyCode(number: 1978) == nil)
        let dollars = ValueContext(currency: 36)
        #expect(try lines(.amountAuthorised, "000000001000", dollars) == ["10.00 AUD"])
        #expect(try lines(.amountAuthorised, "000000001000") == ["1000 minor units"])
        #expect(try lines(.terminalFloorLimit, "000003E8", dollars) == ["10.00 AUD"])
        #expect(
            try lines(.cvmList, "000003E8000000001F00", ValueContext(applicationCurrency: 978)).first
                == "X = 10.00 EUR, Y = 0.00 EUR")
    }

    @Test func placesAndLanguages() throws {
        #expect(try lines(.terminalCountryCode, "0276") == ["DE, Germany"])
        #expect(try lines(.issuerCountryCode, "0056") == ["BE, Belgium"])
        #expect(try lines(.issuerCountryCode, "0999") == ["not a country of ISO 3166"])
        #expect(try lines(.issuerCountryCodeAlpha2, "6672") == ["FR, France"])
        #expect(try lines(.languagePreference, "64656672") == ["\"defr\": German, French"])
        #expect(try lines(.languagePreference, "64657878").first?.hasSuffix("German, unknown") == true)
        #expect(try lines(.transactionCurrencyCode, "0978") == ["EUR, Euro"])
    }

    /// ISO 8583: 09 is purchase with cashback.
    @Test("Book 4, annex A1: 22 is attended, offline with online capability, operated by a merchant")
    func terminalAndTransaction() throws {
        #expect(try lines(.terminalType, "22") == ["attended, offline with online capability, operated by a merchant"])
        #expect(try lines(.terminalType, "14") == ["unattended, online only, operated by a financial institution"])
        #expect(try lines(.terminalType, "36") == ["unattended, offline only, operated by the cardholder"])
        #expect(try lines(.terminalType, "31") == ["not a terminal type"])
        #expect(try lines(.terminalType, "27") == ["not a terminal type"])
        #expect(try lines(.transactionType, "00") == ["purchase of goods or services"])
        #expect(try lines(.transactionType, "09") == ["purchase with cashback"])
        #expect(try lines(.authorisationResponseCode, "5A33") == ["\"Z3\", unable to go online, offline declined"])
        #expect(try lines(.authorisationResponseCode, "3531") == ["\"51\", insufficient funds"])
        #expect(
            try lines(.serviceCode, "0201") == ["international, use the chip; normal authorisation; no restrictions"])
        #expect(try lines(.pinTryCounter, "01") == ["1 PIN try left"])
        #expect(try lines(.applicationTransactionCounter, "0100") == ["256"])
        #expect(try lines(.transactionTime, "235901") == ["23:59:01"])
    }

    @Test("Book 1, table 48: bit 8, then the order in bits 4 to 1") func names() throws {
        #expect(try lines(.dfName, "A0000000031010") == ["Visa"])
        #expect(try lines(.adfName, "A0000000041010") == ["Mastercard"])
        #expect(try lines(.dfName, "315041592E5359532E4444463031") == ["\"1PAY.SYS.DDF01\""])
        #expect(try lines(.dfName, "F000000001") == [])
        #expect(
            try lines(.applicationPriorityIndicator, "81") == [
                "not to be selected without the cardholder's confirmation", "priority 1",
            ])
        #expect(
            try lines(.applicationPriorityIndicator, "00") == [
                "may be selected without the cardholder's confirmation", "no priority",
            ])
        // ISO/IEC 8859-7: C1 is capital alpha.
        #expect(try lines(.applicationPreferredName, "C1", ValueContext(codeTable: .greek)) == ["\"\u{391}\""])
    }

    /// Book 3, table CCD 11, and Book 2, 8.2: 83820000 is byte 1 bit 8 with a PIN try counter of 3,
    /// byte 2 bit 8 and "reset counters".
    @Test func fromTheIssuer() throws {
        #expect(
            try lines(.issuerAuthenticationData, "11223344556677883030").last
                == "authorisation response code \"00\", approved")
        #expect(
            try lines(.issuerAuthenticationData, "11223344" + "83920000" + "AABBCC") == [
                "ARPC by method 2 11223344", "card status update 83920000", "Proprietary authentication data included",
                "Issuer approves online transaction", "Update PIN try counter", "Reset offline counters to zero",
                "PIN try counter 3", "proprietary authentication data AABBCC",
            ])
        // Book 4, annex A5: a digit for the result, one for the command, then the identifier.
        #expect(
            try lines(.issuerScriptResults, "2000000001" + "13AABBCCDD" + "0000000000") == [
                "script 00000001: successful", "script AABBCCDD: failed at command 3", "script 00000000: not performed",
            ])
        #expect(
            try lines(.issuerScriptResults, "20000000") == [
                "not script results: five bytes for each script are required"
            ])
    }

    @Test("EMV Contactless Book A, TTQ: 36 is bits 6, 5, 3 and 2; Book C-3, CTQ") func qualifiers() throws {
        #expect(
            try lines(.terminalTransactionQualifiers, "36004000") == [
                "EMV mode supported", "EMV contact chip supported", "Online PIN supported", "Signature supported",
                "Consumer device CVM supported",
            ])
        #expect(
            try lines(.cardTransactionQualifiers, "8080") == ["Online PIN required", "Consumer device CVM performed"])
    }

    @Test func reservedBitsAreNamed() throws {
        #expect(
            try lines(.terminalVerificationResults, "8004000000") == [
                "Offline data authentication was not performed", "byte 2, bit 3: reserved",
            ])
        let bits = try #require(ValueDescription.bits(.transactionStatusInformation, [0x80, 0x01]))
        #expect(bits.filter(\.isSet).map(\.meaning) == ["Offline data authentication was performed", "reserved"])
        #expect(bits.count == 7, "six bits with a meaning, and one that is set without")
        #expect(ValueDescription.bits(.applicationPAN, [0x80]) == nil)
    }
}
