import EMVExplanation
import SmartCard
import TLV
import Testing

/// Tag 91 by the card's cryptogram version (EMV 4.4 Book 2, 8.2).
@Suite struct IssuerAnswerTests {
    /// A card of Visa with version 10 in its issuer application data, whose issuers answer by
    /// method 1; EXTERNAL AUTHENTICATE with `data`.
    private func explain(_ data: String, _ status: String, issuerData: String = "06010A03A0A000") throws -> String {
        let answer = "8000011122334455667788\(issuerData)"
        let length = String(answer.count / 2, radix: 16, uppercase: true)
        let count = String(data.count / 2, radix: 16)
        let log = """
            > 00A4040007A000000003101000
            < 6F098407A00000000310109000
            > 80A8000002830000
            < 80061C00080101009000
            > 00B2010C00
            < 700F8C0895059A039F370490008D028A029000
            > 80AE80000C000000000025010111223344
            < 80\(length.count == 1 ? "0" : "")\(length)\(answer)9000
            > 00820000\(count.count == 1 ? "0" : "")\(count)\(data)
            < \(status)
            """
        return ExplanationText(Explanation(try APDUTrace(parsing: log))).lines.map(\.text).joined(separator: "\n")
    }

    @Test func eightBytesAreNoOrdersWhereTheVersionUsesMethod1() throws {
        let text = try explain("1122334455667788", "6700")
        #expect(!text.contains("Card block"))
        #expect(!text.contains("card status update 5"))
        #expect(
            text.contains(
                "8 bytes sent, and the card's version requires method 1: ARPC (8 bytes) and response code (2)"))
        #expect(text.contains("8 bytes; the card's version requires method 1"))
    }

    @Test func tenBytesAreMethod1() throws {
        let text = try explain("11223344556677883030", "9000")
        #expect(text.contains("ARPC 1122334455667788"))
        #expect(text.contains("authorisation response code \"00\", approved"))
    }

    /// Version 18 answers by method 2: byte 2 of the update is C0.
    @Test func eightBytesAreMethod2WhereTheVersionUsesIt() throws {
        let text = try explain("1122334400C00000", "9000", issuerData: "06011203A0A000")
        #expect(text.contains("ARPC by method 2 11223344"))
        #expect(text.contains("Card block"))
    }

    /// A version that is not known: eight bytes may be either.
    @Test func anUnknownVersionClaimsNothing() throws {
        let text = try explain("1122334400C00000", "6700", issuerData: "0601FF03A0A000")
        #expect(!text.contains("Card block"))
        #expect(text.contains("the card's version tells"))
        #expect(text.contains("8 to 16 are possible"))
    }
}
