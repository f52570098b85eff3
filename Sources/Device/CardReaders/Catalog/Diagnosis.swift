public import DeviceIO

/// One result of a check of the host: something prevents the use of a reader, or nothing does.
public struct Diagnosis: Sendable, Equatable {
    /// The subject of the check: `udev`, `USB`, a group, or a reader with its node.
    public let subject: String
    /// The problem; nil if there is none.
    public let problem: String?
    /// The command that solves it.
    public let cure: String?
    /// Whether it applies to every host. Bluetooth is only required for Bluetooth readers.
    public let isRequired: Bool

    init(_ subject: String, problem: String? = nil, cure: String? = nil, isRequired: Bool = true) {
        self.subject = subject
        self.problem = problem
        self.cure = cure
        self.isRequired = isRequired
    }
}

extension Diagnosis {
    static let rulesFile = "/etc/udev/rules.d/" + UdevRules.fileName
    static let otherRulesFiles = [
        "/usr/lib/udev/rules.d/" + UdevRules.fileName, "/lib/udev/rules.d/" + UdevRules.fileName,
    ]
    static let udevSocket = "/run/udev/control"
    static let usbFolder = "/dev/bus/usb"

    /// Checks this computer.
    public static func ofThisHost() throws(DeviceError) -> [Diagnosis] {
        let devices = try DeviceMonitor.devices()
        let readers = ReaderCatalog.readers(among: devices)
        let state = HostState(
            lookingFor: [rulesFile, udevSocket, usbFolder] + otherRulesFiles,
            nodes: readers.filter { $0.node.kind != .bluetooth }.map(\.node.node))
        // Without the service there are no readers behind it, which is not a fault.
        return diagnoses(
            state, readers, throughPCSC: (try? PCSCReader.names()) ?? [],
            unsupported: ReaderCatalog.unsupportedReaders(among: devices))
    }

    static func diagnoses(
        _ state: HostState, _ readers: [ReaderCatalog.Found], throughPCSC names: [String] = [],
        unsupported: [UnsupportedReader] = []
    ) -> [Diagnosis] {
        var found = [udev(state), usb(state), rules(state), bluetooth(state)]
        found += readers.map { reader($0, state) }
        found += names.map { Diagnosis("\($0) (PC/SC)") }
        // Other readers can be used beside it.
        found += unsupported.map {
            Diagnosis("\($0.name) (\($0.node.node))", problem: $0.problem, cure: $0.cure, isRequired: false)
        }
        if readers.isEmpty, names.isEmpty {
            found.append(Diagnosis("readers", problem: "no supported reader is connected", cure: "lsusb"))
        }
        let isBarred = readers.contains { $0.node.kind != .bluetooth && !state.accessible.contains($0.node.node) }
        if !state.isRoot, !state.groups.contains(UdevRules.group), isBarred {
            found.append(
                Diagnosis(
                    "group \(UdevRules.group)",
                    problem: "you are not a member of this group, which hosts without a seat require",
                    cure: "sudo usermod --append --groups \(UdevRules.group) \"$USER\" and a new login"))
        }
        found += modules(state) + services(state, readers)
        return found
    }

    private static func udev(_ state: HostState) -> Diagnosis {
        state.files.contains(udevSocket)
            ? Diagnosis("udev")
            : Diagnosis(
                "udev", problem: "it is not running, so no reader is detected",
                cure: "sudo systemctl start systemd-udevd")
    }

    private static func usb(_ state: HostState) -> Diagnosis {
        state.files.contains(usbFolder)
            ? Diagnosis("USB")
            : Diagnosis(
                "USB", problem: "this machine or container has no USB devices",
                cure: "docker run --device /dev/bus/usb … or a USB controller")
    }

    private static func rules(_ state: HostState) -> Diagnosis {
        !state.files.isDisjoint(with: [rulesFile] + otherRulesFiles)
            ? Diagnosis("udev rules")
            : Diagnosis("udev rules", problem: "they are not installed", cure: "sudo cardpresent udev install")
    }

    private static func bluetooth(_ state: HostState) -> Diagnosis {
        guard let obstacle = state.bluetooth else { return Diagnosis("Bluetooth") }
        return Diagnosis("Bluetooth", problem: obstacle.problem, cure: obstacle.cure, isRequired: false)
    }

    private static func reader(_ reader: ReaderCatalog.Found, _ state: HostState) -> Diagnosis {
        let subject = "\(reader.name) (\(reader.node.node))"
        if let bluetooth = reader.node.bluetooth {
            guard !bluetooth.isPaired else { return Diagnosis(subject) }
            return Diagnosis(
                subject, problem: "it is not paired with this machine", cure: "bluetoothctl pair \(bluetooth.address)")
        }
        guard state.accessible.contains(reader.node.node) else {
            if let command = UdevRules.command(for: reader) {
                return Diagnosis(
                    subject,
                    problem: "you have no permission to open it, and no udev rule matches its vendor and product",
                    cure: command)
            }
            return Diagnosis(
                subject, problem: "you have no permission to open it", cure: "sudo cardpresent udev install")
        }
        switch state.holders[reader.node.node] {
        case nil: return Diagnosis(subject)
        case let holder? where holder.hasPrefix("pcscd"):
            return Diagnosis(
                subject,
                problem:
                    "it is in use by \(holder): use it through PC/SC (cardpresent apdu --pcsc), or stop that program",
                cure: "sudo systemctl stop pcscd.socket pcscd.service")
        case let holder?:
            let process = holder.split(separator: " ").last.map { String($0.filter(\.isNumber)) } ?? ""
            return Diagnosis(subject, problem: "it is in use by \(holder)", cure: "kill \(process)")
        }
    }

    /// The kernel's driver that claims contactless readers. Another one, port100, claims only a
    /// reader that is not supported (``UnsupportedReader``).
    private static func modules(_ state: HostState) -> [Diagnosis] {
        let module = "pn533_usb"
        guard state.modules.contains(module) else { return [] }
        return [
            Diagnosis(
                "kernel module \(module)", problem: "it claims contactless readers: a PN533 and the ACR122U",
                cure:
                    "sudo modprobe --remove \(module) && echo 'blacklist \(module)' | sudo tee /etc/modprobe.d/cardpresent.conf"
            )
        ]
    }

    /// Services that send commands to serial devices unasked.
    private static func services(_ state: HostState, _ readers: [ReaderCatalog.Found]) -> [Diagnosis] {
        var found: [Diagnosis] = []
        if state.programs.contains("ModemManager"), state.files.isDisjoint(with: [rulesFile] + otherRulesFiles) {
            found.append(
                Diagnosis(
                    "ModemManager", problem: "it probes serial PIN pads as modems in their first ten seconds",
                    cure: "sudo cardpresent udev install"))
        }
        if state.programs.contains("brltty") {
            found.append(
                Diagnosis(
                    "brltty", problem: "it claims serial adapters (CP210x, CH340, FTDI) as Braille displays",
                    cure: "sudo systemctl mask --now brltty-udev.service brltty.service"))
        }
        return found
    }
}
