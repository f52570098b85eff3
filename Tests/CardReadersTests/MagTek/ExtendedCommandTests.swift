import Bytes
import DeviceIO
import SmartCard
import Synchronization
import Testing

@testable import CardCapture
@testable import CardReaders

@Suite(.serialized) struct ExtendedCommandTests {
    private static func reports() throws -> HIDReportDescriptor {
        // An input report and a feature report of 60 bytes.
        try HIDReportDescriptor(parsing: [UInt8](hex: "0600FF0901A1017508953C092081020920B102C0"))
    }

    /// A reader that answers the packets it gets in turn.
    private func reader(_ answers: [[UInt8]]) throws -> (MagneSafeReader, Log) {
        let log = Log(answers)
        let (device, reports) = (try EmulatedDevice(.packets), try Self.reports())
        let reader = try MagneSafeReader(name: "eDynamo", capabilities: .magneticStripe) { cancel throws(DeviceError) in
            let transport = EmulatedReports(device, cancel, reports: reports) { feature throws(DeviceError) in
                switch feature {
                case .set(let bytes):
                    log.state.withLock { $0.sent.append(bytes) }
                    return []
                case .get: return log.state.withLock { $0.answers.isEmpty ? [0x01, 0] : $0.answers.removeFirst() }
                }
            }
            return MagneSafe(transport, cancel: cancel)
        }
        return (reader, log)
    }

    private final class Log: Sendable {
        let state: Mutex<(sent: [[UInt8]], answers: [[UInt8]])>
        init(_ answers: [[UInt8]]) { state = Mutex(([], answers)) }
    }

    /// D998200115, command 49: the date and time of the reader, 2009-06-20 17:00.
    @Test func publishedDateAndTime() async throws {
        let (reader, log) = try reader([try [UInt8](hex: "0A0D" + "00000000000706141100000001")])
        let data = try await reader.perform { source throws(DeviceError) in
            try source.perform(ExtendedCommand(ExtendedCommand.dateAndTime))
        }
        #expect(data.hex == "06141100000001")
        #expect(log.state.withLock { $0.sent.first.map { Array($0.prefix(8)).hex } } == "49060000030D0000")
    }

    @Test("52 bytes of data a packet, both ways; the host asks for the second with command 4A") func severalPackets()
        async throws
    {
        let (first, second) = ([UInt8](repeating: 1, count: 52), [UInt8](repeating: 2, count: 8))
        let (reader, log) = try reader([
            [0x0B, 0], [0x0B, 0], [0x0A, 58, 0, 0, 0, 0, 0, 60] + first, [0x0A, 14, 0, 52, 0, 0, 0, 60] + second,
        ])
        let data = [UInt8](repeating: 9, count: 110)
        let answer = try await reader.perform { source throws(DeviceError) in
            try source.perform(ExtendedCommand(0x0303, data))
        }
        #expect(answer == first + second)
        let sent = log.state.withLock { $0.sent }
        #expect(
            sent.map { Array($0.prefix(8)).hex } == [
                "493A00000303006E", "493A00340303006E", "490C00680303006E", "4A00000000000000",
            ])
    }

    @Test("each refusal of an extended command has its message") func refusals() async throws {
        for (answer, refusal) in [
            ([0x0A, 6, 0, 0, 0x03, 0x82, 0, 0], .keysExhausted),
            ([0x02, 0], .propertyNotSupported),
        ] as [([UInt8], DeviceError.Refusal)] {
            let (reader, _) = try reader([answer])
            await #expect(throws: CaptureError.readerFailed(.driver(DeviceError.rejected(refusal)))) {
                _ = try await reader.perform { source throws(DeviceError) in try source.perform(ExtendedCommand(0x0300))
                }
            }
        }
    }

    @Test func answersWithPartsMissing() {
        for packet: [UInt8] in [
            [], [0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 5, 1], [0, 0, 0, 0, 0, 1, 1, 2], [0, 0, 0, 0, 0, 5],
        ] {
            var response = ExtendedResponse()
            #expect(throws: DeviceError.self) { try response.add(packet) }
        }
        #expect(throws: DeviceError.self) { try ExtendedCommand(0x0300).packets(payload: 6) }
    }
}

@Suite(.serialized) struct ExtendedNotificationTests {
    @Test("D998200115, table 7-2: length of the part, offset, identifier, whole length") func parts() throws {
        var assembler = ExtendedNotification.Assembler()
        #expect(try assembler.take([UInt8](hex: "0003" + "0000" + "0303" + "0005" + "010203" + "0000")) == nil)
        let whole = try assembler.take([UInt8](hex: "0002" + "0003" + "0303" + "0005" + "0405"))
        #expect(whole?.kind == .cardData)
        #expect(whole?.data == [1, 2, 3, 4, 5])
    }

    @Test("After a part that was lost the next whole notification counts") func lostParts() throws {
        var assembler = ExtendedNotification.Assembler()
        _ = try assembler.take([UInt8](hex: "0001" + "0000" + "0303" + "0003" + "01"))
        #expect(try assembler.take([UInt8](hex: "0001" + "0002" + "0303" + "0003" + "03")) == nil)
        #expect(try assembler.take([UInt8](hex: "0001" + "0000" + "0300" + "0001" + "06"))?.kind == .transactionStatus)
        for hex in ["", "00000000030000", "0002000003000001AA", "0001000103000001AA"] {
            let part = try [UInt8](hex: hex)
            #expect(throws: DeviceError.self) { try assembler.take(part) }
        }
    }
}
