private import Glibc

/// The state of this computer, for the diagnosis of a reader that does not work.
public struct HostState: Sendable, Equatable {
    /// The names of the running programs, at most 15 characters of each.
    public var programs: Set<String>
    /// The modules of the kernel.
    public var modules: Set<String>
    /// The groups of this user, by name.
    public var groups: Set<String>
    public var isRoot: Bool
    /// The existing files of those in question.
    public var files: Set<String>
    /// Device files that this user may open.
    public var accessible: Set<String>
    /// Device file to program.
    public var holders: [String: String]
    /// Why Bluetooth cannot be used; nil if it can.
    public var bluetooth: BluetoothObstacle?

    public init(
        programs: Set<String> = [], modules: Set<String> = [], groups: Set<String> = [], isRoot: Bool = false,
        files: Set<String> = [],
        accessible: Set<String> = [], holders: [String: String] = [:], bluetooth: BluetoothObstacle? = nil
    ) {
        self.programs = programs
        self.modules = modules
        self.groups = groups
        self.isRoot = isRoot
        self.files = files
        self.accessible = accessible
        self.holders = holders
        self.bluetooth = bluetooth
    }

    /// - Parameters:
    ///   - files: The files to look for.
    ///   - nodes: Device files of readers.
    ///   - bus: The bus of bluetoothd.
    public init(lookingFor files: [String], nodes: [String], bus: DBusAddress? = .system) {
        self.init(
            programs: Set(ProcFiles.processes.compactMap(ProcFiles.name(ofProcess:))),
            modules: Set(
                (ProcFiles.text("/proc/modules", atMost: 1 << 20) ?? "").split(separator: "\n").compactMap { line in
                    line.split(separator: " ").first.map(String.init)
                }), groups: Self.groupNames(), isRoot: geteuid() == 0,
            files: Set(files.filter { unsafe access($0, F_OK) == 0 }),
            accessible: Set(nodes.filter { unsafe access($0, R_OK | W_OK) == 0 }))
        for node in nodes { holders[node] = DeviceHolder.program(holding: node) }
        bluetooth = BluetoothObstacle.ofThisHost(bus: bus)
    }

    private static func groupNames() -> Set<String> {
        var identifiers = [gid_t](repeating: 0, count: 1024)
        // fits: 1024
        let count = unsafe getgroups(Int32(identifiers.count), &identifiers)
        let all = identifiers.prefix(max(0, Int(count))) + [getegid()]
        return Set(
            all.compactMap { identifier in
                unsafe getgrgid(identifier).map { unsafe String(cString: $0.pointee.gr_name) }
            })
    }
}
