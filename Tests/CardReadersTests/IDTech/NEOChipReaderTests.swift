import Bytes
import DeviceIO
import EMVKernel
import MagneticStripe
import ReaderDoubles
import SmartCard
import TLV
import Testing
import VirtualCard

@testable import CardCapture
@testable import CardReaders

/// The contacts of a NEO reader in its pass-through mode (ID TECH's NEO 2 interface developer's
/// guide 80139403-002, pages 47, 279, 280 and 300).
@Suite(.serialized, .timeLimit(.minutes(20))) struct NEOChipReaderTests {
    private let request = CaptureRequest(amount: 10_00, currencyCode: 978, sequenceCounter: 1, forcesOnline: true)

    /// A card that answers every command with its bytes and success.
    private struct Echo: CardChannel {
        func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
            ResponseAPDU(command.bytes, status: .success)
        }
    }

    /// What the reader says to the command to wait for a stripe, with attribution and envelope
    /// (80139403-002).
    private static func swipe() throws -> EmulatedNEO.Activation {
        let envelope = SwipeEnvelope.wrap(try IDTechSample.enhanced(IDTechSample.tdes))
        let length = [UInt8(envelope.count >> 8), UInt8(envelope.count & 0xFF)].hex
        return .answers([(status: 0x00, data: "88" + "DFEE2382" + length + envelope.hex)])
    }

    private static let nobody = EmulatedNEO.Activation.answers([(status: 0x08, data: "")])

    private func slot(_ device: EmulatedNEO) throws -> NEOChipReader { NEOChipReader(try device.reader()) }

    private func kernel(_ card: PersonalizedCard) -> ContactKernel {
        ContactKernel(.attended(countryCode: 276, applications: [.visa], caKeys: card.caPublicKeys, hasPINPad: false))
    }

    private struct Cardholder: EMVKernel.Cardholder {
        var pinPad: (any PINPad)? { nil }
        func chooseApplication(_ candidates: [Candidate]) async -> Int? { 0 }
    }

    private func echo(_ contacts: EmulatedNEO.Contacts) async throws -> (EmulatedNEO, NEOChipReader, any CardChannel) {
        let device = EmulatedNEO(contacts: contacts)
        let slot = try slot(device)
        return (device, slot, try await slot.powerOn())
    }

    private let select = CommandAPDU(
        cla: 0x00, ins: 0xA4, p1: 0x04, data: Array("1PAY.SYS.DDF01".utf8), expectedLength: 256)

    /// The frame is in a public program for ViVOpay readers, and its answer in ID TECH's own test
    /// scripts.
    @Test("the start of the pass-through mode has the published frame") func publishedFrame() throws {
        #expect(NEOCommand.passThrough(true).bytes.hex == "5669564F746563683200" + "2C010001" + "01" + "1D19")
        let answer = try #require(try NEOResponse.parse([UInt8](hex: "5669564F746563683200" + "2C000000" + "1C9B")))
        #expect(answer.response.status == .ok)
        #expect(answer.response.data.isEmpty)
    }

    /// Our kernel, through the reader, with a card that is personalized and answers as a card does.
    /// It comes at the third look.
    @Test(
        "a chip pays through our kernel, and the reader is out of the pass-through mode then", arguments: [false, true])
    func wholeTransaction(_ endsPowerHighFirst: Bool) async throws {
        let card = try PersonalizedCard.make(.visaStyle())
        let device = EmulatedNEO(contacts: .init(VirtualCard(card), looks: 2, endsPowerHighFirst: endsPowerHighFirst))
        let slot = try slot(device)
        let events = slot.events.stream()
        let reader = ChipReader(slot: slot, kernel: kernel(card), cardholder: Cardholder())
        let outcome = try await reader.capture(request) { captured in
            #expect(captured.entryMode == .chip)
            #expect(captured.chip?.elements[.cryptogramInformationData] == [0x80])
            return .answered(.init(responseCode: "00"))
        }
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.card?.pan == card.profile.account.pan)
        let modes = device.commands.filter { $0[0] == 0x2C && $0[1] != 0x13 }.map(\.hex)
        let look = ["2C0101", "2C1220"]
        let end = endsPowerHighFirst ? ["2C18", "2C18", "2C0100"] : ["2C18", "2C0100"]
        #expect(modes == look + ["2C0100"] + look + ["2C0100"] + look + end)
        let exchanges = device.commands.filter { $0.starts(with: [0x2C, 0x13]) }
        #expect(exchanges.allSatisfy { $0[2] == 0x20 })
        #expect(Array(exchanges.first?.dropFirst(3) ?? []) == select.bytes)
        // A ping is for the reader out of the mode.
        #expect(
            try await slot.driver.perform { device throws(DeviceError) in try device.firmwareVersion() } == "NEO v1.00")
        slot.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        let steps = received.filter { if case .prompt = $0 { false } else { true } }
        #expect(steps == [.connected, .cardPresented(.contact), .instruction(.removeCard)])
    }

    @Test("the contacts are looked at between transactions, and are without power then") func looks() async throws {
        let device = EmulatedNEO(contacts: .init(Echo(), looks: 1))
        let slot = try slot(device)
        #expect(try await slot.isEmpty())
        #expect(try await !slot.isEmpty())
        #expect(device.commands.suffix(2).map(\.hex) == ["2C18", "2C0100"])
    }

    @Test("contacts and stripe wait together, and the first card counts", arguments: [true, false])
    func together(_ isSwiped: Bool) async throws {
        let card = try PersonalizedCard.make(.visaStyle())
        let device = EmulatedNEO(
            activations: [Self.nobody, isSwiped ? try Self.swipe() : Self.nobody],
            contacts: .init(VirtualCard(card), looks: isSwiped ? 9 : 2))
        let slot = try slot(device)
        let reader = MultiInterfaceReader(
            chip: ChipReader(slot: slot, kernel: kernel(card), cardholder: Cardholder()), stripe: slot)
        let outcome = try await reader.capture(request) { _ in .answered(.init(responseCode: "00")) }
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.card?.entryMode == (isSwiped ? .magneticStripe : .chip))
        // Beside the contacts the reader waits one second for a stripe.
        let waits = device.commands.filter { $0.starts(with: [0x02, 0x40]) }.map(\.hex)
        #expect(waits.contains("0240" + "01" + "DFEF370101"))
        #expect(waits.allSatisfy { $0.hasSuffix("DFEF370101") })
    }

    @Test("a model without contacts takes swipes, and says that it has none") func withoutContacts() async throws {
        let device = EmulatedNEO(activations: [try Self.swipe()])
        let slot = try slot(device)
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.rejected(.commandNotSupported)))) {
            _ = try await slot.powerOn()
        }
        #expect(try await slot.swipe().encrypted?.ksn.hex == IDTechSample.ksn)
        let both = EmulatedNEO(activations: [.silence, try Self.swipe()])
        let other = try self.slot(both)
        let waiting = Task { try await other.powerOn() }
        let swipe = Task { try await other.swipe() }
        while !both.commands.contains(where: { $0.starts(with: [0x02, 0x40, 0x3C]) }) { await Task.yield() }
        waiting.cancel()
        await #expect(throws: CaptureError.self) { _ = try await waiting.value }
        #expect(try await swipe.value.isReadable)
    }

    @Test(
        "a chip that leaves is gone, and one that is silent failed",
        arguments: [
            (EmulatedNEO.Contacts.Misbehavior.leaves(2), CardChannelError.cardRemoved),
            (.keepsSilent(2), .malformedAnswer(.notReceived)),
            (.cuts(2), .malformedAnswer(.noStatusWord)),
        ])
    func failing(_ misbehavior: EmulatedNEO.Contacts.Misbehavior, _ expected: CardChannelError) async throws {
        let (_, slot, channel) = try await echo(.init(Echo(), misbehavior))
        let events = slot.events.stream()
        #expect(try await channel.transmit(select).data == select.bytes)
        await #expect(throws: expected) { _ = try await channel.transmit(select) }
        if expected != .malformedAnswer(.noStatusWord) {
            await #expect(throws: CardChannelError.cardRemoved) { _ = try await channel.transmit(select) }
        }
        await slot.powerOff()
        slot.events.finish()
        var received: [ReaderEvent] = []
        for await event in events { received.append(event) }
        #expect(received.first == (expected == .malformedAnswer(.noStatusWord) ? nil : .cardRemoved(.contact)))
    }

    @Test("a command that the pass-through mode does not describe is not sent") func longCommands() async throws {
        let (device, _, channel) = try await echo(.init(Echo()))
        let count = device.commands.count
        for command in [
            CommandAPDU(cla: 0, ins: 0xDA, data: [UInt8](repeating: 1, count: 300)),
            CommandAPDU(cla: 0, ins: 0xB0, expectedLength: 300),
        ] {
            await #expect(throws: CardChannelError.readerFailed(.shortCommandsOnly)) {
                _ = try await channel.transmit(command)
            }
        }
        #expect(device.commands.count == count)
    }

    @Test("the channel of an earlier activation is invalid") func activations() async throws {
        let (_, slot, first) = try await echo(.init(Echo()))
        await slot.powerOff()
        await #expect(throws: CardChannelError.cardRemoved) { _ = try await first.transmit(select) }
        let second = try await slot.powerOn()
        #expect(try await second.transmit(select).data == select.bytes)
        await #expect(throws: CardChannelError.cardRemoved) { _ = try await first.transmit(select) }
    }

    @Test("a wait and a command can be cancelled, and the reader works on") func cancelling() async throws {
        let device = EmulatedNEO(contacts: .init(Echo(), looks: 3, .hangs(1)))
        let slot = try slot(device)
        let waiting = Task { try await slot.powerOn() }
        while !device.commands.contains(where: { $0.starts(with: [0x2C, 0x12]) }) { await Task.yield() }
        await #expect(throws: CaptureError.readerFailed(.busy)) { _ = try await slot.powerOn() }
        waiting.cancel()
        await #expect(throws: CaptureError.cancelled) { _ = try await waiting.value }
        let channel = try await slot.powerOn()
        let command = Task { try await channel.transmit(select) }
        while !device.commands.contains(where: { $0.starts(with: [0x2C, 0x13]) }) { await Task.yield() }
        command.cancel()
        await #expect(throws: CardChannelError.cancelled) { _ = try await command.value }
        await slot.powerOff()
        let again = try await slot.powerOn()
        #expect(try await again.transmit(select).data == select.bytes)
        #expect(device.port.connections == 1)
    }

    @Test("a reader that an earlier program left in the pass-through mode is taken out of it") func left() async throws
    {
        let device = EmulatedNEO(activations: [try Self.swipe()], contacts: .init(Echo(), wasLeft: true))
        #expect(try await device.reader().swipe().isReadable)
        #expect(device.commands.map { $0.prefix(3).hex } == ["1801", "2C0100", "1801", "02403C"])
        let other = EmulatedNEO(contacts: .init(Echo(), .unplugs(1), wasLeft: true))
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.disconnected))) {
            try await other.reader().swipe()
        }
    }

    @Test("closing ends the waits for both cards") func closing() async throws {
        let device = EmulatedNEO(activations: [.silence], contacts: .init(Echo(), looks: 99))
        let slot = try slot(device)
        let (chip, stripe) = (Task { _ = try await slot.powerOn() }, Task { _ = try await slot.swipe() })
        while !device.commands.contains(where: { $0.starts(with: [0x02, 0x40]) }) { await Task.yield() }
        await slot.close()
        for task in [chip, stripe] { await #expect(throws: CaptureError.self) { try await task.value } }
    }

    /// One command of the mode after the other: start, power, exchange, end of power, end.
    @Test("unplugged at every command, the reader is opened again for the next card", arguments: 1...5)
    func unplugged(_ step: Int) async throws {
        let device = EmulatedNEO(contacts: .init(Echo(), .unplugs(step)))
        let slot = try slot(device)
        do {
            let channel = try await slot.powerOn()
            #expect(step > 2)
            if step == 3 {
                let lost = CardChannelError.readerFailed(.driver(DeviceError.disconnected))
                await #expect(throws: lost) { _ = try await channel.transmit(select) }
            } else {
                #expect(try await channel.transmit(select).data == select.bytes)
            }
        } catch {
            #expect(step <= 2)
            #expect(error as? CaptureError == .readerFailed(.driver(DeviceError.disconnected)))
        }
        await slot.powerOff()
        let again = try await slot.powerOn()
        #expect(try await again.transmit(select).data == select.bytes)
        #expect(device.port.connections == 2)
    }
}
