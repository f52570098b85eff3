import Bytes
import CardModels
import DeviceIO
import SmartCard
import Testing

@testable import CardCapture
@testable import CardReaders

/// How a card comes under power: ISO/IEC 7816-3:2006, 6.2 and 9; USB CCID 1.1, 6.1.1 and 6.1.7.
@Suite(.serialized) struct CCIDActivationTests {
    private func slot(_ device: EmulatedReader, _ rules: CardRules = .emv) async throws -> CCIDSlot {
        try #require(try await device.driver(rules).open().first)
    }

    private func types(_ device: EmulatedReader) -> [UInt8] { device.commands.map { $0[0] } }

    @Test("5 V, 3 V, 1.8 V, with power off between; a reader that chooses itself is left to it") func voltages()
        async throws
    {
        for (voltages, expected) in [(1, [1]), (2, [1, 2]), (4, [1, 2, 3])] as [(UInt8, [UInt8])] {
            var card = EmulatedCard(EmulatedCard.t0, ConsentingCard())
            card.voltages = voltages
            let device = EmulatedReader(card: card)
            _ = try await slot(device).activate()
            #expect(device.commands.filter { $0[0] == 0x62 }.map { $0[7] } == expected)
            #expect(device.commands.count { $0[0] == 0x63 } == expected.count - 1)
        }
        var shape = EmulatedReader.Shape()
        shape.features = 0x38
        let automatic = EmulatedReader(shape, card: EmulatedCard(EmulatedCard.t0, ConsentingCard()))
        _ = try await slot(automatic).activate()
        #expect(automatic.commands.filter { $0[0] == 0x62 }.map { $0[7] } == [0])
    }

    @Test func cardOfNoVoltage() async throws {
        var card = EmulatedCard(EmulatedCard.t0, ConsentingCard())
        card.voltages = 0
        let slot = try await slot(EmulatedReader(card: card))
        await #expect(throws: CaptureError.readerFailed(.cardMute)) { _ = try await slot.activate() }
    }

    @Test("An empty slot has no card to activate") func emptySlot() async throws {
        let slot = try await slot(EmulatedReader())
        await #expect(throws: CaptureError.noCardPresented) { _ = try await slot.activate() }
    }

    /// EMV 4.3 Book 1, 8.3.1: what will not do after a cold reset gets a warm one, at the same
    /// voltage; then the card is refused.
    @Test("An invalid answer to a cold reset is followed by a warm reset at the same voltage") func warmReset()
        async throws
    {
        let rubbish: [UInt8] = [0x12, 0x34]
        let device = EmulatedReader(card: EmulatedCard(rubbish, warm: EmulatedCard.t0, ConsentingCard()))
        #expect(try await slot(device).activate().answerToReset == EmulatedCard.t0)
        #expect(types(device).filter { $0 == 0x62 || $0 == 0x63 } == [0x62, 0x62])

        let refused = try await slot(EmulatedReader(card: EmulatedCard(rubbish, ConsentingCard())))
        await #expect(throws: CaptureError.readerFailed(.answerToReset(.initialCharacter(0x12)))) {
            _ = try await refused.activate()
        }
    }

    /// An answer that ISO has and EMV has not: `3B 00` is without TB1.
    @Test func rulesOfEMV() async throws {
        let bare: [UInt8] = [0x3B, 0x00]
        let strict = EmulatedReader(card: EmulatedCard(bare, ConsentingCard()))
        // After the warm reset TB1 does not matter.
        _ = try await slot(strict).activate()
        #expect(types(strict).count { $0 == 0x62 } == 2)
        let lenient = EmulatedReader(card: EmulatedCard(bare, ConsentingCard()))
        _ = try await slot(lenient, .iso).activate()
        #expect(types(lenient).count { $0 == 0x62 } == 1)
    }

    @Test("SetParameters where the reader does not do it itself, with what the card says (6.1.7)") func parameters()
        async throws
    {
        let t1 = EmulatedReader(card: EmulatedCard(EmulatedCard.t1, ConsentingCard()))
        _ = try await slot(t1).activate()
        #expect(
            t1.commands.first { $0[0] == 0x61 }?.dropFirst(7).map { $0 } == [1, 0, 0, 0x11, 0x10, 0, 0x45, 0, 0xFE, 0])
        var shape = EmulatedReader.Shape()
        shape.features = 0x32
        let automatic = EmulatedReader(shape, card: EmulatedCard(EmulatedCard.t1, ConsentingCard()))
        _ = try await slot(automatic).activate()
        #expect(!types(automatic).contains(0x61))
        // A reader that does not know the command has done it itself; one that does not take a byte
        // has not.
        let ignorant = EmulatedReader(card: EmulatedCard(EmulatedCard.t0, ConsentingCard()))
        let first = try await slot(ignorant)
        ignorant.fault(.error(0), at: 1)
        _ = try await first.activate()
        let refusing = EmulatedReader(card: EmulatedCard(EmulatedCard.t0, ConsentingCard()))
        let second = try await slot(refusing)
        refusing.fault(.error(10), at: 1)
        await #expect(throws: CaptureError.readerFailed(.driver(CCIDError(10)))) { _ = try await second.activate() }
    }

    @Test("IFSD is offered to a T=1 card, unless the reader does that (11.6.2)") func fieldSize() async throws {
        let device = EmulatedReader(card: EmulatedCard(EmulatedCard.t1, ConsentingCard()))
        _ = try await slot(device).activate()
        #expect(device.commands.last.map { Array($0.dropFirst(10)) } == [0x00, 0xC1, 0x01, 0xFE, 0x3E])
        var shape = EmulatedReader.Shape()
        shape.features = 0x430
        let automatic = EmulatedReader(shape, card: EmulatedCard(EmulatedCard.t1, ConsentingCard()))
        _ = try await slot(automatic).activate()
        #expect(!types(automatic).contains(0x6F))
    }

    /// T=0 first, then T=1, TA1 95.
    private static let both: [UInt8] = {
        let bytes: [UInt8] = [0x3B, 0xF0, 0x95, 0x00, 0x00, 0x80, 0x31, 0xFE, 0x45]
        return bytes + [bytes.dropFirst().reduce(0, ^)]
    }()

    private func negotiated(_ change: (inout EmulatedReader.Shape, inout EmulatedCard) -> Void) async throws
        -> EmulatedReader
    {
        var card = EmulatedCard(Self.both, ConsentingCard())
        var shape = EmulatedReader.Shape()
        change(&shape, &card)
        let device = EmulatedReader(shape, card: card)
        _ = try await slot(device, .isoAtFullSpeed).activate()
        return device
    }

    @Test("PPS for the rate of TA1, or the next lower one that the reader does") func fasterRate() async throws {
        let fast = try await negotiated { _, _ in }
        #expect(fast.commands.first { $0[0] == 0x6F }?.dropFirst(10).map { $0 } == [0xFF, 0x10, 0x95, 0x7A])
        #expect(fast.commands.first { $0[0] == 0x61 }?[10] == 0x95)
        // At 4 MHz: 125000, 62500 and 31250 bits a second for D = 16, 8 and 4.
        let slow = try await negotiated { shape, _ in shape.largestDataRate = 62500 }
        #expect(slow.commands.first { $0[0] == 0x6F }?[12] == 0x94)
        // The reader sets what the answer to reset says, and needs what was agreed on after it.
        let byAnswer = try await negotiated { shape, _ in shape.features = 0x32 }
        #expect(byAnswer.commands.first { $0[0] == 0x61 }?[10] == 0x95)
        let own = try await negotiated { shape, _ in shape.features = 0xB0 }
        #expect(!types(own).contains(0x6F))
        let emv = EmulatedReader(card: EmulatedCard(Self.both, ConsentingCard()))
        _ = try await slot(emv, .iso).activate()
        #expect(!types(emv).contains(0x6F))
    }

    /// A card that does not answer PPS is reset and spoken to as it was.
    @Test func refusesPPS() async throws {
        let device = try await negotiated { _, card in card.acceptsPPS = false }
        #expect(types(device).filter { [0x62, 0x6F, 0x61].contains($0) } == [0x62, 0x6F, 0x62, 0x61])
        #expect(device.commands.first { $0[0] == 0x61 }?[10] == 0x11)
    }

    /// A reader for T=1 only asks a card that begins with T=0 to change, at any rate of
    /// transmission; one that cannot is refused.
    @Test func changesTheProtocol() async throws {
        let device = try await negotiated { shape, _ in
            shape.protocols = 2
            shape.largestDataRate = 1
        }
        #expect(device.commands.first { $0[0] == 0x6F }?.dropFirst(10).map { $0 } == [0xFF, 0x11, 0x11, 0xFF])
        #expect(device.commands.first { $0[0] == 0x61 }?[7] == 1)
        await #expect(throws: CaptureError.readerFailed(.protocolNotSelected)) {
            _ = try await negotiated { shape, card in
                shape.protocols = 2
                card.acceptsPPS = false
            }
        }
        var shape = EmulatedReader.Shape()
        shape.protocols = 2
        let only = try await slot(EmulatedReader(shape, card: EmulatedCard(EmulatedCard.t0, ConsentingCard())))
        await #expect(throws: CaptureError.readerFailed(.answerToReset(.protocols([0])))) {
            _ = try await only.activate()
        }
    }

    /// Gemalto's readers in their EMV mode say BB: they must accept any card.
    @Test func readerInEMVMode() async throws {
        let device = EmulatedReader(card: EmulatedCard(EmulatedCard.t0, ConsentingCard()))
        let slot = try await slot(device)
        device.fault(.error(0xBB))
        _ = try await slot.activate()
        #expect(device.commands[2].dropFirst(10).map { $0 } == [0x1F, 0x01] && device.commands[2][0] == 0x6B)
        #expect(types(device)[3] == 0x62)
    }
}
