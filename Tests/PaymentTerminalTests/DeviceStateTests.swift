import CardCapture
import EMVKernel
import PaymentTerminal
import SmartCard
import Testing

@Suite struct DeviceStateTests {
    private func until(_ terminal: Terminal, _ connection: DeviceState.Connection) async throws {
        while await terminal.deviceState.connection != connection { try await Task.sleep(for: .milliseconds(2)) }
    }

    private func keyedSale(_ id: String) throws -> Sale {
        Sale(orderID: try OrderID(id), amount: try euros("10.00"), source: .keyed(try keyedCard(), cvv: nil))
    }

    @Test("our contact kernel runs over no slot that has a field only") func contactlessSlot() async throws {
        let terminal = try await terminal(FakeHost())
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.connect(FieldSlot(), kernel: .attended(countryCode: 276, applications: [], caKeys: [], hasPINPad: false))
        }
        #expect(error?.code == .invalidRequest && error?.message.contains("ContactlessReader") == true)
        #expect(await terminal.connectedReader == nil)
    }

    @Test("an unplugged reader is gone: keyed data count, and a card asks for a reader", .timeLimit(.minutes(1)))
    func unplugged() async throws {
        let host = FakeHost()
        let reader = FakeReader(obedient: chipCard())
        let terminal = try await terminal(host, reader: reader)
        #expect(await terminal.deviceState.cardEntry == .reader(name: "Fake reader 1"))
        reader.events.send(.disconnected(.unplugged))
        try await until(terminal, .lost(.unplugged))
        #expect(await terminal.connectedReader == nil)
        #expect(await terminal.deviceInfo == nil)
        #expect(await terminal.deviceState.reader?.name == "Fake reader 1")
        #expect(await terminal.deviceState.cardEntry == .editable(.readerLost(.unplugged)))
        _ = try await terminal.processSale(keyedSale("o1"))
        guard case .keyed = host.seen.authorizations.first?.card else {
            Issue.record("the card was not keyed")
            return
        }
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.processSale(Sale(orderID: OrderID("o2"), amount: euros("10.00")))
        }
        #expect(error?.code == .readerNotConnected && error?.message == "the reader was unplugged: connect it again")
        #expect(reader.requests.isEmpty)
    }

    @Test("a reader that failed is tried again for a card, and keyed data count meanwhile", .timeLimit(.minutes(1)))
    func silent() async throws {
        let host = FakeHost()
        let reader = FakeReader(obedient: chipCard())
        let terminal = try await terminal(host, reader: reader)
        reader.events.send(.disconnected(.silent))
        try await until(terminal, .lost(.silent))
        _ = try await terminal.processSale(keyedSale("o1"))
        #expect(reader.requests.isEmpty)
        #expect(try await terminal.processSale(Sale(orderID: OrderID("o2"), amount: euros("10.00"))).outcome == .approved)
        #expect(reader.requests.count == 1)
    }

    @Test("the driver reconnects: the reader is there again, and the events say so", .timeLimit(.minutes(1)))
    func reconnected() async throws {
        let reader = FakeReader(obedient: chipCard())
        let terminal = try await terminal(FakeHost())
        let events = terminal.eventStream(of: [.device])
        try await terminal.connect(reader)
        reader.events.send(.reconnecting)
        try await until(terminal, .reconnecting)
        #expect(await terminal.connectedReader == "Fake reader 1")
        reader.events.send(.connected)
        try await until(terminal, .connected)
        reader.events.send(.disconnected(.silent))
        reader.events.send(.connected)
        try await terminal.disconnect()
        let state = await terminal.deviceState
        #expect(state.connection == .none && state.reader == nil)
        #expect(await terminal.deviceState.cardEntry == .editable(.noReader))
        try await terminal.connect(reader)
        var seen: [String] = []
        for await event in events {
            switch event.content {
            case .readerConnected: seen.append("connected")
            case .readerDisconnected: seen.append("disconnected")
            default: seen.append("\(event.kind)")
            }
            if seen.count == 3 { break }
        }
        // What the driver told last may come before or after the disconnection from this side.
        #expect(seen.starts(with: ["connected", "disconnected", "connected"]))
    }

    @Test("a secure card is keyed after the reader was unplugged", .timeLimit(.minutes(1))) func secureCard() async throws {
        let host = FakeHost()
        let reader = FakeReader(obedient: chipCard())
        let terminal = try await terminal(host, reader: reader)
        reader.events.send(.disconnected(.unplugged))
        try await until(terminal, .lost(.unplugged))
        _ = try await terminal.registerSecureCard(
            SecureCard(merchantReference: MerchantReference("customer-7"), tokenMethod: .keyed(keyedCard(), cvv: nil)))
        #expect(host.seen.registrations.map(\.entryMode) == [.keyed])
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.registerSecureCard(SecureCard(merchantReference: MerchantReference("customer-8")))
        }
        #expect(error?.code == .readerNotConnected)
    }
}

private struct FieldSlot: CardSlot {
    let name = "Field"
    let capabilities: ReaderCapabilities = .contactlessChip
    let events = ReaderEvents()
    func powerOn() async throws(CaptureError) -> any CardChannel { throw .noCardPresented }
    func powerOff() async {}
}
