import Bytes
import CardCapture
import CardCryptography
import CardReaders
import EMVKernel
import KernelDoubles
import SmartCard
import Testing
import VirtualCard

/// Readers say what keeps them out of production.
@Suite(.serialized) struct TestEquipmentTests {
    /// A slot of a device.
    private struct Slot: CardSlot {
        let name = "Slot"
        let capabilities: ReaderCapabilities = .contactChip
        let events = ReaderEvents()
        func powerOn() async throws(CaptureError) -> any CardChannel { throw .noCardPresented }
        func powerOff() async {}
    }

    private struct Person: Cardholder {
        let pinPad: (any PINPad)?
        func chooseApplication(_ candidates: [Candidate]) async -> Int? { nil }
    }

    private func reader(_ slot: any CardSlot, _ keys: [CAPublicKey] = [], pinPad: (any PINPad)? = nil) -> ChipReader {
        ChipReader(
            slot: slot,
            kernel: ContactKernel(
                TerminalConfiguration(
                    capabilities: [], additionalCapabilities: [], countryCode: 840, applications: [], caKeys: keys)),
            cardholder: Person(pinPad: pinPad), environment: FixedEnvironment(number: [0, 0, 0, 0]),
            clock: { Timestamp(secondsSince1970: 1_795_219_200) })
    }

    private func key(isTest: Bool = false) throws -> CAPublicKey {
        CAPublicKey(
            rid: [0xA0, 0, 0, 0, 4], index: 9,
            key: try RSAPrivateKey.generate(modulusBits: 1024, exponent: 3).publicKey, isTest: isTest)
    }

    @Test("A chip reader is for tests if one of its CA keys is") func chipReader() throws {
        #expect(reader(Slot()).testOnlyReason == nil)
        #expect(reader(Slot(), [try key()]).testOnlyReason == nil)
        #expect(
            reader(Slot(), [try key(), try key(isTest: true)]).testOnlyReason
                == "the CA key A000000004 09 is a test key")
        #expect(reader(VirtualReader()).testOnlyReason == "its cards are virtual")
        let serial = try #require(KeySerialNumber([0xFF, 0xFF, 0x98, 0x76, 0x54, 0x32, 0x10, 0xE0, 0, 0]))
        let pad = VirtualPINPad(
            .bypasses, initialKey: try TDESKey(SecretBytes([UInt8](repeating: 0x31, count: 16))), serialNumber: serial)
        #expect(reader(Slot(), pinPad: pad).testOnlyReason == "the PIN pad is virtual")
    }

    @Test("the keys that a virtual card comes with are test keys") func virtualCard() throws {
        let card = try SaleBench.shared.get().card
        #expect(!card.caPublicKeys.isEmpty)
        #expect(card.caPublicKeys.allSatisfy { $0.isTest })
    }

    @Test("A stripe reader is for tests if a key for its swipes is published") func stripeReader() throws {
        let example = try TDESKey(SecretBytes([UInt8](hex: "0123456789ABCDEFFEDCBA9876543210")))
        let secret = try TDESKey(SecretBytes([UInt8](repeating: 0x31, count: 16)))
        let reason = "a key for its swipes is a published example key"
        #expect(MagstripeReader(slot: QueueSlot()).testOnlyReason == nil)
        #expect(
            MagstripeReader(slot: QueueSlot(), decryption: SwipeDecryption([.tdesBase(secret)])).testOnlyReason == nil)
        #expect(
            MagstripeReader(slot: QueueSlot(), decryption: SwipeDecryption([.tdesBase(secret), .tdesBase(example)]))
                .testOnlyReason
                == reason)
        let both = MultiInterfaceReader(
            chip: reader(Slot()), stripe: TestMagstripe(), decryption: SwipeDecryption([.tdesBase(example)]))
        #expect(both.testOnlyReason == reason)
        #expect(
            MultiInterfaceReader(chip: reader(VirtualReader()), stripe: TestMagstripe()).testOnlyReason
                == "its cards are virtual")
        #expect(MultiInterfaceReader(chip: reader(Slot()), stripe: TestMagstripe()).testOnlyReason == nil)
    }
}
