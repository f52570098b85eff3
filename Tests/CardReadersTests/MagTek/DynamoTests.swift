import Bytes
import DeviceIO
import EMVKernel
import SmartCard
import Synchronization
import TLV
import Testing

@testable import CardCapture
@testable import CardReaders

@Suite(.serialized) struct DynamoCodecTests {
    @Test("D998200115-17, section 8.4.2, example: one minute, contact, 15.00 US dollars, all status changes")
    func publishedStart() {
        let start = DynamoCommand.Start(timeout: 0x3C, amount: 15_00, transactionType: 0, currencyCode: 840)
        #expect(start.command.number == 0x0300)
        #expect(start.command.data.hex == "3C020000000000150000000000000000084002")
    }

    /// Bit 2 of the second byte: MagTek's manual of the library MTSCRA for tDynamo, iDynamo 6 and
    /// others, `startTransaction`.
    @Test("A start for contacts and field") func startWithField() {
        var start = DynamoCommand.Start(timeout: 0x3C, amount: 15_00, transactionType: 0, currencyCode: 840)
        start.readsContactless = true
        #expect(start.command.data.hex == "3C060000000000150000000000000000084002")
    }

    /// The printed data are the first packet's, 51 of 60 bytes.
    @Test("The same manual, section 8.4.4, example: approval by `8A` = 00") func publishedAnswer() throws {
        let command = DynamoCommand.answer(
            serialNumber: Array("B35ST2D080116AA".utf8), objects: try [UInt8](hex: "8A023030"))
        #expect(command.number == 0x0303)
        #expect(command.data.count == 0x3C)
        #expect(
            command.data.hex.hasPrefix(
                "003AF92EDFDF540A00000000000000000000DFDF550182DFDF250F423335535432443038303131364141FA0670048A02303000"
            ))
    }

    /// The same manual, section 7.2.3: type, time-out, texts that end with zeros, the title first;
    /// lines may be fed within them.
    @Test("a menu of applications is parsed") func menu() throws {
        let data = [0x00, 0x1E] + Array("SELECT\0VISA\nCREDIT\0VISA DEBIT\0".utf8)
        guard
            case .selection(let title, let choices) = try DynamoNotification(
                ExtendedNotification(identifier: 0x0302, data: data))
        else {
            Issue.record("no menu")
            return
        }
        #expect(title == "SELECT")
        #expect(choices == ["VISACREDIT", "VISA DEBIT"])
        #expect(DynamoCommand.selection(1).data == [0, 2], "the title has number 0")
        #expect(DynamoCommand.selection(nil).data == [1, 0])
    }

    @Test(
        "malformed notifications are refused",
        arguments: [
            (0x0300, "0100"), (0x0302, "0010"), (0x0302, "00104100"), (0x0304, "00"), (0x0304, "00000500"),
            (0x0304, "0000029F0201"),
        ])
    func malformed(_ identifier: UInt16, _ hex: String) throws {
        let notification = ExtendedNotification(identifier: identifier, data: try [UInt8](hex: hex))
        #expect(throws: DeviceError.self) { try DynamoNotification(notification) }
    }
}

/// The driver against an eDynamo that answers as the test says.
@Suite(.serialized) struct DynamoReaderTests {
    private static let request = CaptureRequest(amount: 12_34, currencyCode: 978, sequenceCounter: 1)

    /// What the emulated device tells after each extended command: identifiers and data of
    /// notifications; nil refuses the command.
    private typealias Device = @Sendable (ExtendedCommand) -> [(UInt16, [UInt8])]?

    /// Commands in feature report 1 of 60 bytes, swipes in report 1, notifications in report 2.
    private static func reports() throws -> HIDReportDescriptor {
        try HIDReportDescriptor(
            parsing: [UInt8](
                hex: "0600FF0901A101" + "7508" + "8501" + "953C" + "0920" + "8102" + "0921" + "B102" + "8502" + "953F"
                    + "0922" + "8102"
                    + "C0"))
    }

    private static func result(_ status: UInt8, signature: UInt8 = 0) -> (UInt16, [UInt8]) {
        let data = tlv(0xFE) {
            $0.append(0xFA) { $0.append(0xF0) { $0.append(0xF1) { $0.append(0xDFDF1A, [status]) } } }
        }
        return (0x0304, [signature, UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data)
    }

    private static func status(_ event: UInt8, _ progress: UInt8) -> (UInt16, [UInt8]) {
        (0x0300, [event, 60, progress, 0, 0])
    }
    private static let menu: (UInt16, [UInt8]) = (
        0x0302, [0x00, 0x1E] + Array("SELECT\0VISA CREDIT\0VISA DEBIT\0".utf8)
    )

    /// Puts the packets of commands together as the manual says (tables 8-31 to 8-34), and answers
    /// them.
    private final class Emulated: Sendable {
        let device: EmulatedDevice
        let commands = Mutex<[ExtendedCommand]>([])
        private let state = Mutex<(collected: [UInt8], answer: [UInt8])>(([], []))
        private let behavior: Device

        init(_ behavior: @escaping Device) throws {
            device = try EmulatedDevice(.packets)
            self.behavior = behavior
        }

        func take(_ feature: EmulatedFeature) throws(DeviceError) -> [UInt8] {
            guard case .set(let bytes) = feature else { return state.withLock { $0.answer } }
            guard bytes.count == 60, bytes[0] == 0x49 else { throw .stalled }
            let packet = Array(bytes[2..<(2 + Int(bytes[1]))])
            let fields = [0, 2, 4].map { Int(packet[$0]) << 8 | Int(packet[$0 + 1]) }
            let whole = state.withLock { state -> [UInt8]? in
                if fields[0] == 0 { state.collected = [] }
                state.collected += packet[6...]
                state.answer = [0x0B, 0]
                return state.collected.count == fields[2] ? state.collected : nil
            }
            guard let whole else { return [] }
            let command = ExtendedCommand(UInt16(fields[1]), whole)
            commands.withLock { $0.append(command) }
            let notifications = behavior(command)
            state.withLock {
                $0.answer = notifications == nil ? [0x0A, 6, 0, 0, 0x03, 0x8F, 0, 0] : [0x0A, 6, 0, 0, 0, 0, 0, 0]
            }
            for (identifier, data) in notifications ?? [] { send(identifier, data) }
            return []
        }

        /// In parts of 55 bytes, each in a report of its own.
        private func send(_ identifier: UInt16, _ data: [UInt8]) {
            for offset in stride(from: 0, to: max(data.count, 1), by: 55) {
                let part = data[offset..<min(offset + 55, data.count)]
                let fields: [Int] = [part.count, offset, Int(identifier), data.count]
                let header = fields.flatMap { (field: Int) -> [UInt8] in [UInt8(field >> 8), UInt8(field & 0xFF)] }
                device.send([2] + header + part + [UInt8](repeating: 0, count: 55 - part.count))
            }
        }
    }

    private func reader(
        _ emulated: Emulated..., hasField: Bool = false, choose: @escaping DynamoReader.Choice = { _ in 0 }
    ) throws -> DynamoReader {
        let bus = Mutex(emulated)
        let reports = try Self.reports()
        return try DynamoReader(name: "eDynamo", choose: choose) { cancel throws(DeviceError) in
            guard let next = bus.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { throw .notFound("eDynamo") }
            let transport = EmulatedReports(next.device, cancel, reports: reports) { feature throws(DeviceError) in
                try next.take(feature)
            }
            return DynamoLink(transport, cancel: cancel, hasField: hasField)
        }
    }

    private static func chip(_ end: (UInt16, [UInt8]) = result(0x00)) throws -> Device {
        let data = try MMSSample.cardData()
        return { command in
            switch command.number {
            case 0x0300: [status(0x01, 0x02), (0x0301, Array("PLEASE WAIT".utf8)), (0x0303, data)]
            case 0x0303: [end]
            default: []
            }
        }
    }

    private func approved(_ card: CapturedCard) -> IssuerAnswer { .answered(IssuerAnswer.Answer(responseCode: "00")) }

    @Test func aChipCard() async throws {
        let emulated = try Emulated(Self.chip(Self.result(0x00, signature: 1)))
        let reader = try reader(emulated)
        let events = reader.events.stream()
        let outcome = try await reader.capture(Self.request) { card in
            #expect(card.entryMode == .chip)
            #expect(card.maskedPAN == "4761********0119")
            return approved(card)
        }
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.requiresSignature)
        let commands = emulated.commands.withLock { $0 }
        #expect(commands.map(\.number) == [0x0300, 0x0303])
        #expect(commands[0].data.hex == "3C0200" + "000000001234" + "00" + "000000000000" + "0978" + "02")
        #expect(commands[1].data.hex.contains("DFDF2508992690E116120710FA0670048A023030"))
        reader.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        #expect(received == [.connected, .cardPresented(.contact), .prompt(["PLEASE WAIT"])])
    }

    @Test("the device asks which application; whoever was named for it answers") func selection() async throws {
        let data = try MMSSample.cardData()
        let emulated = try Emulated { command in
            switch command.number {
            case 0x0300: [Self.menu]
            case 0x0302: [(0x0303, data)]
            default: [Self.result(0x00)]
            }
        }
        let reader = try reader(emulated) { names in names.firstIndex(of: "VISA DEBIT") }
        let events = reader.events.stream()
        #expect(try await reader.capture(Self.request, authorize: approved).decision == .approvedOnline)
        #expect(emulated.commands.withLock { $0 }.map(\.number) == [0x0300, 0x0302, 0x0303])
        #expect(emulated.commands.withLock { $0[1].data } == [0, 2])
        reader.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        #expect(received.contains(.selectionRequired(["VISA CREDIT", "VISA DEBIT"])))
    }

    @Test("no choice, or one that is not there, ends the transaction", arguments: [nil, 7]) func noChoice(
        _ choice: Int?
    ) async throws {
        let emulated = try Emulated { command in command.number == 0x0300 ? [Self.menu] : [Self.result(0x1E)] }
        let reader = try reader(emulated) { _ in choice }
        await #expect(throws: CaptureError.cancelled) {
            _ = try await reader.capture(Self.request, authorize: approved)
        }
        #expect(emulated.commands.withLock { $0.last?.data } == [1, 0])
    }

    @Test("a device that asks for ever is stood down") func endlessMenus() async throws {
        let emulated = try Emulated { command in command.number == 0x0304 ? [] : [Self.menu] }
        await #expect(throws: CaptureError.readerFailed(.repeatsApplicationSelection)) {
            _ = try await reader(emulated).capture(Self.request, authorize: approved)
        }
        #expect(emulated.commands.withLock { $0.last?.number } == 0x0304)
    }

    @Test(
        arguments: [
            ([result(0x01)], CaptureOutcome.Decision.declinedOffline, nil),
            ([status(0x02, 0x02), result(0x02)], .notPossible(.chipNotReadable), .technical),
            (
                [status(0x03, 0x1A), result(0x02)], .notPossible(.kernel(.emptyCandidateList)),
                .emptyCandidateList
            ),
            ([status(0x03, 0x17), result(0x02)], .notPossible(.cardNotReadable), nil),
        ] as [([(UInt16, [UInt8])], CaptureOutcome.Decision, DeviceOutcome.Cause?)])
    func endsWithoutTheIssuer(
        _ notifications: [(UInt16, [UInt8])], _ decision: CaptureOutcome.Decision, _ cause: DeviceOutcome.Cause?
    )
        async throws
    {
        let outcome = try await reader(Emulated { _ in notifications }).capture(Self.request, authorize: approved)
        #expect(outcome.decision == decision)
        switch cause {
        case nil: #expect(outcome.fallback == nil)
        case .technical?: #expect(outcome.fallback?.entryMode == .stripeAfterChip)
        case .emptyCandidateList?: #expect(outcome.fallback?.entryMode == .magneticStripe)
        case .otherInterface?: #expect(outcome.fallback == nil)
        }
    }

    /// A tap that goes online with card data of this type (`DFDF52`); the device reports it as
    /// MagTek's public demonstration of V5 readers does.
    private static func tap(_ type: UInt8 = 0x06, _ end: (UInt16, [UInt8]) = result(0x00)) throws -> Device {
        let data = try MMSSample.cardData(type: type)
        return { command in
            switch command.number {
            case 0x0300:
                [
                    status(0x00, 0x01), (0x0301, Array("PRESENT CARD".utf8)), status(0x09, 0x02), status(0x03, 0x1C),
                    (0x0303, data),
                ]
            case 0x0303: [status(0x03, 0x2C), end]
            default: []
            }
        }
    }

    @Test("A tDynamo takes a tap, shows what it reports of it, and the issuer decides") func aTap() async throws {
        let emulated = try Emulated(Self.tap(0x06, Self.result(0x00, signature: 1)))
        let reader = try reader(emulated, hasField: true)
        let events = reader.events.stream()
        let outcome = try await reader.capture(Self.request) { card in
            #expect(card.entryMode == .contactlessChip)
            #expect(card.chip != nil)
            #expect(card.encryptedTracks?.template != nil)
            return approved(card)
        }
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.requiresSignature)
        #expect(outcome.card?.entryMode == .contactlessChip)
        let start = emulated.commands.withLock { $0[0].data.hex }
        #expect(start == "3C0600" + "000000001234" + "00" + "000000000000" + "0978" + "02")
        reader.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        #expect(received == [.connected, .prompt(["PRESENT CARD"]), .cardPresented(.contactless)])
    }

    @Test("An eDynamo is never asked for taps") func withoutField() async throws {
        let emulated = try Emulated(Self.chip())
        _ = try await reader(emulated).capture(Self.request, authorize: approved)
        #expect(emulated.commands.withLock { $0[0].data[1] } == 0x02)
        #expect(DynamoLink.fieldModels.map(\.product) == [0x001C])
        #expect(!DynamoLink.models.map(\.product).contains(0x001C))
    }

    @Test(
        "The card data say how the tap was made; without that, the device's event does",
        arguments: [
            (UInt8(0x06), CapturedCard.EntryMode.contactlessChip), (0x08, .contactlessStripe), (0x04, .contactlessChip),
            (0x05, .chip),
        ])
    func entryModes(_ type: UInt8, _ mode: CapturedCard.EntryMode) async throws {
        let outcome = try await reader(Emulated(Self.tap(type)), hasField: true).capture(
            Self.request, authorize: approved)
        #expect(outcome.card?.entryMode == mode)
        #expect((outcome.card?.chip == nil) == (mode == .contactlessStripe))
    }

    @Test("A card that is inserted after a tap is one in the contacts") func insertedAfterTap() async throws {
        let data = try MMSSample.cardData(type: 0x04)
        let emulated = try Emulated { command in
            guard command.number == 0x0300 else { return [Self.result(0x00)] }
            return [Self.status(0x09, 0x02), Self.status(0x03, 0x2D), Self.status(0x01, 0x02), (0x0303, data)]
        }
        #expect(
            try await reader(emulated, hasField: true).capture(Self.request, authorize: approved).card?.entryMode
                == .chip)
    }

    @Test("What failed in the field does not count for the card that is inserted then") func failsAfterATap()
        async throws
    {
        for (more, fallback) in [
            ([], nil), ([Self.status(0x02, 0x02)], Fallback(.technical, entryMode: .stripeAfterChip)),
        ] {
            let emulated = try Emulated { _ in
                [Self.status(0x09, 0x02), Self.status(0x02, 0x12), Self.status(0x01, 0x02)] + more + [Self.result(0x02)]
            }
            let outcome = try await reader(emulated, hasField: true).capture(Self.request, authorize: approved)
            #expect(outcome.fallback == fallback)
            #expect(outcome.decision == .notPossible(fallback == nil ? .cardNotReadable : .chipNotReadable))
        }
    }

    @Test(
        "A tap that fails never leads to the stripe",
        arguments: [
            ([status(0x09, 0x02), status(0x02, 0x12)], CaptureOutcome.Obstacle.cardNotReadable),
            ([status(0x09, 0x02), status(0x02, 0x12), status(0x08, 0x00)], .cardNotReadable),
            ([status(0x09, 0x02), status(0x03, 0x1A)], .tapNotPossible),
            ([status(0x09, 0x02), status(0x03, 0x28)], .tapNotPossible),
            ([status(0x09, 0x02), status(0x03, 0x2D)], .tapNotPossible),
            ([status(0x09, 0x02), status(0x03, 0x2E)], .tapNotPossible),
            ([status(0x09, 0x02), status(0x03, 0x2F)], .tapNotPossible),
            ([status(0x09, 0x02), status(0x03, 0x1B)], .cardNotReadable),
        ] as [([(UInt16, [UInt8])], CaptureOutcome.Obstacle)])
    func failedTaps(_ notifications: [(UInt16, [UInt8])], _ obstacle: CaptureOutcome.Obstacle) async throws {
        for hasField in [true, false] {
            let emulated = try Emulated { _ in notifications + [Self.result(0x02)] }
            let outcome = try await reader(emulated, hasField: hasField).capture(Self.request, authorize: approved)
            #expect(outcome.decision == .notPossible(obstacle))
            #expect(outcome.fallback == nil)
        }
    }

    @Test(
        "What a tap needs of the cardholder is shown",
        arguments: [(UInt8(0x2A), "PRESENT ONE CARD ONLY"), (0x2B, "SEE PHONE FOR"), (0x29, "REMOVE CARD")])
    func prompts(_ progress: UInt8, _ line: String) async throws {
        let tap = try Self.tap()
        let emulated = try Emulated { command in
            (command.number == 0x0300 ? [Self.status(0x03, progress)] : []) + (tap(command) ?? [])
        }
        let reader = try reader(emulated, hasField: true)
        let events = reader.events.stream()
        #expect(try await reader.capture(Self.request, authorize: approved).decision == .approvedOnline)
        reader.events.finish()
        var lines: [String] = []
        for await case .prompt(let text, _) in events { lines += text.prefix(1) }
        #expect(lines == [line, "PRESENT CARD"])
    }

    @Test("The device's approval of a tap counts neither against the issuer nor without a card")
    func tapsTheIssuerDeclines() async throws {
        let declined = try await reader(Emulated(Self.tap()), hasField: true).capture(Self.request) { _ in
            .answered(.init(responseCode: "05"))
        }
        #expect(declined.decision == .declinedOnline)
        #expect(!declined.requiresReversal)
        let reversed = try await reader(Emulated(Self.tap(0x06, Self.result(0x01))), hasField: true).capture(
            Self.request, authorize: approved)
        #expect(reversed.decision == .declinedOnline)
        #expect(reversed.requiresReversal)
        let unreachable = try await reader(Emulated(Self.tap(0x06, Self.result(0x01))), hasField: true).capture(
            Self.request
        ) { _ in
            .unreachable
        }
        #expect(unreachable.decision == .declinedOffline)
        let offline = try Emulated { _ in [Self.status(0x09, 0x02), Self.result(0x00)] }
        #expect(
            try await reader(offline, hasField: true).capture(Self.request, authorize: approved).decision
                == .notPossible(.noCardData))
    }

    @Test("no card within the time limit, and refusals") func nothingCameAbout() async throws {
        await #expect(throws: CaptureError.noCardPresented) {
            _ = try await reader(Emulated { _ in [Self.result(0x22)] }).capture(Self.request, authorize: approved)
        }
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.rejected(.transactionInProgress)))) {
            _ = try await reader(Emulated { _ in nil }).capture(Self.request, authorize: approved)
        }
    }

    @Test("declined by the card after the issuer's approval: the host is to undo it") func declinedAfterApproval()
        async throws
    {
        let outcome = try await reader(Emulated(Self.chip(Self.result(0x01)))).capture(
            Self.request, authorize: approved)
        #expect(outcome.decision == .declinedOnline)
        #expect(outcome.requiresReversal)
    }

    @Test("swipes and parts of notifications from before are passed over") func noise() async throws {
        let emulated = try Emulated(Self.chip())
        let reader = try reader(emulated)
        emulated.device.send([2, 0, 1, 0, 5, 3, 4, 0, 9, 1])
        emulated.device.send([1] + [UInt8](repeating: 0, count: 60))
        #expect(try await reader.capture(Self.request, authorize: approved).decision == .approvedOnline)
    }

    @Test("cancelled while it waits for a card: the device cancels too, and the next transaction runs")
    func cancelling() async throws {
        let (starts, started) = AsyncStream<Void>.makeStream()
        let chip = try Self.chip()
        let isFirst = Mutex(true)
        let emulated = try Emulated { command in
            guard command.number == 0x0300 else { return chip(command) }
            let first = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard first else { return chip(command) }
            started.yield()
            return []
        }
        let reader = try reader(emulated)
        let task = Task { try await reader.capture(Self.request, authorize: approved) }
        for await _ in starts { break }
        task.cancel()
        await #expect(throws: CaptureError.cancelled) { _ = try await task.value }
        #expect(try await reader.capture(Self.request, authorize: approved).decision == .approvedOnline)
        #expect(emulated.commands.withLock { $0 }.map(\.number) == [0x0300, 0x0304, 0x0300, 0x0303])
    }

    @Test("unplugged at every step: an error that says so, and the next device is taken", arguments: [false, true])
    func unplugged(_ hasField: Bool) async throws {
        for step in [0x0300, 0x0303] as [UInt16] {
            let chip = try hasField ? Self.tap() : Self.chip()
            let second = try Emulated(chip)
            let device = Mutex<EmulatedDevice?>(nil)
            let first = try Emulated { command in
                guard command.number == step else { return chip(command) }
                device.withLock { $0 }?.unplug()
                return []
            }
            device.withLock { $0 = first.device }
            let reader = try reader(first, second, hasField: hasField)
            await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.disconnected))) {
                _ = try await reader.capture(Self.request, authorize: approved)
            }
            #expect(try await reader.capture(Self.request, authorize: approved).decision == .approvedOnline)
        }
    }
}
