import Bytes
import Contactless
import EMVKernel
import Kernels
import SmartCard
import TLV
import Testing

/// S7, S13 and S14: tracks, codes and where their digits go.
@Suite struct MagstripeModeTests {
    /// A card in mag-stripe mode: one record, and the answer to COMPUTE CRYPTOGRAPHIC CHECKSUM.
    private struct Card {
        var profile = "0000"
        var objects: [(String, String)]
        var codes: [(String, String)]

        func tap(_ number: UInt32) throws -> MastercardTap {
            var tap = try MastercardTap("mastercard-magstripe-made-up")
            tap.terminal.type = .attendedOnlineWithOfflineCapability
            tap.request.amount = 10_00
            tap.number = (0..<4).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
            tap.answers = [
                ("80A8", "770A8202\(profile)9404080101009000"), ("00B2010C", try Self.template(0x70, objects)),
                ("802A8E80", try Self.template(0x77, codes)),
            ]
            return tap
        }

        private static func template(_ tag: TLV.Tag, _ objects: [(String, String)]) throws -> String {
            var contents = TLVBuilder()
            for (name, value) in objects where value != "-" {
                contents.append(TLV.Tag(rawValue: try #require(UInt32(name, radix: 16))), try [UInt8](hex: value))
            }
            return tlv(tag, contents.bytes).hex + "9000"
        }

        func replacing(_ tag: String, _ value: String) -> Card {
            var card = self
            card.objects = objects.map { $0.0 == tag ? (tag, value) : $0 }
            card.codes = codes.map { $0.0 == tag ? (tag, value) : $0 }
            return card
        }

        /// The personalisation of seciot/CardApplet-PayPass (public domain) with the codes of
        /// `Vectors/contactless/mastercard-cvc3.json` for UN 00000899 and ATC 0001.
        static let published = Card(
            objects: [
                ("9F6C", "0001"),
                (
                    "56",
                    "42353431333132333435363738343830305E535550504C4945442F4E4F545E30393036313031333330303033333330303032323232323030303131313130"
                ), ("9F64", "03"), ("9F62", "000000380000"), ("9F63", "00000000E0E0"), ("9F65", "000E"),
                ("9F66", "0E70"),
                ("9F6B", "5413123456784800D09061019000990000000F"), ("9F67", "03"), ("9F69", "-"),
            ], codes: [("9F61", "C61E"), ("9F60", "9588"), ("9F36", "0001"), ("DF4B", "-")])
    }

    private func run(_ card: Card, number: UInt32 = 899, _ change: (inout MastercardTap) -> Void = { _ in }) throws
        -> MastercardTap.Run
    {
        var tap = try card.tap(number)
        change(&tap)
        return try tap.run()
    }

    private func track1(_ run: MastercardTap.Run) -> String? {
        run.outcome.data?.card[0x56].map { String(decoding: $0, as: UTF8.self) }
    }
    private func track2(_ run: MastercardTap.Run) -> String? { run.outcome.data?.card[0x9F6B]?.hex }

    @Test(
        "The personalised track has zeros where the digits go: CVC3 280 and 718, ATC 001, UN 899, then the number of UN digits"
    )
    func thePublishedPersonalisation() throws {
        let run = try run(.published)
        #expect(run.sent.last == "802A8E80040000089900")
        #expect(run.outcome.status == .onlineRequest)
        #expect(
            track1(run)
                == ["B5413123456784800^SUPPLIED/NOT^0906101", "33", "280", "333", "001", "22222", "899", "1111", "3"]
                .joined())
        #expect(track2(run) == ["5413123456784800D0906101", "9", "001", "99", "899", "718", "3", "F"].joined())
    }

    /// The bit maps, codes and counter of a public question, whose answer aligns them so:
    /// AAAACCCUU0 (Stack Overflow, "How to replace CVC3, ATC and unpredictable number in EMV
    /// contactless track data?"). Its ATC is 7751, its codes are 24731 and 12020.
    @Test func aPublicQuestion() throws {
        let card = Card(
            objects: [
                ("56", Array("B5413123456784800^ /^14111014010000000000".utf8).hex), ("9F62", "000000000038"),
                ("9F63", "0000000003C6"),
                ("9F64", "04"), ("9F65", "0038"), ("9F66", "03C6"), ("9F67", "04"),
                ("9F6B", "5413123456784800D14111010000000000000F"),
            ], codes: [("9F61", "2EF4"), ("9F60", "609B"), ("9F36", "1E47")])
        let run = try run(card, number: 1_000_042)
        #expect(run.sent.last == "802A8E80040000004200", "as many digits as there are places, zeros before them")
        #expect(track1(run) == ["B5413123456784800^ /^1411101", "401", "7751", "731", "42", "2"].joined())
        #expect(track2(run) == ["5413123456784800D1411101", "000", "7751", "020", "42", "2", "F"].joined())
    }

    @Test("A real card with no digit of the unpredictable number, both tracks and the default UDOL")
    func theCapturedCard() throws {
        var tap = try MastercardTap("mastercard-magstripe-captured")
        tap.terminal.type = .attendedOnlineOnly
        let directory = try MastercardTap("mastercard-magstripe-made-up").recorded[0]
        tap.answers = [(directory.command, directory.answer)]
        let run = try tap.run()
        #expect(run.sent.dropFirst() == tap.recorded.map(\.command)[...])
        #expect(run.outcome.status == .onlineRequest)
        // CVC3 502 and 501 in the last three places, the last of which then has the number of
        // digits, 0.
        #expect(track2(run) == "5413330056003511D1412101067750500F")
        #expect(track1(run) == "B5413330056003511^CUST IMP MC 351/^1412101067750500")
    }

    @Test("Every object of a track must be there, with its length") func mandatoryObjects() throws {
        for tag in ["9F6B", "9F65", "9F66", "9F67", "9F62", "9F63", "9F64"] {
            let run = try run(Card.published.replacing(tag, "-"))
            let missing = TLV.Tag(rawValue: try #require(UInt32(tag, radix: 16)))
            #expect(run.outcome.reason == .termination(.missingData(missing)))
            #expect(run.outcome.status == .endApplication)
            #expect(!run.sent.contains { $0.hasPrefix("802A") })
        }
        let withoutTrack1 = ["56", "9F62", "9F63", "9F64", "9F60"].reduce(Card.published) { $0.replacing($1, "-") }
        #expect(try run(withoutTrack1).outcome.status == .onlineRequest)
    }

    /// nUN below 0, above 8, different on both tracks; a place outside the discretionary data; maps
    /// of other lengths; no tracks.
    @Test(arguments: [
        ("9F67", "07"), ("9F67", "02"), ("9F66", "FF70"), ("9F66", "4E70"), ("9F65", "0E"), ("9F64", "0003"),
        ("9F62", "800000380000"),
        ("9F6B", "5413123456784800D0906101"), ("9F6B", "5413123456784800D0906A019000990000000F"),
        ("9F6B", "5413123456784800"),
        ("56", "42353431"), ("9F61", "C6"), ("9F36", "000001"),
    ]) func cardDataErrors(_ tag: String, _ value: String) throws {
        let outcome = try run(Card.published.replacing(tag, value)).outcome
        #expect(outcome.status == .endApplication)
        guard case .termination(.invalidData) = outcome.reason else {
            Issue.record("\(String(describing: outcome.reason))")
            return
        }
    }

    /// Without discretionary data there is no place for the last digit, which would overwrite the
    /// service code.
    @Test func aTrackWithoutDiscretionaryData() throws {
        let withoutPositions = [
            ("9F65", "0000"), ("9F66", "0000"), ("9F67", "00"), ("56", "-"), ("9F62", "-"), ("9F63", "-"),
            ("9F64", "-"),
        ]
        .reduce(Card.published) { $0.replacing($1.0, $1.1) }
        #expect(try run(withoutPositions).outcome.status == .onlineRequest)
        for value in ["5413123456784800D0906101", "541312345678480D0906101F"] {
            let outcome = try run(withoutPositions.replacing("9F6B", value)).outcome
            #expect(outcome.status == .endApplication)
            #expect(outcome.data == nil)
        }
    }

    @Test("The values that the card's own list asks for") func theCardsList() throws {
        let run = try run(Card.published.replacing("9F69", "9F6A049F02065F2A029F7E01"))
        #expect(run.sent.last == "802A8E800D00000899000000001000097801" + "00")
    }

    @Test func verificationByTheLimit() throws {
        let below = try run(.published)
        #expect(below.outcome.verification == ContactlessOutcome.Verification.none)
        #expect(!below.outcome.wantsReceipt)
        let above = try run(.published) { $0.request.amount = 25_01 }
        #expect(above.outcome.verification == .signature)
        #expect(above.outcome.wantsReceipt)
        let none = try run(.published) {
            $0.request.amount = 25_01
            $0.kernel.magstripeVerificationAboveLimit = nil
        }
        #expect(none.outcome.verification == nil)
    }

    /// A code proves nothing to a terminal: it is never approved offline.
    @Test func theIssuerIsAlwaysAsked() throws {
        #expect(try run(.published) { $0.request.amount = 0 }.outcome.status == .onlineRequest)
        let offline = try run(.published) { $0.terminal.type = .unattendedOfflineOnly }
        #expect(offline.outcome.status == .declined)
        #expect(offline.outcome.reason == .issuerNotReachable)
        #expect(offline.outcome.data == nil)
    }

    /// Bit 5 of byte 2 of DF4B: 5 more in the last digit, and nothing else to verify.
    @Test func verifiedOnTheDevice() throws {
        var card = Card.published.replacing("DF4B", "001000")
        #expect(
            try run(card).outcome.verification == ContactlessOutcome.Verification.none, "the card's AIP knows no device"
        )
        card.profile = "0200"
        let verified = try run(card) { $0.request.amount = 25_01 }
        #expect(verified.outcome.verification == .consumerDevice)
        #expect(track2(verified)?.hasSuffix("7188F") == true)
        #expect(try run(card).outcome.verification == .consumerDevice)
        let not = try run(card.replacing("DF4B", "000000")) { $0.request.amount = 25_01 }
        #expect(not.outcome.reason == .termination(.invalidData(0xDF4B)))
        let low = try run(card.replacing("DF4B", "000000"))
        #expect(low.outcome.verification == ContactlessOutcome.Verification.none)
        #expect(track2(low)?.hasSuffix("7183F") == true)
    }

    @Test("Without a code the card declines, or its owner is to see to it; without DF4B the data are missing")
    func withoutACode() throws {
        #expect(try run(Card.published.replacing("9F61", "-")).outcome.reason == .termination(.missingData(0x9F61)))
        #expect(try run(Card.published.replacing("9F60", "-")).outcome.reason == .termination(.missingData(0x9F61)))
        var card = Card.published.replacing("9F61", "-").replacing("DF4B", "000100")
        #expect(try run(card).outcome.status == .tryAnotherInterface)
        #expect(try run(card) { $0.terminal.capabilities.remove(.contactChip) }.outcome.status == .declined)
        card.profile = "0200"
        let phone = try run(card)
        #expect(phone.shown.contains { $0.message == .seePhone && $0.holdTime == 13 })
        #expect(phone.outcome.reason == .presentedTooOften)
    }

    @Test func answersThatAreNone() throws {
        for answer in ["6985", "9000", "8004C61E00019000", "7704C61E00019000"] {
            let outcome = try run(.published) { $0.answers.insert(("802A", answer), at: 0) }.outcome
            #expect(outcome.status == .endApplication, "\(answer)")
            #expect(outcome.data == nil, "\(answer)")
        }
        #expect(try run(.published) { $0.answers.insert(("802A", ""), at: 0) }.outcome.reason == .presentedTooOften)
    }

    @Test("Each failure in a row makes the reader wait twice as long, up to 9.6 s; a code ends that") func failures()
        throws
    {
        var failed = FailedChecksums()
        func pauses(_ card: Card, answer: String? = nil) throws -> [Duration] {
            let run = try run(card) { tap in
                if let answer { tap.answers.insert(("802A", answer), at: 0) }
                tap.failedChecksums = failed
            }
            failed = run.failedChecksums
            return run.pauses
        }
        let withoutCode = Card.published.replacing("9F61", "-")
        #expect(try pauses(.published, answer: "6985") == [.milliseconds(300)])
        #expect(try pauses(withoutCode) == [.milliseconds(600)])
        #expect(try pauses(withoutCode.replacing("DF4B", "000100")) == [.milliseconds(1200)])
        // A card that leaves has not answered; each of the two presentations is lost.
        #expect(try pauses(.published, answer: "") == [])
        for expected in [2400, 4800, 9600, 9600] {
            #expect(try pauses(.published, answer: "9000") == [.milliseconds(expected)])
        }
        #expect(try pauses(.published) == [])
        #expect(try pauses(.published, answer: "6985") == [.milliseconds(300)])
    }

    /// What the reader hands on is not what it shows.
    @Test func tracksAndCodesAreHidden() throws {
        let shared = try #require(try run(.published).outcome.data?.shareable)
        for tag: TLV.Tag in [0x56, 0x9F6B, 0x9F60, 0x9F61, 0xDF812A, 0xDF812B] { #expect(!shared.contains(tag)) }
    }
}
