private import Glibc

/// What is to be known of this machine when a reader does not work.
public struct HostState: Sendable, Equatable {
    /// Names of the programs that run, at most 15 characters of each.
    public var programs: Set<String>
    /// Of the kernel.
    public var modules: Set<String>
    /// Of this user, by name.
    public var groups: Set<String>
    public var isRoot: Bool
    /// Those of the files asked for that are there.
    public var files: Set<String>
    /// Device files that this user may open.
    public var accessible: Set<String>
    /// Device file to program.
    public var holders: [String: String]
    /// What is in the way of Bluetooth; nil if nothing is.
    public var bluetooth: BluetoothObstacle?

    public init(
        programs: Set<String> = [], modules: Set<String> = [], groups: Set<String> = [], isRoot: Bool = false, files: Set<String> = [],
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
    ///   - files: To be looked for.
    ///   - nodes: Device files of readers.
    ///   - bus: Where bluetoothd is.
    public init(lookingFor files: [String], nodes: [String], bus: DBusAddress? = .system) {
        self.init(
            programs: Set(ProcFiles.processes.compactMap(ProcFiles.name(ofProcess:))),
            modules: Set(
                (ProcFiles.text("/proc/modules", atMost: 1 << 20) ?? "").split(separator: "\n").compactMap { line in
                    line.split(separator: " ").first.map(String.init)
                }), groups: Self.groupNames(), isRoot: geteuid() == 0, files: Set(files.filter { unsafe access($0, F_OK) == 0 }),
            accessible: Set(nodes.filter { unsafe access($0, R_OK | W_OK) == 0 }))
        for node in nodes { holders[node] = DeviceHolder.program(holding: node) }
        bluetooth = BluetoothObstacle.ofThisHost(bus: bus)
    }

    private static func groupNames() -> Set<String> {
        var identifiers = [gid_t](repeating: 0, count: 1024)
        // fits: 1024
        let count = unsafe getgroups(Int32(identifiers.count), &identifiers)
        let all = identifiers.prefix(max(0, Int(count))) + [getegid()]
        return Set(all.compactMap { identifier in unsafe getgrgid(identifier).map { unsafe String(cString: $0.pointee.gr_name) } })
    }
}
