import ArgumentParser
import CardCapture
import CardReaders
import Console
import DeviceIO
import Reports

struct MonitorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor",
        abstract: "Show readers and cards as they come and go, until interrupted.",
        discussion: """
            On a terminal the screen shows the readers, the programs that use them, their cards and \
            the last events; at the end it is restored. With --trace it also shows the last steps of \
            the transaction that another command records there. Elsewhere, and with --plain, it \
            writes one line for each event.

            Chip card readers are opened; those in use by another program are shown without their \
            cards. Readers of the PC/SC service are shown as the service reports them. Bluetooth readers appear when \
            this machine knows them (they are paired, or --scan finds them) and disappear when it forgets them.

            EXAMPLES
              cardpresent monitor
              cardpresent monitor --trace sale.apdu      # and elsewhere: cardpresent sale 12.34 --trace sale.apdu
              cardpresent monitor --plain --seconds 10

            \(ExitStatus.explanation)
            """)

    @Option(help: ArgumentHelp("Stop after this many seconds.", valueName: "seconds"))
    var seconds: Double?

    @Flag(help: "Scan for Bluetooth readers continuously.")
    var scan = false

    @Flag(help: "Write one line for each event, on a terminal too.")
    var plain = false

    @Option(help: ArgumentHelp("Follow the trace in this file, which may not exist yet.", valueName: "file"))
    var trace: String?

    func validate() throws {
        if let seconds, !(0.1...31_536_000).contains(seconds) {
            throw ValidationError("--seconds takes a tenth of a second to a year")
        }
    }

    func run() async throws {
        try await reportingErrors {
            let screen = !plain && LiveScreen.isAvailable ? LiveScreen() : nil
            let board = MonitorBoard(screen)
            let signals = screen == nil ? nil : try TerminalSignals()
            let monitor = try DeviceMonitor()
            screen?.enter()
            defer { screen?.leave() }
            board.redraw()
            try await withThrowingTaskGroup(of: Int32?.self) { group in
                group.addTask {
                    await watch(monitor, board)
                    return nil
                }
                group.addTask {
                    try await ServiceWatch(board).run()
                    return nil
                }
                group.addTask {
                    try await Task.sleep(for: .seconds(seconds ?? 1e9))
                    return nil
                }
                if let signals, let screen { group.addTask { await obey(signals, screen, board) } }
                if let trace {
                    let follower = TraceFollower(trace) { steps in board.update { $0.transaction = (trace, steps) } }
                    group.addTask {
                        try await follower.follow()
                        return nil
                    }
                }
                try await monitor.start()
                if scan { try await monitor.startScanning() }
                let ending = try await group.next() ?? nil
                // Restore the screen before readers that are slow to close.
                screen?.leave()
                if let ending { TerminalSignals.end(ending) }
                group.cancelAll()
            }
        }
    }

    /// - Returns: The signal that ends the process.
    private func obey(_ signals: TerminalSignals, _ screen: LiveScreen, _ board: MonitorBoard) async -> Int32? {
        for await signal in signals.signals {
            switch signal {
            case .end(let number): return number
            case .stop:
                screen.leave()
                TerminalSignals.stop()
            case .resumed:
                screen.enter()
                board.redraw()
            case .resized: board.redraw()
            }
        }
        return nil
    }

    private func watch(_ monitor: DeviceMonitor, _ board: MonitorBoard) async {
        await withTaskGroup(of: Void.self) { group in
            var open: [String: CCIDReader] = [:]
            for await change in monitor.changes {
                switch change {
                case .arrived(let node):
                    guard let found = ReaderCatalog.reader(node) else { continue }
                    board.arrived(found)
                    guard found.family == .ccid else { continue }
                    do {
                        let reader = try CCIDReader(node, rules: .iso, interface: nil)
                        for slot in try await reader.open() {
                            // Subscribes before the query, so that a card inserted in between is
                            // not missed.
                            let events = slot.events.stream()
                            let isPresent = try await slot.isCardPresent
                            board.hasCard(isPresent, slot.name, node.node)
                            if isPresent { board.tell(node.node, "\(slot.name): card present") }
                            group.addTask {
                                for await event in events {
                                    switch event {
                                    case .cardPresented: board.hasCard(true, slot.name, node.node)
                                    case .cardRemoved: board.hasCard(false, slot.name, node.node)
                                    default: break
                                    }
                                    board.tell(node.node, "\(slot.name): \(text(event))")
                                }
                            }
                        }
                        open[node.path] = reader
                    } catch {
                        board.failed(node.node, "\(error)")
                    }
                case .left(let node):
                    guard let found = ReaderCatalog.reader(node) else { continue }
                    await open.removeValue(forKey: node.path)?.close()
                    board.left(node.node, "\(found.name) disconnected")
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
        case .battery(let state): "\(state)"
        case .cardPresented: "card inserted"
        case .cardRemoved: "card removed"
        case .swiped(let readable): readable ? "card swiped" : "swipe not readable"
        case .prompt(let lines, _): "shows: \(lines.joined(separator: " / "))"
        case .userInterface: "shows a status"
        case .instruction(let instruction): "asks: \(instruction.rawValue)"
        case .selectionRequired(let names): "asks for one of: \(names.joined(separator: ", "))"
        case .pinProgress(let digits): "\(digits) digits of the PIN"
        // fits: a part of one
        case .progress(let operation, let part): "\(operation.rawValue): \(Int(part * 100)) %"
        }
    }
}
