import Foundation

@testable package import DeviceIO

/// A message bus of its own, with python-dbusmock's org.bluez on it on request.
package final class PrivateBus {
    struct PeerFailed: Error { let arguments: [String] }
    struct TimedOut: Error { let what: String }

    /// Debian's Python has Debian's modules; another one on the PATH has not.
    private static let peer = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../Peers/bluez.py"
    ).standardized

    package let address: DBusAddress
    private let text: String
    private let folder: URL
    private var daemon: Process
    private var bluez: Process?

    /// - Parameter policy: Rules of the bus besides those that allow everything (dbus-daemon(1)).
    package init(policy: String = "") throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "bus-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        text = "unix:path=\(folder.path(percentEncoded: false))/socket"
        guard let address = DBusAddress(text) else { throw PeerFailed(arguments: [text]) }
        self.address = address
        let configuration = folder.appending(path: "bus.conf")
        try Data(
            """
            <busconfig><type>session</type><listen>\(text)</listen><auth>EXTERNAL</auth><policy context="default">
            <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/><allow own="*"/>\(policy)</policy></busconfig>
            """.utf8
        ).write(to: configuration)
        daemon = try Self.started([
            "dbus-daemon", "--nofork", "--nosyslog", "--config-file=\(configuration.path(percentEncoded: false))",
        ])
        try wait("the bus listens") { FileManager.default.fileExists(atPath: String(text.dropFirst(10))) }
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    package var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": text] }

    /// - Parameter waits: Until it can be spoken to.
    package func startBluez(waits: Bool = true) throws {
        bluez = try Self.started(["/usr/bin/python3", "-m", "dbusmock", "--template", "bluez5"], environment)
        guard waits else { return }
        try wait("org.bluez is there") { (try? BlueZ(address, cancel: nil))?.isRunning == true }
    }

    package func stopBluez() {
        bluez.map(Self.end)
        bluez = nil
    }

    /// The bus goes away, with everybody on it.
    package func stop() {
        stopBluez()
        Self.end(daemon)
    }

    /// A child has the signals blocked that its parent's thread had, SIGTERM among them.
    private static func end(_ process: Process) {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Has the mock do what `Tests/Peers/bluez.py` says.
    @discardableResult
    package func bluez(_ arguments: String...) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["/usr/bin/python3", Self.peer.path(percentEncoded: false), text] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw PeerFailed(arguments: arguments) }
        return String(decoding: said, as: UTF8.self)
    }

    package func addAdapter(_ name: String = "hci0") throws {
        try bluez("call", "/", "org.bluez.Mock", "AddAdapter", name, "till")
    }

    package func addDevice(_ address: String, _ name: String, adapter: String = "hci0") throws {
        try bluez("call", "/", "org.bluez.Mock", "AddDevice", adapter, address, name)
    }

    /// Whether the adapter looks for devices.
    package func isDiscovering() throws -> Bool {
        try bluez("get", "/org/bluez/hci0", "org.bluez.Adapter1", "Discovering") == "1\n"
    }

    package static func path(_ address: String, adapter: String = "hci0") -> String {
        "/org/bluez/\(adapter)/dev_" + address.replacingOccurrences(of: ":", with: "_")
    }

    private func wait(_ what: String, _ condition: () throws -> Bool) throws {
        let limit = Deadline.after(.seconds(30))
        while try !condition() {
            if limit.hasPassed { throw TimedOut(what: what) }
            usleep(10_000)
        }
    }

    private static func started(_ command: [String], _ environment: [String: String] = [:]) throws -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = command
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }
}
