import KernelDoubles
import SmartCard
import TLV
import Testing

@testable import EMVKernel

extension KernelBench.Run {
    fileprivate var termination: Termination? {
        if case .terminated(let reason) = decision { reason } else { nil }
    }
}

/// EMV 4.4 Book 3, 10.1 and 6.5.8.
@Suite("Initiate application processing") struct InitiationTests {
    /// Without PDOL the command template is empty (10.1).
    @Test func withoutPDOL() async {
        let (run, sent) = await KernelBench().run(CardImage(), sent: "80A8")
        #expect(sent == ["80A8000002830000"])
        #expect(run.decision == .approved(.offline))
    }

    /// 9F1A n2 0056, 5F2A n2 0978, 9F02 n6, 9F37, a template, an unknown tag: values in the list's
    /// order, zeros for what is not known (5.4).
    @Test func buildsWhatThePDOLAsksFor() async {
        var image = CardImage()
        image.proprietary = object("9F38", "9F1A025F2A029F02069F3704A501DF4102")
        let (run, sent) = await KernelBench().run(image, sent: "80A8")
        #expect(sent == [spaced("80A8000013 8311 0056 0978 000000001000 DEADBEEF 00 0000 00")])
        #expect(run.decision == .approved(.offline))
    }

    @Test("A tag without length ends the transaction (5.4: a list is tags and lengths)") func unreadableLists() async {
        var image = CardImage()
        image.proprietary = object("9F38", "9F1A")
        #expect(await KernelBench().run(image).termination == .invalidData(.pdol))
        var other = CardImage()
        other["8C"] = "9F02"
        #expect(await KernelBench().run(other).termination == .invalidData(.cdol1))
    }

    /// 6.5.8.4, format 1: AIP and AFL one after the other, as in format 2.
    @Test("GET PROCESSING OPTIONS may be answered in format 1") func format1() async {
        var image = CardImage()
        image.aip = "1000"
        image["8E"] = "00000000000000001F00"
        image.pairs = [("80A8", "8006" + "1000" + "08010100" + "9000")]
        let run = await KernelBench().run(image)
        #expect(run.decision == .approved(.offline))
        #expect(run.outcome.data.card[.applicationInterchangeProfile] == [0x10, 0x00])
        #expect(run.outcome.cvmResults.bytes == [0x1F, 0x00, 0x02], "the AIP's cardholder verification bit was read")
    }

    @Test(
        "10.1: both are mandatory in the answer, AIP of two bytes and AFL of entries of four",
        arguments: [
            ("77069404080101009000", Termination.missingData(.applicationInterchangeProfile)),
            ("7704820200009000", .missingData(.applicationFileLocator)),
            ("77098201009404080101009000", .invalidData(.applicationInterchangeProfile)),
            ("77068202000094009000", .invalidData(.applicationFileLocator)),
            ("8001009000", .malformedAnswer(.getProcessingOptions, nil)),
            ("800200009000", .invalidData(.applicationFileLocator)),
            ("9000", .malformedAnswer(.getProcessingOptions, nil)),
            ("70009000", .malformedAnswer(.getProcessingOptions, nil)),
            ("770E82020000820200009404080101009000", .repeatedData(.applicationInterchangeProfile)),
            ("6A80", .commandFailed(.getProcessingOptions, 0x6A80)),
            ("6283", .commandFailed(.getProcessingOptions, 0x6283)),
        ] as [(String, Termination)])
    func answers(_ answer: String, _ expected: Termination) async {
        var image = CardImage()
        image.pairs = [("80A8", answer)]
        let run = await KernelBench().run(image)
        #expect(run.termination == expected)
        #expect(expected.isChipFailure)
    }

    @Test(
        "10.2: SFI 1 to 30, first record not 0, last not before first, no more authenticated than there are",
        arguments: ["00010100", "F8010100", "08000100", "08020100", "08010102", "080101", "0801010008"])
    func badLocators(_ afl: String) async {
        var image = CardImage()
        image.afl = afl
        let (run, sent) = await KernelBench().run(image, sent: "00B2")
        #expect(run.termination == .invalidData(.applicationFileLocator))
        #expect(sent.isEmpty)
    }

    @Test func tooManyRecords() async {
        var image = CardImage()
        image.afl = "0801FF00"
        let (run, sent) = await KernelBench().run(image, sent: "00B2")
        #expect(run.termination == .tooManyRecords)
        #expect(sent.isEmpty)
    }
}

/// EMV 4.4 Book 3, 10.2.
@Suite("Read application data") struct ReadingTests {
    @Test func readsFilesAndRecordsInTheLocatorsOrder() async {
        var image = CardImage()
        image.afl = "10020300" + "08010100"
        image.pairs = [
            ("00B2021400", object("70", object("5F20", "4E2F58")) + "9000"),
            ("00B2031400", object("70", object("5F34", "01")) + "9000"),
        ]
        let (run, sent) = await KernelBench().run(image, sent: "00B2")
        #expect(sent == ["00B2021400", "00B2031400", "00B2010C00"])
        #expect(run.decision == .approved(.offline))
        #expect(run.events.contains(.recordsRead(count: 3, authenticatedBytes: 0)))
        #expect(run.outcome.data.card[.panSequenceNumber] == [0x01])
    }

    @Test(
        "Table 28: expiry date, PAN and both CDOLs are mandatory",
        arguments: [
            ("5A", Tag.applicationPAN), ("5F24", .applicationExpirationDate), ("8C", .cdol1), ("8D", .cdol2),
        ])
    func missingMandatoryData(_ text: String, _ tag: Tag) async {
        var image = CardImage()
        image[text] = nil
        let (run, sent) = await KernelBench().run(image, sent: "80AE")
        #expect(run.termination == .missingData(tag))
        #expect(sent.isEmpty)
    }

    @Test(
        "One record may not repeat what another, or the same, or the answer to GET PROCESSING OPTIONS gave",
        arguments: [
            ("5A", "4761739001010010", Tag.applicationPAN), ("82", "FFFF", .applicationInterchangeProfile),
            ("94", "08010100", .applicationFileLocator),
        ])
    func repeatedData(_ text: String, _ value: String, _ tag: Tag) async {
        var image = CardImage()
        image.record.append((text, value))
        #expect(await KernelBench().run(image).termination == .repeatedData(tag))

        var later = CardImage()
        later.afl = "0801010010010100"
        later.pairs = [("00B2011400", object("70", object(text, value)) + "9000")]
        #expect(await KernelBench().run(later).termination == .repeatedData(tag))
    }

    @Test(
        arguments: [
            ("6A83", Termination.commandFailed(.readRecord, 0x6A83)), ("6283", .commandFailed(.readRecord, 0x6283)),
            ("9000", .malformedAnswer(.readRecord, nil)), ("5A01009000", .malformedAnswer(.readRecord, nil)),
            ("71009000", .malformedAnswer(.readRecord, nil)), ("70025A9000", .malformedAnswer(.readRecord, nil)),
            (
                "70035A05009000",
                .malformedAnswer(.readRecord, .valueTooLong(offset: 0, tag: 0x5A, length: 5, available: 1))
            ),
        ] as [(String, Termination)])
    func recordsThatCannotBeUsed(_ answer: String, _ expected: Termination) async {
        var image = CardImage()
        image.pairs = [("00B2010C00", answer)]
        #expect(await KernelBench().run(image).termination == expected)
    }

    /// Files 11 to 20 are the payment systems', 21 to 30 the issuer's: no template 70 is asked of
    /// them (7.1, 10.2).
    @Test func filesAboveTenNeedNoTemplate() async {
        var image = CardImage()
        image.afl = "0801010058010100F0010100"
        image.pairs = [("00B2015C00", "0102039000"), ("00B201F400", "9000")]
        let (run, sent) = await KernelBench().run(image, sent: "00B2")
        #expect(sent == ["00B2010C00", "00B2015C00", "00B201F400"])
        #expect(run.decision == .approved(.offline))
    }

    /// Book 3, 5.4 and annex A1, column "source": what is the terminal's the card cannot set. TVR
    /// stays 8000000000, the amount ten euro.
    @Test func recordCannotOverwriteTerminalData() async {
        var image = CardImage()
        image["8C"] = "95059F02069F37049A039F34039F1A025F2A029C01"
        for (tag, value) in [
            ("95", "0000000000"), ("9F02", "000000000001"), ("9F37", "00000000"), ("9A", "010101"), ("9F34", "1F0002"),
            ("9F1A", "0840"),
            ("5F2A", "0840"), ("9C", "20"), ("9B", "FFFF"), ("8A", "3030"),
        ] { image[tag] = value }
        let (run, sent) = await KernelBench().run(image, sent: "80AE")
        #expect(sent == [spaced("80AE40001A 8000000000 000000001000 DEADBEEF 260309 3F0000 0056 0978 00 00")])
        #expect(run.outcome.data[.terminalVerificationResults] == bytes("8000000000"))
        #expect(run.outcome.data[.authorisationResponseCode] == Array("Y1".utf8))
        #expect(run.outcome.data.merged[.amountAuthorised] == bytes("000000001000"))
        #expect(run.outcome.data.merged[.unpredictableNumber] == bytes("DEADBEEF"))
    }

    /// 7.5, 5.4: what is the terminal's, the issuer's or unknown in a record is passed over: the
    /// lists of the card get zeros for it, and coming twice it disturbs nobody. So is what stands
    /// in another object, and what the FCI has too.
    @Test func foreignObjectsInRecordsAreIgnored() async {
        var image = CardImage()
        image["8C"] = "8A029102DF41029F3A04"
        image.record += [
            ("8A", "3030"), ("91", "1122"), ("DF41", "ABCD"), ("9F3A", "01020304"), ("9F02", "000000000001"),
            ("9F02", "000000000002"),
            ("50", "4142"), ("50", "4344"), ("5F2D", "656E"), ("9F38", "9F0206"), ("BF50", "5A0847617390010100110000"),
        ]
        let (run, sent) = await KernelBench().run(image, sent: "80AE")
        #expect(sent == [spaced("80AE40000A 5931 0000 0000 00000000 00")])
        #expect(run.decision == .approved(.offline))
        #expect(run.outcome.data.card[.applicationPAN] == bytes("4761739001010010"))
    }

    /// What the card answers to GENERATE AC is its cryptogram and nothing else: no other data
    /// object gets in the place of what the records gave.
    @Test func cryptogramAnswerChangesNothingElse() async {
        var image = CardImage()
        image.cryptograms = [
            object(
                "77",
                object("9F27", "40") + object("9F36", "0001") + object("9F26", "1122334455667788")
                    + object("82", "FFFF")
                    + object("5A", "5413330089600119") + object("8D", "9F0206")) + "9000"
        ]
        let run = await KernelBench().run(image)
        #expect(run.decision == .approved(.offline))
        #expect(run.outcome.data.card[.applicationPAN] == bytes("4761739001010010"))
        #expect(run.outcome.data.card[.applicationInterchangeProfile] == bytes("0000"))
        #expect(run.outcome.data.card[.cdol2] == bytes("8A0295059B02"))
    }

    @Test(
        "7.5: data objects of one length with another one, and a PAN that is not a number",
        arguments: [
            ("9F07", "FF", Tag.applicationUsageControl), ("9F0E", "00", .issuerActionCodeDenial),
            ("9F0D", "000000000000", .issuerActionCodeDefault),
            ("5F28", "056789", .issuerCountryCode), ("9F42", "09", .applicationCurrencyCode),
            ("8F", "0102", .caPublicKeyIndexCard),
            ("9F14", "0102", .lowerConsecutiveOfflineLimit), ("5A", "4761FF9001010010", .applicationPAN),
            ("5F34", "0001", .panSequenceNumber),
            ("5F24", "3112", .applicationExpirationDate),
        ])
    func wronglyCodedData(_ text: String, _ value: String, _ tag: Tag) async {
        var image = CardImage()
        image[text] = value
        #expect(await KernelBench().run(image).termination == .invalidData(tag))
    }

    /// Annex B1: zeros behind the template of an answer mean nothing.
    @Test func zerosBehindATemplate() async {
        let image = CardImage()
        var padded = image
        padded.pairs = [
            ("00B2010C00", object("70", objects(image.record.map { ($0.tag, $0.value) })) + "00009000"),
            ("80A8", object("77", object("82", "0000") + object("94", "08010100")) + "009000"),
        ]
        #expect(await KernelBench().run(padded).decision == .approved(.offline))
    }

    @Test("An empty object is none (annex B): a mandatory one that is empty is missing") func emptyMandatoryData() async
    {
        var image = CardImage()
        image["5A"] = ""
        #expect(await KernelBench().run(image).termination == .missingData(.applicationPAN))
    }

    /// A list for more than a command can carry is not a list.
    @Test func listThatNoCommandCarries() async {
        var image = CardImage()
        image["8C"] = "9F02FF9F0301"
        #expect(await KernelBench().run(image).termination == .invalidData(.cdol1))
    }

    /// What the caller gives is looked at before the card is.
    @Test(
        arguments: [
            { (bench: inout KernelBench) in bench.request.date = [0x26, 0x13, 0x01] },
            { $0.request.date = [0x26, 0x11] },
            { $0.request.time = [0x24, 0x00, 0x00] }, { $0.request.time = [] }, { $0.request.sequenceCounter = 0 },
            { $0.environment.number = [1, 2, 3] },
        ] as [@Sendable (inout KernelBench) -> Void])
    func requestsOutOfRange(_ change: @Sendable (inout KernelBench) -> Void) async {
        var bench = KernelBench()
        change(&bench)
        let card = CardImage().card()
        guard case .configuration = await bench.run(card).termination else {
            return #expect(Bool(false), "a configuration error")
        }
        #expect(await card.sent.isEmpty)
    }

    @Test(
        "Book 4, 6.5.5: the counter runs from 1 to 99999999 and starts again with 1",
        arguments: [(1, "00000001"), (99_999_999, "99999999"), (100_000_000, "00000001")] as [(UInt32, String)])
    func sequenceCounter(_ number: UInt32, _ sent: String) async {
        var bench = KernelBench()
        bench.request.sequenceCounter = number
        var image = CardImage()
        image["8C"] = "9F4104"
        #expect(await bench.run(image, sent: "80AE").sent == ["80AE400004" + sent + "00"])
    }

    /// An amount of more than twelve digits (9F02, n12) and cashback above the amount are refused
    /// before the card is asked anything.
    @Test func requestsThatCannotBe() async {
        for (amount, other) in [(1_000_000_000_000 as UInt64, 0 as UInt64), (100, 101)] {
            var bench = KernelBench()
            bench.request.amount = amount
            bench.request.amountOther = other
            let card = CardImage().card()
            let run = await bench.run(card)
            guard case .configuration = run.termination else {
                Issue.record("\(run.decision)")
                continue
            }
            #expect(await card.sent.isEmpty)
        }
    }
}
