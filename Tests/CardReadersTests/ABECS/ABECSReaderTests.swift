import Bytes
import CardCryptography
import DeviceIO
import EMVKernel
import KernelDoubles
import MagneticStripe
import ReaderDoubles
import SmartCard
import Synchronization
import TLV
import Testing
import VirtualCard

@testable import CardCapture
@testable import CardReaders

@Suite(.serialized, .timeLimit(.minutes(20))) struct ABECSReaderTests {
    private static let inserted = Array("000006".utf8) + [0x80, 0x40, 0x00, 0x02] + Array("92".utf8)
    private static let swiped = Array("000006".utf8) + [0x80, 0x40, 0x00, 0x02] + Array("90".utf8)
    /// Manufacturer, model and serial number of the specification's example of GIX (3.2.4).
    private static let identity =
        Array("000040".utf8) + [0x80, 0x01, 0, 8] + Array("01927612".utf8) + [0x80, 0x03, 0, 10]
        + Array("PP2000;8MB".utf8)
        + [0x80, 0x04, 0, 6] + Array("SUBDIV".utf8) + [0x80, 0x07, 0, 0]

    @Test("GIX identifies the PIN pad") func identity() async throws {
        let pad = EmulatedPINPad(answers: ["GIX": Self.identity])
        let identity = try await pad.reader().identify()
        #expect(identity.serialNumber == "01927612")
        #expect(identity.model == "PP2000;8MB")
        #expect(identity.manufacturer == "SUBDIV")
        #expect(identity.specification.isEmpty)
        #expect(pad.commands.map { $0.prefix(3) } == ["OPN", "GIX"])
    }

    @Test("Our kernel, through the PIN pad, with a card that is personalized and answers as a card does")
    func wholeTransaction()
        async throws
    {
        let card = try PersonalizedCard.make(.visaStyle())
        let pad = EmulatedPINPad(card: VirtualCard(card), answers: ["CEX": Self.inserted])
        let slot = try pad.reader()
        let events = slot.events.stream()
        let outcome = try await reader(slot, card).capture(
            CaptureRequest(amount: 10_00, currencyCode: 986, sequenceCounter: 1, forcesOnline: true)
        ) {
            captured in
            #expect(captured.chip?.elements[.cryptogramInformationData] == [0x80])
            return .answered(.init(responseCode: "00"))
        }
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.card?.pan == card.profile.account.pan)
        #expect(pad.commands.last == "CHP00500000", "the card is powered off")
        slot.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        #expect(received.prefix(3) == [.connected, .prompt(["INSIRA O CARTAO"]), .cardPresented(.contact)])
    }

    private func reader(_ slot: ABECSReader, _ card: PersonalizedCard) -> ChipReader {
        ChipReader(
            slot: slot,
            kernel: ContactKernel(
                TerminalConfiguration(
                    capabilities: [.contactChip, .signature, .dda], additionalCapabilities: [.goods], countryCode: 76,
                    applications: card.profile.applications.map {
                        ApplicationConfiguration(aid: $0.aid, versions: [0x0096], floorLimit: 500_00)
                    }, caKeys: card.caPublicKeys)),
            cardholder: FirstChoice(), environment: FixedEnvironment(number: [1, 2, 3, 4]),
            clock: { Timestamp(secondsSince1970: 1_795_262_400) })
    }

    private static let tracks: [UInt8] = {
        let track2: [UInt8] = [
            0x47, 0x61, 0x73, 0x90, 0x01, 0x01, 0x01, 0x19, 0xD4, 0x91, 0x21, 0x01, 0x00, 0x00, 0x00, 0x0F,
        ]
        return Array("000020".utf8) + [0x80, 0x45, 0, UInt8(track2.count)] + track2
    }()

    /// One PIN pad waits for both by one command, whichever caller comes first.
    @Test("chip and stripe of one PIN pad wait together, and the first card is taken", arguments: [true, false])
    func together(isChip: Bool) async throws {
        let card = try PersonalizedCard.make(.visaStyle())
        let pad = EmulatedPINPad(
            card: VirtualCard(card),
            answers: [
                "CEX011000": isChip ? Self.inserted : Self.swiped, "CEX001000": [], "CEX010000": [], "GTK": Self.tracks,
            ])
        let slot = try pad.reader()
        let outcome = try await MultiInterfaceReader(chip: reader(slot, card), stripe: slot).capture(
            CaptureRequest(amount: 10_00, currencyCode: 986, sequenceCounter: 1, forcesOnline: true)
        ) { _ in .answered(.init(responseCode: "00")) }
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.card?.entryMode == (isChip ? .chip : .magneticStripe))
        #expect(pad.commands.contains { $0.hasPrefix("GTK") } != isChip)
        #expect(pad.commands.contains("CHP00500000") == isChip)
    }

    @Test("while the chip has the PIN pad, the stripe's wait is suspended, and continues afterwards") func suspended()
        async throws
    {
        let card = try PersonalizedCard.make(.visaStyle())
        let pad = EmulatedPINPad(
            card: VirtualCard(card),
            answers: ["CEX001000": Self.inserted, "CEX010000": Self.swiped, "GTK": Self.tracks])
        let reader = try pad.reader()
        let channel = try await reader.powerOn()
        async let swipe = reader.swipe()
        _ = try await channel.transmit(
            CommandAPDU(ins: 0xA4, p1: 4, data: Array("1PAY.SYS.DDF01".utf8), expectedLength: 256))
        await reader.powerOff()
        #expect(
            try await swipe.tracks.track2
                == .read(TrackText("4761739001010119=49121010000000", code: .numeric), .forward))
        let off = try #require(pad.commands.firstIndex(of: "CHP00500000"))
        #expect(try #require(pad.commands.firstIndex { $0.hasSuffix("010000") }) > off)
    }

    /// CHP answers 043 without a card (ABECS 2.12, 3.3.2).
    @Test("the slot is looked at between transactions, also while the stripe is waited for") func looks() async throws {
        let empty = EmulatedPINPad(answers: ["CHP": Array("043".utf8)])
        #expect(try await empty.reader().isEmpty())
        let card = try PersonalizedCard.make(.visaStyle())
        let pad = EmulatedPINPad(card: VirtualCard(card), answers: ["CEX010000": []])
        let reader = try pad.reader()
        #expect(try await !reader.isEmpty())
        #expect(pad.commands.last == "CHP00500000", "the card is without power")
        let stripe = Task { try await reader.swipe() }
        while !pad.isWaiting { try await Task.sleep(for: .milliseconds(1)) }
        let count = pad.commands.count
        #expect(try await !reader.isEmpty())
        while !pad.commands.dropFirst(count).contains(where: { $0.hasSuffix("010000") }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        await reader.close()
        await #expect(throws: CaptureError.cancelled) { _ = try await stripe.value }
    }

    @Test("a caller who stops to wait ends no other wait") func endsAlone() async throws {
        let pad = EmulatedPINPad(answers: ["CEX001000": [], "CEX010000": [], "CEX011000": [], "GTK": Self.tracks])
        let reader = try pad.reader()
        let chip = Task { try await reader.powerOn() }
        let stripe = Task { try await reader.swipe() }
        while !pad.commands.contains(where: { $0.hasSuffix("011000") }) { try await Task.sleep(for: .milliseconds(1)) }
        let count = pad.commands.count
        chip.cancel()
        await #expect(throws: CaptureError.cancelled) { _ = try await chip.value }
        while !pad.commands.dropFirst(count).contains(where: { $0.hasSuffix("010000") }) {
            try await Task.sleep(for: .milliseconds(1))
        }
        await reader.close()
        await #expect(throws: CaptureError.cancelled) { _ = try await stripe.value }
    }

    @Test("A channel of an earlier activation reaches no later one") func activations() async throws {
        let card = try PersonalizedCard.make(.visaStyle())
        let reader = try EmulatedPINPad(card: VirtualCard(card), answers: ["CEX": Self.inserted]).reader()
        let select = CommandAPDU(ins: 0xA4, p1: 4, data: Array("1PAY.SYS.DDF01".utf8), expectedLength: 256)
        let first = try await reader.powerOn()
        let second = try await reader.powerOn()
        await #expect(throws: CardChannelError.cardRemoved) { try await first.transmit(select) }
        _ = try await second.transmit(select)
    }

    /// While it waits for a card, other operations are refused at once, and closing it ends the
    /// wait.
    @Test func oneUseAtATime() async throws {
        let pad = EmulatedPINPad(answers: ["CEX": [], "GIX": Self.identity])
        let reader = try pad.reader()
        let task = Task { try await reader.powerOn() }
        while !pad.isWaiting { try await Task.sleep(for: .milliseconds(1)) }
        await #expect(throws: DeviceClaim.captureRefusal) { _ = try await reader.identify() }
        await #expect(throws: DeviceClaim.captureRefusal) { _ = try await reader.powerOn() }
        await reader.close()
        await #expect(throws: CaptureError.cancelled) { try await task.value }
        #expect(try await reader.identify().model == "PP2000;8MB")
        #expect(pad.port.connections == 2)
    }

    @Test(
        "What goes wrong on the line and can be mended is mended",
        arguments: [
            EmulatedPINPad.Misbehavior.refuses(2), .damages(2), .cuts(2), .stale, .dribbles, .deaf(2),
        ]) func mended(_ misbehavior: EmulatedPINPad.Misbehavior) async throws
    {
        let pad = EmulatedPINPad(misbehavior, answers: ["GIX": Self.identity])
        #expect(try await pad.reader().identify().model == "PP2000;8MB")
    }

    @Test(
        "errors on the line that persist end the command",
        arguments: [
            (EmulatedPINPad.Misbehavior.refuses(99), DeviceError.rejected(.repeatedly(3))),
            (.damages(99), .malformed(.abecsAnswer, .damaged)),
            (.silent, .timedOut), (.neverAnswers, .timedOut), (.babbles, .malformed(.abecsAnswer, .invalid)),
            (.deaf(99), .timedOut),
        ]) func given(_ misbehavior: EmulatedPINPad.Misbehavior, _ expected: DeviceError) async throws
    {
        let pad = EmulatedPINPad(misbehavior, answers: ["GIX": Self.identity])
        let reader = try pad.reader()
        await #expect(throws: CaptureError.readerFailed(.driver(expected))) { _ = try await reader.identify() }
        // The next try reopens the line.
        _ = try? await reader.identify()
        #expect(pad.port.connections == 2)
    }

    @Test("Unplugged at every step of a transaction: it ends with an error, and the next one works", arguments: 1...12)
    func unplugged(_ step: Int) async throws {
        let card = try PersonalizedCard.make(.visaStyle())
        let pad = EmulatedPINPad(.unplugs(step), card: VirtualCard(card), answers: ["CEX": Self.inserted])
        let slot = try pad.reader()
        let events = slot.events.stream()
        let request = CaptureRequest(amount: 10_00, currencyCode: 986, sequenceCounter: 1)
        var failure: String?
        do throws(CaptureError) {
            let outcome = try await reader(slot, card).capture(request) { _ in .unreachable }
            if case .notPossible(let what) = outcome.decision { failure = what.description }
        } catch {
            failure = error.description
        }
        #expect(try #require(failure).contains("disconnected"))
        let again = try await reader(slot, card).capture(request) { _ in .answered(.init(responseCode: "00")) }
        #expect([.approvedOnline, .approvedOffline, .declinedOffline].contains(again.decision))
        #expect(pad.port.connections == 2)
        slot.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        // The first packet is the answer to OPN: the reader was never connected, and a terminal
        // takes it for connected from the start.
        let lost = try #require(received.firstIndex(of: .disconnected(.unplugged)))
        #expect(received[lost...].contains(.connected))
    }

    /// Cancelled while nobody inserts a card: at once, although the PIN pad may take its time; and
    /// the next command works.
    @Test(
        "a wait for a card can be cancelled, and the next command works",
        arguments: [nil, EmulatedPINPad.Misbehavior.lateAnswer, .deaf(1)])
    func cancelled(_ misbehavior: EmulatedPINPad.Misbehavior?) async throws {
        let pad = EmulatedPINPad(misbehavior, answers: ["CEX": [], "GIX": Self.identity])
        let reader = try pad.reader()
        for _ in 0..<3 {
            let task = Task { try await reader.powerOn() }
            while !pad.isWaiting { try await Task.sleep(for: .milliseconds(1)) }
            task.cancel()
            await #expect(throws: CaptureError.cancelled) { try await task.value }
            #expect(try await reader.identify().model == "PP2000;8MB")
        }
        #expect(pad.port.connections == 1)
    }

    /// It goes away while nobody asks anything of it: the next command reopens the line.
    @Test func goneBetweenTwoCommands() async throws {
        let pad = EmulatedPINPad(answers: ["GIX": Self.identity])
        let reader = try pad.reader()
        _ = try await reader.identify()
        pad.port.hangUp()
        #expect(try await reader.identify().model == "PP2000;8MB")
        #expect(pad.port.connections == 2)
    }

    @Test("gone between two commands, a reader that cannot be opened again is disconnected and not reconnecting")
    func goneForGood() async throws {
        let pad = EmulatedPINPad(answers: ["GIX": Self.identity])
        let reader = try pad.reader()
        let events = reader.events.stream()
        _ = try await reader.identify()
        pad.port.remove()
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.notFound("emulated device")))) {
            try await reader.identify()
        }
        reader.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        #expect(received == [.connected, .reconnecting, .disconnected(.unplugged)])
    }

    @Test("An operation in a task that is cancelled already does not begin") func cancelledBeforehand() async throws {
        let pad = EmulatedPINPad(answers: ["CEX": []])
        let reader = try pad.reader()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await reader.swipe()
        }
        task.cancel()
        await #expect(throws: CaptureError.cancelled) { try await task.value }
        #expect(pad.commands.isEmpty)
    }

    @Test("Each status of the PIN pad has its error") func cardErrors() async throws {
        let states: [(String, CaptureError)] = [
            ("013", .cancelled), ("012", .noCardPresented), ("043", .noCardPresented),
            ("040", .readerFailed(.driver(ABECSStatus.internalError))),
        ]
        for (status, expected) in states {
            let reader = try EmulatedPINPad(answers: ["CEX": Array(status.utf8)]).reader()
            await #expect(throws: expected) { try await reader.powerOn() }
        }
        let mute = try EmulatedPINPad(answers: ["CEX": Self.inserted, "CHP": Array("060".utf8)]).reader()
        await #expect(throws: CaptureError.readerFailed(.driver(ABECSStatus.muteCard))) {
            try await mute.powerOn()
        }
    }

    @Test func cardGoesDuringTheExchange() async throws {
        let gone = FaultyCard(VirtualCard(try PersonalizedCard.make(.visaStyle())), CardFault(.removal, at: .step(1)))
        let reader = try EmulatedPINPad(card: gone, answers: ["CEX": Self.inserted]).reader()
        let channel = try await reader.powerOn()
        await #expect(throws: CardChannelError.cardRemoved) {
            try await channel.transmit(CommandAPDU(ins: 0xB2, expectedLength: 256))
        }
        let long = CommandAPDU(ins: 0xD6, data: [UInt8](repeating: 0, count: 256))
        await #expect(throws: CardChannelError.readerFailed(.shortCommandsOnly)) {
            try await channel.transmit(long)
        }
    }

    @Test("A published test card of the payment systems; track 2 as the specification packs it (3.1.3.2, PP_TRACK2)")
    func swipe()
        async throws
    {
        let track1 = Array("B4761739001010119^DOE/JANE^49122010000".utf8)
        let track2 = try [UInt8](hex: "4761739001010119D49122010000000F")
        let block = [0x80, 0x44, 0, UInt8(track1.count)] + track1 + [0x80, 0x45, 0, UInt8(track2.count)] + track2
        let length = String(block.count).utf8
        let pad = EmulatedPINPad(
            answers: [
                "CEX": Self.swiped,
                "GTK": Array("000".utf8) + [UInt8](repeating: 0x30, count: 3 - length.count) + Array(length) + block,
            ])
        let swipe = try await pad.reader().swipe()
        #expect(
            swipe.tracks.track1
                == .read(TrackText("B4761739001010119^DOE/JANE^49122010000", code: .alphanumeric), .forward))
        #expect(swipe.tracks.track2 == .read(TrackText("4761739001010119=49122010000000", code: .numeric), .forward))
        #expect(swipe.tracks.track3 == .blank)
        // A swipe that could not be read has no tracks (3.3.12).
        let unreadable = try await EmulatedPINPad(answers: ["CEX": Self.swiped, "GTK": Array("000".utf8)]).reader()
            .swipe()
        #expect(!unreadable.isReadable)
    }

    /// The answer of the example in 3.3.11.
    @Test func onlinePIN() async throws {
        let pad = EmulatedPINPad(answers: ["GPN": Array("000036A3A40E999087B510FFFFF51380344601F4C8".utf8)])
        let reader = try pad.reader()
        let events = reader.events.stream()
        let entry = await ABECSPINPad(reader, keyIndex: 0).enterOnlinePIN(
            pan: SecretBytes("4761739001010119".utf8), amount: 1, currencyCode: 986)
        guard case .entered(let format, let block, let ksn) = entry else {
            Issue.record("\(entry)")
            return
        }
        #expect(format == .iso0)
        #expect(block == (try [UInt8](hex: "A3A40E999087B510")))
        #expect(ksn == (try [UInt8](hex: "FFFFF51380344601F4C8")))
        reader.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        #expect(received.contains(.prompt(["SENHA:", "4 A 12 DIGITOS"])))
    }

    @Test func noPIN() async throws {
        for (status, isCancelled) in [
            ("013", true), ("012", true), ("042", false), ("044", false), ("000036A3", false),
        ] {
            let reader = try EmulatedPINPad(answers: ["GPN": Array(status.utf8)]).reader()
            let entry = await ABECSPINPad(reader, keyIndex: 0).enterOnlinePIN(
                pan: SecretBytes("4761739001010119".utf8), amount: 1, currencyCode: 986)
            switch entry {
            case .cancelled: #expect(isCancelled, "\(status)")
            case .failed: #expect(!isCancelled, "\(status)")
            default: Issue.record("\(status)")
            }
        }
    }

    /// A plaintext PIN goes to the card from the PIN pad itself; an enciphered one it cannot make.
    @Test func offlinePIN() async throws {
        let reader = try EmulatedPINPad(answers: ["CHP": Array("0000070029000".utf8)]).reader()
        let entry = try await ABECSPINPad(reader, keyIndex: 0).verifyOfflinePIN(
            .plaintext, triesLeft: 3, card: NoCard())
        guard case .answered(.success) = entry else {
            Issue.record("\(entry)")
            return
        }
    }

    /// A recording shows commands and answers, and nothing of a card, however the line cuts them.
    @Test func recordingShowsNoCard() throws {
        let redact = ABECSRedaction.redaction()
        func shown(_ direction: WireEvent.Direction, _ bytes: [UInt8]) -> String {
            WireEvent(direction, .stream, bytes: bytes, hidden: redact(direction, .stream, bytes)).description
        }
        let answer = EmulatedPINPad.frame(Array("CHP0000070026132".utf8))
        #expect(shown(.received, [0x06] + answer.prefix(6)) == "< stream 06164348503030")
        #expect(
            shown(.received, Array(answer.dropFirst(6))) == "< stream 30" + String(repeating: "..", count: 10)
                + "17....")
        #expect(
            shown(.sent, EmulatedPINPad.frame(Array("CHP00501000".utf8))) == "> stream 164348503030" + "35"
                + String(repeating: "..", count: 5) + "17....")
        let display = EmulatedPINPad.frame(Array("DEX000".utf8))
        #expect(shown(.received, display) == "< stream " + display.hex)
        #expect(shown(.received, [0x34, 0x37]) == "< stream ....", "noise between the packets may be a packet's")
    }
}

private struct NoCard: CardChannel {
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU { throw .cardRemoved }
}
