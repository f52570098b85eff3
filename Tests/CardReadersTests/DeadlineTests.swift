import Bytes
import DeviceIO
import Testing

@testable import CardCapture
@testable import CardReaders

/// Deadlines hold while bytes keep coming. Each has passed already, and each line gives what the
/// driver passes over.
@Suite("Deadlines of drivers hold while bytes keep coming", .serialized) struct DeadlineTests {
    @Test("an ABECS PIN pad that never stops sending meets the deadline") func abecs() {
        var timing = ABECSTiming()
        timing.byte = .zero
        let link = ABECSLink(EndlessLine([0x00]), timing)
        #expect(throws: DeviceError.timedOut) { try link.cancel() }
        let other = ABECSLink(EndlessLine([0x00]), timing)
        #expect(throws: DeviceError.timedOut) {
            try other.perform(ABECSCommand("OPN"), by: .after(.zero), notify: { _ in })
        }
    }

    @Test("an MMS device that never stops sending meets the deadline") func mms() {
        let link = MMSLink(EndlessLine([0x55]))
        #expect(throws: DeviceError.timedOut) { try link.notification(by: .after(.zero)) }
    }

    @Test("Packets of unsolicited messages, never the last of one") func miura() throws {
        var packet: [UInt8] = [0x01, 0x41, 0x02, 0xE6, 0x00]
        packet.append(packet.reduce(0, ^))
        let link = MiuraLink(EndlessLine(packet), MiuraTiming())
        #expect(throws: DeviceError.timedOut) { try link.next(by: .after(.zero)) }
    }

    @Test func gemPC() async throws {
        let reader = try GemPCTwinReader(name: "GemPC", timeout: .zero) { _ throws(DeviceError) in EndlessLine([0x00]) }
        await #expect(throws: CaptureError(DeviceError.timedOut)) { _ = try await reader.powerOn() }
    }
}
