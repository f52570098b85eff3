import CardCapture
import ReaderDoubles
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
        await ReaderWatch(found, .chip(slot)).run(changes, isPresent: true) { arrived in
            opened.append(arrived)
            return true
        }
        #expect(opened == [found])
        slot.events.send(.connected)
        var received: [ReaderEvent] = []
        for await event in lost {
            received.append(event)
            if event == .connected { break }
        }
        #expect(received == [.disconnected(.unplugged), .connected])
    }

    private func port(_ node: String, product: UInt16, serial: String = "") -> DeviceNode {
        DeviceNode(
            kind: .serial, node: node, path: "/devices\(node)", vendor: product == 0 ? 0 : 0x0403, product: product,
            maker: "", model: "",
            serialNumber: serial, usbPath: "", interfaceNumber: nil, interfaces: [], driver: "")
    }

    @Test("a reader that cannot be identified returns with its adapter, or at its port of the board")
    func namedReturns() async throws {
        for (node, returning, isSame) in [
            (port("/dev/ttyUSB0", product: 0x6001), port("/dev/ttyUSB1", product: 0x6001), true),
            (port("/dev/ttyUSB0", product: 0x6001), port("/dev/ttyUSB0", product: 0x6015), false),
            (
                port("/dev/ttyUSB0", product: 0x6001, serial: "A"), port("/dev/ttyUSB0", product: 0x6001, serial: "B"),
                false
            ),
            (port("/dev/ttyS0", product: 0), port("/dev/ttyS0", product: 0), true),
            (port("/dev/ttyS0", product: 0), port("/dev/ttyS1", product: 0), false),
        ] {
            let model = ReaderModel(.serial, name: "Phoenix")
            let found = ReaderCatalog.Found(node: node, family: .phoenix, model: model, isNamed: true)
            let (changes, monitor) = AsyncStream.makeStream(of: DeviceMonitor.Change.self)
            for change in [DeviceMonitor.Change.left(node), .arrived(returning)] { monitor.yield(change) }
            monitor.finish()
            var opened: [ReaderCatalog.Found] = []
            await ReaderWatch(found, .chip(VirtualReader())).run(changes, isPresent: true) { arrived in
                opened.append(arrived)
                return true
            }
            #expect(opened.map(\.node) == (isSame ? [returning] : []))
            #expect(opened.allSatisfy { $0.family == .phoenix && $0.isNamed })
        }
    }

    @Test("a reader that cannot be opened yet is waited for") func opensLater() async throws {
        let node = DeviceNode.usb(0x1234, 0x5678, [chip])
        let found = try #require(ReaderCatalog.reader(node))
        let (changes, monitor) = AsyncStream.makeStream(of: DeviceMonitor.Change.self)
        for change in [DeviceMonitor.Change.left(node), .arrived(node), .arrived(node)] { monitor.yield(change) }
        monitor.finish()
        var tries = 0
        await ReaderWatch(found, .chip(VirtualReader())).run(changes, isPresent: true) { _ in
            tries += 1
            return tries == 2
        }
        #expect(tries == 2)
    }

    /// Between its opening and the start of the monitor, which reports no change then.
    @Test("a reader that left before the watch began is lost at once, and opened when it is back") func leftBefore()
        async throws
    {
        let node = DeviceNode.usb(0x1234, 0x5678, [chip])
        let (found, slot) = (try #require(ReaderCatalog.reader(node)), VirtualReader())
        var lost = slot.events.stream().makeAsyncIterator()
        let (changes, monitor) = AsyncStream.makeStream(of: DeviceMonitor.Change.self)
        monitor.yield(.arrived(.bluetooth("Miura 515")))
        monitor.yield(.arrived(node))
        monitor.finish()
        var opened: [ReaderCatalog.Found] = []
        await ReaderWatch(found, .chip(slot)).run(changes, isPresent: false) { arrived in
            opened.append(arrived)
            return true
        }
        #expect(await lost.next() == .disconnected(.unplugged))
        #expect(opened == [found])
    }

    /// A pseudoterminal is in no list of udev's.
    @Test(
        "a reader at a device file that udev does not list is there as long as the file is", arguments: [true, false])
    func notListed(isThere: Bool) async throws {
        let line = try PseudoTerminalLine { line in while line.byte() != nil {} }
        let found = ReaderCatalog.reader(of: .phoenix, at: isThere ? line.path : "/dev/ttyUSB4095")
        let slot = VirtualReader()
        var events = slot.events.stream().makeAsyncIterator()
        let (changes, monitor) = AsyncStream.makeStream(of: DeviceMonitor.Change.self)
        monitor.finish()
        await ReaderWatch(found, .chip(slot)).run(changes, isPresent: false) { _ in true }
        slot.events.send(.connected)
        #expect(await events.next() == (isThere ? .connected : .disconnected(.unplugged)))
    }
}
