import DeviceIO
import MessageBus
import Testing

@testable import CardReaders

@Suite("Discovery of readers") struct DiscoveryTests {
    private static let address = "00:11:22:AA:BB:CC"

    @Test(
        "E22: a search finds the reader that the Bluetooth adapter finds meanwhile, and ends the inquiry",
        .timeLimit(.minutes(20)))
    func found() async throws {
        let bus = try PrivateBus()
        try bus.startBluez()
        try bus.addAdapter()
        let address = bus.address
        let search = Task { try await ReaderCatalog.discover(scanTime: .seconds(5), bus: address) }
        while try !bus.isDiscovering() { await Task.yield() }
        try bus.addDevice(Self.address, "Miura 001")
        let readers = try await search.value
        #expect(readers.contains { $0.family == .miura && $0.node.node == Self.address })
        #expect(try !bus.isDiscovering())
    }

    @Test("a search that is cancelled ends at once", .timeLimit(.minutes(20))) func cancelled() async throws {
        let bus = try PrivateBus()
        try bus.startBluez()
        try bus.addAdapter()
        let address = bus.address
        let search = Task { try await ReaderCatalog.discover(scanTime: .seconds(3600), bus: address) }
        while try !bus.isDiscovering() { await Task.yield() }
        search.cancel()
        await #expect(throws: DeviceError.cancelled) { try await search.value }
    }
}
