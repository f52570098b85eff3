import Bytes
import DeviceIO
import MagneticStripe
import SmartCard
import Testing

@testable import CardCapture
@testable import CardReaders

@Suite(.serialized) struct SureSwipeTests {
    /// 99875191: usage page FF00; status, length and encode type of 8 bits each, three tracks of
    /// 110, a feature report of 24.
    static let descriptor: [UInt8] = [
        0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x09, 0x20, 0x09, 0x21,
        0x09, 0x22, 0x09, 0x28,
        0x09, 0x29,
        0x09, 0x2A, 0x09, 0x38, 0x95, 0x07, 0x81, 0x02, 0x09, 0x30, 0x95, 0x6E, 0x82, 0x02, 0x01, 0x09, 0x31, 0x95,
        0x6E, 0x82, 0x02, 0x01,
        0x09, 0x32,
        0x95, 0x6E, 0x82, 0x02, 0x01, 0x09, 0x20, 0x95, 0x18, 0xB1, 0x02, 0xC0,
    ]
    private static let tracks = ["%B4761739001010119^DOE/JANE^4912201?", ";4761739001010119=4912201?", ""]

    private static func report(_ tracks: [String] = Self.tracks, status: [UInt8] = [0, 0, 0], encodeType: UInt8 = 0)
        -> [UInt8]
    {
        var bytes = status + tracks.map { UInt8($0.utf8.count) } + [encodeType]
        for track in tracks { bytes += Array(track.utf8) + [UInt8](repeating: 0, count: 110 - track.utf8.count) }
        return bytes
    }

    private func reader(_ devices: EmulatedDevice...) throws -> SureSwipeReader {
        let bus = EmulatedBus(devices)
        let reports = try HIDReportDescriptor(parsing: Self.descriptor)
        return try SureSwipeReader(name: "SureSwipe", capabilities: .magneticStripe) { cancel throws(DeviceError) in
            SureSwipe(EmulatedReports(try bus.next(), cancel, reports: reports))
        }
    }

    @Test func descriptorHasTheReports() throws {
        let reports = try HIDReportDescriptor(parsing: Self.descriptor)
        #expect(reports.length(.input) == 337)
        #expect(reports.length(.feature) == 24)
    }

    @Test("Each track of a report is read") func everyTrack() throws {
        let report = try SureSwipeReport(parsing: Self.report())
        #expect(text(report.tracks.track1) == "B4761739001010119^DOE/JANE^4912201")
        #expect(text(report.tracks.track2) == "4761739001010119=4912201")
        #expect(report.tracks.track3 == .blank)
        #expect(report.encodeType == .iso)
    }

    @Test func aTrackThatCouldNotBeDecoded() throws {
        let report = try SureSwipeReport(parsing: Self.report(status: [1, 0, 0]))
        #expect(report.tracks.track1 == .failed(.saidByReader))
        #expect(report.tracks.track2.text != nil)
    }

    @Test("Reports of a wrong length are refused") func hostileReports() {
        let whole = Self.report()
        for count in [0, 6, 7, 336, 338] {
            let bytes = count <= whole.count ? Array(whole.prefix(count)) : whole + [0]
            #expect(throws: DeviceError.malformed(.sureSwipeReport, .wrongLength(count))) {
                try SureSwipeReport(parsing: bytes)
            }
        }
        var long = whole
        long[4] = 111
        #expect(throws: DeviceError.malformed(.sureSwipeTrack, .tooLong(111))) { try SureSwipeReport(parsing: long) }
    }

    /// Reports of 337 bytes (99875191) and of 887 (D99875475), report count in two bytes.
    @Test(arguments: [
        ("0600FF0920A101150026FF00750896510109228102C0", true), ("0600FF0920A101150026FF00750896770309228102C0", false),
    ])
    func isDistinguishedFromItsRelatives(_ descriptor: String, isSureSwipe: Bool) throws {
        #expect(SureSwipe.sends(try HIDReportDescriptor(parsing: [UInt8](hex: descriptor))) == isSureSwipe)
    }

    @Test func whatMayBeShown() {
        let bytes = Self.report()
        #expect(SureSwipeReport.redaction(.received, .report(0), bytes) == [7..<337])
        #expect(SureSwipeReport.redaction(.received, .report(0), [1, 2, 3]) == [3..<3])
    }

    @Test("A swipe of the device has its tracks") func aSwipe() async throws {
        let device = try EmulatedDevice(.packets)
        let reader = try reader(device)
        let taken = try await sending(Self.report(), from: device) { try await reader.swipe() }
        #expect(text(taken.tracks.track2) == "4761739001010119=4912201")
    }

    /// While it waits for a swipe a second one is refused at once, and closing the reader ends the
    /// wait.
    @Test func oneUseAtATime() async throws {
        let device = try EmulatedDevice(.packets)
        let reader = try reader(device)
        let task = Task { try await reader.swipe() }
        await device.awaitDriver()
        await #expect(throws: DeviceClaim.captureRefusal) { _ = try await reader.swipe() }
        await reader.close()
        await #expect(throws: CaptureError.cancelled) { _ = try await task.value }
    }

    @Test("a wait for a swipe can be cancelled") func cancelling() async throws {
        let device = try EmulatedDevice(.packets)
        let reader = try reader(device)
        for _ in 0..<3 {
            let task = Task { try await reader.swipe() }
            task.cancel()
            await #expect(throws: CaptureError.cancelled) { _ = try await task.value }
        }
        let taken = try await sending(Self.report(), from: device) { try await reader.swipe() }
        #expect(taken.isReadable)
    }

    @Test("A report that is too short is an error of the reader") func shortReport() async throws {
        let device = try EmulatedDevice(.packets)
        let reader = try reader(device)
        await #expect(
            throws: CaptureError.readerFailed(.driver(DeviceError.malformed(.sureSwipeReport, .wrongLength(40))))
        ) {
            _ = try await sending([UInt8](repeating: 0, count: 40), from: device) { try await reader.swipe() }
        }
        let taken = try await sending(Self.report(), from: device) { try await reader.swipe() }
        #expect(taken.isReadable)
    }

    @Test("a reader that cannot be opened is disconnected, though it was never connected") func neverThere()
        async throws
    {
        let reader = try reader()
        var events = reader.events.stream().makeAsyncIterator()
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.notFound("emulated reader")))) {
            _ = try await reader.swipe()
        }
        #expect(await events.next() == .disconnected(.unplugged))
    }

    /// Unplugged while it waits, and while nobody looks: each time the next call takes the device
    /// that is there then.
    @Test("an unplugged reader is reopened with the next call") func unplugging() async throws {
        let (first, second, third) = (
            try EmulatedDevice(.packets), try EmulatedDevice(.packets), try EmulatedDevice(.packets)
        )
        let reader = try reader(first, second, third)
        var events = reader.events.stream().makeAsyncIterator()
        let swipe = Task { try await reader.swipe() }
        #expect(await events.next() == .connected)
        first.unplug()
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.disconnected))) {
            _ = try await swipe.value
        }
        #expect(await events.next() == .disconnected(.unplugged))

        _ = try await sending(Self.report(), from: second) { try await reader.swipe() }
        #expect(await events.next() == .reconnecting)
        #expect(await events.next() == .connected)
        #expect(await events.next() == .swiped(readable: true))
        second.unplug()
        _ = try await sending(Self.report(), from: third) { try await reader.swipe() }
        #expect(await events.next() == .disconnected(.unplugged))
        #expect(await events.next() == .reconnecting)
        third.unplug()
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.notFound("emulated reader")))) {
            _ = try await reader.swipe()
        }
    }
}
