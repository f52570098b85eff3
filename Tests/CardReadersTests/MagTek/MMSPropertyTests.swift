import Bytes
import CardCapture
import DeviceIO
import ReaderDoubles
import SmartCard
import Testing

@testable import CardReaders

/// Messages of the DynaFlex family programmer's manual (MagTek D100005000), tables 182 to 191.
@Suite(.serialized, .timeLimit(.minutes(20))) struct MMSPropertyTests {
    private let control = MMSProperty("1.2.7.1.1.1")

    private func setting(_ identifier: String, _ value: [UInt8]) throws -> MMSSetting {
        let property = try #require(MMSProperty(identifier))
        return try #require(MMSSetting(property, value))
    }

    @Test("Requests for a property are those of the manual") func publishedRequests() throws {
        let control = try #require(control)
        let get = MMSMessage.request(0xD101, reference: 0x55, payload: control.payload())
        #expect(get.bytes.hex == "AA00810401" + "55D101840FD101850101870402070101" + "8902C100")
        let set = MMSMessage.request(0xD111, reference: 0x55, payload: control.payload([0]))
        #expect(set.bytes.hex == "AA00810401" + "55D1118410D111850101870402070101" + "8903C10100")
        let group = try #require(MMSProperty("2.1.2.2"))
        #expect(
            MMSMessage.request(0xD101, reference: 0x55, payload: group.payload()).bytes.hex
                == "AA0081040155D101840DD10185010287020102"
                + "8902C200")
    }

    @Test("The value is taken from the manual's responses, and from that of this property alone")
    func publishedResponses() throws {
        let control = try #require(control)
        let response = try MMSMessage(
            parsing: [UInt8](hex: "AA0081048255D10182040000000084820010" + "D101850101870402070101" + "8903C10100"))
        #expect(try control.value(in: response.payload) == [0])
        for other in ["1.2.7.1.1.2", "1.2.7.1.2.1", "1.2.7.1"] {
            let property = try #require(MMSProperty(other))
            #expect(throws: DeviceError.malformed(.mmsProperty, .invalid)) { try property.value(in: response.payload) }
        }
    }

    @Test("Long values have a length of two bytes") func longValue() throws {
        let value = [UInt8](repeating: 7, count: 300)
        let payload = try #require(control).payload(value)
        #expect(payload.suffix(304).prefix(4).hex == "C182012C")
        #expect(try control?.value(in: payload) == value)
    }

    @Test("Identifiers have hexadecimal numbers", arguments: ["1.2.2.3.1.C", "2.1.2.2.2.1", "1.2.7F.1E"])
    func identifiers(_ text: String) {
        #expect(MMSProperty(text)?.description == text)
    }

    @Test(
        "Others are none",
        arguments: ["", "1", "1.2", "3.1.1", "0.1.1", "1.2.1F", "1.2.80.1", "1..2", "1.2.3.", "1.2.100.1", "1.2.x.1"])
    func notIdentifiers(_ text: String) { #expect(MMSProperty(text) == nil) }

    /// The serial number is the manual's example (property 2.2.1.1.1.1): B603226 from B6 03 22 60.
    @Test("A device tells its model, serial number and firmware") func identity() async throws {
        let identity = try await EmulatedDynaFlex().reader().identify()
        #expect(
            identity
                == ReaderIdentity(
                    maker: "MagTek", model: "DynaFlex Pro", serialNumber: "B603226", firmware: "1000007183-A5-PCI"))
    }

    @Test("Only what differs is set") func load() async throws {
        let long = [UInt8](repeating: 0xC0, count: 200)
        let device = EmulatedDynaFlex(values: [[1, 2, 7, 1, 1, 1]: [1], [1, 2, 7, 1, 1, 2]: [0], [1, 2, 3, 4]: []])
        let settings = try [setting("1.2.7.1.1.1", [1]), setting("1.2.7.1.1.2", [1]), setting("1.2.3.4", long)]
        try await device.reader().load(settings) { _ in }
        #expect(device.settings == [[1, 2, 7, 1, 1, 2], [1, 2, 3, 4]])
        #expect(device.values[[1, 2, 3, 4]] == long)
        #expect(device.values[[1, 2, 7, 1, 1, 2]] == [1])
    }

    @Test("A device that confirms another value has not taken it") func garbled() async throws {
        let device = EmulatedDynaFlex(.garbles, values: [[1, 2, 3, 4]: [0]])
        let setting = try setting("1.2.3.4", [1])
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.malformed(.mmsProperty, .invalid)))) {
            try await device.reader().load([setting]) { _ in }
        }
    }

    @Test("Facts, and settings without a value, cannot be set") func notSettings() throws {
        #expect(MMSSetting(.serialNumber, [1]) == nil)
        #expect(MMSSetting(try #require(control), []) == nil)
    }
}
