import PaymentTerminal
import PrinterModels
import Printing
import Testing

@Suite("QR codes are read by zbarimg") struct QRCodeTests {
    private static let texts = [
        "https://example.com/r/1", "Grüße aus Łódź, 12,50 €", "日本語のレシート", String(repeating: "0123456789", count: 40),
    ]

    @Test(
        "off the picture of the paper, drawn by the printer or sent as a picture", arguments: PrinterProfile.known,
        [texts[1], texts[3]])
    func paper(_ profile: PrinterProfile, _ text: String) throws {
        let slip = Slip(
            [.merchant("Shop"), .amount("12.50 EUR")], columns: profile.fonts[0].columns,
            additions: Slip.Additions(footer: ["Thank you"], qr: text))
        let font = try Peer.font()
        let printed = profile.encode(slip, pictureFont: font)
        #expect(!printed.events.contains { if case .omittedQR = $0 { true } else { false } })
        var printer = SimulatedPrinter(profile)
        _ = printer.receive(printed.bytes)
        #expect(try Peer.codes(printer.picture(font: font)) == text)
        #expect(printer.items.contains(.qr(Array(text.utf8))) == (profile.qr == .native))
    }

    @Test("off the raster of the whole slip", arguments: texts) func raster(_ text: String) throws {
        let slip = Slip([.merchant("Shop")], columns: 48, additions: Slip.Additions(qr: text))
        #expect(try Peer.codes(slip.picture(dots: 576, font: Peer.font()).bitmap) == text)
    }

    @Test("A code that is too large is left out, and an event says so") func tooLarge() throws {
        #expect(QRCode([UInt8](repeating: 0x61, count: QRCode.maximumSize)) != nil)
        #expect(QRCode([UInt8](repeating: 0x61, count: QRCode.maximumSize + 1)) == nil)
        #expect(QRCode([]) == nil)
        let profile = try #require(PrinterProfile.named("epson-tm-t88v"))
        let slip = Slip(columns: 42, items: [.qr([UInt8](repeating: 0x61, count: 3000))])
        #expect(profile.encode(slip, pictureFont: try Peer.font()).events == [.omittedQR(line: 0)])
    }
}
