import Synchronization
import Testing

@testable import DeviceIO

/// What goes over a wire is taken down, and a recording plays it again.
@Suite("A recording of a wire can be played again") struct RecordingTests {
    private final class Recording: Sendable {
        private let taken = Mutex<[WireEvent]>([])
        var events: [WireEvent] { taken.withLock { $0 } }
        func recorder(_ redact: @escaping WireRecorder.Redaction) -> WireRecorder {
            WireRecorder(redact: redact) { event in self.taken.withLock { $0.append(event) } }
        }
    }

    @Test("A recorded stream plays back what was read and written") func stream() throws {
        let (other, port) = try socketPair()
        let recording = Recording()
        let stream = RecordedStream(
            DescriptorStream(port, name: "pair", cancel: nil), recording.recorder(WireRecorder.nothing))
        #expect(stream.name == "pair")
        #expect(stream.readiness == port)
        try stream.write([1, 2], by: .never)
        other.write([3, 4, 5])
        #expect(try stream.read(atMost: 2, by: .never) == [3, 4])
        #expect(try stream.read(atMost: 2, by: .never) == [5])
        #expect(throws: DeviceError.timedOut) { try stream.read(atMost: 2, by: .after(.zero)) }
        #expect(recording.events.map(\.description) == ["> stream 0102", "< stream 0304", "< stream 05"])

        let played = ReplayedStream(recording.events.compactMap { WireEvent(line: $0.description) })
        try played.write([1, 2], by: .never)
        #expect(try played.read(exactly: 3, by: .never) == [3, 4, 5])
        #expect(throws: DeviceError.disconnected) { try played.read(atMost: 1, by: .never) }
    }

    @Test("Without a word of the driver's nothing is shown but lengths") func everythingIsHidden() throws {
        let (_, port) = try socketPair()
        let recording = Recording()
        let recorder = WireRecorder { [recording] event in
            _ = recording
            #expect(event.description == "> stream ....")
        }
        let stream = RecordedStream(DescriptorStream(port, name: "pair", cancel: nil), recorder)
        // The other side is gone; what was to be sent is taken down all the same.
        #expect(throws: DeviceError.disconnected) { try stream.write([0x47, 0x61], by: .never) }
    }

    @Test("a deviation from the recording is an error") func divergence() throws {
        let events = [WireEvent(.sent, .stream, bytes: [1]), WireEvent(.received, .stream, bytes: [2])]
        let early = ReplayedStream(events)
        #expect(throws: DeviceError.timedOut) { try early.read(atMost: 1, by: .never) }
        #expect(throws: DeviceError.malformed(.recording, .differs)) {
            try early.write([0x47, 0x61], by: .never)
        }
    }

    @Test("A recorded HID device plays back its reports") func reports() throws {
        let descriptor = try HIDReportDescriptor(parsing: [
            0x06, 0, 0xFF, 9, 1, 0xA1, 1, 0x75, 8, 0x95, 2, 9, 2, 0x81, 2, 9, 3, 0xB1, 2, 0xC0,
        ])
        let played = [
            WireEvent(.sent, .feature(0), bytes: [1]), WireEvent(.received, .feature(0), bytes: [9, 9]),
            WireEvent(.sent, .report(0), bytes: [5]),
            WireEvent(.received, .report(0), bytes: [7, 8]),
        ]
        let recording = Recording()
        let device = RecordedReports(
            ReplayedReports(played, reports: descriptor, name: "swipe"), recording.recorder(WireRecorder.nothing))
        #expect(device.name == "swipe")
        #expect(device.reports == descriptor)
        #expect(device.readiness == -1)
        try device.setFeature(HIDReport([1]))
        #expect(try device.feature(0) == HIDReport([9, 9]))
        try device.write(HIDReport([5]), by: .never)
        #expect(try device.read(by: .never) == HIDReport([7, 8]))
        #expect(throws: DeviceError.disconnected) { try device.read(by: .never) }
        #expect(recording.events == played)
        let other = ReplayedReports(played, reports: descriptor)
        #expect(throws: DeviceError.timedOut) { try other.read(by: .never) }
        #expect(throws: DeviceError.self) { try other.setFeature(HIDReport([2])) }
        #expect(throws: DeviceError.self) { try ReplayedReports([played[3]], reports: descriptor).feature(0) }
    }

    @Test("A recorded USB device plays back its transfers") func usb() throws {
        let request = USBRequest(.classOfInterface, 1, value: 2, index: 3)
        let played = [
            WireEvent(.sent, .control(request), bytes: [1]), WireEvent(.received, .control(request), bytes: [2, 3]),
            WireEvent(.sent, .endpoint(0x01), bytes: [4]), WireEvent(.received, .endpoint(0x82), bytes: [5, 6]),
            WireEvent(.received, .endpoint(0x83), bytes: [0x50, 3]),
        ]
        let descriptors = USBDescriptors(vendor: 1, product: 2, version: 3, interfaces: [])
        let recording = Recording()
        let device = RecordedUSB(
            ReplayedUSB(played, descriptors: descriptors, name: "usb"), recording.recorder(WireRecorder.nothing))
        #expect(device.name == "usb")
        #expect(device.descriptors == descriptors)
        #expect(device.readiness == -1)
        try device.claim(interface: 0)
        try device.clearHalt(endpoint: 0x82)
        #expect(try device.heard() == nil)
        try device.listen(endpoint: 0x83, atMost: 8)
        try device.write(request, [1], by: .never)
        #expect(try device.read(request, atMost: 8, by: .never) == [2, 3])
        #expect(try device.heard() == nil, "not yet")
        try device.write(endpoint: 0x01, [4], by: .never)
        #expect(try device.read(endpoint: 0x82, atMost: 1, by: .never) == [5])
        #expect(try device.heard() == [0x50, 3])
        #expect(throws: DeviceError.disconnected) { try device.read(endpoint: 0x82, atMost: 8, by: .never) }
        #expect(recording.events.count == 5)
    }
}
