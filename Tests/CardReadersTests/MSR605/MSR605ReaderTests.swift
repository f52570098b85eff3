import Bytes
import DeviceIO
import MagneticStripe
import SmartCard
import Synchronization
import Testing

@testable import CardCapture
@testable import CardReaders

/// The driver against an MSR605 that answers as the test says.
@Suite(.serialized) struct MSR605ReaderTests {
    private static func raw() throws -> [UInt8] { try [UInt8](hex: MSR605SwipeTests.raw) }

    /// What a good MSR605 answers; a swipe is drawn as soon as it reads.
    private static func answers(to bytes: [UInt8], swipe: [[UInt8]]) -> [[UInt8]] {
        switch bytes.suffix(2) {
        case [0x1B, 0x65]: [[0x1B, 0x79]]
        case [0x1B, 0x6D], [0x1B, 0x72]: swipe
        case [0x1B, 0x76]: [Array("\u{1B}REV".utf8), Array("H7.31".utf8)]
        case [0x1B, 0x78], [0x1B, 0x79]: [[0x1B, 0x30]]
        default: bytes.suffix(2) == [0x3F, 0x1C] ? [[0x1B, 0x30]] : []
        }
    }

    private func reader(_ devices: EmulatedDevice..., options: MSR605.Options = .init()) throws -> MSR605Reader {
        let bus = EmulatedBus(devices)
        return try MSR605Reader(name: "MSR605", capabilities: options.capabilities) { cancel throws(DeviceError) in
            MSR605(EmulatedLine(try bus.next(), cancel), options: options)
        }
    }

    @Test("Raw tracks are decoded") func rawSwipe() async throws {
        let device = try EmulatedDevice(.stream)
        let raw = try Self.raw()
        device.serve { Self.answers(to: $0, swipe: [raw]) }
        let swipe = try await reader(device).swipe()
        #expect(text(swipe.tracks.track1) == "ABC123")
        #expect(text(swipe.tracks.track2) == "12345")
    }

    @Test func charactersInPieces() async throws {
        let device = try EmulatedDevice(.stream)
        device.serve { Self.answers(to: $0, swipe: MSR605SwipeTests.characters.map { [$0] }) }
        let swipe = try await reader(device, options: .init(readsRaw: false)).swipe()
        #expect(text(swipe.tracks.track2) == "12345")
    }

    @Test("each cancellation resets the reader, and the next swipe is read") func cancelling() async throws {
        let device = try EmulatedDevice(.stream)
        let raw = try Self.raw()
        let seen = Mutex<[UInt8]>([])
        device.serve { bytes in
            let isSecond = seen.withLock { seen in
                seen += bytes
                return seen.filter { $0 == 0x6D }.count > 1
            }
            return Self.answers(to: bytes, swipe: isSecond ? [raw] : [])
        }
        let reader = try reader(device)
        let task = Task { try await reader.swipe() }
        await device.awaitDriver()
        task.cancel()
        await #expect(throws: CaptureError.cancelled) { _ = try await task.value }
        #expect(try await reader.swipe().isReadable)
        let sent = seen.withLock { $0 }
        // Reset and test at the start, read; reset after the cancellation; reset before the next,
        // read.
        #expect(sent.hex == "1B611B65" + "1B6D" + "1B61" + "1B61" + "1B6D")
    }

    @Test func somethingElseAtTheLine() async throws {
        let device = try EmulatedDevice(.stream)
        device.serve { $0.suffix(1) == [0x65] ? [[0x1B, 0x15]] : [] }
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.malformed(.msr605Answer, .unexpected)))) {
            _ = try await reader(device).swipe()
        }
    }

    @Test func nothingAtTheLine() async throws {
        let device = try EmulatedDevice(.stream)
        device.serve { _ in [] }
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.timedOut))) {
            _ = try await reader(device).swipe()
        }
    }

    @Test("Bytes are lost on the line: the answer never comes to its end, and the reader is reset") func lostBytes()
        async throws
    {
        let device = try EmulatedDevice(.stream)
        let raw = try Self.raw()
        let reads = Mutex(0)
        device.serve { bytes in
            guard bytes.suffix(2) == [0x1B, 0x6D] else { return Self.answers(to: bytes, swipe: []) }
            let isFirst = reads.withLock { count in
                count += 1
                return count == 1
            }
            return [isFirst ? Array(raw.dropLast(6)) : raw]
        }
        let reader = try reader(device)
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.timedOut))) { _ = try await reader.swipe() }
        #expect(try await reader.swipe().isReadable)
    }

    @Test("A refused command is an error of the reader", arguments: ["32", "34"]) func refusedCommand(_ status: String)
        async throws
    {
        let device = try EmulatedDevice(.stream)
        let answer = try [UInt8](hex: "1B733F1C1B" + status)
        device.serve { Self.answers(to: $0, swipe: [answer]) }
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.rejected(.commandNotSupported)))) {
            _ = try await reader(device).swipe()
        }
    }

    @Test func unpluggedAtEveryStep() async throws {
        let raw = try Self.raw()
        for step in 0..<4 {
            let (device, second) = (try EmulatedDevice(.stream), try EmulatedDevice(.stream))
            let count = Mutex(0)
            device.serve { bytes in
                let isOver = count.withLock { count in
                    count += 1
                    return count > step
                }
                guard !isOver else {
                    device.unplug()
                    return nil
                }
                return Self.answers(to: bytes, swipe: [Array(raw.prefix(10))])
            }
            second.serve { Self.answers(to: $0, swipe: [raw]) }
            let reader = try reader(device, second)
            await #expect(throws: CaptureError.self) { _ = try await reader.swipe() }
            #expect(try await reader.swipe().isReadable)
        }
    }

    @Test("the reader reports its version") func version() async throws {
        let device = try EmulatedDevice(.stream)
        device.serve { Self.answers(to: $0, swipe: []) }
        let version = try await reader(device).perform { source throws(DeviceError) in try source.firmwareVersion() }
        #expect(version == "REVH7.31")
    }

    @Test func writingHasToBeAllowed() async throws {
        let device = try EmulatedDevice(.stream)
        device.serve { Self.answers(to: $0, swipe: []) }
        let reader = try reader(device)
        #expect(reader.capabilities == .magneticStripe)
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.rejected(.readOnly)))) {
            try await reader.perform { source throws(DeviceError) in
                try source.write([.two: TrackText("12345", code: .numeric)], .high, by: .after(.seconds(5)))
            }
        }
    }

    @Test("What is written are the codes of the manual's examples") func writing() async throws {
        let device = try EmulatedDevice(.stream)
        let seen = Mutex<[UInt8]>([])
        device.serve { bytes in
            seen.withLock { $0 += bytes }
            return Self.answers(to: bytes, swipe: [])
        }
        let reader = try reader(device, options: .init(allowsWriting: true))
        #expect(reader.capabilities.contains(.writesMagstripes))
        try await reader.perform { source throws(DeviceError) in
            let tracks: [TrackNumber: TrackText] = [
                .one: TrackText("ABC123", code: .alphanumeric), .two: TrackText("12345", code: .numeric),
            ]
            try source.write(tracks, .low, by: .after(.seconds(5)))
        }
        #expect(
            seen.withLock { $0.hex }.hasSuffix(
                "1B79" + "1B6E1B731B0109456162235152131F2A1B02080B01021304151F151B03003F1C"))
        for bad in [
            TrackText("12?45", code: .numeric), TrackText("ABC", code: .alphanumeric),
            TrackText("1".repeated(38), code: .numeric),
        ] {
            await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.rejected(.trackNotWritable(2))))) {
                try await reader.perform { source throws(DeviceError) in
                    try source.write([.two: bad], .high, by: .after(.seconds(5)))
                }
            }
        }
    }

    /// The same protocol in reports; the rest of a message whose beginning was lost is passed over.
    @Test func overHID() async throws {
        let device = try EmulatedDevice(.packets)
        let raw = try Self.raw()
        let sent = Mutex<[UInt8]>([])
        let descriptor = try HIDReportDescriptor(parsing: [UInt8](hex: "0600FF0901A101750895400920810209209540B102C0"))
        let reader = try MSR605Reader(name: "MSR605X", capabilities: .magneticStripe) { cancel throws(DeviceError) in
            let reports = EmulatedReports(device, cancel, reports: descriptor) { feature throws(DeviceError) in
                guard case .set(let bytes) = feature else { throw .stalled }
                let message = Array(bytes.dropFirst().prefix(Int(bytes[0] & 0x3F)))
                sent.withLock { $0 += message }
                if message == [0x1B, 0x6D] { device.send([0x42, 1, 2]) }
                for answer in Self.answers(to: message, swipe: [raw]) {
                    for report in MSR605XPacking.reports(answer) { device.send(report.revealed()) }
                }
                return []
            }
            return MSR605(MSR605XStream(reports))
        }
        #expect(text(try await reader.swipe().tracks.track2) == "12345")
        #expect(sent.withLock { $0.hex } == "1B611B651B6D")
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
