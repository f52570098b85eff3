import Bytes
import DeviceIO
import MagneticStripe
import SmartCard
import Synchronization
import Testing

@testable import CardCapture
@testable import CardReaders

/// An answer, framed as 80139403-002 has it; the checksum is computed bit by bit here for itself.
private func framed(_ command: UInt8, _ status: UInt8, _ data: [UInt8] = []) -> [UInt8] {
    let body = Array("ViVOtech2".utf8) + [0, command, status, UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
    var register: UInt32 = 0xFFFF
    for byte in body {
        for bit in (0..<8).reversed() {
            let feedback = (register >> 15 & 1) ^ UInt32(byte >> UInt8(bit) & 1)
            register = register << 1 & 0xFFFF
            if feedback == 1 { register ^= 0x1021 }
        }
    }
    return body + [UInt8(register >> 8), UInt8(register & 0xFF)]
}

@Suite(.serialized) struct NEOFrameTests {
    @Test("The ping and its answer as ID TECH's guide has them") func publishedPing() throws {
        #expect(NEOCommand.ping.bytes.hex == "5669564F7465636832001801" + "0000" + "B3CD")
        let answer = try [UInt8](hex: "5669564F7465636832001800" + "0000" + "FA83")
        #expect(framed(0x18, 0x00) == answer)
        let parsed = try #require(try NEOResponse.parse(answer))
        #expect(parsed.response == NEOResponse(command: 0x18, statusCode: 0, data: []))
        #expect(parsed.count == 16)
    }

    @Test("CRC-16 of \"123456789\" with polynomial 1021 and beginning FFFF (catalogue value of CRC-16/IBM-3740): 29B1")
    func checkValue() {
        #expect(NEOChecksum.over(Array("123456789".utf8)) == 0x29B1)
    }

    @Test("a frame in pieces is assembled") func pieces() throws {
        let frame = framed(0x02, 0x00, [UInt8](repeating: 7, count: 300))
        for count in 0..<frame.count { #expect(try NEOResponse.parse(Array(frame.prefix(count))) == nil) }
        let followed = try #require(try NEOResponse.parse(frame + [1, 2, 3]))
        #expect(followed.count == frame.count)
        #expect(followed.response.data.count == 300)
    }

    @Test("Frames that are changed or cut are refused") func hostileFrames() throws {
        let frame = framed(0x18, 0x00, [1, 2, 3])
        for index in frame.indices where index != 12 && index != 13 {
            var changed = frame
            changed[index] ^= 0x40
            #expect(throws: DeviceError.self) { try NEOResponse.parse(changed) }
        }
        var long = frame
        long[12] = 0xFF
        #expect(throws: DeviceError.malformed(.neoFrame, .tooLong(65283))) { try NEOResponse.parse(long) }
    }

    @Test("a message in HID reports is assembled") func reports() {
        let numbers = { (count: Int) in NEOPacking.reports([UInt8](repeating: 1, count: count)).map(\.number) }
        #expect(numbers(16) == [1])
        #expect(numbers(63) == [1])
        #expect(numbers(64) == [2, 4])
        #expect(numbers(126) == [2, 4])
        #expect(numbers(127) == [2, 3, 4])
        #expect(NEOPacking.reports([1, 2]).allSatisfy { $0.count == 63 })
    }

    @Test func whatMayBeShown() {
        let frame = framed(0x02, 0x00, [UInt8](repeating: 7, count: 30))
        for cut in 1..<frame.count {
            for part in [Array(frame[..<cut]), Array(frame[cut...])] {
                #expect(NEOResponse.redaction(.received, .stream, part) == [0..<part.count])
            }
        }
        #expect(NEOResponse.redaction(.received, .report(3), [UInt8](repeating: 7, count: 63)) == [0..<63])
        #expect(NEOResponse.redaction(.sent, .stream, frame).isEmpty)
    }
}

@Suite(.serialized) struct NEOMagstripeReaderTests {
    /// Attribution byte for a swipe, other data objects, then the envelope in DFEE23.
    private static func swipe() throws -> [UInt8] {
        let envelope = SwipeEnvelope.wrap(try IDTechSample.enhanced(IDTechSample.tdes))
        return try [0x88] + [UInt8](hex: "9F390190" + "DFEE2382") + [
            UInt8(envelope.count >> 8), UInt8(envelope.count & 0xFF),
        ] + envelope
    }

    private func serial(_ devices: EmulatedDevice...) throws -> NEOMagstripeReader {
        let bus = EmulatedBus(devices)
        return try NEOMagstripeReader(name: "NEO", capabilities: .magneticStripe) { cancel throws(DeviceError) in
            NEODevice(EmulatedLine(try bus.next(), cancel))
        }
    }

    /// A good reader; `activation` is what it says when it is to wait for a stripe.
    private static func answers(to bytes: [UInt8], activation: [[UInt8]]) -> [[UInt8]] {
        guard bytes.count >= 12 else { return [] }
        switch (bytes[10], bytes[11]) {
        case (0x18, 0x01): return [framed(0x18, 0x00)]
        case (0x29, 0x00): return [framed(0x29, 0x00, Array("NEO v1.00".utf8))]
        case (0x02, 0x40): return activation
        default: return [framed(bytes[10], 0x00)]
        }
    }

    @Test("A swipe of an encrypting reader has ciphertext and key serial number") func aSwipe() async throws {
        let device = try EmulatedDevice(.stream)
        let activation = [framed(0x02, 0x00, try Self.swipe())]
        device.serve { Self.answers(to: $0, activation: activation) }
        let swipe = try await serial(device).swipe()
        #expect(swipe.encrypted?.ksn.hex == IDTechSample.ksn)
        #expect(text(swipe.tracks.track3) == IDTechSample.track3)
    }

    /// A late answer to an earlier command, an event and a timeout come first.
    @Test func staleAnswersAndEvents() async throws {
        let device = try EmulatedDevice(.stream)
        let swipe = try Self.swipe()
        let count = Mutex(0)
        device.serve { bytes in
            let isFirst =
                bytes[10] == 0x02
                && count.withLock { count in
                    count += 1
                    return count == 1
                }
            let first = [framed(0x18, 0x00), framed(0x02, 0x0E, [1]), framed(0x02, 0x08)]
            return Self.answers(to: bytes, activation: isFirst ? first : [framed(0x02, 0x23, swipe)])
        }
        #expect(try await serial(device).swipe().isReadable)
        #expect(count.withLock { $0 } == 2)
    }

    @Test("A swipe that could not be read is unreadable, not an error") func failedReading() async throws {
        let device = try EmulatedDevice(.stream)
        device.serve { Self.answers(to: $0, activation: [framed(0x02, 0x0A, [0x20, 0, 0, 0])]) }
        #expect(try await !serial(device).swipe().isReadable)
    }

    @Test(
        "each refusal of the reader has its message",
        arguments: [
            (UInt8(0x02), DeviceError.Refusal.commandNotSupported), (0x05, .invalidParameter), (0x04, .damagedCommand),
            (0x0B, .notAllowedNow), (0x77, .status("119")),
        ])
    func refusals(_ status: UInt8, _ refusal: DeviceError.Refusal) async throws {
        let device = try EmulatedDevice(.stream)
        device.serve { Self.answers(to: $0, activation: [framed(0x02, status)]) }
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.rejected(refusal)))) {
            _ = try await serial(device).swipe()
        }
    }

    @Test("A swipe with a wrong checksum is an error of the reader") func wrongChecksum() async throws {
        let device = try EmulatedDevice(.stream)
        var frame = framed(0x02, 0x00, try Self.swipe())
        frame[40] ^= 1
        let broken = frame
        device.serve { Self.answers(to: $0, activation: [broken]) }
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.malformed(.neoFrame, .wrongChecksum)))) {
            _ = try await serial(device).swipe()
        }
    }

    @Test("a cancellation reaches the reader, and the next swipe is read") func cancelling() async throws {
        let device = try EmulatedDevice(.stream)
        let swipe = try Self.swipe()
        let sent = Mutex<[[UInt8]]>([])
        let (activations, activated) = AsyncStream<Void>.makeStream()
        device.serve { bytes in
            let isFirst = sent.withLock { sent in
                sent.append(Array(bytes[10..<12]))
                return sent.filter { $0 == [0x02, 0x40] }.count == 1
            }
            if bytes[10] == 0x02 { activated.yield() }
            return Self.answers(to: bytes, activation: isFirst ? [] : [framed(0x02, 0x00, swipe)])
        }
        let reader = try serial(device)
        let task = Task { try await reader.swipe() }
        for await _ in activations { break }
        task.cancel()
        await #expect(throws: CaptureError.cancelled) { _ = try await task.value }
        #expect(try await reader.swipe().isReadable)
        #expect(sent.withLock { $0.map(\.hex) } == ["1801", "0240", "0501", "1801", "0240"])
    }

    @Test("a silent reader times out") func silence() async throws {
        let device = try EmulatedDevice(.stream)
        device.serve { _ in [] }
        await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.timedOut))) {
            _ = try await serial(device).swipe()
        }
    }

    @Test func unpluggedAtEveryStep() async throws {
        let activation = [framed(0x02, 0x00, try Self.swipe())]
        for step in 0..<2 {
            let (first, second) = (try EmulatedDevice(.stream), try EmulatedDevice(.stream))
            let count = Mutex(0)
            first.serve { bytes in
                let isOver = count.withLock { count in
                    count += 1
                    return count > step
                }
                guard isOver else { return Self.answers(to: bytes, activation: []) }
                first.unplug()
                return nil
            }
            second.serve { Self.answers(to: $0, activation: activation) }
            let reader = try serial(first, second)
            await #expect(throws: CaptureError.self) { _ = try await reader.swipe() }
            #expect(try await reader.swipe().isReadable)
        }
    }

    /// In reports, with one of a message whose beginning is lost in front.
    @Test func overHID() async throws {
        let device = try EmulatedDevice(.packets)
        let activation = [framed(0x02, 0x00, try Self.swipe())]
        device.serve { bytes in
            let answers = Self.answers(to: Array(bytes.dropFirst()), activation: activation)
            return [[4] + [UInt8](repeating: 9, count: 63)]
                + answers.flatMap { NEOPacking.reports($0).map { [$0.number] + $0.revealed() } }
        }
        let reports = try HIDReportDescriptor(
            parsing: [UInt8](
                hex: "0600FF0901A1017508953F" + (1...4).map { "850\($0)09018102" + "09019102" }.joined() + "C0"))
        let reader = try NEOMagstripeReader(name: "NEO", capabilities: .magneticStripe) { cancel throws(DeviceError) in
            NEODevice(NEOReports(EmulatedReports(device, cancel, reports: reports)))
        }
        #expect(try await reader.swipe().encrypted?.ksn.hex == IDTechSample.ksn)
        #expect(try await reader.perform { source throws(DeviceError) in try source.firmwareVersion() } == "NEO v1.00")
    }
}
