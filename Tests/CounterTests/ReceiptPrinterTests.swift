import Counter
import DeviceIO
import Peripherals
import PrinterModels
import Printing
import Synchronization
import Testing

/// The drivers against the simulated printer behind sockets and pseudoterminals. usblp is stood for
/// by a pseudoterminal: what the kernel's driver does besides is not shown here.
@Suite("Slips go to printers, once", .timeLimit(.minutes(20))) struct ReceiptPrinterTests {
    private static let profiles = ["epson-tm-t88v", "star-tsp600", "star-mpop", "generic-58", "star-tsp100"]
        .compactMap(PrinterProfile.named)

    @Test("A healthy printer prints what the job says", arguments: PrinterStand.Way.allCases, profiles)
    func healthy(_ way: PrinterStand.Way, _ profile: PrinterProfile) async throws {
        let stand = try PrinterStand(profile, way)
        defer { stand.end() }
        let printed = try slip(profile)
        let printer = try ReceiptPrinter(stand.address, profile: profile)
        let states = Mutex<[PrintJob.State]>([])
        let report = await printer.print(printed, number: 7) { state in states.withLock { $0.append(state) } }
        #expect(report.outcome == (profile.marksEnd ? .printed : .notKnown(nil)))
        #expect(report.cause == nil)
        #expect(report.status?.obstacle == nil)
        #expect(states.withLock { $0 } == [.initialize, .connecting, .connected, .print, .finish])
        var alone = SimulatedPrinter(profile)
        _ = alone.receive(printed.bytes)
        #expect(stand.printer.items == alone.items)
    }

    @Test(
        "Unplugged within and behind every block: never printed twice, and never said to be",
        arguments: PrinterStand.Way.allCases, ["epson-tm-t88v", "star-mpop"])
    func unplugged(_ way: PrinterStand.Way, _ id: String) async throws {
        let profile = try #require(PrinterProfile.named(id))
        let printed = try slip(profile)
        // Before the slip stand the bytes that ask for the status, and behind its first block those
        // that switch the automatic one on.
        var whole = StatusDecoder(profile.language)
        var place = whole.request().count
        var places = [1, place]
        for block in printed.blocks {
            places += [place + block.count / 2, place + block.count]
            place += block.count + (places.count == 4 ? profile.language == .escPOS ? 3 : 4 : 0)
        }
        for place in places {
            let stand = try PrinterStand(profile, way, breaksAfter: place)
            defer { stand.end() }
            let printer = try ReceiptPrinter(stand.address, profile: profile)
            let report = await printer.print(printed, number: 7, limits: .short)
            #expect(report.outcome != .printed, "byte \(place)")
            if case .notPrinted = report.outcome { #expect(stand.printer.items.isEmpty, "byte \(place)") }
            #expect(stand.printer.items.count { $0 == .cut } <= 1)
            if way == .network { #expect(stand.connections == 1) }
        }
    }

    @Test("Cover and paper before the slip", arguments: PrinterStand.Way.allCases)
    func obstacles(_ way: PrinterStand.Way) async throws {
        let profile = try #require(PrinterProfile.named("epson-tm-t88v"))
        let stand = try PrinterStand(profile, way)
        defer { stand.end() }
        let printer = try ReceiptPrinter(stand.address, profile: profile)
        stand.change { $0.isCoverOpen = true }
        #expect(try await printer.print(slip(profile), number: 1).outcome == .notPrinted(.coverOpen))
        stand.change {
            $0.isCoverOpen = false
            $0.linesLeft = 0
        }
        #expect(try await printer.print(slip(profile), number: 2).outcome == .notPrinted(.outOfPaper))
        #expect(try await printer.status().paper == .end)
        stand.change { $0.linesLeft = nil }
        #expect(try await printer.print(slip(profile), number: 3).outcome == .printed)
        #expect(stand.printer.items.count { $0 == .cut } == 1)
    }

    @Test(
        "Paper that ends in the middle is told; nothing is sent behind it, also with new paper",
        arguments: PrinterStand.Way.allCases)
    func paperEnds(_ way: PrinterStand.Way) async throws {
        let profile = try #require(PrinterProfile.named("epson-tm-t88v"))
        let stand = try PrinterStand(profile, way)
        defer { stand.end() }
        stand.change { $0.linesLeft = 2 }
        let printer = try ReceiptPrinter(stand.address, profile: profile)
        let report = try await printer.print(slip(profile), number: 4, limits: .short)
        #expect(report.outcome == .notKnown(.outOfPaper))
        #expect(report.status?.paper == .end)
        stand.change { $0.linesLeft = nil }
        #expect(!stand.printer.items.contains(.cut))
    }

    @Test("Silence: a printer that must answer is told, one that need not prints", arguments: PrinterStand.Way.allCases)
    func silence(_ way: PrinterStand.Way) async throws {
        for (id, outcome) in [
            ("epson-tm-t88v", PrintJob.Outcome.notPrinted(.timedOut)), ("generic-58", .notKnown(nil)),
        ] {
            let profile = try #require(PrinterProfile.named(id))
            let stand = try PrinterStand(profile, way)
            defer { stand.end() }
            stand.change { $0.isSilent = true }
            let printer = try ReceiptPrinter(stand.address, profile: profile)
            #expect(try await printer.print(slip(profile), number: 5, limits: .short).outcome == outcome)
            if id == "epson-tm-t88v" {
                #expect(stand.printer.items.isEmpty)
            } else {
                await stand.becomes { !$0.items.isEmpty }
            }
        }
    }

    @Test("A stranger on the port is told, and gets nothing printed") func stranger() async throws {
        let profile = try #require(PrinterProfile.named("epson-tm-t88v"))
        let stand = try PrinterStand(try #require(PrinterProfile.named("star-tsp600")), .network)
        defer { stand.end() }
        stand.change { $0.isSilent = false }
        let printer = try ReceiptPrinter(stand.address, profile: profile)
        let report = try await printer.print(slip(profile), number: 5, limits: .short)
        #expect(report.outcome == .notPrinted(.timedOut))
        #expect(stand.printer.items.isEmpty)
    }

    @Test("Nobody listens, or the device does not exist")
    func absent() async throws {
        let profile = try #require(PrinterProfile.named("generic-58"))
        let stand = try PrinterStand(profile, .network)
        stand.end()
        let addresses: [PrinterAddress] = [
            .tcp(host: "127.0.0.1", port: stand.port), .linePrinter(path: "/dev/usb/lp-absent"),
            .serial(path: "/dev/tty-absent", rate: 9600),
        ]
        for address in addresses {
            let printer = try ReceiptPrinter(address, profile: profile)
            let report = try await printer.print(slip(profile), number: 5)
            #expect(report.outcome == .notPrinted(.notConnected))
            #expect(report.cause != nil)
        }
    }

    @Test("A job that is cancelled ends, and the next one prints") func cancelled() async throws {
        let profile = try #require(PrinterProfile.named("epson-tm-t88v"))
        let stand = try PrinterStand(profile, .network)
        defer { stand.end() }
        stand.change { $0.isSilent = true }
        let printer = try ReceiptPrinter(stand.address, profile: profile)
        let printed = try slip(profile)
        let task = Task { await printer.print(printed, number: 1) }
        task.cancel()
        #expect(await task.value.outcome == .notPrinted(.connectionLost))
        stand.change { $0.isSilent = false }
        #expect(await printer.print(printed, number: 2).outcome == .printed)
    }
}
