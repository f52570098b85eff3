/// A client of bluetoothd over the system bus, for one thread.
final class BlueZ {
    private static let timeout = Duration.seconds(5)

    private let connection: DBusConnection
    private(set) var objects = BlueZObjects()
    /// Whether bluetoothd runs.
    private(set) var isRunning = false
    /// Whether bluetoothd has started or ended since the objects were listed: the list is then
    /// outdated.
    private var isStale = false
    /// The adapters where we have started a discovery.
    private var discovering: Set<String> = []

    /// Becomes readable when there are signals.
    var descriptor: CInt { connection.descriptor }

    /// Connects, and lists the objects. Subscribes to signals first, so that no change is missed in
    /// between.
    ///
    /// If bluetoothd does not run, the list is empty until it does. It is not started.
    init(_ address: DBusAddress, by deadline: Deadline? = nil, cancel: WakeEvent?) throws(DeviceError) {
        let deadline = deadline ?? .after(Self.timeout)
        connection = try DBusConnection(address, by: deadline, cancel: cancel)
        for rule in [
            "type='signal',sender='\(BlueZObjects.service)',interface='\(BlueZObjects.objectManager)'",
            "type='signal',sender='\(BlueZObjects.service)',interface='\(BlueZObjects.propertiesInterface)'",
            "type='signal',sender='\(DBusConnection.bus)',member='NameOwnerChanged',arg0='\(BlueZObjects.service)'",
        ] {
            let call = DBusMessage.call(
                DBusConnection.bus, path: "/org/freedesktop/DBus", interface: DBusConnection.bus, member: "AddMatch",
                body: [.string(rule)])
            guard case .returned = try self.call(call, by: deadline) else { throw .bluetoothUnavailable(.accessDenied) }
        }
        try list(by: deadline)
    }

    /// Processes the received signals.
    ///
    /// - Returns: Whether anything may have changed.
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

    /// Starts a discovery on every powered adapter.
    ///
    /// - Throws: ``DeviceError/bluetoothUnavailable(_:)``, with the obstacle.
    func startDiscovery() throws(DeviceError) {
        guard isRunning else { throw .bluetoothUnavailable(.noService) }
        guard !objects.adapters.isEmpty else { throw .bluetoothUnavailable(.noAdapter) }
        for adapter in objects.adapters where adapter.isPowered && !discovering.contains(adapter.path) {
            // Only devices that can have a serial port: without this, everything that advertises
            // over Bluetooth LE would arrive.
            let classic = DBusValue.entry(key: .string("Transport"), value: .variant(.string("bredr")))
            _ = try onAdapter(adapter.path, "SetDiscoveryFilter", [.array([classic], of: classic.type)])
            // An adapter that was just switched off is skipped; this may be all of them.
            if case .returned = try onAdapter(adapter.path, "StartDiscovery") { discovering.insert(adapter.path) }
        }
        guard !discovering.isEmpty else { throw .bluetoothUnavailable(.switchedOff) }
    }

    /// Errors are ignored: an adapter that does not answer has ended the discovery itself.
    func stopDiscovery() {
        for path in discovering { _ = try? onAdapter(path, "StopDiscovery") }
        discovering = []
    }

    private func onAdapter(_ path: String, _ method: String, _ body: [DBusValue] = []) throws(DeviceError)
        -> DBusConnection.Answer
    {
        try call(
            .call(
                BlueZObjects.service, path: path, interface: BlueZObjects.adapterInterface, member: method, body: body),
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

    /// Repeats until the list is from the running bluetoothd. Signals before the answer are older
    /// than the list, which overwrites them.
    private func list(by deadline: Deadline) throws(DeviceError) {
        repeat {
            isStale = false
            let answer = try call(
                .call(
                    BlueZObjects.service, path: "/", interface: BlueZObjects.objectManager, member: "GetManagedObjects"),
                by: deadline)
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
