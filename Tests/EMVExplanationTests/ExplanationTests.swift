import CardCryptography
import EMVExplanation
import EMVReplay
import Foundation
import SmartCard
import Testing

/// Files of the package's vectors.
enum Vectors {
    static func text(_ path: String) throws -> String {
        let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return try String(contentsOf: package.appending(path: "Vectors/\(path)"), encoding: .utf8)
    }

    static let traces = ["mastercard-contact-online", "mastercard-contactless-cda", "visa-contact-online"]

    static func trace(_ name: String) throws -> APDUTrace { try APDUTrace(parsing: text("traces/\(name).apdu")) }

    static func explanation(_ name: String, isRedacted: Bool = true) throws -> Explanation {
        let trace = try trace(name)
        let keys = try CAPublicKeyFile.parse(text("keys/ca-test-keys.tsv"))
        return Explanation(trace, caKeys: keys, issuer: IssuerKeyMaterial(trace), isRedacted: isRedacted)
    }
}

/// Verdicts on the published captures: what their heads say of them, and what their GENERATE AC
/// data hold, taken apart by hand.
@Suite("Verdicts on published captures") struct VerdictTests {
    @Test(
        "Amount 000000001000 in currency 0036, ARC 3030, TVR 8000008000 then ..40: EXTERNAL AUTHENTICATE was answered 6700"
    )
    func visaOnline() throws {
        let explanation = try Vectors.explanation("visa-contact-online")
        #expect(explanation.verdict.outcome == .approved)
        #expect(explanation.verdict.sentence == "Visa “VISA TEST”, 10.00 AUD: approved online.")
        #expect(explanation.verdict.reasons.contains { $0.contains("The issuer answered \"00\", approved.") })
        #expect(explanation.verdict.reasons.contains { $0.contains("Issuer authentication failed") })
        #expect(explanation.oddities.contains { $0.line == 34 && $0.text.contains("6700") })
        // Line 10 is a READ RECORD that answers 0000 0000.
        #expect(explanation.oddities.contains { $0.line == 10 })
        #expect(explanation.evidence.map(\.subject) == ["ARQC, first GENERATE AC", "ARPC", "TC, second GENERATE AC"])
        #expect(explanation.evidence.map(\.state) == [.proved, .notChecked, .proved])
        #expect(explanation.issuerIsInferred)
    }

    /// P1 40 at the second GENERATE AC, CID 00 in its answer: asked for a TC, given an AAC.
    @Test func mastercardDeclinesAfterApproval() throws {
        let explanation = try Vectors.explanation("mastercard-contact-online")
        #expect(explanation.verdict.outcome == .declined)
        #expect(explanation.verdict.sentence.contains("declined by the card although the terminal asked it to approve"))
        #expect(explanation.oddities.contains { $0.text.contains("must reverse the authorization") })
        // CDOL1 carries 9F34 as 5E0300.
        #expect(explanation.verdict.reasons.contains { $0.hasPrefix("Cardholder verification: Signature") })
    }

    @Test("One GENERATE AC with P1 50, TVR 0000000000") func mastercardOffline() throws {
        let explanation = try Vectors.explanation("mastercard-contactless-cda")
        #expect(explanation.verdict.outcome == .approved)
        #expect(explanation.verdict.sentence.hasSuffix("approved offline by the card."))
        #expect(explanation.verdict.reasons.contains("The terminal asked for a TC (approve): its TVR has no bit set."))
        #expect(explanation.verdict.reasons.contains { $0.hasPrefix("Offline data authentication: CDA, no failure") })
        #expect(!explanation.issuerIsInferred)
    }

    @Test("A signature over data that were tampered with is found, and stands first among what is odd")
    func wrongSignature() throws {
        let text = try Vectors.text("traces/mastercard-contactless-cda.apdu").replacing(
            "80AE50002B000000010001", with: "80AE50002B000000010002")
        let keys = try CAPublicKeyFile.parse(Vectors.text("keys/ca-test-keys.tsv"))
        let explanation = Explanation(try APDUTrace(parsing: text), caKeys: keys)
        #expect(explanation.evidence.contains { $0.state == .disproved && $0.subject.hasPrefix("CDA") })
        #expect(explanation.oddities.first?.text.hasPrefix("CDA") == true)
    }
}

/// Conversations written for one thing each.
@Suite("Explanations of single exchanges") struct ConversationTests {
    private func explain(_ text: String) throws -> Explanation { Explanation(try APDUTrace(parsing: text)) }

    @Test(
        "EMV 4.4 Book 3, 6.5.1.1 and 6.5.3.1; Book 1, 12.3.2",
        arguments: [
            ("6A81", "the card is blocked or does not support the command"), ("6283", "the application is blocked"),
            ("6A82", "the card has no application, or no further application, of that name"),
        ]) func selectionThatFails(_ status: String, _ words: String) throws
    {
        let explanation = try explain("> 00A4040007A000000003101000\n< \(status)\n")
        #expect(explanation.verdict.outcome == .ended)
        #expect(
            explanation.verdict.sentence
                == "The transaction: ended before a cryptogram, at SELECT A0000000031010, answered \(status): \(words)."
        )
    }

    @Test("A counter that jumps and a cryptogram that comes twice are odd") func oddCryptograms() throws {
        let first = "77149F2701809F360200129F26081122334455667788"
        func oddities(_ second: String) throws -> [String] {
            try explain("> 80AE800000\n< \(first)9000\n> 80AE400000\n< \(second)9000\n").oddities.map(\.text)
        }
        let jumping = try oddities("77149F2701409F360200159F26088877665544332211")
        #expect(jumping.contains("the card's transaction counter changes within the transaction, from 0012 to 0015"))
        #expect(!jumping.contains { $0.contains("twice") })
        let same = try oddities("77149F2701409F360200129F26081122334455667788")
        #expect(same.contains("the card gives the same cryptogram twice"))
        #expect(!same.contains { $0.contains("counter changes") })
    }

    @Test("A removed card is the verdict and an oddity") func cardRemoved() throws {
        let explanation = try explain("> 00A4040007A000000003101000\n! card removed\n")
        #expect(explanation.verdict.sentence.contains("SELECT A0000000031010 got no answer"))
        #expect(explanation.oddities.map(\.text) == ["SELECT A0000000031010 got no answer: card removed"])
        #expect(explanation.oddities.map(\.line) == [1])
    }

    @Test("What happens between the exchanges stands in the phase in which it happened, with its time")
    func eventsAndTimes() throws {
        let text = """
            # cardpresent trace 2
            0.000000 ! card presented
            0.250000 > 00A4040007A000000003101000
            0.300000 < 6A82
            0.400000 = Application selection: nothing in common
            0.500000 $ > authorisation of 12.34 EUR
            0.750000 $ < approved
            """
        let explanation = try explain(text)
        #expect(explanation.duration == 0.75)
        #expect(explanation.phases.map(\.name) == ["Application selection", "Online processing"])
        #expect(explanation.phases.first?.steps.map(\.start) == [0, 0.25, 0.4])
        #expect(explanation.phases.first?.steps[1].end == 0.3)
        let said: [String] = explanation.phases.flatMap(\.steps).compactMap { step in
            switch step.event {
            case .reader(let text), .decision(let text): text
            case .host(let isAnswer, let text): "\(isAnswer) \(text)"
            default: nil
            }
        }
        #expect(said == ["card presented", "nothing in common", "false authorisation of 12.34 EUR", "true approved"])
    }

    @Test func brokenLinesAreNamed() throws {
        let trace = try APDUTrace(parsing: "> 00A4040007A000000003101000\n< 6A82\n")
        let explanation = Explanation(trace, unread: [Explanation.Oddity(line: 3, text: "hello is not a line")])
        #expect(explanation.oddities.first == Explanation.Oddity(line: 3, text: "not read: hello is not a line"))
    }

    /// EMV 4.4 Book 3, 10.4.3: an application that ended in 2024 and a terminal of 2025 that says
    /// nothing about it.
    @Test func expiryThatTheTerminalOverlooked() throws {
        // CDOL1 is TVR (5) and date (3); record: 5F24 = 241231, 5A, 8C, 8D.
        let record = "5F2403241231" + "5A084761739001010119" + "8C0495059A03" + "8D028A02"
        let length = String(record.count / 2, radix: 16, uppercase: true)
        func text(_ tvr: String) -> String {
            """
            > 00A4040007A000000003101000
            < 6F098407A00000000310109000
            > 80A8000002830000
            < 80061980080101009000
            > 00B2010C00
            < 70\(length)\(record)9000
            > 80AE400008\(tvr)25010100
            < 800B4000010102030405060708009000
            """
        }
        let overlooked = try explain(text("0000000000"))
        #expect(overlooked.oddities.contains { $0.text == "the application has expired, and the TVR does not say so" })
        let noted = try explain(text("0040000000"))
        #expect(!noted.oddities.contains { $0.text.contains("expired") })
        #expect(noted.verdict.reasons.contains { $0.contains("Expired application") })
    }
}

/// What may not be seen is in no form of the explanation.
@Suite struct ExplanationRedactionTests {
    private func forms(_ explanation: Explanation) throws -> String {
        ExplanationText(explanation).lines.map(\.text).joined(separator: "\n") + ExplanationPage(explanation).html
            + String(decoding: try JSONEncoder().encode(explanation), as: UTF8.self)
    }

    @Test(
        "The captures' card numbers and track data, without and with spaces between the bytes",
        arguments: [
            ("visa-contact-online", ["4761340000000050", "47 61 34 00 00 00 00 50", "D1712201125234515F"]),
            ("mastercard-contact-online", ["5413330089600044", "54 13 33 00 89 60 00 44", "D1412201012340917"]),
            (
                "mastercard-contactless-cda",
                ["5413330089600044", "54 13 33 00 89 60 00 44", "ET/PAYPASS", "455445432F504159504153535F"]
            ),
        ]) func captures(_ name: String, _ secrets: [String]) throws
    {
        let hidden = try forms(Vectors.explanation(name))
        for secret in secrets { #expect(!hidden.contains(secret), "\(secret)") }
        let shown = try forms(Vectors.explanation(name, isRedacted: false))
        #expect(shown.contains(secrets[0]))
    }

    @Test func pinsAreNeverShown() throws {
        let trace = try APDUTrace(
            parsing: "> 0020008008241234FFFFFFFFFF\n< 63C2\n> 00A4040007A000000003101000\n< 6A82\n")
        let text = try forms(Explanation(trace, isRedacted: false))
        #expect(!text.contains("1234FF"))
        #expect(!text.contains("12 34 FF"))
        #expect(text.contains("the PIN is wrong, 2 tries are left"))
    }

    @Test(
        "A card number in a title or in what a host said; 4761739001010119 is a published test number with a right check digit"
    )
    func numbersInTexts() throws {
        let text = """
            # title: card 4761739001010119 of order 1234567890123
            # note: 4761 7390 0101 0119
            > 00A4040007A000000003101000
            < 6A82
            $ > sale with 4761739001010119
            """
        let shown = try forms(Explanation(APDUTrace(parsing: text)))
        #expect(!shown.contains("4761739001010119"))
        #expect(!shown.contains("4761 7390 0101 0119"))
        #expect(shown.contains("476173******0119"))
        #expect(shown.contains("4761 73** **** 0119"))
        #expect(shown.contains("1234567890123"), "no card number: its check digit is wrong")
    }

    /// A log that was written with card data hidden can be explained; nothing is computed with its
    /// zeros.
    @Test func logWithHiddenDigits() throws {
        let trace = try Vectors.trace("mastercard-contact-online")
        var writer = APDUTraceWriter(.redacted)
        let hidden = try APDUTrace(parsing: writer.text(trace), hiddenDigits: .zeros)
        let keys = try CAPublicKeyFile.parse(Vectors.text("keys/ca-test-keys.tsv"))
        let explanation = Explanation(hidden, caKeys: keys, issuer: IssuerKeyMaterial(trace))
        #expect(explanation.verdict.outcome == .declined)
        #expect(explanation.evidence.isEmpty)
        #expect(explanation.oddities.contains { $0.text.contains("digits are hidden in the log") })
    }
}
