import Foundation
import Synchronization
import Testing

@testable import DeviceIO

/// A swipe reader and a serial device over USB/IP, which come and go as `tell` has it.
@Suite(.serialized, .enabled(if: RealDevices.hotplug.areSetUp), .timeLimit(.minutes(20))) struct HotPlugTests {
    private let reader = FarSide("hid-337")
    private let modem = FarSide("acm")
    private static let readerID: UInt16 = 0x0801
    private static let modemID: UInt16 = 0x079B

    /// What the monitor has reported, in order.
    private final class Journal: Sendable {
        private let changes = Mutex<[DeviceMonitor.Change]>([])
        let monitor: DeviceMonitor

        init() async throws {
            monitor = try DeviceMonitor()
            try await monitor.start()
            Task { [weak self, monitor] in for await change in monitor.changes { self?.note(change) } }
        }

        private func note(_ change: DeviceMonitor.Change) { changes.withLock { $0.append(change) } }

        func arrivals(_ kind: DeviceNode.Kind, _ vendor: UInt16) -> [DeviceNode] {
            changes.withLock { changes in
                changes.compactMap {
                    if case .arrived(let node) = $0, node.kind == kind, node.vendor == vendor { node } else { nil }
                }
            }
        }

        func departures(_ kind: DeviceNode.Kind, _ vendor: UInt16) -> [DeviceNode] {
            changes.withLock { changes in
                changes.compactMap {
                    if case .left(let node) = $0, node.kind == kind, node.vendor == vendor { node } else { nil }
                }
            }
        }

        /// Whether arrivals and departures of each path take turns.
        var takesTurns: Bool {
            var present: Set<String> = []
            for change in changes.withLock({ $0 }) {
                switch change {
                case .arrived(let node): guard present.insert(node.path).inserted else { return false }
                case .left(let node): guard present.remove(node.path) != nil else { return false }
                }
            }
            return true
        }
    }

    private func isThere(_ vendor: UInt16, _ kind: DeviceNode.Kind) throws -> Bool {
        try DeviceMonitor.devices().contains { $0.vendor == vendor && $0.kind == kind }
    }

    /// Every node that a device has, come and gone.
    @Test func nodesAndWhatTheySay() async throws {
        let journal = try await Journal()
        try reader.tell("plug")
        try modem.tell("plug")
        try await eventually("all nodes arrive") {
            journal.arrivals(.usb, Self.readerID).count == 1 && journal.arrivals(.hid, Self.readerID).count == 1
                && journal.arrivals(.usb, Self.modemID).count == 1 && journal.arrivals(.serial, Self.modemID).count == 1
        }
        let whole = try #require(journal.arrivals(.usb, Self.readerID).first)
        let hid = try #require(journal.arrivals(.hid, Self.readerID).first)
        #expect(whole.product == 0x0002)
        #expect(hid.product == 0x0002)
        #expect(whole.serialNumber == "S1")
        #expect(hid.serialNumber == "S1")
        #expect(whole.maker == "Mag-Tek")
        #expect(hid.model == "USB Swipe Reader")
        #expect(whole.interfaces == [DeviceNode.InterfaceClass(3, subclass: 0, protocolCode: 0)])
        #expect(whole.interfaceNumber == nil)
        #expect(hid.interfaceNumber == 0)
        #expect(hid.driver == "hid-generic")
        #expect(whole.usbPath == whole.path)
        #expect(hid.usbPath == whole.path)
        #expect(whole.node.hasPrefix("/dev/bus/usb/"))
        #expect(hid.node.hasPrefix("/dev/hidraw"))

        let wholeModem = try #require(journal.arrivals(.usb, Self.modemID).first)
        let tty = try #require(journal.arrivals(.serial, Self.modemID).first)
        #expect(tty.node == "/dev/ttyACM0")
        #expect(tty.product == 0x0028)
        #expect(tty.serialNumber == "T1")
        #expect(tty.model == "Emulated pinpad")
        #expect(tty.usbPath == wholeModem.path)
        #expect(tty.interfaceNumber == 0)
        #expect(tty.driver == "cdc_acm")
        #expect(
            wholeModem.interfaces == [
                DeviceNode.InterfaceClass(2, subclass: 2, protocolCode: 1),
                DeviceNode.InterfaceClass(10, subclass: 0, protocolCode: 0),
            ])

        try reader.tell("unplug")
        try modem.tell("unplug")
        try await eventually("all nodes leave") {
            journal.departures(.usb, Self.readerID) == [whole] && journal.departures(.hid, Self.readerID) == [hid]
                && journal.departures(.usb, Self.modemID) == [wholeModem]
                && journal.departures(.serial, Self.modemID) == [tty]
        }
        #expect(journal.takesTurns)
        await journal.monitor.stop()
    }

    @Test("a removal is reported by the kernel, without udev") func removedWithoutUdev() async throws {
        try modem.tell("plug")
        try await eventually("the device is there") { try isThere(Self.modemID, .serial) }
        try run("udevadm", "settle")
        let journal = try await Journal()
        try await eventually("it is reported") { journal.arrivals(.serial, Self.modemID).count == 1 }
        try run("pkill", "-STOP", "systemd-udevd")
        defer { _ = try? run("pkill", "-CONT", "systemd-udevd") }
        try modem.tell("unplug")
        try await eventually("it leaves") {
            journal.departures(.serial, Self.modemID).count == 1 && journal.departures(.usb, Self.modemID).count == 1
        }
        // Udev tells it once more, after the device has come back.
        try modem.tell("plug")
        try run("pkill", "-CONT", "systemd-udevd")
        try await eventually("it comes back") {
            journal.arrivals(.serial, Self.modemID).count == 2 && journal.arrivals(.usb, Self.modemID).count == 2
        }
        try run("udevadm", "settle")
        #expect(journal.departures(.serial, Self.modemID).count == 1)
        #expect(journal.departures(.usb, Self.modemID).count == 1)
        try modem.tell("unplug")
        try await eventually("and leaves") { journal.departures(.serial, Self.modemID).count == 2 }
        #expect(journal.takesTurns)
        await journal.monitor.stop()
    }

    /// A device that is already connected is reported first.
    @Test func presentAtTheStart() async throws {
        try modem.tell("plug")
        try await eventually("the device is there") { try isThere(Self.modemID, .serial) }
        let journal = try await Journal()
        try await eventually("it is reported") { journal.arrivals(.serial, Self.modemID).count == 1 }
        try modem.tell("unplug")
        try await eventually("it leaves") { journal.departures(.serial, Self.modemID).count == 1 }
        await journal.monitor.stop()
    }

    @Test("A hundred times in and out, each as long as udev takes to report it: none is lost, none is reported twice")
    func hundredCycles()
        async throws
    {
        let journal = try await Journal()
        let begin = ContinuousClock.now
        for cycle in 1...100 {
            try reader.tell("plug")
            try await eventually("arrival \(cycle)") { journal.arrivals(.hid, Self.readerID).count == cycle }
            try reader.tell("unplug")
            try await eventually("departure \(cycle)") {
                journal.departures(.hid, Self.readerID).count == cycle
                    && journal.departures(.usb, Self.readerID).count == cycle
            }
        }
        #expect(journal.arrivals(.usb, Self.readerID).count == 100)
        #expect(journal.takesTurns)
        print("measured: 100 cycles in \(ContinuousClock.now - begin)")
        await journal.monitor.stop()
    }

    @Test("Faster than anybody can look: in the end nothing is left over and nothing is missing")
    func cyclesWithoutWaiting() async throws {
        let journal = try await Journal()
        let begin = ContinuousClock.now
        let before = try modem.said().filter { $0 == "cycled 20" }.count
        try modem.tell("cycle 20 0.02")
        try await eventually("the cycles end", within: .seconds(120)) {
            try modem.said().filter { $0 == "cycled 20" }.count > before
        }
        let seen = journal.arrivals(.serial, Self.modemID).count
        try modem.tell("plug")
        try await eventually("the device is there at last") {
            journal.arrivals(.serial, Self.modemID).count == journal.departures(.serial, Self.modemID).count + 1
        }
        try run("udevadm", "settle")
        try modem.tell("unplug")
        try await eventually("and gone at last") {
            journal.arrivals(.serial, Self.modemID).count == journal.departures(.serial, Self.modemID).count
                && journal.arrivals(.usb, Self.modemID).count == journal.departures(.usb, Self.modemID).count
        }
        #expect(journal.takesTurns)
        print("measured: 20 cycles without waiting in \(ContinuousClock.now - begin), \(seen) seen")
        await journal.monitor.stop()
    }

    /// The monitor's thread is held up until the kernel's queue has run over: the changes meanwhile
    /// are still reported, from a new list.
    @Test func changesThatTheKernelDropped() async throws {
        try modem.tell("plug")
        try await eventually("the device is there") { try isThere(Self.modemID, .serial) }
        let journal = try await Journal()
        try await eventually("it is reported") { journal.arrivals(.serial, Self.modemID).count == 1 }

        let held = DispatchSemaphore(value: 0)
        let holding = Task { await journal.monitor.holdUp(held) }
        // 64 consoles and more each time; the queue of a program without CAP_NET_ADMIN takes some
        // hundred messages.
        for _ in 0..<12 { try run("udevadm", "trigger", "--action=add", "--subsystem-match=tty", "--settle") }
        #expect(try Self.droppedMessages() > 0)
        // The modem comes back in its place, with nodes of the same names.
        try modem.tell("unplug")
        try await eventually("the device is gone") { try !isThere(Self.modemID, .serial) }
        try modem.tell("plug")
        try await eventually("the device is back") { try isThere(Self.modemID, .serial) }
        try reader.tell("plug")
        try await eventually("the other is there") { try isThere(Self.readerID, .hid) }
        try run("udevadm", "settle")
        #expect(journal.departures(.serial, Self.modemID).isEmpty)
        #expect(journal.arrivals(.hid, Self.readerID).isEmpty)
        held.signal()
        await holding.value
        try await eventually("both are reported") {
            journal.departures(.serial, Self.modemID).count == 1 && journal.arrivals(.serial, Self.modemID).count == 2
                && journal.arrivals(.hid, Self.readerID).count == 1
        }
        #expect(journal.takesTurns)
        try reader.tell("unplug")
        try modem.tell("unplug")
        try await eventually("and listening goes on") {
            journal.departures(.hid, Self.readerID).count == 1 && journal.departures(.serial, Self.modemID).count == 2
        }
        await journal.monitor.stop()
    }

    /// Of this process's netlink sockets: the column Drops of `/proc/net/netlink`, which has the
    /// socket's inode last.
    private static func droppedMessages() throws -> Int {
        let own = Set(
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            })
        return try String(contentsOfFile: "/proc/net/netlink", encoding: .utf8).split(separator: "\n").dropFirst()
            .reduce(0) { sum, line in
                let columns = line.split(separator: " ")
                guard columns.count >= 10, own.contains("socket:[\(columns[9])]") else { return sum }
                return sum + (Int(columns[8]) ?? 0)
            }
    }
}

extension DeviceMonitor {
    fileprivate func holdUp(_ semaphore: DispatchSemaphore) { semaphore.wait() }
}
