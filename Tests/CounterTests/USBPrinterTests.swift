import DeviceIO
import Peripherals
import PrinterModels
import Printing
import Testing

/// A printer on USB as its descriptors and transfers, over a simulated printer.
@Suite("A printer on USB without usblp") struct USBPrinterTests {
    private final class Device: USBTransport {
        let name = "usb printer"
        let descriptors: USBDescriptors
        var printer: SimulatedPrinter
        var claimed: [UInt8] = []
        /// Bytes on their way to the computer.
        var answers: [UInt8] = []
        var isGone = false

        init(_ profile: PrinterProfile, _ descriptors: [UInt8]) throws {
            self.descriptors = try USBDescriptors(parsing: descriptors)
            printer = SimulatedPrinter(profile)
        }

        func claim(interface: UInt8) throws(DeviceError) { claimed.append(interface) }
        func write(endpoint: UInt8, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
            guard !isGone else { throw .disconnected }
            guard endpoint == 0x01 else { throw .stalled }
            answers += printer.receive(bytes)
        }
        /// Empty packets while there is nothing to say, as many printers do.
        func read(endpoint: UInt8, atMost count: Int, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
            guard !isGone else { throw .disconnected }
            guard endpoint == 0x82 else { throw .stalled }
            defer { answers.removeFirst(min(count, 3, answers.count)) }
            return Array(answers.prefix(min(count, 3)))
        }
        func write(_ request: USBRequest, _ bytes: [UInt8], by deadline: Deadline) throws(DeviceError) {
            throw .stalled
        }
        func read(_ request: USBRequest, atMost count: UInt16, by deadline: Deadline) throws(DeviceError) -> [UInt8] {
            throw .stalled
        }
        func listen(endpoint: UInt8, atMost count: Int) throws(DeviceError) { throw .stalled }
        func heard() throws(DeviceError) -> [UInt8]? { nil }
        func clearHalt(endpoint: UInt8) throws(DeviceError) {}
        var readiness: CInt { -1 }
    }

    /// Device and configuration descriptors (USB 2.0, 9.6) with the test number of pid.codes, and
    /// interfaces of class 07 (USB Printing Devices 1.1, 5).
    private static func descriptors(_ interfaces: [UInt8]...) -> [UInt8] {
        [18, 1, 0, 2, 0, 0, 0, 64, 0x09, 0x12, 1, 0, 0, 1, 0, 0, 0, 1]
            + [9, 2, 0, 0, UInt8(interfaces.count), 1, 0, 0x80, 50] + interfaces.flatMap(\.self)
    }
    private static let output: [UInt8] = [7, 5, 0x01, 2, 64, 0, 0]
    private static let input: [UInt8] = [7, 5, 0x82, 2, 64, 0, 0]
    private static let keys: [UInt8] = [9, 4, 0, 0, 0, 3, 1, 1, 0]
    private static let oneWay: [UInt8] = [9, 4, 1, 0, 1, 7, 1, 1, 0] + output
    private static let twoWays: [UInt8] = [9, 4, 2, 0, 2, 7, 1, 2, 0] + output + input

    private static let profile = PrinterProfile.named("epson-tm-t88v")!

    @Test("The interface of two ways is taken; status comes back in pieces") func twoWays() throws {
        let device = try Device(Self.profile, Self.descriptors(Self.keys, Self.oneWay, Self.twoWays))
        let printer = try USBPrinter(device, cancel: WakeEvent())
        #expect(device.claimed == [2])
        var decoder = StatusDecoder(.escPOS)
        try printer.write(decoder.request(), by: .never)
        while decoder.isWaiting { _ = decoder.receive(try printer.read(atMost: 64, by: .never)) }
        try printer.write(Array("Shop\n".utf8), by: .never)
        #expect(device.printer.lines.map { String($0.characters) } == ["Shop"])
    }

    @Test("Silence ends at the deadline, also where there is no way back; a cancelled job does not wait")
    func silence() throws {
        for interface in [Self.oneWay, Self.twoWays] {
            let event = try WakeEvent()
            let printer = try USBPrinter(try Device(Self.profile, Self.descriptors(interface)), cancel: event)
            #expect(throws: DeviceError.timedOut) { try printer.read(atMost: 64, by: .after(.milliseconds(30))) }
            event.signal()
            #expect(throws: DeviceError.cancelled) { try printer.read(atMost: 64, by: .never) }
        }
    }

    @Test("Unplugged, and a device that is no printer") func failures() throws {
        let device = try Device(Self.profile, Self.descriptors(Self.twoWays))
        let printer = try USBPrinter(device, cancel: WakeEvent())
        device.isGone = true
        #expect(throws: DeviceError.disconnected) { try printer.write([0], by: .never) }
        #expect(throws: DeviceError.disconnected) { try printer.read(atMost: 1, by: .never) }
        #expect(throws: DeviceError.self) {
            try USBPrinter(try Device(Self.profile, Self.descriptors(Self.keys)), cancel: nil)
        }
    }
}
