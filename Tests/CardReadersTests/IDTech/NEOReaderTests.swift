import Bytes
import DeviceIO
import EMVKernel
import ReaderDoubles
import SmartCard
import TLV
import Testing

@testable import CardCapture
@testable import CardReaders

/// The card is a published test card of the payment systems. Data objects and codes are those of ID
/// TECH's NEO 2 interface developer's guide 80139403-002 ("Activate Transaction", "Error Codes").
@Suite(.serialized, .timeLimit(.minutes(20))) struct NEOReaderTests {
    private static let card =
        "5A084761739001010119 57104761739001010119D49122010000000F 5F2403491231 5F340101 8407A0000000031010"
    /// The attribution byte of a card in the field with EMV data.
    private static let emv = "01"

    private let request = CaptureRequest(amount: 12_34, cashback: 2_00, currencyCode: 978, sequenceCounter: 1)

    private static func online(_ more: String = "") -> EmulatedNEO.Activation {
        .answers([(0x23, emv + card + "9F260811223344556677889F270180" + more)])
    }

    private func approved(_ card: CapturedCard) async -> IssuerAnswer { .answered(.init(responseCode: "00")) }

    /// The reader with a field that waits for `activations`, one after the other.
    private func open(_ activations: EmulatedNEO.Activation...) throws -> (EmulatedNEO, NEOReader) {
        let device = EmulatedNEO(activations: activations)
        return (device, NEOReader(try device.reader()))
    }

    /// The example of the guide's page 209.
    @Test("A command to wait for a card has the published frame") func publishedFrame() throws {
        let data = try [UInt8](hex: "1E 9C0100 9F0206000000000100 9F0306000000000000 DFEF370107 DFEF3C03010060")
        #expect(
            NEOCommand(0x02, 0x40, data).bytes.hex
                == "5669564F74656368320002400022"
                + "1E9C01009F02060000000001009F0306000000000000DFEF370107DFEF3C03010060" + "18D1")
    }

    @Test("A tap goes online, and the issuer's answer decides") func online() async throws {
        let (device, reader) = try open(
            .answers([(0x0E, "01"), (0x23, Self.emv + Self.card + "9F260811223344556677889F270180DF520101")]))
        let events = reader.events.stream()
        let outcome = try await reader.capture(request) { card in
            #expect(card.pan == SecretBytes("4761739001010119".utf8))
            #expect(card.expiry == "4912")
            #expect(card.panSequenceNumber == 1)
            #expect(card.entryMode == .contactlessChip)
            #expect(card.chip?.aid.hex == "A0000000031010")
            #expect(card.chip?.elements[.applicationCryptogram]?.hex == "1122334455667788")
            #expect(card.chip?.elements.contains(.applicationPAN) == false)
            return .answered(.init(responseCode: "00"))
        }
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.requiresSignature)
        #expect(
            device.commands.map(\.hex) == [
                "1801",
                "0240" + "3C" + "9C0100" + "9F0206000000001234" + "9F0306000000000200" + "5F2A020978" + "5F360102"
                    + "DFEF370103",
            ])
        reader.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        #expect(received == [.prompt(["PRESENT OR SWIPE CARD"]), .connected, .cardPresented(.contactless)])
    }

    @Test(
        "Only a cryptogram of an approval approves without the issuer",
        arguments: [
            (UInt8(0x00), "9F270140", CaptureOutcome.Decision.approvedOffline), (0x00, "9F270180", .declinedOnline),
            (0x00, "", .declinedOnline), (0x00, "9F270100", .declinedOffline), (0x23, "9F270140", .declinedOnline),
            (0x23, "9F270180", .declinedOnline), (0x00, "9F270140DF520102", .notPossible(.pinNotEntered)),
            (0x23, "9F270180DF520102", .notPossible(.pinNotEntered)), (0x23, "9F270180DF520103", .declinedOnline),
        ]) func decisions(_ status: UInt8, _ objects: String, _ decision: CaptureOutcome.Decision) async throws
    {
        let (_, reader) = try open(.answers([(status, Self.emv + Self.card + objects)]))
        let outcome = try await reader.capture(request) { _ in .answered(.init(responseCode: "05")) }
        #expect(outcome.decision == decision)
        #expect(!outcome.requiresSignature)
        #expect(outcome.card?.entryMode == .contactlessChip)
    }

    @Test("An approval without the issuer is void where the issuer must be asked, and without a card") func offline()
        async throws
    {
        var forced = request
        forced.forcesOnline = true
        let (_, reader) = try open(
            .answers([(0x00, Self.emv + Self.card + "9F270140")]), .answers([(0x00, Self.emv + "9F270140")]))
        #expect(try await reader.capture(forced, authorize: approved).decision == .notPossible(.approvedOffline))
        #expect(try await reader.capture(request, authorize: approved).decision == .notPossible(.noCardData))
    }

    @Test(
        "A signature is due for an approval, where the reader says so",
        arguments: [("DF520101", true), ("DF520100", false), ("", false)])
    func signature(_ objects: String, _ signs: Bool) async throws {
        let (_, reader) = try open(
            Self.online(objects), .answers([(0x00, Self.emv + Self.card + "9F270140" + objects)]))
        for _ in 0..<2 { #expect(try await reader.capture(request, authorize: approved).requiresSignature == signs) }
    }

    @Test("Data objects in the maker's group and in the clearing record count") func groups() async throws {
        // Group FFEE01 with DF30 and DF52; record E1 with cryptogram and its type.
        let (_, reader) = try open(
            .answers([(0x23, Self.emv + Self.card + "FFEE0108DF300100DF520101" + "E10F9F260811223344556677889F270180")])
        )
        let outcome = try await reader.capture(request, authorize: approved)
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.requiresSignature)
        #expect(outcome.card?.chip?.elements[.cryptogramInformationData] == [0x80])
    }

    /// Track 2 of the same card, as text in tags that look like templates, with and without
    /// sentinels; `DFEF18` in newer firmware.
    @Test(
        "A card in the field with the data of a stripe goes to the issuer as such",
        arguments: ["FFEE14", "DFEF18"], ["4761739001010119=49122010000000", ";4761739001010119=49122010000000?"])
    func contactlessStripe(_ tag: String, _ track: String) async throws {
        let text = Array(track.utf8)
        let (_, reader) = try open(.answers([(0x00, "11" + tag + UInt8(text.count).hex + text.hex + "DF520101")]))
        let outcome = try await reader.capture(request, authorize: approved)
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.requiresSignature)
        #expect(outcome.card?.entryMode == .contactlessStripe)
        #expect(outcome.card?.chip == nil)
        #expect(outcome.card?.pan == SecretBytes("4761739001010119".utf8))
        #expect(outcome.card?.expiry == "4912")
        #expect(outcome.card?.track2 == SecretBytes("4761739001010119=49122010000000".utf8))
    }

    @Test("A reader that enciphers the card's data, or leaves out its number, makes no payment") func withoutNumber()
        async throws
    {
        let (_, reader) = try open(
            .answers([
                (
                    0x23,
                    "C1" + "DFEE120A62994900750002A00290" + "57185A185A185A185A185A185A185A185A185A185A185A185A18"
                        + "9F270180"
                )
            ]),
            .answers([(0x23, Self.emv + "9F270180")]), .answers([(0x00, "11DF520100")]))
        await #expect(throws: CaptureError.readerFailed(.cardDataEncrypted)) {
            try await reader.capture(request, authorize: approved)
        }
        for _ in 0..<2 {
            await #expect(throws: CaptureError.cardDataMissing) {
                try await reader.capture(request, authorize: approved)
            }
        }
    }

    @Test(
        "Each error of the field has its outcome",
        arguments: [
            ("22", CaptureOutcome.Decision.notPossible(.tapNotPossible)), ("25", .notPossible(.tapNotPossible)),
            ("27", .notPossible(.tapNotPossible)), ("26", .declinedOffline), ("42", .declinedOffline),
            ("43", .declinedOffline),
            ("50", .declinedOffline), ("54", .declinedOffline),
            ("62", .notPossible(.reader(.readerFailed(.driver(NEOErrorCode(code: 0x62)))))),
        ]) func errors(_ code: String, _ decision: CaptureOutcome.Decision) async throws
    {
        let (_, reader) = try open(.answers([(0x0A, Self.emv + "FFEE1F04" + code + "000005")]))
        #expect(try await reader.capture(request, authorize: approved).decision == decision)
    }

    @Test("A card that leaves, several cards and a swipe that cannot be read are tried again, five times at most")
    func again() async throws {
        let failures: [EmulatedNEO.Activation] = ["20", "21", "24", "30"].map {
            .answers([(0x0A, Self.emv + "FFEE1F04" + $0 + "000001")])
        }
        let device = EmulatedNEO(activations: failures + [Self.online()] + failures + [.answers([(0x0A, "")])])
        let reader = NEOReader(try device.reader())
        let events = reader.events.stream()
        #expect(try await reader.capture(request, authorize: approved).decision == .approvedOnline)
        #expect(try await reader.capture(request, authorize: approved).decision == .notPossible(.cardNotReadable))
        reader.events.finish()
        var prompts: [String] = []
        for await case .prompt(let lines, _) in events { prompts += lines }
        let failed = ["PRESENT CARD AGAIN", "PRESENT ONE CARD ONLY", "PRESENT CARD AGAIN", "PRESENT CARD AGAIN"]
        #expect(prompts == ["PRESENT OR SWIPE CARD"] + failed + ["PRESENT OR SWIPE CARD"] + failed + ["SWIPE AGAIN"])
    }

    @Test("A swipe counts beside the field, with its enciphered tracks") func swipe() async throws {
        let envelope = SwipeEnvelope.wrap(try IDTechSample.enhanced(IDTechSample.tdes))
        let length = [UInt8(envelope.count >> 8), UInt8(envelope.count & 0xFF)].hex
        let (_, reader) = try open(.answers([(0x00, "88" + "9F390190" + "DFEE2382" + length + envelope.hex)]))
        let outcome = try await reader.capture(request, authorize: approved)
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.card?.entryMode == .magneticStripe)
        #expect(outcome.card?.encryptedTracks?.ksn.hex == IDTechSample.ksn)
    }

    @Test("The reader's own time limit does not end the wait; a cancellation does, and the next tap is read")
    func cancelling() async throws {
        let device = EmulatedNEO(activations: [.answers([(0x08, "")]), .silence, Self.online()])
        let reader = NEOReader(try device.reader())
        let task = Task { try await reader.capture(request, authorize: approved) }
        while device.commands.filter({ $0.starts(with: [0x02, 0x40]) }).count < 2 { await Task.yield() }
        task.cancel()
        await #expect(throws: CaptureError.cancelled) { try await task.value }
        #expect(try await reader.capture(request, authorize: approved).decision == .approvedOnline)
        #expect(device.commands.map { $0.prefix(2).hex } == ["1801", "0240", "0240", "0501", "1801", "0240"])
    }

    @Test("A reader that is unplugged during the wait is opened again for the next payment") func unplugged()
        async throws
    {
        let (device, reader) = try open(.unplugs, Self.online())
        await #expect(throws: CaptureError.self) { try await reader.capture(request, authorize: approved) }
        #expect(try await reader.capture(request, authorize: approved).decision == .approvedOnline)
        #expect(device.port.connections == 2)
    }

    @Test("A capture beside another is refused") func busy() async throws {
        let device = EmulatedNEO(activations: [.silence])
        let reader = NEOReader(try device.reader())
        let task = Task { try await reader.capture(request, authorize: approved) }
        while !device.commands.contains(where: { $0.starts(with: [0x02, 0x40]) }) { await Task.yield() }
        await #expect(throws: CaptureError.readerFailed(.busy)) {
            try await reader.capture(request, authorize: approved)
        }
        task.cancel()
        await #expect(throws: CaptureError.cancelled) { try await task.value }
    }

    @Test("An answer that is cut at any byte approves nothing by itself") func truncated() throws {
        let whole = try [UInt8](hex: Self.emv + Self.card + "9F260811223344556677889F270140DF520100")
        for count in 0..<whole.count - 3 {
            let tap = try NEOTap(NEOResponse(command: 0x02, statusCode: 0, data: Array(whole.prefix(count))))
            guard case .card(let card, let decision, _) = tap else {
                Issue.record("\(tap)")
                continue
            }
            #expect(
                decision != .approved || count >= whole.count - 5,
                "\(count) bytes, \(card.map(\.maskedPAN) ?? "no card")")
        }
        #expect(throws: DeviceError.malformed(.neoDataObject, .truncated)) {
            try NEOTap(NEOResponse(command: 0x02, statusCode: 0x0A, data: [0x01]))
        }
    }
}
