/// bluetoothd, over the system bus: for one thread.
final class BlueZ {
    private static let timeout = Duration.seconds(5)

    private let connection: DBusConnection
    private(set) var objects = BlueZObjects()
    /// Whether bluetoothd runs.
    private(set) var isRunning = false
    /// Whether bluetoothd has come or gone since the objects were listed: what is known is then of another one.
    private var isStale = false
    /// The adapters that look for devices for us.
    private var discovering: Set<String> = []

    /// Can be read when there is news.
    var descriptor: CInt { connection.descriptor }

    /// Connects, and lists what is there. Signals are asked for first, so that nothing is missed in between.
    ///
    /// bluetoothd need not run: there is nothing then, until it does. It is not started.
    init(_ address: DBusAddress, by deadline: Deadline? = nil, cancel: WakeEvent?) throws(DeviceError) {
        let deadline = deadline ?? .after(Self.timeout)
        connection = try DBusConnection(address, by: deadline, cancel: cancel)
        for rule in [
            "type='signal',sender='\(BlueZObjects.service)',interface='\(BlueZObjects.objectManager)'",
            "type='signal',sender='\(BlueZObjects.service)',interface='\(BlueZObjects.propertiesInterface)'",
            "type='signal',sender='\(DBusConnection.bus)',member='NameOwnerChanged',arg0='\(BlueZObjects.service)'",
        ] {
            let call = DBusMessage.call(
                DBusConnection.bus, path: "/org/freedesktop/DBus", interface: DBusConnection.bus, member: "AddMatch", body: [.string(rule)])
            guard case .returned = try self.call(call, by: deadline) else { throw .bluetoothUnavailable(.accessDenied) }
        }
        try list(by: deadline)
    }

    /// What has come in, taken in.
    ///
    /// - Returns: Whether anything may be different now.
    func takeNews() throws(DeviceError) -> Bool {
        var isNew = false
        while let message = try connection.next(by: .after(.zero)) {
            guard message.kind == .signal else { continue }
            take(message)
            isNew = true
        }
        if isStale { try list(by: .after(Self.timeout)) }
        return isNew
    }

    /// Has every adapter that is powered look for devices.
    ///
    /// - Throws: ``DeviceError/bluetoothUnavailable(_:)``, with what is in the way.
    func startDiscovery() throws(DeviceError) {
        guard isRunning else { throw .bluetoothUnavailable(.noService) }
        guard !objects.adapters.isEmpty else { throw .bluetoothUnavailable(.noAdapter) }
        for adapter in objects.adapters where adapter.isPowered && !discovering.contains(adapter.path) {
            // Only devices that can have a serial port: without this, everything that advertises over Bluetooth LE would arrive.
            let classic = DBusValue.entry(key: .string("Transport"), value: .variant(.string("bredr")))
            _ = try onAdapter(adapter.path, "SetDiscoveryFilter", [.array([classic], of: classic.type)])
            // An adapter that was switched off just now is passed over; all of them may be.
            if case .returned = try onAdapter(adapter.path, "StartDiscovery") { discovering.insert(adapter.path) }
        }
        guard !discovering.isEmpty else { throw .bluetoothUnavailable(.switchedOff) }
    }

    /// What does not answer has ended the search itself.
    func stopDiscovery() {
        for path in discovering { _ = try? onAdapter(path, "StopDiscovery") }
        discovering = []
    }

    private func onAdapter(_ path: String, _ method: String, _ body: [DBusValue] = []) throws(DeviceError) -> DBusConnection.Answer {
        try call(
            .call(BlueZObjects.service, path: path, interface: BlueZObjects.adapterInterface, member: method, body: body),
            by: .after(Self.timeout))
    }

    private func call(_ message: DBusMessage, by deadline: Deadline) throws(DeviceError) -> DBusConnection.Answer {
        try connection.call(message, by: deadline, meanwhile: take)
    }

    private func take(_ signal: DBusMessage) {
        if signal.member == "NameOwnerChanged" {
            isStale = true
        } else {
            objects.take(signal)
        }
    }

    /// Until the list is of the bluetoothd that runs. What was signalled before its answer is older than the list, and is overwritten by it.
    private func list(by deadline: Deadline) throws(DeviceError) {
        repeat {
            isStale = false
            let answer = try call(
                .call(BlueZObjects.service, path: "/", interface: BlueZObjects.objectManager, member: "GetManagedObjects"), by: deadline)
            switch answer {
            case .returned(let body):
                guard let found = BlueZObjects(managed: body) else { throw .malformed(.bluetoothDeviceList, .invalid) }
                objects = found
                isRunning = true
            case .failed("org.freedesktop.DBus.Error.AccessDenied"): throw .bluetoothUnavailable(.accessDenied)
            case .failed:
                objects = BlueZObjects()
                isRunning = false
                discovering = []
            }
        } while isStale
    }
}
