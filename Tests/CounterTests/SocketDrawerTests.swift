import Counter
import Peripherals
import PrinterModels
import Printing
import Testing

@Suite("A drawer on a printer's socket", .timeLimit(.minutes(20))) struct SocketDrawerTests {
    private static let limits: DrawerJob.Limits = {
        var limits = DrawerJob.Limits()
        limits.first = .milliseconds(1)
        limits.pause = .milliseconds(1)
        limits.looks = 3
        return limits
    }()
    private static let profiles = ["epson-tm-t88v", "star-tsp600", "star-mpop"].compactMap(PrinterProfile.named)

    @Test("opens once, says so, and is left alone when it is open", arguments: profiles)
    func opens(_ profile: PrinterProfile) async throws {
        let stand = try PrinterStand(profile, .network)
        defer { stand.end() }
        stand.change { $0.drawerSwitchWhenOpen = .high }
        let printer = try ReceiptPrinter(stand.address, profile: profile)
        #expect(try await printer.openDrawer(limits: Self.limits) == .opened(isHigh: true))
        #expect(try await printer.openDrawer(.openWhen(isHigh: true), limits: Self.limits) == .alreadyOpen)
        #expect(stand.printer.pulses.map(\.drive) == [1])
    }

    @Test("no switch, and a drawer that does not open, are told apart", arguments: profiles)
    func doesNotOpen(_ profile: PrinterProfile) async throws {
        let stand = try PrinterStand(profile, .network)
        defer { stand.end() }
        let printer = try ReceiptPrinter(stand.address, profile: profile)
        #expect(try await printer.openDrawer(limits: Self.limits) == .noSwitchSeen)
        #expect(try await printer.openDrawer(.openWhen(isHigh: true), drive: 2, limits: Self.limits) == .didNotOpen)
        #expect(try await printer.openDrawer(.notFitted, limits: Self.limits) == .notKnown)
        #expect(stand.printer.pulses.map(\.drive) == [1, 2, 1])
    }

    /// node-escpos 151, escpos-php 88: a drawer that opens with the next slip.
    @Test("Behind the end of the paper: Epson's runs at once, another printer's is not sent") func stopped()
        async throws
    {
        let epson = try #require(PrinterProfile.named("epson-tm-t88v"))
        let stand = try PrinterStand(epson, .network)
        defer { stand.end() }
        stand.change { $0.linesLeft = 0 }
        let printer = try ReceiptPrinter(stand.address, profile: epson)
        _ = try await printer.openDrawer(limits: Self.limits)
        #expect(stand.printer.pulses.map(\.isRealTime) == [true])

        let star = try #require(PrinterProfile.named("star-tsp600"))
        let other = try PrinterStand(star, .network)
        defer { other.end() }
        other.change { $0.linesLeft = 0 }
        let second = try ReceiptPrinter(other.address, profile: star)
        await #expect(throws: PrintError.outOfPaper) { _ = try await second.openDrawer(limits: Self.limits) }
        other.change { $0.linesLeft = nil }
        #expect(other.printer.pulses.isEmpty)
    }

    @Test("A printer without a socket is told") func unsupported() async throws {
        let profile = try #require(PrinterProfile.named("epson-tm-p80"))
        let printer = try ReceiptPrinter(.tcp(host: "127.0.0.1", port: 9), profile: profile)
        await #expect(throws: PrintError.unsupported) { _ = try await printer.openDrawer() }
    }
}
