import Bytes
import CardCryptography
import CardModels
import DeviceIO
import EMVKernel
import Foundation
import ReaderDoubles
import SmartCard
import Synchronization
import TLV
import Testing
import VirtualCard

@testable import CardCapture
@testable import CardReaders

/// A card behind a PN532 that `EmulatedPN532Target` plays, and the air to a terminal.
private final class CardInTheAir: Sendable {
    let chip: EmulatedPN532Target
    let port: PN53xCardPort
    private let line: EmulatedPort
    private let mailbox: Mailbox

    init(
        _ chip: EmulatedPN532Target = EmulatedPN532Target(), latency: Duration = .seconds(20),
        silence: Duration = .seconds(60),
        rearming: Duration = .seconds(60), now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        onTap: @escaping @Sendable () async -> any CardChannel
    ) throws {
        self.chip = chip
        let line = EmulatedPort { chip.live($0) }
        self.line = line
        let identity = try #require(PN53xCardIdentity(identifier: [1, 2, 3], historicalBytes: Array("CPVC1".utf8)))
        let mailbox = Mailbox()
        self.mailbox = mailbox
        port = try PN53xCardPort(
            identity: identity, latency: latency, silence: silence, rearming: rearming, now: now, onTap: onTap,
            tell: { mailbox.take($0) },
            line: { cancel throws(DeviceError) in try line.open(cancel) })
    }

    private final class Mailbox: Sendable {
        let events = Mutex<[PN53xCardPort.Event]>([])
        func take(_ event: PN53xCardPort.Event) { events.withLock { $0.append(event) } }
    }

    var events: [PN53xCardPort.Event] { mailbox.events.withLock { $0 } }
    var taps: Int { events.count { $0 == .activated } }
    var departures: [PN53xDeparture] {
        events.compactMap { if case .over(let departure, _, _) = $0 { departure } else { nil } }
    }

    func until(_ condition: @Sendable (CardInTheAir) -> Bool) async throws {
        while !condition(self) { try await Task.sleep(for: .milliseconds(1)) }
    }

    /// Serves while `body` runs; the card is out of the field afterwards.
    func serving<Value>(_ body: (CardInTheAir) async throws -> Value) async throws -> Value {
        let serving = Task { try await port.serve() }
        defer { serving.cancel() }
        try await until { $0.chip.isArmed }
        let value = try await body(self)
        serving.cancel()
        await #expect(throws: DeviceError.cancelled) { try await serving.value }
        #expect(!chip.isArmed)
        return value
    }

    /// The terminal's reader with this card in its field.
    func terminal(
        _ connection: EmulatedConnection = .serial, _ change: @escaping @Sendable (inout ISODEPCard) -> Void = { _ in }
    ) throws
        -> PN53xReader
    {
        var card = EmulatedContactlessCard(playedBy: chip)
        card.change = change
        return try EmulatedPN53x([card]).reader(connection)
    }

    /// What the terminal gets for a command, apart from the threads of tasks.
    func exchange(_ command: [UInt8]) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [chip] in continuation.resume(returning: chip.exchange(command)) }
        }
    }
}

/// Answers with what was sent. INS 01 is silent, 02 removes the card, 03 fails, 04 answers with as
/// many bytes as P1 and P2 say.
private struct ScriptedCard: CardChannel {
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        switch command.ins {
        case 0x01: throw .timedOut
        case 0x02: throw .cardRemoved
        case 0x03: throw .readerFailed(.unknownRequest)
        case 0x04: return ResponseAPDU([UInt8](repeating: 0x5A, count: Int(command.p1) << 8 + Int(command.p2)))
        case 0x05: return ResponseAPDU([UInt8(command.data.count >> 8), UInt8(command.data.count & 0xFF)])
        default: return ResponseAPDU(command.data)
        }
    }
}

/// What one task waits for, and another one raises.
private final class Flag: Sendable {
    private let isRaised = Mutex(false)

    func raise() { isRaised.withLock { $0 = true } }
    func wait() async throws { while !isRaised.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(1)) } }
}

/// Answers when it may.
private struct GatedCard: CardChannel {
    let isComputing, mayAnswer: Flag

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        isComputing.raise()
        try? await mayAnswer.wait()
        return ResponseAPDU()
    }
}

@Suite("A card in the field of a PN532", .serialized, .timeLimit(.minutes(20))) struct PN53xCardPortTests {
    private static let select = CommandAPDU(ins: 0xA4, p1: 4, data: Array("2PAY.SYS.DDF01".utf8), expectedLength: 256)
    private static let answer = ResponseAPDU(Array("2PAY.SYS.DDF01".utf8))

    private func scripted(
        _ chip: EmulatedPN532Target = EmulatedPN532Target(), latency: Duration = .seconds(20),
        silence: Duration = .seconds(60)
    ) throws -> CardInTheAir { try CardInTheAir(chip, latency: latency, silence: silence) { ScriptedCard() } }

    /// One command at a terminal.
    private func tap(_ card: CardInTheAir) async throws {
        let channel = try await card.terminal().powerOn()
        #expect(try await channel.transmit(Self.select) == Self.answer)
    }

    private func payment() throws -> (CardInTheAir, TapBench) {
        let bench = try TapBench.shared.get()
        let virtual = bench.card()
        let card = try CardInTheAir {
            await virtual.reset()
            return virtual
        }
        return (card, bench)
    }

    // MARK: Payments

    /// Whether the cryptogram is the card's, over the data that the issuer gets.
    private func isValid(_ captured: CapturedCard?) throws -> Bool {
        let chip = try #require(captured?.chip)
        let elements = try DataElements(parsing: chip.field55(for: .authorization))
        let digits = try #require(captured?.pan)
        let pan = try #require(AccountNumber(ascii: digits.revealed()))
        let scheme = CardProfile.visaStyle().cryptograms
        let keys = try MasterKeySet.testIssuerKeys.cardKeys(
            by: scheme.version.masterKeyDerivation, pan: pan, panSequenceNumber: 1)
        let counter = UInt16(clamping: try #require(elements.integer(.applicationTransactionCounter)))
        let key = try scheme.version.sessionKeyDerivation.sessionKey(
            from: keys.applicationCryptogram, atc: counter,
            unpredictableNumber: try #require(elements[.unpredictableNumber]))
        let input = try scheme.version.input(
            terminalData: DOL.cryptogramInput.concatenate(elements),
            applicationInterchangeProfile: try #require(elements[.applicationInterchangeProfile]), atc: counter,
            issuerApplicationData: try #require(elements[.issuerApplicationData]))
        return ApplicationCryptogram.isValid(
            try #require(elements[.applicationCryptogram]), for: input, sessionKey: key, padding: scheme.version.padding
        )
    }

    private func counter(_ captured: CapturedCard?) throws -> UInt64? {
        try DataElements(parsing: try #require(captured?.chip).field55(for: .authorization)).integer(
            .applicationTransactionCounter)
    }

    @Test(
        "payments from kernel to card through two chips and the air, one after the other",
        arguments: EmulatedConnection.allCases)
    func payments(_ connection: EmulatedConnection) async throws {
        let (card, bench) = try payment()
        try await card.serving { card in
            let terminal = try card.terminal(connection)
            for number in 1...3 {
                let outcome = try await bench.sell(terminal)
                #expect(outcome.decision == .approvedOnline)
                #expect(outcome.card?.entryMode == .contactlessChip)
                #expect(try isValid(outcome.card))
                #expect(try counter(outcome.card) == UInt64(number), "the card is the same")
                try await card.until { $0.departures.count >= number && $0.chip.isArmed }
            }
            #expect(Set(card.departures) == [.released])
        }
        #expect(card.chip.commands.suffix(2).map(\.hex) == ["5200", "1200"])
    }

    @Test("the terminal sees the historical bytes of the card behind those of the chip") func activation() async throws
    {
        try await scripted().serving { card in
            let channel = try await card.terminal().powerOn()
            #expect((channel as? PN53xCard)?.historicalBytes == Array("CPVC1".utf8))
            #expect(try await channel.transmit(Self.select) == Self.answer)
        }
    }

    @Test(
        "a card that leaves the terminal at any block pays at the next tap", arguments: [0x29, 0x2B, 0x0A] as [UInt8])
    func leavesAtAnyBlock(_ status: UInt8) async throws {
        let bench = try TapBench.shared.get()
        let blocks = Mutex(0)
        for block in 0..<40 {
            let virtual = bench.card()
            let card = try CardInTheAir(EmulatedPN532Target(fieldLoss: status)) {
                await virtual.reset()
                return virtual
            }
            let activations = Mutex(0)
            let isOver = try await card.serving { card in
                let terminal = try card.terminal { session in
                    let isFirst = activations.withLock { count in
                        count += 1
                        return count == 1
                    }
                    if isFirst { session.leavesAt = block }
                }
                let outcome = try await bench.sell(terminal)
                #expect(outcome.decision == .approvedOnline, "\(block)")
                #expect(try isValid(outcome.card), "\(block)")
                return card.taps == 1
            }
            // The transaction has fewer blocks than that.
            if isOver { break }
            blocks.withLock { $0 = block }
            let ends: [PN53xDeparture] = [.released, PN53xDeparture(status: status) ?? .released]
            #expect(card.departures.allSatisfy { ends.contains($0) }, "\(card.departures)")
        }
        // SELECT twice and GET PROCESSING OPTIONS are six blocks at least.
        #expect(blocks.withLock { $0 } >= 5)
    }

    @Test("lost and damaged blocks do not end a tap") func damagedBlocks() async throws {
        for accident in ISODEPCard.Accident.allCases {
            for number in 0..<8 {
                try await scripted().serving { card in
                    let channel = try await card.terminal(.serial) { $0.accidents[number] = accident }.powerOn()
                    #expect(try await channel.transmit(Self.select) == Self.answer, "\(accident) \(number)")
                    #expect(card.taps == 1)
                }
            }
        }
    }

    // MARK: Commands

    @Test("commands and answers of every length, with parts announced above what one frame holds") func lengths()
        async throws
    {
        try await scripted().serving { card in
            let channel = try await card.terminal().powerOn()
            for count in [1, 57, 58, 59, 200, 253, 254, 255] {
                let data = (0..<count).map { UInt8($0 & 0xFF) }
                #expect(
                    try await channel.transmit(CommandAPDU(ins: 0x10, data: data, expectedLength: 256))
                        == ResponseAPDU(data), "\(count)")
            }
            // Header 4, Lc 3: these commands have 262, 263 and 524 bytes, and more.
            for count in [255, 256, 517, 518, 4000] {
                let command = CommandAPDU(ins: 0x05, data: [UInt8](repeating: 1, count: count))
                #expect(
                    try await channel.transmit(command) == ResponseAPDU([UInt8(count >> 8), UInt8(count & 0xFF)]),
                    "\(count)")
            }
            #expect(
                try await channel.transmit(CommandAPDU(ins: 0x04, p1: 1, p2: 0, expectedLength: 256)).data.count == 256)
            let tooShort = CommandAPDU(ins: 0x04, p1: 0, p2: 0x20, expectedLength: 16)
            #expect(try await channel.transmit(tooShort).status == StatusWord(rawValue: 0x6C20))
            let longest = CommandAPDU(ins: 0x04, p1: 1, p2: 4, expectedLength: 65536)
            #expect(try await channel.transmit(longest).data.count == 260)
            let tooLong = CommandAPDU(ins: 0x04, p1: 1, p2: 5, expectedLength: 65536)
            #expect(try await channel.transmit(tooLong) == ResponseAPDU(status: StatusWord(rawValue: 0x6F00)))
            #expect(card.events.contains(.answerTooLong(263)))
        }
    }

    @Test("bytes that are not a command are refused, and the tap goes on") func rubbish() async throws {
        try await scripted().serving { card in
            #expect(card.chip.activate())
            for rubbish in [[], [0x00], [0x00, 0xA4, 0x04], [0x00, 0xA4, 0x04, 0x00, 0x05, 0x01]] as [[UInt8]] {
                #expect(await card.exchange(rubbish) == [0x67, 0x00], "\(rubbish.hex)")
            }
            #expect(await card.exchange([0x00, 0x03, 0x00, 0x00]) == [0x6F, 0x00], "a card that fails")
            #expect(await card.exchange([0x00, 0x10, 0x00, 0x00, 0x01, 0xAA]) == [0xAA, 0x90, 0x00])
            #expect(card.taps == 1)
        }
    }

    @Test("a silent card ends the tap, and the next tap finds it") func silentCard() async throws {
        try await scripted().serving { card in
            let reader = try card.terminal()
            let channel = try await reader.powerOn()
            await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(CommandAPDU(ins: 0x01)) }
            #expect(card.events.last == .cardSilent)
            #expect(try await reader.powerOn().transmit(Self.select) == Self.answer)
            #expect(card.taps == 2)
        }
    }

    @Test("a card that removes itself is out of the field, until it is served again") func removal() async throws {
        let card = try scripted()
        let serving = Task { try await card.port.serve() }
        try await card.until { $0.chip.isArmed }
        let channel = try await card.terminal().powerOn()
        await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(CommandAPDU(ins: 0x02)) }
        try await serving.value
        #expect(!card.chip.isArmed)
        #expect(card.chip.commands.suffix(2).map(\.hex) == ["5200", "1200"])
        try await card.serving { card in try await tap(card) }
    }

    // MARK: Terminals

    @Test("a terminal that does not wait for an answer ends the tap; the message has the time") func impatience()
        async throws
    {
        let start = ContinuousClock.now
        let looks = Mutex(0)
        // Each look at the clock is 200 ms after the last one.
        let card = try CardInTheAir(
            now: {
                start.advanced(
                    by: .milliseconds(
                        200
                            * looks.withLock { count in
                                count += 1
                                return count
                            }))
            }, onTap: { ScriptedCard() })
        card.chip.loseTerminal(atCommand: 1)
        try await card.serving { card in
            let reader = try card.terminal()
            let channel = try await reader.powerOn()
            #expect(try await channel.transmit(Self.select) == Self.answer)
            await #expect(throws: CardChannelError.cardRemoved) { try await channel.transmit(Self.select) }
            try await card.until { !$0.departures.isEmpty }
            let event = try #require(card.events.last { if case .over = $0 { true } else { false } })
            #expect(event == .over(.released, commands: 2, slowest: .milliseconds(200)))
            #expect(
                "\(event)"
                    == "the terminal released the card after 2 commands; the slowest answer took 200 ms, a terminal waits 155 ms"
            )
            #expect(try await reader.powerOn().transmit(Self.select) == Self.answer)
        }
    }

    @Test("a terminal that sends nothing loses the card, which comes back") func silentTerminal() async throws {
        try await scripted(latency: .milliseconds(500), silence: .milliseconds(20)).serving { card in
            #expect(card.chip.activate())
            try await card.until { $0.departures.count == 1 && $0.chip.isArmed }
            #expect(card.departures == [.silent(.milliseconds(20))])
            try await tap(card)
        }
    }

    @Test("a chip that no terminal activates is armed again and again, and serves the next tap") func rearmed()
        async throws
    {
        let card = try CardInTheAir(latency: .milliseconds(500), rearming: .milliseconds(20)) { ScriptedCard() }
        let serving = Task { try await card.port.serve() }
        try await card.until { $0.chip.commands.count { $0.first == 0x8C } > 2 }
        // It must be woken before its command is aborted.
        #expect(card.chip.aborts >= 2)
        #expect(card.events == [.waiting])
        while !card.chip.activate() { try await Task.sleep(for: .milliseconds(1)) }
        #expect(await card.exchange([0x00, 0x10, 0x00, 0x00, 0x01, 0xAA]) == [0xAA, 0x90, 0x00])
        serving.cancel()
        await #expect(throws: DeviceError.cancelled) { try await serving.value }
    }

    @Test("a terminal that takes the chip for a peer is reported, and the card stays in the field") func peers()
        async throws
    {
        try await scripted().serving { card in
            card.chip.activateAsPeer()
            try await card.until { $0.events.contains(.notACard(mode: 0x04)) && $0.chip.isArmed }
            try await tap(card)
        }
    }

    @Test(
        "the tap after any final status is served",
        arguments: [0x01, 0x02, 0x0B, 0x13, 0x25, 0x27, 0x29, 0x2B, 0x3F] as [UInt8])
    func statuses(_ status: UInt8) async throws {
        try await scripted().serving { card in
            #expect(card.chip.activate())
            card.chip.end(status: status)
            try await card.until { $0.departures.count == 1 && $0.chip.isArmed }
            #expect(card.departures == [status == 0x29 ? .released : .status(status)])
            try await tap(card)
        }
    }

    // MARK: The chip and its line

    /// SAMConfiguration, GetFirmwareVersion, field off, ReadRegister, WriteRegister, SetParameters,
    /// TgInitAsTarget, TgGetData, TgSetData.
    private static let commandsOfATap = 9

    @Test(
        "a line that loses, damages and repeats harms no command of a tap",
        arguments: [.losesAcknowledgment, .damagesAnswer, .doesNotUnderstand, .dribbles] as [EmulatedPN532Target.Fault])
    func accidents(_ fault: EmulatedPN532Target.Fault) async throws {
        for number in 0..<Self.commandsOfATap {
            let chip = EmulatedPN532Target()
            chip.fault(fault, at: number)
            try await scripted(chip).serving { card in
                try await tap(card)
                #expect(
                    chip.commands.prefix(Self.commandsOfATap).map { $0[0] } == [
                        0x14, 0x02, 0x32, 0x06, 0x08, 0x12, 0x8C, 0x86, 0x8E,
                    ])
            }
        }
    }

    @Test("a chip that is unplugged at any command ends the serving with a cause, and is served again") func unplugged()
        async throws
    {
        for number in 0..<Self.commandsOfATap {
            let chip = EmulatedPN532Target()
            chip.fault(.unplugs, at: number)
            let card = try scripted(chip)
            let terminal = Task {
                try await card.until { $0.chip.isArmed }
                _ = try? await card.terminal().powerOn().transmit(Self.select)
            }
            await #expect(throws: DeviceError.disconnected, "\(number)") { try await card.port.serve() }
            terminal.cancel()
            try await card.serving { card in try await tap(card) }
        }
    }

    @Test("a chip that does not answer times out", arguments: [0, 1, 2, 3, 4, 5, 8]) func silentChip(_ number: Int)
        async throws
    {
        let chip = EmulatedPN532Target()
        chip.fault(.isSilent, at: number)
        // SAMConfiguration is sent again, in case the chip woke too late.
        if number == 0 { chip.fault(.isSilent, at: 1) }
        let card = try scripted(chip, latency: .milliseconds(300))
        let terminal = Task {
            try await card.until { $0.chip.isArmed }
            _ = try? await card.terminal().powerOn().transmit(Self.select)
        }
        await #expect(throws: DeviceError.timedOut) { try await card.port.serve() }
        terminal.cancel()
        try await card.serving { card in try await tap(card) }
    }

    @Test(
        "answers that a chip does not give are errors, or end the tap",
        arguments: [
            (1, [], .malformed(.pn53xAnswer, .unknownType)), (1, [0x33, 1, 6, 7], .rejected(.commandNotSupported)),
            (1, [0x07, 1, 6, 7], .malformed(.pn53xAnswer, .unknownType)), (3, [], .malformed(.pn53xAnswer, .empty)),
            (6, [], .malformed(.pn53xAnswer, .empty)),
        ] as [(Int, [UInt8], DeviceError)])
    func nonsense(_ number: Int, _ answer: [UInt8], _ error: DeviceError) async throws {
        let chip = EmulatedPN532Target()
        chip.fault(.answers(answer), at: number)
        let card = try scripted(chip)
        await #expect(throws: error) { try await card.port.serve() }
        try await card.serving { card in try await tap(card) }
    }

    @Test("an answer without a status ends the serving", arguments: [7, 8]) func withoutStatus(_ number: Int)
        async throws
    {
        let chip = EmulatedPN532Target()
        chip.fault(.answers([]), at: number)
        let card = try scripted(chip)
        let serving = Task { try await card.port.serve() }
        try await card.until { $0.chip.isArmed }
        #expect(chip.activate())
        let terminal = Task { await card.exchange([0x00, 0x10, 0x00, 0x00]) }
        await #expect(throws: DeviceError.malformed(.pn53xAnswer, .empty)) { try await serving.value }
        try await card.serving { card in try await tap(card) }
        #expect(await terminal.value == nil)
    }

    @Test(
        "commands without an end, with empty parts or with node addresses end the tap",
        arguments: [([0x40], .commandTooLong), ([0x80, 0x12, 0x00], .nodeAddress), ([0x29], .released)]
            as [([UInt8], PN53xDeparture)])
    func parts(_ answer: [UInt8], _ departure: PN53xDeparture) async throws {
        let chip = EmulatedPN532Target()
        chip.fault(.answers(answer), at: 7)
        try await scripted(chip).serving { card in
            #expect(chip.activate())
            try await card.until { $0.departures.count == 1 && $0.chip.isArmed }
            #expect(card.departures == [departure])
        }
    }

    @Test("a command that grows beyond the longest one ends the tap") func endless() async throws {
        let chip = EmulatedPN532Target()
        let part = [0x40] + [UInt8](repeating: 0, count: 262)
        for number in 7..<300 { chip.fault(.answers(part), at: number) }
        try await scripted(chip).serving { card in
            #expect(chip.activate())
            try await card.until { $0.departures.count == 1 }
            #expect(card.departures == [.commandTooLong])
            // 65544 bytes are 250 parts and some.
            #expect(chip.commands.count { $0 == [0x86] } == 251)
            for number in 7..<300 { chip.fault(nil, at: number) }
            try await card.until { $0.chip.isArmed }
        }
    }

    @Test("a line that is lost while the card computes is opened again, and the old answer is not sent") func lostLine()
        async throws
    {
        let (isComputing, mayAnswer) = (Flag(), Flag())
        let card = try CardInTheAir { GatedCard(isComputing: isComputing, mayAnswer: mayAnswer) }
        try await card.serving { card in
            #expect(card.chip.activate())
            async let answer = card.exchange([0x00, 0x10, 0x00, 0x00])
            try await isComputing.wait()
            card.chip.unplug()
            mayAnswer.raise()
            try await card.until { $0.departures == [.connectionLost] && $0.chip.isArmed }
            #expect(await answer == nil)
            #expect(!card.chip.commands.contains { $0.first == 0x8E })
            #expect(card.chip.activate())
            #expect(await card.exchange([0x00, 0x10, 0x00, 0x00]) == [0x90, 0x00])
        }
    }

    @Test("each event is a sentence of its own") func sentences() {
        let events: [PN53xCardPort.Event] = [
            .waiting, .activated, .notACard(mode: 0x04), .over(.released, commands: 1, slowest: .milliseconds(155)),
            .cardSilent,
            .answerTooLong(300), .over(.status(0x2B), commands: 0, slowest: .seconds(2)),
        ]
        #expect(Set(events.map(\.description)).count == events.count)
        #expect(
            "\(events[2])".hasSuffix("(mode 4)") && "\(events[3])".contains("1 command;")
                && "\(events[5])".contains("300"))
        #expect(
            "\(events[6])"
                == "the terminal is gone: the field is off (status 2B of the chip) after 0 commands; the slowest answer took 2000 ms, a terminal waits 155 ms"
        )
    }

    @Test("the chip refuses commands in a wrong order with its status") func order() async throws {
        let chip = EmulatedPN532Target()
        let line = EmulatedPort { chip.live($0) }
        let event = try WakeEvent()
        let link = PN53xFrameLink(PN53xSerialWire(try line.open(event)), latency: .seconds(20))
        let identity = try #require(PN53xCardIdentity(identifier: [1, 2, 3], historicalBytes: []))
        let target = try PN53xTarget(link, identity: identity, silence: .seconds(60), rearming: .seconds(60))
        #expect(try target.receive() == .over(.status(0x27)))
        #expect(try target.answer([0x90, 0x00]) == .status(0x27))
        let waiting = Task.detached {
            while !chip.isArmed { try await Task.sleep(for: .milliseconds(1)) }
            #expect(chip.activate())
        }
        #expect(try target.waitForTerminal().isCard)
        try await waiting.value
        #expect(try target.answer([0x90, 0x00]) == .status(0x25), "before a command")
        chip.deselect()
        #expect(try target.receive() == .over(.released))
        #expect(try target.answer([0x90, 0x00]) == .released)
        try target.leave()
        let count = chip.commands.count
        try target.leave()
        #expect(chip.commands.count == count, "once")
    }

    // MARK: The end

    @Test("cancelled while it waits for a terminal, for a command, or for its card, the card leaves the field")
    func cancelled()
        async throws
    {
        for stage in 0..<3 {
            let (isComputing, never) = (Flag(), Flag())
            let card = try CardInTheAir { GatedCard(isComputing: isComputing, mayAnswer: never) }
            let serving = Task { try await card.port.serve() }
            try await card.until { $0.chip.isArmed }
            var terminal: Task<[UInt8]?, Never>?
            if stage > 0 {
                #expect(card.chip.activate())
                try await card.until { $0.chip.pending == 0x86 }
            }
            if stage > 1 {
                terminal = Task { await card.exchange([0x00, 0x10, 0x00, 0x00]) }
                try await isComputing.wait()
            }
            serving.cancel()
            await #expect(throws: DeviceError.cancelled) { try await serving.value }
            #expect(!card.chip.isArmed, "\(stage)")
            #expect(card.chip.commands.suffix(2).map(\.hex) == ["5200", "1200"], "\(stage)")
            #expect(await terminal?.value == nil)
        }
    }
}
