import Bytes
import CardCryptography
import CardModels
import Contactless
import DeviceIO
import EMVKernel
import KernelDoubles
import Kernels
import ReaderDoubles
import SmartCard
import TLV
import Testing
import VirtualCard

@testable import CardCapture
@testable import CardReaders

/// PC/SC part 3, 3.1.3.2.3; check bytes are the exclusive or from T0 on.
@Suite("Answers to reset of contactless cards") struct ContactlessAnswerToResetTests {
    private func card(_ text: String) throws -> ContactlessAnswerToReset.Card? {
        try ContactlessAnswerToReset([UInt8](hex: text))?.card
    }

    @Test("Answers to reset of payment cards give protocol and historical bytes") func payments() throws {
        #expect(try card("3B80800101") == .transmissionProtocol(historicalBytes: []))
        #expect(
            try card("3B8680018073C021000015")
                == .transmissionProtocol(historicalBytes: [0x80, 0x73, 0xC0, 0x21, 0x00, 0x00]))
        let typeB: [UInt8] = [0, 0, 0, 0, 0x80, 0x81, 0x71, 0]
        #expect(try card("3B888001000000008081710079") == .transmissionProtocol(historicalBytes: typeB))
    }

    @Test(
        "storage cards by standard and name",
        arguments: [
            ("3B8F8001804F0CA000000306030001000000006A", 0x03, 0x0001),
            ("3B8F8001804F0CA0000003060300020000000069", 0x03, 0x0002),
            ("3B8F8001804F0CA0000003060300030000000068", 0x03, 0x0003),
            ("3B8F8001804F0CA00000030611003B0000000042", 0x11, 0x003B),
        ] as [(String, UInt8, UInt16)])
    func storage(_ text: String, _ standard: UInt8, _ name: UInt16) throws {
        #expect(try card(text) == .storage(standard: standard, name: name))
    }

    @Test(
        "what is none",
        arguments: [
            "", "3B", "3B8080", "3B80800102", "3B80810100", "3B60000000", "3BE000008131FE45EB", "3F80800101",
            "3B8080010100",
        ])
    func others(_ text: String) throws { #expect(ContactlessAnswerToReset(try [UInt8](hex: text)) == nil) }
}

/// A whole tap with Entry Point and Visa's kernel over any slot.
struct TapBench {
    private let personalized: PersonalizedCard

    static let shared = Result { () throws(PersonalizationError) in
        var profile = CardProfile.visaStyle()
        profile.contactless = .visa(VisaContactlessProfile())
        return TapBench(personalized: try PersonalizedCard.make(profile))
    }

    func card() -> VirtualCard { VirtualCard(personalized, interface: .contactless) }

    func sell(_ slot: any CardSlot) async throws(CaptureError) -> CaptureOutcome { try await sell(reader(slot)) }

    func sell(_ reader: ContactlessReader) async throws(CaptureError) -> CaptureOutcome {
        try await reader.capture(CaptureRequest(amount: 30_00, currencyCode: 978, sequenceCounter: 1)) { _ in
            .answered(IssuerAnswer.Answer(responseCode: "00"))
        }
    }

    func reader(_ slot: any CardSlot) -> ContactlessReader {
        let terminal = TerminalConfiguration.attended(
            countryCode: 250, applications: [], caKeys: personalized.caPublicKeys, hasPINPad: false)
        let limits = TransactionLimits(transactionLimit: 300_00, floorLimit: 25_00, cvmRequiredLimit: 50_00)
        return ContactlessReader(
            slot: slot,
            configuration: EntryPointConfiguration(
                terminal: terminal, combinations: [.visa(limits: limits, hasPINPad: false)]),
            cardholder: FirstChoice(), clock: { Timestamp(secondsSince1970: 1_773_057_600) })
    }
}

@Suite("Taps over slots of readers", .serialized, .timeLimit(.minutes(20))) struct ContactlessSlotTests {
    private static let answerToReset = EmulatedCard.contactless
    private static let storageCard: [UInt8] = [
        0x3B, 0x8F, 0x80, 0x01, 0x80, 0x4F, 0x0C, 0xA0, 0x00, 0x00, 0x03, 0x06, 0x03, 0x00, 0x01, 0, 0, 0, 0, 0x6A,
    ]

    @Test(
        "whole sales through a PN53x, with cards of either type", arguments: EmulatedConnection.allCases,
        [.typeA(), .typeB()] as [EmulatedContactlessCard.Kind])
    func chips(_ connection: EmulatedConnection, _ kind: EmulatedContactlessCard.Kind) async throws {
        let bench = try TapBench.shared.get()
        let chip = EmulatedPN53x([EmulatedContactlessCard(kind: kind, channel: bench.card())])
        let reader = try chip.reader(connection)
        #expect(reader.capabilities == .contactlessChip)
        let outcome = try await bench.sell(reader)
        #expect(outcome.decision == .approvedOnline)
        #expect(outcome.card?.entryMode == .contactlessChip)
        #expect(!chip.isFieldOn)
    }

    @Test("a card that leaves during a sale is asked for again, and the sale goes on with it") func tornSale()
        async throws
    {
        let bench = try TapBench.shared.get()
        var card = EmulatedContactlessCard(channel: bench.card())
        card.change = { $0.leavesAt = 5 }
        let chip = EmulatedPN53x([card])
        let reader = try chip.reader()
        let events = reader.events.stream()
        let sale = Task { try await bench.sell(reader) }
        for await event in events where event == .cardRemoved(.contactless) { break }
        chip.put([EmulatedContactlessCard(channel: bench.card())])
        #expect(try await sale.value.decision == .approvedOnline)
    }

    @Test(
        "whole sales through a chip card reader with a field, at each level but characters",
        arguments: [EmulatedReader.Shape.Level.short, .extended, .tpdu])
    func chipCardReaders(_ level: EmulatedReader.Shape.Level) async throws {
        let bench = try TapBench.shared.get()
        let reader = EmulatedReader(
            EmulatedReader.Shape(level: level, features: 0xFE), card: EmulatedCard(Self.answerToReset, bench.card())
        )
        let slots = try await reader.driver(interface: .contactless).open()
        let slot = try #require(slots.first)
        #expect(slot.capabilities == [.contactlessChip, .cardEvents])
        #expect(try await bench.sell(slot).decision == .approvedOnline)
    }

    /// A sale, and a second one while its card lies in the field, until the reader asks for the
    /// removal.
    private func sellTwice(
        _ slot: any CardSlot, remove: @Sendable () -> Void, present: @Sendable () -> Void
    ) async throws {
        let bench = try TapBench.shared.get()
        let reader = bench.reader(slot)
        #expect(try await bench.sell(reader).decision == .approvedOnline)
        let events = slot.events.stream()
        let sale = Task { try await bench.sell(reader) }
        var prompts: [[String]] = []
        asking: for await event in events {
            guard case .prompt(let lines, _) = event else { continue }
            prompts.append(lines)
            if lines == ["PRESENT CARD"] { break asking }
            remove()
        }
        #expect(prompts == [["PLEASE REMOVE CARD"], ["PRESENT CARD"]])
        present()
        #expect(try await sale.value.decision == .approvedOnline)
    }

    @Test(
        "a card of either type that stays on a PN53x is not charged again", arguments: EmulatedConnection.allCases,
        [.typeA(), .typeB()] as [EmulatedContactlessCard.Kind])
    func leftOnAChip(_ connection: EmulatedConnection, _ kind: EmulatedContactlessCard.Kind) async throws {
        let card = EmulatedContactlessCard(kind: kind, channel: try TapBench.shared.get().card())
        let chip = EmulatedPN53x([card])
        try await sellTwice(chip.reader(connection), remove: { chip.put([]) }, present: { chip.put([card]) })
        #expect(!chip.isFieldOn)
    }

    @Test("a card that stays in the field of a chip card reader is not charged again", arguments: [true, false])
    func leftOnAChipCardReader(_ notifies: Bool) async throws {
        let card = EmulatedCard(Self.answerToReset, try TapBench.shared.get().card())
        let reader = EmulatedReader(EmulatedReader.Shape(level: .short, features: 0xFE, notifies: notifies), card: card)
        let slots = try await reader.driver(interface: .contactless).open()
        try await sellTwice(#require(slots.first), remove: { reader.remove() }, present: { reader.insert(card) })
    }

    @Test("a card that stays in a field of the PC/SC service is not charged again") func leftInTheService() async throws
    {
        let fake = try FakePCSC()
        let card = try TapBench.shared.get().card()
        let present = { @Sendable in
            fake.insert(Self.answerToReset, protocolCode: 2) { bytes in
                EmulatedReader.waiting {
                    guard let command = CommandAPDU(bytes) else { return [0x67, 0x00] }
                    return (try? await card.transmit(command).bytes) ?? []
                }
            }
        }
        present()
        let reader = try PCSCReader(name: "Fake reader 00 00", interface: .contactless, library: fake.path)
        try await sellTwice(reader, remove: { fake.remove() }, present: present)
        fake.fault(.change, 0x8010_001D)
        await #expect(throws: CaptureError.readerFailed(.driver(PCSCError.noService))) { try await reader.isEmpty() }
    }

    @Test("a card at the other interface is refused, and the message says what to do") func mismatches() async throws {
        let contact = EmulatedCard.t1
        let cases: [([UInt8], ReaderEvent.CardInterface, InterfaceMismatch)] = [
            (Self.answerToReset, .contact, .inField), (Self.storageCard, .contact, .inField),
            (contact, .contactless, .inContacts),
            (Self.storageCard, .contactless, .storageCard),
        ]
        for (answer, interface, mismatch) in cases {
            let expected = CaptureError.readerFailed(.driver(mismatch))
            let emulated = EmulatedReader(
                EmulatedReader.Shape(level: .short, features: 0xFE), card: EmulatedCard(answer, SilentCard()))
            let slots = try await emulated.driver(interface: interface).open()
            let slot = try #require(slots.first)
            await #expect(throws: expected) { _ = try await slot.powerOn() }
            #expect("\(mismatch)".contains(": "))
            let fake = try FakePCSC()
            fake.insert(answer, protocolCode: 2) { _ in [0x90, 0x00] }
            let reader = try PCSCReader(name: "Fake reader 00 00", interface: interface, library: fake.path)
            await #expect(throws: expected) { _ = try await reader.powerOn() }
            #expect(!fake.isConnected)
            // Where both are taken, so are these.
            let either = try PCSCReader(name: "Fake reader 00 00", interface: nil, library: fake.path)
            #expect(try await either.activate().answerToReset == answer)
        }
    }

    /// What the service calls the protocol does not matter: there is neither T=0 nor T=1 in the
    /// field, and status words go on as they are.
    @Test("whole sales through the PC/SC service, with each protocol that it can name", arguments: [1, 2] as [UInt])
    func service(_ protocolCode: UInt) async throws {
        let bench = try TapBench.shared.get()
        let fake = try FakePCSC()
        let card = bench.card()
        fake.insert(Self.answerToReset, protocolCode: protocolCode) { bytes in
            EmulatedReader.waiting {
                guard let command = CommandAPDU(bytes) else { return [0x67, 0x00] }
                return (try? await card.transmit(command).bytes) ?? []
            }
        }
        let reader = try PCSCReader(name: "Fake reader 00 00", interface: .contactless, library: fake.path)
        #expect(reader.capabilities == .contactlessChip)
        #expect(try await bench.sell(reader).decision == .approvedOnline)
        fake.insert(Self.answerToReset, protocolCode: protocolCode) { _ in [0x61, 0x10] }
        #expect(try await reader.activate().transmit(CommandAPDU(ins: 0xA4)).status == StatusWord(rawValue: 0x6110))
    }
}

private struct SilentCard: CardChannel {
    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU { throw .timedOut }
}
