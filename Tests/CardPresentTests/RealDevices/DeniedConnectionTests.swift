import CardPresent
import Glibc
import PaymentTerminal
import Testing

@Suite(
    "A node that its user may not open is not connected", .serialized,
    .enabled(if: ConnectedDevice.areSetUp("denied-connections")),
    .timeLimit(.minutes(20)))
struct DeniedConnectionTests {
    @Test("the fault is the permission, and the message names the cure", arguments: ConnectedDevice.all)
    func denied(_ device: ConnectedDevice) async throws {
        try #require(geteuid() != 0, "root may open everything")
        let found = try device.find()
        let terminal = try await Terminal.unconnected()
        let error = await #expect(throws: TerminalError.self) { try await terminal.connect(found) }
        #expect(error?.code == .readerNotConnected, "\(error as Any)")
        #expect(error?.readerFault == .accessDenied, "\(error as Any)")
        #expect(error?.message.contains("cardpresent udev install") == true, "\(error as Any)")
        #expect(await terminal.deviceState.cardEntry == .editable(.noReader))
    }
}
