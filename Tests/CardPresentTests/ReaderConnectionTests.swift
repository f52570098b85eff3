import CardBench
import CardCapture
import EMVKernel
import PaymentTerminal
import Synchronization
import Testing

@testable import CardPresent
@testable import CardReaders
@testable import DeviceIO

/// From the readers that were found to the one that the terminal works with.
@Suite struct ReaderConnectionTests {
    private static let slot = VirtualReader(name: "Chip reader")

    private static func found(
        _ name: String, _ kind: DeviceNode.Kind = .usb, capabilities: ReaderCapabilities = .contactChip,
        open: @escaping @Sendable () async throws(DeviceError) -> OpenedReader = { () async throws(DeviceError) in
            .chip(slot)
        }
    ) -> ReaderCatalog.Found {
        let node = DeviceNode(
            kind: kind, node: "/dev/\(name)", path: "/devices/\(name)", vendor: 1, product: 2, maker: "Acme",
            model: name,
            serialNumber: "17", usbPath: "", interfaceNumber: nil, interfaces: [], driver: "")
        let family = ReaderFamily(name, capabilities: capabilities) { _ async throws(DeviceError) in try await open() }
        return ReaderCatalog.Found(node: node, family: family, model: ReaderModel(kind, name: name))
    }

    private let kernel = TerminalConfiguration.attended(countryCode: 276, caKeys: [], hasPINPad: false)

    /// A till on the bench, without its reader.
    private func terminal(_ limits: TimeLimits = TimeLimits()) async throws -> Terminal {
        var configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro)
        configuration.limits = limits
        let terminal = try await Terminal.bench(configuration: configuration)
        try await terminal.disconnect()
        return terminal
    }

    @Test(
        "A7: the application chooses among several readers; it gets the name, place and link of each",
        .timeLimit(.minutes(20)))
    func chosen() async throws {
        let terminal = try await terminal()
        let events = terminal.eventStream()
        let asked = Task {
            for await event in events {
                guard case .readerRequired(let request) = event.content else { continue }
                #expect(!request.choose(1) || request.readers.count == 2)
                return request.readers
            }
            return []
        }
        let readers = [
            Self.found("both", capabilities: [.contactChip, .contactlessChip]), Self.found("line", .serial),
            Self.found("stripe", capabilities: .magneticStripe),
        ]
        let choice = try await terminal.choose(among: readers, .contactChip, asksWhich: true)
        let candidates = await asked.value
        // The plain reader goes before the one with more interfaces; the stripe reader cannot do
        // it.
        #expect(candidates.map(\.name) == ["Acme line", "Acme both"])
        #expect(candidates.map(\.link) == [.serial, .usb])
        #expect(candidates.map(\.place) == ["/dev/line", "/dev/both"])
        #expect(candidates.first?.identity == ReaderIdentity(maker: "Acme", model: "line", serialNumber: "17"))
        #expect(choice == readers[0])
    }

    @Test("a reader that was found is connected for taps if its own kernel takes them, else for its contacts")
    func interfaces() {
        #expect(ReaderFamily.idTechNEO.capabilities.interface == .contactless)
        #expect(ReaderCapabilities.contactChip.interface == .contact)
        #expect(ReaderCapabilities.contactlessChip.interface == .contactless)
        #expect(ReaderCapabilities([.contactChip, .contactlessChip]).interface == .contact)
    }

    @Test("A4: of several readers only those are there that the list of devices enables") func enabled() async throws {
        var configuration = Terminal.Configuration(merchantName: "Corner Shop", terminalID: "BENCH001", currency: .euro)
        configuration.devices = Terminal.DeviceList(readers: [
            .init(name: "Acme second"), .init(name: "Virtual reader"),
        ])
        let terminal = try await Terminal.bench(configuration: configuration)
        let readers = [Self.found("first"), Self.found("second")]
        #expect(try await terminal.choose(among: readers, .contactChip, asksWhich: false) == readers[1])
        let error = await #expect(throws: TerminalError.self) {
            _ = try await terminal.choose(among: [readers[0]], .contactChip, asksWhich: false)
        }
        #expect(error?.code == .readerNotConnected)
    }

    @Test("one reader alone is taken without a question, and none is an error") func notAsked() async throws {
        let terminal = try await terminal()
        let reader = Self.found("line", .serial)
        #expect(try await terminal.choose(among: [reader], .contactChip, asksWhich: true) == reader)
        let error = await #expect(throws: TerminalError.self) {
            _ = try await terminal.choose(among: [reader], .contactlessChip, asksWhich: true)
        }
        #expect(error?.code == .readerNotConnected)
    }

    @Test("without an answer none is chosen", .timeLimit(.minutes(20))) func nobodyChooses() async throws {
        var limits = TimeLimits()
        limits.person = .milliseconds(1)
        let terminal = try await terminal(limits)
        let error = await #expect(throws: TerminalError.self) {
            _ = try await terminal.choose(among: [Self.found("a"), Self.found("b")], .contactChip, asksWhich: true)
        }
        #expect(error?.code == .cancelled)
    }

    @Test(
        "E23, E29: a reader that is not opened in time is not connected, also if it opens later",
        .timeLimit(.minutes(20)))
    func tooLate() async throws {
        let terminal = try await terminal()
        let events = terminal.eventStream()
        let (opening, gate) = AsyncStream.makeStream(of: Void.self)
        let (opened, done) = AsyncStream.makeStream(of: Void.self)
        let reader = Self.found("slow") { () async throws(DeviceError) in
            // It does not heed its cancellation.
            await Task.detached { for await _ in opening { break } }.value
            done.finish()
            return .chip(Self.slot)
        }
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.connect(reader, within: .milliseconds(1), kernel: kernel)
        }
        #expect(error?.code == .readerNotConnected)
        #expect(error?.message.contains("Acme slow") == true)
        #expect(await terminal.deviceState.connection == .none)
        gate.yield()
        for await _ in opened {}
        var seen: [String] = []
        for await event in events {
            switch event.content {
            case .readerConnecting(let info): seen.append("connecting \(info.name)")
            case .connectionFailed(let error): seen.append("\(error.code)")
            default: seen.append("\(event.kind)")
            }
            if seen.count == 2 { break }
        }
        #expect(seen == ["connecting Acme slow", "readerNotConnected"])
        #expect(await terminal.deviceState.connection == .none)
    }

    @Test(
        "E23, E33: an update runs inside connect, before the reader is opened, and its start and end are events",
        .timeLimit(.minutes(20)))
    func updated() async throws {
        let terminal = try await terminal()
        let events = terminal.eventStream(of: [.device])
        let steps = Mutex<[String]>([])
        let reader = Self.found("pad") { () async throws(DeviceError) in
            steps.withLock { $0.append("opened") }
            return .chip(VirtualReader(name: "Updated reader"))
        }
        try await terminal.connect(reader, kernel: kernel) { found, progress in
            #expect(found == reader)
            for percent in [0, 50, 100] { progress(percent) }
            steps.withLock { $0.append("updated") }
        }
        #expect(steps.withLock { $0 } == ["updated", "opened"])
        try await terminal.disconnect()
        // One that needs nothing reports nothing.
        try await terminal.connect(reader, kernel: kernel) { _, _ in }
        try await terminal.disconnect()
        await terminal.reset()
        #expect(
            await names(events) == [
                "connecting", "update started Acme pad", "update finished Acme pad", "connected", "disconnected",
                "connecting", "connected", "disconnected",
            ])
    }

    @Test(
        "E33: a reader whose update fails is not connected, and the end of the update says why",
        .timeLimit(.minutes(20))
    )
    func updateFails() async throws {
        struct Unplugged: Error, CustomStringConvertible { let description = "unplugged" }
        let terminal = try await terminal()
        let events = terminal.eventStream(of: [.device])
        let reader = Self.found("pad") { () async throws(DeviceError) in
            Issue.record("it was opened")
            return .chip(Self.slot)
        }
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.connect(reader, kernel: kernel) { _, progress in
                progress(0)
                throw Unplugged()
            }
        }
        #expect(error?.code == .readerNotConnected)
        #expect(error?.message == "Acme pad was not updated: unplugged")
        #expect(await terminal.deviceState.connection == .none)
        await terminal.reset()
        #expect(await names(events) == ["connecting", "update started Acme pad", "update failed Acme pad"])
    }

    @Test("An update that reports nothing any more ends, and the reader is not connected", .timeLimit(.minutes(20)))
    func updateStops()
        async throws
    {
        var limits = TimeLimits()
        limits.update = .milliseconds(1)
        let terminal = try await terminal(limits)
        let events = terminal.eventStream(of: [.device])
        let (end, ends) = AsyncStream.makeStream(of: Void.self)
        let reader = Self.found("pad") { () async throws(DeviceError) in
            Issue.record("it was opened")
            return .chip(Self.slot)
        }
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.connect(reader, kernel: kernel) { _, progress in
                progress(0)
                // It does not heed its cancellation.
                await Task.detached { for await _ in end {} }.value
                progress(100)
            }
        }
        #expect(error?.code == .readerNotConnected)
        #expect(error?.message.contains("the update of Acme pad has stopped") == true)
        #expect(await terminal.deviceState.connection == .none)
        ends.finish()
        await terminal.reset()
        #expect(await names(events) == ["connecting", "update started Acme pad", "update failed Acme pad"])
    }

    private func names(_ events: AsyncStream<TerminalEvent>) async -> [String] {
        var names: [String] = []
        for await event in events {
            switch event.content {
            case .readerConnecting: names.append("connecting")
            case .updateStarted(let info): names.append("update started \(info.name)")
            case .updateFinished(let info, let failure):
                names.append("update \(failure == nil ? "finished" : "failed") \(info.name)")
            case .readerConnected: names.append("connected")
            case .readerDisconnected: names.append("disconnected")
            default: names.append("\(event.kind)")
            }
        }
        return names
    }

    @Test(
        "G23: while a reader is being opened, card data may be keyed, and a sale by card says to wait",
        .timeLimit(.minutes(20)))
    func connecting() async throws {
        let terminal = try await terminal()
        let events = terminal.eventStream(of: [.device])
        let (opening, gate) = AsyncStream.makeStream(of: Void.self)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let reader = Self.found("slow") { () async throws(DeviceError) in
            begin.finish()
            for await _ in opening { break }
            return .chip(Self.slot)
        }
        let connection = Task { try await terminal.connect(reader, kernel: kernel) }
        for await _ in begun {}
        #expect(await terminal.deviceState.cardEntry == .editable(.connecting))
        let error = await #expect(throws: TerminalError.self) {
            try await terminal.processSale(Sale(orderID: OrderID("o1"), amount: Money(minorUnits: 1, currency: .euro)))
        }
        #expect(error?.code == .readerNotConnected)
        gate.yield()
        try await connection.value
        // There is no such device: a moment later the watch says that it is unplugged.
        for await event in events {
            guard case .readerConnected(let info) = event.content else { continue }
            #expect(info.name == "Chip reader")
            break
        }
    }
}
