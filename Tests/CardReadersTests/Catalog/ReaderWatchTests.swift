import CardCapture
import Testing

@testable import CardReaders
@testable import DeviceIO

@Suite struct ReaderWatchTests {
    private let chip = DeviceNode.InterfaceClass(0x0B, subclass: 0, protocolCode: 0)

    @Test("a reader that is unplugged is lost at once, and opened again when it returns; other devices do not count")
    func goneAndBack() async throws {
        let node = DeviceNode.usb(0x1234, 0x5678, [chip])
        let found = try #require(ReaderCatalog.reader(node))
        let slot = VirtualReader()
        let lost = slot.events.stream()
        let (changes, monitor) = AsyncStream.makeStream(of: DeviceMonitor.Change.self)
        let other = DeviceNode.bluetooth("Miura 515")
        for change in [
            DeviceMonitor.Change.arrived(node), .left(other), .left(node), .left(node), .arrived(other),
            .arrived(.usb(0x0DC3, 0x1004, [chip])), .arrived(node), .left(node),
        ] { monitor.yield(change) }
        monitor.finish()
        var opened: [ReaderCatalog.Found] = []
        await ReaderWatch(found, .chip(slot)).run(changes) { arrived in
            opened.append(arrived)
            return true
        }
        #expect(opened == [found])
        slot.events.send(.connected)
        var told: [ReaderEvent] = []
        for await event in lost {
            told.append(event)
            if event == .connected { break }
        }
        #expect(told == [.disconnected(.unplugged), .connected])
    }

    @Test("a reader that cannot be opened yet is waited for") func opensLater() async throws {
        let node = DeviceNode.usb(0x1234, 0x5678, [chip])
        let found = try #require(ReaderCatalog.reader(node))
        let (changes, monitor) = AsyncStream.makeStream(of: DeviceMonitor.Change.self)
        for change in [DeviceMonitor.Change.left(node), .arrived(node), .arrived(node)] { monitor.yield(change) }
        monitor.finish()
        var tries = 0
        await ReaderWatch(found, .chip(VirtualReader())).run(changes) { _ in
            tries += 1
            return tries == 2
        }
        #expect(tries == 2)
    }
}
