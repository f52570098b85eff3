/// Why Bluetooth cannot be used on this computer.
public enum BluetoothObstacle: Hashable, Sendable, CaseIterable {
    /// There is no system bus to connect to bluetoothd.
    case noBus
    /// The bus denies this user access to bluetoothd.
    case accessDenied
    /// bluetoothd does not run.
    case noService
    case noAdapter
    /// There are adapters, but all are switched off.
    case switchedOff
    /// The radio is switched off by rfkill.
    case blocked
    /// The radio is switched off by a switch or key of the computer.
    case blockedByHardware

    public var problem: String {
        switch self {
        case .noBus: "there is no D-Bus system bus, which Bluetooth requires"
        case .accessDenied: "this user has no permission to use the Bluetooth service"
        case .noService: "the Bluetooth service (bluetoothd) is not running"
        case .noAdapter: "there is no Bluetooth adapter, or its firmware is missing"
        case .switchedOff: "the Bluetooth adapter is switched off"
        case .blocked: "the Bluetooth radio is blocked (rfkill)"
        case .blockedByHardware: "the Bluetooth radio is blocked by a hardware switch: switch it on there"
        }
    }

    /// The command that solves it, or that shows details if it must be solved by hand.
    public var cure: String {
        switch self {
        case .noBus: "sudo apt-get install dbus && sudo systemctl start dbus"
        case .accessDenied: "sudo usermod --append --groups bluetooth \"$USER\" and a new login"
        case .noService: "sudo apt-get install bluez && sudo systemctl start bluetooth"
        case .noAdapter: "sudo dmesg | grep -i bluetooth"
        case .switchedOff: "bluetoothctl power on"
        case .blocked: "rfkill unblock bluetooth"
        case .blockedByHardware: "rfkill list bluetooth"
        }
    }
}

extension BluetoothObstacle {
    /// The first obstacle on this computer; nil if there is none.
    ///
    /// - Parameters:
    ///   - bus: The bus of bluetoothd.
    ///   - sysfs: where the kernel describes adapters and radios.
    static func ofThisHost(bus: DBusAddress?, sysfs: String = "/sys") -> BluetoothObstacle? {
        let controllers = ProcFiles.entries(sysfs + "/class/bluetooth").filter {
            $0.hasPrefix("hci") && !$0.contains(":")
        }
        guard !controllers.isEmpty else { return .noAdapter }
        if let blocked = radio(sysfs) { return blocked }
        guard let bus else { return .noBus }
        do throws(DeviceError) {
            let bluez = try BlueZ(bus, by: .after(.seconds(2)), cancel: nil)
            guard bluez.isRunning else { return .noService }
            guard !bluez.objects.adapters.isEmpty else { return .noAdapter }
            return bluez.objects.adapters.contains(where: \.isPowered) ? nil : .switchedOff
        } catch {
            if case .bluetoothUnavailable(let obstacle) = error { return obstacle }
            return .noService
        }
    }

    /// Whether every Bluetooth radio is blocked (kernel,
    /// Documentation/ABI/stable/sysfs-class-rfkill).
    private static func radio(_ sysfs: String) -> BluetoothObstacle? {
        let folder = sysfs + "/class/rfkill"
        func text(_ entry: String, _ file: String) -> Substring? {
            ProcFiles.text("\(folder)/\(entry)/\(file)", atMost: 32)?.prefix { $0 != "\n" }
        }
        let radios = ProcFiles.entries(folder).filter { text($0, "type") == "bluetooth" }
        let blocks = radios.map { radio in
            text(radio, "hard") == "1" ? blockedByHardware : text(radio, "soft") == "1" ? blocked : nil
        }
        return blocks.contains(nil) ? nil : blocks.first ?? nil
    }
}
