import CardCapture
import Contactless
import EMVKernel
import Kernels
import PaymentTerminal
import SmartCard
import TerminalFiles
import Testing

@Suite struct DeviceStateTests {
    private func until(_ terminal: Terminal, _ connection: DeviceState.Connection) async throws {
        while await terminal.deviceState.connection != connection { try await Task.sleep(for: .milliseconds(2)) }
    }

    private func keyedSale(_ id: String) throws -> Sale {
        Sale(orderID: try OrderID(id), amount: try euros("10.00"), source: .keyed(try keyedCard(), cvv: nil))
    }

    @Test("a slot gets the kernels of its interface, and none in the other's place") func interfaces() async throws {
        let terminal = try await terminal(FakeHost())
        let kernel = TerminalConfiguration.attended(countryCode: 276, applications: [], caKeys: [], hasPINPad: false)
        let taps = [Combination.visa(limits: TransactionLimits(transactionLimit: 50_00))]
        let (field, contacts) = (EmptySlot(name: "Field", .contactlessChip), EmptySlot(name: "Contacts", .contactChip))
        func refused(_ connect: () async throws -> Void) async -> String? {
            let error = await #expect(throws: TerminalError.self) { try await connect() }
            #expect(error?.code == .refused(.invalidRequest))
            return error?.message
        }
        #expect(
            await refused { try await terminal.connect(field, kernel: kernel) }?.contains("terminal-file.md") == true)
        #expect(
            await refused { try await terminal.connect(contacts, field: contacts, kernel: kernel, contactless: taps) }
                == "Contacts has no field: give a contactless reader")
        #expect(
            await refused { try await terminal.connect(field, field: field, kernel: kernel, contactless: taps) }
                == "Field has no contacts: give the reader that has them")
        #expect(await terminal.connectedReader == nil)
        try await terminal.connect(field, kernel: kernel, contactless: taps)
        #expect(await terminal.connectedReader == "Field")
        try await terminal.connect(contacts, field: field, kernel: kernel, contactless: taps)
        #expect(await terminal.connectedReader == "Field and Contacts")
        #expect(await terminal.deviceState.reader?.capabilities == [.contactChip, .contactlessChip])
    }

    @Test("an unplugged reader is gone: keyed data count, and a card asks for a reader", .timeLimit(.minutes(20)))
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
        #expect(error?.code == .readerNotConnected)
        #expect(error?.message == "the reader was unplugged: connect it again")
        #expect(reader.requests.isEmpty)
    }

    @Test("a reader that failed is tried again for a card, and keyed data count meanwhile", .timeLimit(.minutes(20)))
    func silent() async throws {
        let host = FakeHost()
        let reader = FakeReader(obedient: chipCard())
        let terminal = try await terminal(host, reader: reader)
        reader.events.send(.disconnected(.silent))
        try await until(terminal, .lost(.silent))
        _ = try await terminal.processSale(keyedSale("o1"))
        #expect(reader.requests.isEmpty)
        #expect(
            try await terminal.processSale(Sale(orderID: OrderID("o2"), amount: euros("10.00"))).outcome == .approved)
        #expect(reader.requests.count == 1)
    }

    @Test("the driver reconnects: the reader is there again, and the events say so", .timeLimit(.minutes(20)))
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
        #expect(state.connection == .none)
        #expect(state.reader == nil)
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
        // The last report of the driver may come before or after the disconnection from this side.
        #expect(seen.starts(with: ["connected", "disconnected", "connected"]))
    }

    @Test("a secure card is keyed after the reader was unplugged", .timeLimit(.minutes(20))) func secureCard()
        async throws
    {
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

private struct EmptySlot: CardSlot {
    let name: String
    let capabilities: ReaderCapabilities
    let events = ReaderEvents()

    init(name: String, _ interface: ReaderCapabilities) {
        self.name = name
        capabilities = interface
    }

    func powerOn() async throws(CaptureError) -> any CardChannel { throw .noCardPresented }
    func powerOff() async {}
}
