import DeviceIO
import Testing

@testable import CardCapture
@testable import CardReaders

/// USB CCID 1.1, 5.1. The readers are those whose descriptors the list of supported readers of the
/// CCID project prints field by field (ccid.apdu.fr, readers/ACS_ACR39U_ICC_Reader,
/// ATMEL_AT98SC032CT, ACS_ACR1552, ACS_APG8201); here they are put together again from the fields.
@Suite(.serialized) struct CCIDDescriptorTests {
    private func bytes(
        slots: UInt8 = 0, voltages: UInt8, protocols: UInt32 = 3, clock: UInt32, rate: UInt32, fieldSize: UInt32,
        features: UInt32,
        message: UInt32, getResponse: UInt8, pin: UInt8 = 0, busy: UInt8 = 1
    ) -> [UInt8] {
        func word(_ value: UInt32) -> [UInt8] { (0..<4).map { UInt8(value >> (8 * $0) & 0xFF) } }
        let parts: [[UInt8]] = [
            [0x36, 0x21, 0x10, 0x01, slots, voltages], word(protocols), word(clock), word(clock), [0], word(10752),
            word(rate), [0],
            word(fieldSize), word(0), word(0), word(features), word(message),
            [getResponse, getResponse, 0, 0, pin, busy],
        ]
        return Array(parts.joined())
    }

    @Test("The descriptors of real readers are parsed") func publishedReaders() throws {
        let acr39 = try #require(
            CCIDDescriptor(
                bytes(
                    voltages: 7, clock: 4800, rate: 826_000, fieldSize: 247, features: 0x000100B2, message: 271,
                    getResponse: 0xFF)))
        #expect(acr39.level == .tpdu)
        #expect(acr39.slotCount == 1)
        #expect(acr39.clock == 4800)
        #expect(acr39.largestDataRate == 826_000)
        #expect(acr39.features.contains([.automaticParameters, .automaticPPS, .automaticClock, .automaticBaudRate]))
        #expect(acr39.features.isDisjoint(with: [.automaticVoltage, .automaticIFSD, .automaticNegotiation]))
        #expect(acr39.largestFieldSize == 247)
        #expect(acr39.largestMessage == 271)
        #expect(acr39.pin == [])
        #expect(acr39.voltages.rawValue == 7)

        let atmel = try #require(
            CCIDDescriptor(
                bytes(
                    voltages: 1, protocols: 1, clock: 3580, rate: 9600, fieldSize: 0, features: 0x00020840,
                    message: 271, getResponse: 0xFF)
            ))
        #expect(atmel.level == .shortAPDU)
        #expect(atmel.protocols == 1)
        #expect(atmel.voltages == .fiveVolts)
        // It does not say: the most there is.
        #expect(atmel.largestFieldSize == 254)

        let acr1552 = try #require(
            CCIDDescriptor(
                bytes(
                    voltages: 7, clock: 5000, rate: 847_500, fieldSize: 506, features: 0x000404BA, message: 516,
                    getResponse: 0xFF)))
        #expect(acr1552.level == .extendedAPDU)
        #expect(acr1552.largestMessage == 516)
        #expect(acr1552.largestFieldSize == 254)
        #expect(acr1552.features.contains([.automaticVoltage, .automaticIFSD]))

        let apg8201 = try #require(
            CCIDDescriptor(
                bytes(
                    voltages: 1, clock: 4000, rate: 344_100, fieldSize: 254, features: 0x00010030, message: 271,
                    getResponse: 0, pin: 3)))
        #expect(apg8201.level == .tpdu)
        #expect(apg8201.pin == [.verification, .modification])
        #expect(apg8201.isDrivenByHost)
    }

    @Test("dwFeatures names the level of exchange") func levels() throws {
        for (features, level) in [
            (0, CCIDDescriptor.ExchangeLevel.character), (0x10000, .tpdu), (0x20000, .shortAPDU),
            (0x40000, .extendedAPDU),
        ] as [(UInt32, CCIDDescriptor.ExchangeLevel)] {
            let descriptor = CCIDDescriptor(
                bytes(
                    voltages: 1, clock: 4000, rate: 9600, fieldSize: 254, features: features, message: 271,
                    getResponse: 0))
            #expect(descriptor?.level == level)
        }
    }

    @Test("Sizes and numbers that cannot be are brought to what can") func absurdValues() throws {
        let absurd = try #require(
            CCIDDescriptor(
                bytes(
                    slots: 0xFF, voltages: 0xFF, clock: .max, rate: .max, fieldSize: .max, features: .max,
                    message: .max, getResponse: 0))
        )
        #expect(absurd.slotCount == 16)
        #expect(absurd.largestMessage == 10 + 65544)
        #expect(absurd.largestFieldSize == 254)
        let small = try #require(
            CCIDDescriptor(
                bytes(voltages: 0, clock: 0, rate: 0, fieldSize: 0, features: 0, message: 0, getResponse: 0, busy: 0)))
        #expect(small.largestMessage == 271)
    }

    @Test func whatIsNone() {
        let whole = bytes(
            voltages: 1, clock: 4000, rate: 9600, fieldSize: 254, features: 0x10000, message: 271, getResponse: 0)
        for count in whole.indices { #expect(CCIDDescriptor(Array(whole.prefix(count))) == nil) }
        var other = whole
        other[1] = 0x24
        #expect(CCIDDescriptor(other) == nil)
        // Makers' own readers say FF.
        other[1] = 0xFF
        #expect(CCIDDescriptor(other) != nil)
    }

    @Test("Some put the class descriptor behind the last endpoint; a device may have several readers in it")
    func findsReaders() throws {
        let descriptor = bytes(
            voltages: 1, clock: 4000, rate: 9600, fieldSize: 254, features: 0x10000, message: 271, getResponse: 0)
        let device: [UInt8] = [
            18, 1, 0, 2, 0, 0, 0, 64, 0x34, 0x12, 0x01, 0x00, 0, 1, 1, 2, 0, 1, 9, 2, 0, 0, 3, 1, 0, 0x80, 50,
        ]
        let endpoints: [UInt8] = [7, 5, 0x01, 2, 64, 0, 0, 7, 5, 0x82, 2, 64, 0, 0]
        func interface(_ number: UInt8, _ code: UInt8) -> [UInt8] { [9, 4, number, 0, 2, code, 0, 0, 0] }
        let bytes: [[UInt8]] = [
            device, interface(0, 0x03), endpoints, interface(1, 0x0B), endpoints, descriptor, interface(2, 0xFF),
            descriptor, endpoints,
        ]
        let parsed = try USBDescriptors(parsing: Array(bytes.joined()))
        #expect(parsed.readers.map(\.interface.number) == [1, 2])
    }
}
