import Foundation
import Testing

@testable import DeviceIO

/// Two Bluetooth controllers of BlueZ's emulator, paired by nothing but air: the first one is this
/// machine's, at the second one listens a reader on channel 5 that sends back what it is sent, and
/// bluetoothd tells of it.
@Suite(.serialized, .enabled(if: RealDevices.rfcomm.areSetUp), .timeLimit(.minutes(20))) struct RFCOMMDeviceTests {
    private let address: BluetoothAddress

    init() throws {
        let text = try #require(ProcessInfo.processInfo.environment["CARDPRESENT_RFCOMM_ADDRESS"])
        address = try #require(BluetoothAddress(text))
    }

    private func connect(
        _ address: BluetoothAddress, channel: UInt8? = nil, service: ServiceDiscovery.Service = .serialPort
    ) throws(DeviceError) -> OnDeviceThread<RFCOMMConnection> {
        try OnDeviceThread { cancel throws(DeviceError) in
            try RFCOMMConnection(
                address: address, channel: channel, service: service, by: .after(.seconds(30)), cancel: cancel)
        }
    }

    private func exchange(_ bytes: [UInt8], _ connection: OnDeviceThread<RFCOMMConnection>) async throws(DeviceError)
        -> [UInt8]
    {
        try await connection.perform { transport throws(DeviceError) in
            try transport.write(bytes, by: .after(.seconds(30)))
            return try transport.read(exactly: bytes.count, by: .after(.seconds(60)))
        }
    }

    /// A connection that stands: one that is made right after another was closed may be lost with
    /// it.
    private func established() async throws -> OnDeviceThread<RFCOMMConnection> {
        for _ in 0..<5 {
            let connection = try connect(address, channel: 5)
            do throws(DeviceError) {
                for byte in [UInt8](0..<3) where try await exchange([byte], connection) != [byte] {
                    throw DeviceError.malformed(.echo, .differs)
                }
                return connection
            } catch {
                guard error == .disconnected else { throw error }
            }
        }
        throw DeviceError.disconnected
    }

    private func receive(_ connection: OnDeviceThread<RFCOMMConnection>) async throws(DeviceError) -> [UInt8] {
        try await connection.perform { transport throws(DeviceError) in
            try transport.read(atMost: 1, by: .after(.seconds(60)))
        }
    }

    @Test func channelIsFoundByServiceDiscovery() async throws {
        #expect(try ServiceDiscovery.channel(of: .serialPort, at: address, by: .after(.seconds(30)), cancel: nil) == 5)
        let connection = try connect(address)
        let sent = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 256) }
        #expect(try await exchange(sent, connection) == sent)
    }

    /// Headset, 0x1108: bluetoothd has no record of it.
    @Test func serviceThatIsNotOffered() {
        #expect(throws: DeviceError.notOffered(address.description)) {
            try connect(address, service: ServiceDiscovery.Service(0x1108))
        }
    }

    /// The kernel's word for it is the one for a reader that is paired elsewhere.
    @Test func nothingListensOnTheChannel() throws {
        #expect(throws: DeviceError.channelNotOffered(address.description, 9)) { try connect(address, channel: 9) }
        #expect(try ServiceDiscovery.channels(at: address, by: .after(.seconds(30)), cancel: nil).contains(5))
    }

    /// The kernel keeps a connection for a moment after it was closed, and says EBUSY.
    @Test func connectedAgainAtOnce() async throws {
        for _ in 0..<10 { _ = try await established() }
    }

    /// The channel is in use by this program: another connection gets this error at its deadline,
    /// and goes through once it is free.
    @Test("A channel that is in use is busy for another connection") func connectedTwice() async throws {
        do {
            let first = try await established()
            #expect(throws: DeviceError.busy(address.description, holder: nil)) {
                try RFCOMMConnection(address: address, channel: 5, by: .after(.milliseconds(300)), cancel: nil)
            }
            #expect(try await exchange([1], first) == [1])
        }
        let second = try await established()
        #expect(try await exchange([2], second) == [2])
    }

    @Test func deadlineAndCancellation() async throws {
        let connection = try await established()
        await #expect(throws: DeviceError.timedOut) {
            try await connection.perform { transport throws(DeviceError) in
                try transport.read(atMost: 1, by: .after(.milliseconds(50)))
            }
        }
        let waiting = Task {
            try await connection.cancellable { transport throws(DeviceError) in
                try transport.read(atMost: 1, by: .never)
            }
        }
        try await Task.sleep(for: .milliseconds(50))
        waiting.cancel()
        await #expect(throws: DeviceError.cancelled) { try await waiting.value }
        #expect(try await exchange([3], connection) == [3])
    }

    @Test func theOtherSideCloses() async throws {
        let connection = try await established()
        let waiting = Task { try await receive(connection) }
        try await Task.sleep(for: .milliseconds(100))
        try FarSide("peer").tell("close")
        await #expect(throws: DeviceError.disconnected) { try await waiting.value }
        let again = try await established()
        #expect(try await exchange([4], again) == [4])
    }

    @Test("While it connects, with and without service discovery") func cancelledConnecting() async throws {
        let event = try WakeEvent()
        event.signal()
        for channel in [nil, 5] as [UInt8?] {
            #expect(throws: DeviceError.cancelled) {
                try RFCOMMConnection(address: address, channel: channel, by: .never, cancel: event)
            }
        }
        // The kernel lets go of the link when nobody has used it for two seconds, and with it of
        // what was given up.
        try await Task.sleep(for: .seconds(6))
        _ = try await established()
    }

    /// Switched off during a wait; then there is none to connect with.
    @Test func ownAdapterIsOff() async throws {
        let connection = try await established()
        let waiting = Task { try await receive(connection) }
        try await Task.sleep(for: .milliseconds(100))
        for controller in ["hci0", "hci1"] { try run("hciconfig", controller, "down") }
        await #expect(throws: DeviceError.disconnected) { try await waiting.value }
        #expect(throws: DeviceError.bluetoothUnavailable(.switchedOff)) { try connect(address) }
        #expect(throws: DeviceError.bluetoothUnavailable(.switchedOff)) { try connect(address, channel: 5) }
        for controller in ["hci0", "hci1"] { try run("hciconfig", controller, "up") }
    }

    /// The last test: Debian's kernel 6.1.192 says EHOSTDOWN as it should, and then trips over its
    /// own list (hci_chan_del), after which Bluetooth is gone.
    @Test func outOfRange() {
        #expect(throws: DeviceError.asleep("00:11:22:33:44:55")) {
            guard let absent = BluetoothAddress("00:11:22:33:44:55") else { return }
            _ = try RFCOMMConnection(address: absent, channel: 5, by: .after(.seconds(30)), cancel: nil)
        }
    }
}
