import CardPresent
import PaymentTerminal
import Testing

@Suite(
    "A terminal is connected with the nodes of a USB and of a HID reader", .serialized,
    .enabled(if: ConnectedDevice.areSetUp("connections")), .timeLimit(.minutes(20)))
struct RealConnectionTests {
    @Test("opened and identified, and again after it was let go", arguments: ConnectedDevice.all)
    func opened(_ device: ConnectedDevice) async throws {
        let found = try device.find()
        #expect(found.family == device.family)
        for _ in 1...2 {
            let terminal = try await Terminal.unconnected()
            try await terminal.connect(found)
            let state = await terminal.deviceState
            #expect(state.connection == .connected, "\(state)")
            #expect(state.cardEntry == .reader(name: found.name), "\(state)")
            let reader = try #require(state.reader)
            #expect(reader.identity.maker == device.maker, "\(state)")
            #expect(reader.identity.model == device.model, "\(state)")
            #expect(reader.name.contains(device.model), "\(state)")
            #expect(reader.capabilities == device.capabilities, "\(state)")
            try await terminal.disconnect()
            try await device.untilFree()
        }
    }

    @Test("one that another program has is busy, and is taken once it is free", arguments: ConnectedDevice.all)
    func busy(_ device: ConnectedDevice) async throws {
        let found = try device.find()
        let terminal = try await Terminal.unconnected()
        do {
            let other = try device.hold()
            let error = await #expect(throws: TerminalError.self) { try await terminal.connect(found) }
            #expect(error?.code == .readerNotConnected, "\(error as Any)")
            #expect(error?.readerFault == .busy, "\(error as Any)")
            #expect(await terminal.deviceState.connection == .none)
            withExtendedLifetime(other) {}
        }
        try await terminal.connect(found)
        #expect(await terminal.deviceState.connection == .connected)
        try await terminal.disconnect()
        try await device.untilFree()
    }
}
