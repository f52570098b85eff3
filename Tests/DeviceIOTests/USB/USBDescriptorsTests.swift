import Bytes
import Testing

@testable import DeviceIO

@Suite struct USBDescriptorsTests {
    /// Put together by hand from USB 2.0, tables 9-8, 9-10, 9-12 and 9-13, for a chip card reader:
    /// class 0B, bulk in 82, bulk out 01, interrupt 83, and its class descriptor of 54 bytes
    /// between interface and endpoints (CCID 1.1, 5.1).
    private static let device = "12 01 0002 00 00 00 08 E604 1651 1106 01 02 05 01"
    private static let configuration = "09 02 5D00 01 01 00 A0 32"
    private static let interface = "09 04 00 00 03 0B 00 00 04"
    private static let classDescriptor = "36 21" + String(repeating: "11", count: 52)
    private static let endpoints = "07 05 01 02 4000 00 07 05 82 02 4000 00 07 05 83 03 1000 10"

    private func bytes(_ parts: String...) throws -> [UInt8] { try [UInt8](hex: parts.joined().filter { $0 != " " }) }

    @Test("The descriptors of a reader give its interface and endpoints") func reader() throws {
        let descriptors = try USBDescriptors(
            parsing: bytes(Self.device, Self.configuration, Self.interface, Self.classDescriptor, Self.endpoints))
        #expect(descriptors.vendor == 0x04E6)
        #expect(descriptors.product == 0x5116)
        #expect(descriptors.version == 0x0611)
        let interface = try #require(descriptors.interfaces.first)
        #expect(descriptors.interfaces.count == 1)
        #expect(interface.classCode == 0x0B)
        #expect(interface.number == 0)
        #expect(interface.alternate == 0)
        #expect(interface.endpoints.map(\.address) == [0x01, 0x82, 0x83])
        #expect(interface.endpoints.map(\.transfer) == [.bulk, .bulk, .interrupt])
        #expect(interface.endpoints.map(\.largestPacket) == [64, 64, 16])
        #expect(interface.endpoints.map(\.isInput) == [false, true, true])
        #expect(interface.others == [try bytes(Self.classDescriptor)])
    }

    /// Some readers have it behind their endpoints.
    @Test func classDescriptorAtTheEnd() throws {
        let descriptors = try USBDescriptors(
            parsing: bytes(Self.device, Self.configuration, Self.interface, Self.endpoints, Self.classDescriptor))
        #expect(descriptors.interfaces.first?.others == [try bytes(Self.classDescriptor)])
    }

    @Test func onlyTheFirstConfiguration() throws {
        let second = "09 04 07 00 00 03 00 00 00"
        let descriptors = try USBDescriptors(
            parsing: bytes(Self.device, Self.configuration, Self.interface, Self.configuration, second))
        #expect(descriptors.interfaces.map(\.number) == [0])
    }

    @Test("Each interface has its own endpoints") func severalInterfaces() throws {
        let descriptors = try USBDescriptors(
            parsing: bytes(
                Self.device, Self.configuration, Self.interface, Self.endpoints, "09 04 01 02 01 03 01 02 00",
                "07 05 84 03 0800 0A"))
        #expect(descriptors.interfaces.map(\.number) == [0, 1])
        #expect(descriptors.interfaces[1].alternate == 2 && descriptors.interfaces[1].protocolCode == 2)
        #expect(descriptors.interfaces[1].endpoints.map(\.address) == [0x84])
    }

    @Test("malformed device descriptors are refused") func malformed() throws {
        for count in 0..<18 {
            let short = Array(try bytes(Self.device).prefix(count))
            #expect(throws: DeviceError.malformed(.usbDeviceDescriptor, .invalid)) {
                try USBDescriptors(parsing: short)
            }
        }
        let other = try bytes(Self.configuration, Self.device)
        #expect(throws: DeviceError.malformed(.usbDeviceDescriptor, .invalid)) { try USBDescriptors(parsing: other) }
    }

    /// Lengths that cannot be end the list; endpoints without an interface and short descriptors
    /// are passed over.
    @Test("Impossible lengths end the list of descriptors") func hostile() throws {
        for rest in ["00", "01 04", "00 00 00", "FF 04 00", "07 05 81 02 4000 00", "05 04 00 00 00", "04 05 81 02"] {
            let descriptors = try USBDescriptors(parsing: bytes(Self.device, rest))
            #expect(descriptors.interfaces.isEmpty, "\(rest)")
        }
        let whole = try bytes(Self.device, Self.configuration, Self.interface, Self.classDescriptor, Self.endpoints)
        for count in 18..<whole.count { _ = try USBDescriptors(parsing: Array(whole.prefix(count))) }
        for index in 18..<whole.count {
            for value in [0, 1, 2, 0xFF] as [UInt8] {
                var changed = whole
                changed[index] = value
                _ = try USBDescriptors(parsing: changed)
            }
        }
    }
}
