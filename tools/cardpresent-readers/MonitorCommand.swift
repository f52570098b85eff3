import ArgumentParser
import CardReaders
import Console
import DeviceIO
import FoundationEssentials
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct MonitorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Show readers and cards as they come and go, a line each, until interrupted.",
        discussion: """
            Chip card readers are opened; those that somebody else holds are shown without their cards. Bluetooth readers come when this machine gets to know them
            (they are paired, or --scan finds them) and go when it forgets them.

            \(ExitStatus.explanation)
            """)

    @Option(help: ArgumentHelp("Stop after so many seconds.", valueName: "seconds"))
    var seconds: Double?

    @Flag(help: "Look for Bluetooth readers all the while.")
    var scan = false

    func validate() throws {
        if let seconds, !(0.1...31_536_000).contains(seconds) { throw ValidationError("--seconds takes a tenth of a second to a year") }
    }

    func run() async throws {
        try await reportingErrors {
            let monitor = try DeviceMonitor()
            let lines = MonitorLines()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await watch(monitor, lines) }
                group.addTask { try await Task.sleep(for: .seconds(seconds ?? 1e9)) }
                try await monitor.start()
                if scan { try await monitor.startScanning() }
                try await group.next()
                group.cancelAll()
            }
        }
    }

    private func watch(_ monitor: DeviceMonitor, _ lines: MonitorLines) async {
        await withTaskGroup(of: Void.self) { group in
            var open: [String: CCIDReader] = [:]
            for await change in monitor.changes {
                switch change {
                case .arrived(let node):
                    guard let found = ReaderCatalog.reader(node) else { continue }
                    lines.show(node.node, "\(found.name) is here (\(found.model.family.rawValue))")
                    guard found.model.family == .ccid else { continue }
                    do {
                        let reader = try CCIDReader(node, rules: .iso)
                        for slot in try await reader.open() {
                            // Listened to before it is asked: a card that comes in between is told of by the one or the other.
                            let events = slot.events.stream()
                            if try await slot.isCardPresent { lines.show(node.node, "\(slot.name): a card is in it") }
                            group.addTask {
                                for await event in events { lines.show(node.node, "\(slot.name): \(text(event))") }
                            }
                        }
                        open[node.path] = reader
                    } catch {
                        lines.show(node.node, "\(error)")
                    }
                case .left(let node):
                    guard let found = ReaderCatalog.reader(node) else { continue }
                    await open.removeValue(forKey: node.path)?.close()
                    lines.show(node.node, "\(found.name) is gone")
                }
            }
            group.cancelAll()
            for reader in open.values { await reader.close() }
        }
    }

    private func text(_ event: ReaderEvent) -> String {
        switch event {
        case .connected: "connected"
        case .reconnecting: "reconnecting"
        case .disconnected(.closed): "closed"
        case .disconnected(.unplugged): "unplugged"
        case .disconnected(.silent): "no longer answers"
        case .disconnected(.failed(let why)): "failed: \(why)"
        case .battery(let percent): "battery at \(percent) %"
        case .cardPresented: "a card was put in"
        case .cardRemoved: "the card was taken out"
        case .swiped(let readable): readable ? "a card was swiped" : "a swipe could not be read"
        case .prompt(let lines): "shows: \(lines.joined(separator: " / "))"
        case .selectionWanted(let names): "asks for one of: \(names.joined(separator: ", "))"
        case .pinProgress(let digits): "\(digits) digits of the PIN"
        case .progress(let operation, let part): "\(operation.rawValue): \(Int(part * 100)) %"
        }
    }
}

/// Writes lines with the time before them, one at a time.
private final class MonitorLines: Sendable {
    private let console = Mutex(Console())

    func show(_ node: String, _ text: String) {
        let time = Date().formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true).time(includingFractionalSeconds: true))
        console.withLock { console in
            print("\(console.paint(time, .dim)) \(console.paint(node, .cyan)) \(text)")
            // At once, into files and pipes too.
            _ = fflush(nil)
        }
    }
}
