import PaymentTerminal
import PrinterModels
import Testing

@testable import Printing

/// What strangers write does not steer the printer.
@Suite("Text of host, card and merchant is cleaned at the border") struct BorderTests {
    /// Commands that open a drawer, cut, or switch something: as a gateway's approval code once
    /// carried them.
    private static let commands: [String] = [
        "\u{1B}p\u{0}\u{19}\u{FA}", "\u{10}\u{14}\u{1}\u{0}\u{1}", "\u{1B}\u{7}\u{14}\u{14}\u{7}", "\u{7}", "\u{1A}",
        "\u{1D}V\u{0}", "\u{1B}@", "\u{1B}d3", "\u{1B}*rA", "\u{1D}(H\u{6}\u{0}00AAAA", "\u{9B}p", "\r\n\u{1B}t\u{10}",
    ]

    @Test("An approval code with a printer's commands opens no drawer", arguments: PrinterProfile.known, commands)
    func approvalCode(_ profile: PrinterProfile, _ command: String) throws {
        let lines: [Receipt.Line] = [
            .merchant("Shop\(command)"), .row("Approval code", "12\(command)34"), .sum("Tip\(command)", "1.00 EUR"),
            .amount("12.50 EUR"), .outcome("APPROVED\(command)"), .note(command),
        ]
        let slip = Slip(
            lines, columns: profile.fonts[0].columns, additions: Slip.Additions(header: [command], footer: [command]))
        var printer = SimulatedPrinter(profile)
        let answers = printer.receive(profile.encode(slip, pictureFont: try Peer.font()).bytes)
        #expect(printer.pulses.isEmpty)
        #expect(answers.isEmpty)
        #expect(printer.items.count { $0 == .cut } == (profile.cut == .none ? 0 : 1))
        #expect(printer.strangeBytes == 0)
    }

    @Test("A QR code whose text is a command is sent as a picture", arguments: PrinterProfile.known)
    func code(_ profile: PrinterProfile) throws {
        let slip = Slip(columns: 32, items: [.qr([0x10, 0x14, 0x01, 0x00, 0x01])])
        var printer = SimulatedPrinter(profile)
        _ = printer.receive(profile.encode(slip, pictureFont: try Peer.font()).bytes)
        #expect(printer.pulses.isEmpty)
        #expect(printer.items.contains { if case .picture = $0 { true } else { false } })
    }

    /// `DLE DC4 1 0 1`, `DLE EOT 1` and `DLE ENQ 2` in the dots: printers act on them there.
    @Test(
        "A picture with a real-time command in its dots is no command, and has lost a dot",
        arguments: [[0x10, 0x14, 0x01, 0x00, 0x01], [0x10, 0x04, 0x01], [0x10, 0x05, 0x02]] as [[UInt8]])
    func dots(_ command: [UInt8]) throws {
        let profile = try #require(PrinterProfile.named("generic-58"))
        let bitmap = Bitmap(width: 384, height: 8, bytes: command)
        func acts(_ bytes: [UInt8]) -> Bool {
            var printer = SimulatedPrinter(profile)
            printer.faults = [.recoverable]
            return !printer.receive(bytes).isEmpty || !printer.pulses.isEmpty || printer.faults.isEmpty
        }
        #expect(acts([0x1D, 0x76, 0x30, 0, 48, 0, 8, 0] + bitmap.bytes), "the printer that the test needs")
        let sent = Array(ESCPOSCommands().picture(bitmap).joined())
        #expect(!acts(sent))
        let lost = zip(bitmap.bytes, sent.dropFirst(8)).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
        #expect(lost == 1)
    }

    @Test("A random picture as a raster slip never acts, and loses few dots") func randomDots() throws {
        let profile = try #require(PrinterProfile.named("generic-58"))
        var random = RandomSlips(seed: 10)
        for _ in 0..<40 {
            let code = Slip(columns: 32, items: [.qr(Array(random.text(200...600).utf8))])
            var printer = SimulatedPrinter(profile)
            #expect(printer.receive(profile.encode(code, pictureFont: try Peer.font()).bytes).isEmpty)
            #expect(printer.pulses.isEmpty)
        }
    }
}
