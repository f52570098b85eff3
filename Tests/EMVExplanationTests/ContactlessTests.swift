import Bytes
import EMVExplanation
import EMVReplay
import Foundation
import SmartCard
import TLV
import Testing

/// Conversations by air, and those of T=0 with its own rounds; the numbers are Visa's published
/// test card 4761 7390 0101 0119.
@Suite("Explanations of contactless logs") struct ContactlessTests {
    private func explain(_ text: String) throws -> Explanation { Explanation(try APDUTrace(parsing: text)) }
    private func text(_ explanation: Explanation) -> String {
        ExplanationText(explanation).lines.map(\.text).joined(separator: "\n")
    }

    private static func length(_ hex: String) -> String {
        (hex.count < 32 ? "0" : "") + String(hex.count / 2, radix: 16, uppercase: true)
    }
    private static func tlv(_ tag: String, _ value: String) -> String {
        tag + (value.count < 256 ? "" : "81") + length(value) + value
    }

    private static let directory =
        "> 00A404000E325041592E5359532E444446303100\n< "
        + tlv("6F", "840E325041592E5359532E4444463031" + tlv("A5", tlv("BF0C", tlv("61", "4F07A0000000031010870101"))))
        + "9000\n"

    /// qVSDC: the cryptogram comes with the processing options, without CID; the card verification
    /// results say ARQC (A0 in their second byte: b6).
    private func quick(_ results: String, directory: Bool = true) -> String {
        let fci = Self.tlv(
            "6F", "8407A0000000031010" + Self.tlv("A5", "9F3818" + "9F66049F02069F03069F1A0295055F2A029A039C019F3704"))
        let options = Self.tlv(
            "77",
            "82022000" + "57134761739001010119D22122011234512345671F" + "9F100706010A03\(results)"
                + "9F26081122334455667788" + "9F36020001"
                + "9F6C020080")
        let sent =
            "3600C000" + "000000001000" + "000000000000" + "0276" + "0000000000" + "0978" + "251121" + "00" + "11223344"
        return (directory ? Self.directory : "")
            + "> 00A4040007A000000003101000\n< \(fci)9000\n> 80A80000238321\(sent)00\n< \(options)9000\n"
    }

    @Test(arguments: [("A0A000", Explanation.Outcome.wentOnline), ("90A000", .approved), ("80A000", .declined)])
    func aCryptogramWithTheProcessingOptions(_ results: String, _ outcome: Explanation.Outcome) throws {
        let explanation = try explain(quick(results))
        #expect(explanation.verdict.outcome == outcome)
        #expect(explanation.facts.contains { $0.name == "Interface" && $0.value == "contactless, kernel 3" })
        #expect(explanation.verdict.reasons.contains("Cardholder verification: performed on the consumer's device."))
        #expect(!explanation.oddities.contains { $0.text.contains("CDOL") || $0.text.contains("not read") })
        #expect(
            try explain(quick(results, directory: false)).facts.contains { $0.name == "Interface" },
            "9F66 in the PDOL tells")
    }

    /// SW of GET PROCESSING OPTIONS (EMV 4.4 Book 3, 6.5.8.4; EMV Contactless Book C-3, 5.2), and
    /// answers that are none.
    @Test(
        "What a card says instead of its processing options is said in their words",
        arguments: [
            (
                "6984",
                "ended before a cryptogram, at GET PROCESSING OPTIONS, answered 6984: the card asks for another interface"
            ),
            ("6985", "answered 6985: the application refuses the transaction"),
            ("6986", "answered 6986: the cardholder must confirm on the phone, and present it again"),
            ("9000", "the log ends after GET PROCESSING OPTIONS, before a cryptogram."),
            ("7712820220009404080101009000", "the log ends after GET PROCESSING OPTIONS, before a cryptogram."),
        ])
    func withoutOptions(_ answer: String, _ words: String) throws {
        let fci = Self.tlv("6F", "8407A0000000031010" + Self.tlv("A5", "9F3803" + "9F6604"))
        let log =
            Self.directory + "> 00A4040007A000000003101000\n< \(fci)9000\n> 80A800000683048000000000\n< \(answer)\n"
        let explanation = try explain(log)
        #expect(explanation.verdict.outcome == .ended, "\(explanation.verdict.sentence)")
        #expect(explanation.verdict.sentence.contains(words), "\(explanation.verdict.sentence)")
        #expect(!text(explanation).contains("0 records in 0 files"))
        guard answer.hasPrefix("77") else { return }
        #expect(text(explanation).contains("data object 77 at byte 0 announces 18 bytes but 10 follow"))
        #expect(
            text(explanation).contains("82 Application Interchange Profile (AIP), 2 bytes: 2000"),
            "the contents before the damage")
    }

    @Test("A megabyte of templates that are cut off, and of padding, is read without a deep stack") func hostileTrees()
        throws
    {
        // Each template announces 16 MB.
        let cut = try [UInt8](hex: String(repeating: "6F83FFFFFF", count: 200_000))
        let (fields, problem) = DataField.readableFields(cut, isRedacted: true)
        #expect(fields.map(\.tag) == ["6F"])
        #expect(problem == .valueTooLong(offset: 0, tag: 0x6F, length: 0xFF_FFFF, available: cut.count - 5))
        // Each template has padding of its own.
        let padded = try [UInt8](hex: String(repeating: "70045001" + "41FF", count: 100_000))
        #expect(TLVPadding.zeroed(padded).count == 100_000)
    }

    @Test("FF between the objects of a record is padding to the analysis, and the kernel's end") func padding() throws {
        let log = """
            > 00A4040007A000000003101000
            < 6F108407A0000000031010A5055003414243\("9000")
            > 80A8000002830000
            < 800600000801\("01009000")
            > 00B2010C00
            < \(Self.tlv("70", "5A084111111111111111" + "FFFFFF" + "5F2403301231" + "FF"))9000
            """
        let explanation = try explain(log)
        #expect(explanation.facts.contains { $0.name == "PAN" && $0.value == "411111******1111" })
        #expect(text(explanation).contains("5F24 Application Expiration Date"))
        #expect(
            explanation.oddities.contains {
                $0.text.contains("padded with 4 bytes FF") && $0.text.contains("terminates")
            })
        // Kernel 2's own tags begin with a single FF.
        #expect(try TLVPadding.zeroed([UInt8](hex: "FF810603010203")).count == 0)
    }

    /// Visa's mag-stripe mode: AIP and AFL alone (80), AIP byte 2 bit 8, the track in a record, no
    /// cryptogram.
    @Test(
        "A track in Visa's mag-stripe mode is named",
        arguments: [
            ("80060080" + "08010100", true, true), ("80060080" + "08010100", false, false),
            ("80060000" + "08010100", true, false),
            ("770A" + "82020080" + "940408010100", true, false),
        ])
    func magstripe(_ options: String, _ hasTrack: Bool, _ isNamed: Bool) throws {
        let fci = Self.tlv("6F", "8407A0000000031010" + Self.tlv("A5", "9F3803" + "9F6604"))
        let record =
            hasTrack ? "> 00B2010C00\n< " + Self.tlv("70", "57104761739001010119D491220100013650") + "9000\n" : ""
        let log =
            Self.directory
            + "> 00A4040007A000000003101000\n< \(fci)9000\n> 80A800000683048000000000\n< \(options)9000\n" + record
        let explanation = try explain(log)
        #expect((explanation.verdict.outcome == .wentOnline) == isNamed, "\(explanation.verdict)")
        #expect(explanation.verdict.sentence.contains("mag-stripe mode (MSD)") == isNamed)
        let isMode = options.hasPrefix("80060080")
        #expect(text(explanation).contains("contactless, kernel 3, mag-stripe mode (MSD)") == isMode)
        #expect(
            text(explanation).contains("Mag-stripe mode (MSD): the card gives its track and no cryptogram.") == isMode)
    }

    /// CDOL1 asks for 6 bytes and DSDOL for 8, 8, 1 and at most 64, the last one unpadded (C-2,
    /// 4.1.4).
    @Test(
        "The values of DSDOL follow those of CDOL1",
        arguments: [(0, false), (1, false), (3, false), (64, false), (65, true)])
    func dataStorage(_ count: Int, _ isOdd: Bool) throws {
        let fci = Self.tlv("6F", "8407A0000000041010" + Self.tlv("A5", "500A4D617374657263617264"))
        let record = Self.tlv(
            "70",
            "5A085413330089010012" + "5F2403491231" + "8C039F0206"
                + Self.tlv("9F5B", "DF6008" + "DF6108" + "DF6201" + "DF6340"))
        let stored = count == 0 ? "" : String(repeating: "01", count: 8 + 8 + 1 + count)
        let sent = "000000001000" + stored
        let answer = Self.tlv("77", "9F270140" + "9F36020001" + "9F26081122334455667788")
        let log =
            Self.directory.replacing("A0000000031010", with: "A0000000041010")
            + "> 00A4040007A000000004101000\n< \(fci)9000\n"
            + "> 80A8000002830000\n< 770A82021B80940408010100" + "9000\n> 00B2010C00\n< \(record)9000\n"
            + "> 80AE5000\(Self.length(sent))\(sent)00\n< \(answer)9000\n"
        let oddities = try explain(log).oddities.map(\.text)
        #expect(oddities.contains { $0.contains("the card's list asks for") } == isOdd, "\(oddities)")
    }

    /// PPSE alone: nothing was selected but the directory.
    @Test func theDirectoryIsNotTheApplication() throws {
        let explanation = try explain(Self.directory)
        #expect(!explanation.facts.contains { $0.name == "Application" })
        #expect(!text(explanation).contains("Selected:"))
    }

    private struct Session: Decodable {
        struct Exchange: Decodable {
            let command: String
            let answer: String
        }
        struct Message: Decodable {
            let message: String
            let plain: String
        }
        let exchanges: [Exchange]
        let kernelPrivateKey: String
        let messages: [Message]

        var log: String { exchanges.map { "> \($0.command)\n< \($0.answer)\n" }.joined() }

        init() throws {
            let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent()
            self = try JSONDecoder().decode(
                Session.self, from: Data(contentsOf: package.appending(path: "Vectors/kernel-8/p256.json")))
        }
    }

    /// The records are enciphered: what they hold is not missing, and the card decides on its
    /// holder.
    @Test("A session of kernel 8 lacks nothing that is enciphered") func kernel8() throws {
        let explanation = try explain(Session().log)
        #expect(explanation.facts.contains { $0.name == "Interface" && $0.value == "contactless, kernel 8" })
        #expect(explanation.oddities.isEmpty, "\(explanation.oddities)")
        #expect(
            !explanation.verdict.reasons.contains { $0.contains("does not support") }, "\(explanation.verdict.reasons)")
        #expect(text(explanation).contains("Cardholder Verification Decision"))
        #expect(text(explanation).contains("Card Key Data"))
    }

    /// What the page says of the parts of the answers.
    private func meanings(_ explanation: Explanation) -> [String] {
        explanation.phases.flatMap(\.steps).flatMap { step -> [String] in
            guard case .exchange(let exchange) = step.event else { return [] }
            return exchange.answer?.parts.compactMap(\.meaning) ?? []
        }
    }

    /// The session's own plain text, which a program in Python recomputes, is what the key shows.
    @Test("Records of kernel 8 are shown in plain text with the terminal's key") func decipheredRecords() throws {
        let session = try Session()
        let records = session.messages.filter { $0.message == "record" }
        #expect(!records.isEmpty)
        let log = "# cardpresent trace 2\n# kernel-8-key: \(session.kernelPrivateKey)\n" + session.log
        let trace = try APDUTrace(parsing: log)
        let explanation = Explanation(trace, isRedacted: false)
        let plain = text(explanation)
        for record in records {
            let objects = try DataElements(parsing: [UInt8](hex: record.plain))
            for tag in objects.tags { #expect(plain.contains("\(tag) "), "\(tag)") }
        }
        #expect(plain.contains("4761739001010119"))
        #expect(meanings(explanation).count { $0.hasSuffix(", enciphered") } == records.count)
        let masked = text(Explanation(trace))
        #expect(masked.contains("Application Expiration Date"))
        #expect(!masked.contains("4761739001010119"))
        let enciphered = try explain(session.log)
        #expect(!text(enciphered).contains("Application Expiration Date"))
        #expect(!meanings(enciphered).contains { $0.contains("enciphered") })
    }

    /// Kernel 2: no CDOL2, a record that is listed and not read, on-device verification, the relay
    /// resistance protocol.
    @Test func kernel2InItsOwnTerms() throws {
        let fci = Self.tlv("6F", "8407A0000000041010" + Self.tlv("A5", "500A4D617374657243617264"))
        let record = Self.tlv("70", "5A084761739001010119" + "5F2403311231" + "8C0F" + "95059F34039A039F37049F66029C01")
        let log =
            Self.directory + "> 00A4040007A000000004101000\n< \(fci)9000\n> 80A8000002830000\n< 770A82021B8194040801020"
            + "09000\n"
        let whole =
            log.replacing("940408010200", with: "940408010200")
            + "> 80EA00000411223344\n< 800A112233440001000200039000\n> 00B2010C00\n< \(record)9000\n"
            + "> 80AE500012" + "0000000002" + "010002" + "251121" + "11223344" + "000E" + "00" + "00\n< 77"
            + Self.length(Self.tlv("9F27", "80") + Self.tlv("9F36", "0001") + Self.tlv("9F26", "1122334455667788"))
            + Self.tlv("9F27", "80") + Self.tlv("9F36", "0001") + Self.tlv("9F26", "1122334455667788") + "9000\n"
        let explanation = try explain(whole)
        let all = text(explanation)
        #expect(all.contains("contactless, kernel 2"))
        #expect(
            !explanation.oddities.contains { $0.text.contains("CDOL") || $0.text.contains("was not read") },
            "\(explanation.oddities)")
        #expect(explanation.verdict.reasons.contains { $0.contains("Verified on the consumer's device (CDCVM)") })
        #expect(all.contains("EXCHANGE RELAY RESISTANCE DATA"))
        #expect(all.contains("Relay resistance protocol performed"))
        #expect(all.contains("On-device cardholder verification is supported"))
        #expect(all.contains("EMV mode is supported"))
        #expect(all.contains("9F66 PUNATC (Track2)"))
        #expect(!all.contains("Terminal Transaction Qualifiers"))
    }
}

@Suite struct TransportRoundTests {
    private func fields(_ text: String) throws -> [String] {
        ExplanationText(Explanation(try APDUTrace(parsing: text))).conversation.map(\.text)
    }

    private static let start = "> 00A4040007A000000003101000\n< 6F098407A00000000310109000\n"

    /// The same answers of format 1, at once, by GET RESPONSE in one piece and in two, and after
    /// 6Cxx.
    @Test(arguments: [
        "> 80A8000002830000\n< 80061980080101009000\n",
        "> 80A8000002830000\n< 6108\n> 00C0000008\n< 80061980080101009000\n",
        "> 80A8000002830000\n< 6108\n> 00C0000004\n< 800619806104\n> 00C0000004\n< 080101009000\n",
        "> 80A8000002830000\n< 6C08\n> 80A8000002830008\n< 80061980080101009000\n",
        "> 80A8000002830000\n< 6286\n> 00C0000000\n< 6C08\n> 00C0000008\n< 80061980080101009000\n",
    ]) func format1HasTheSameWords(_ options: String) throws {
        let words = try fields(Self.start + options)
        #expect(words.contains("82 Application Interchange Profile (AIP), 2 bytes: 1980"))
        #expect(words.contains("94 Application File Locator (AFL), 4 bytes: 08010100"))
        #expect(words.contains("Cardholder verification is supported"))
        #expect(!words.contains { $0.contains("not BER-TLV") })
    }

    @Test func aCryptogramThatIsFetched() throws {
        let words = try fields(
            Self.start
                + "> 80A8000002830000\n< 80061980080101009000\n> 80AE80000411223344\n< 610D\n> 00C000000D\n< 800B80000111223344556677889000\n"
        )
        #expect(words.contains("9F27 Cryptogram Information Data (CID), 1 byte: 80"))
        #expect(words.contains("ARQC (go online)"))
    }

    /// A status that ends GET RESPONSE is the status of the command that was asked.
    @Test func statusesAreThoseOfTheCommand() throws {
        let words = try fields(Self.start + "> 80A8000002830000\n< 6108\n> 00C0000008\n< 6985\n")
        #expect(
            words.contains {
                $0.hasPrefix("line 5: GET RESPONSE") && $0.contains("the application refuses the transaction")
            })
    }
}

@Suite struct TransactionLogTests {
    /// EMV 4.4 Book 3, annex D: amount, date, type and counter by the log format, which comes after
    /// the records.
    private static let log = """
        > 00A4040007A000000003101000
        < 6F118407A0000000031010A5069F4D020B0A90009000
        > 80A8000002830000
        < 80061980080101009000
        > 00B2015C00
        < 000000001234251121000001019000
        > 00B2025C00
        < 5A084761739001010119112233009000
        """

    private func words(_ format: String) throws -> [String] {
        let start = Self.log.replacing(
            "6F118407A0000000031010A5069F4D020B0A90009000", with: "6F108407A0000000031010A5059F4D020B0A9000")
        return ExplanationText(Explanation(try APDUTrace(parsing: start + format))).lines.map(\.text)
    }

    @Test func recordsAreReadByTheLogFormat() throws {
        let words = try words(
            "\n> 80CA9F4F00\n< 9F4F0B9F02069A039C019F3602\("9F3501")9000".replacing("9F4F0B", with: "9F4F0D"))
        #expect(words.contains("9F02 Amount, Authorised (Numeric), 6 bytes: 000000001234"))
        #expect(words.contains { $0.hasPrefix("9A Transaction Date, 3 bytes: 251121") })
        #expect(!words.contains { $0.contains("not BER-TLV") })
    }

    /// Without a format their bytes are not data objects, even where they look like some, and no
    /// data of the card's.
    @Test func recordsWithoutAFormatAreNotTaken() throws {
        let words = try words("")
        #expect(!words.contains { $0.contains("not BER-TLV") || $0.hasPrefix("5A ") || $0.hasPrefix("PAN") })
    }
}
