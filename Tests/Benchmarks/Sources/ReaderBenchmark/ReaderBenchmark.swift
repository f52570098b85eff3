import Bytes
import CReference
import CardCapture
import CardReaders
import DeviceIO
import Glibc
import SmartCard

/// What readers cost: time, CPU, memory, descriptors, threads and wake-ups, measured from within
/// the emulated machine (tools/benchmarks/readers).
///
/// - `commands COUNT COMMAND`: milliseconds and CPU milliseconds a command, and what has grown
///   since the first hundred
/// - `plugs COUNT`: opens each reader that arrives, sends one command and lets it go; what has
///   grown from the fifth to the fiftieth, the hundredth and so on
/// - `idle SECONDS`: opens every reader there is and does nothing
@main
struct ReaderBenchmark {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3, let number = Int(arguments[2]) else { exit(64) }
        switch arguments[1] {
        case "commands": try await commands(number, CommandAPDU(try [UInt8](hex: arguments[3])) ?? .init(ins: 0))
        case "plugs": try await plugs(number)
        case "idle": try await idle(number)
        default: exit(64)
        }
    }

    private static func commands(_ count: Int, _ command: CommandAPDU) async throws {
        guard let found = try ReaderCatalog.readers().first(where: { $0.family == .ccid }) else { exit(2) }
        let reader = try CCIDReader(found.node)
        let slot = try await reader.open()[0]
        let channel = try await slot.powerOn()
        for _ in 0..<100 { _ = try await channel.transmit(command) }
        let before = Usage.now
        for _ in 0..<count { _ = try await channel.transmit(command) }
        let after = Usage.now
        print((after.milliseconds - before.milliseconds) / Double(count), (after.cpu - before.cpu) / Double(count))
        print(before.growth(to: after))
        await reader.close()
    }

    private static func plugs(_ count: Int) async throws {
        let monitor = try DeviceMonitor()
        try await monitor.start()
        var done = 0
        var first: Usage?
        for await change in monitor.changes {
            guard case .arrived(let node) = change, ReaderCatalog.reader(node)?.family == .ccid else { continue }
            let reader = try CCIDReader(node)
            let slot = try await reader.open()[0]
            let response = try await slot.powerOn().transmit(
                CommandAPDU(ins: 0xA4, p1: 4, data: [0xA0, 0, 0, 0, 3, 0x10, 0x10]))
            guard response.status == .success else { exit(2) }
            await reader.close()
            done += 1
            print("plugged \(done)")
            fflush(nil)
            if done == 5 { first = Usage.now }
            if let first, done == 50 || done.isMultiple(of: 100) {
                print("cycle 5 to \(done): \(first.growth(to: .now))")
            }
            if done == count { break }
        }
        // The last reader's thread ends behind its actor.
        try await Task.sleep(for: .milliseconds(500))
        if let first { print("cycle 5 to the end: \(first.growth(to: .now))") }
    }

    private static func idle(_ seconds: Int) async throws {
        // The runtime's own wake-ups: libdispatch looks after its pool of threads once a second in
        // every program that has used it.
        print("no reader open: \(await wakeUps(seconds))")
        var readers: [CCIDReader] = []
        for found in try ReaderCatalog.readers() where found.family == .ccid {
            let reader = try CCIDReader(found.node)
            try await reader.open()
            readers.append(reader)
        }
        let monitor = try DeviceMonitor()
        try await monitor.start()
        print("\(readers.count) readers and hot-plug: \(await wakeUps(seconds))")
        for reader in readers { await reader.close() }
    }

    /// What woke which thread in so many seconds of idleness, and what the process is then.
    private static func wakeUps(_ seconds: Int) async -> String {
        let before = Usage.now
        // Blocks this thread, because a `Task.sleep` would wake others.
        sleep(UInt32(seconds))
        let after = Usage.now
        let woken = after.switches.compactMap { thread, count in
            let times = count - (before.switches[thread] ?? 0)
            return times > 0 ? "\(thread): \(times)" : nil
        }
        return "resident \(after.resident) KiB, threads \(after.threads), wake-ups in \(seconds) s: \(woken.sorted())"
    }
}

/// What this process has used so far.
struct Usage {
    let milliseconds: Double
    let cpu: Double
    /// KiB.
    let resident: Int
    /// KiB of it that no file is behind.
    let anonymous: Int
    /// KiB that the allocator has given out, and has from the system.
    let allocated: Int
    let heap: Int
    let descriptors: Int
    let threads: Int
    /// Voluntary context switches of each thread, by name and number.
    let switches: [String: Int]

    static var now: Usage {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        var usage = rusage()
        getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
        let cpu =
            Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 + Double(
                usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3
        return Usage(
            milliseconds: Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6, cpu: cpu, resident: field("VmRSS:"),
            anonymous: field("RssAnon:"), allocated: reference_allocated() / 1024, heap: reference_heap() / 1024,
            descriptors: entries("/proc/self/fd").count, threads: entries("/proc/self/task").count,
            switches: Dictionary(
                entries("/proc/self/task").map { thread in
                    let path = "/proc/self/task/\(thread)"
                    return ("\(text("\(path)/comm")) \(thread)", field("voluntary_ctxt_switches:", "\(path)/status"))
                }, uniquingKeysWith: { $1 }))
    }

    func growth(to later: Usage) -> String {
        "resident \(resident) → \(later.resident) KiB, of its own \(anonymous) → \(later.anonymous) KiB, "
            + "allocated \(allocated) → \(later.allocated) KiB of \(heap) → \(later.heap) KiB, "
            + "descriptors \(descriptors) → \(later.descriptors), threads \(threads) → \(later.threads)"
    }

    private static func entries(_ folder: String) -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            // Where it lies: behind its name an entry may be nobody's memory.
            let start = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
            let name = String(cString: UnsafeRawPointer(entry).advanced(by: start).assumingMemoryBound(to: CChar.self))
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names
    }

    private static func field(_ name: String, _ path: String = "/proc/self/status") -> Int {
        guard let file = fopen(path, "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        while fgets(&line, 256, file) != nil {
            let text = String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
            if text.hasPrefix(name) { return Int(text.dropFirst(name.count).filter(\.isNumber)) ?? 0 }
        }
        return 0
    }

    private static func text(_ path: String) -> String {
        guard let file = fopen(path, "r") else { return "" }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 64)
        guard fgets(&line, 64, file) != nil else { return "" }
        return String(decoding: line.prefix { $0 != 0 && $0 != 10 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
